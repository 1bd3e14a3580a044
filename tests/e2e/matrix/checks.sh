# shellcheck shell=bash
# What the checks of the matrix share; to be sourced. $work is a directory of theirs, which goes
# with them, and $failed their exit status.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# check NAME TEST…: as test(1); an empty value fails. Prints "PASS name" or "FAIL name: why", and
# then what a program left in $work/err. With show_values set, what was compared is always shown.
check() {
    if test "${@:2}" 2>/dev/null; then
        echo "PASS $1${show_values:+ (${*:2})}"
        return
    fi
    echo "FAIL $1: wanted ${*:2}"
    [ ! -s "$work/err" ] || sed 's/^/    /' "$work/err"
    failed=1
}

skip() { # NAME WHY
    echo "SKIP $1: $2"
}
