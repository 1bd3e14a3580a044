# Sourced by the tests of the command. Each test runs commands with `run`, looks at what
# they printed with the expect_ functions, and ends with `finish`.
#
# shellcheck shell=sh
set -u
: "${THPFIX_COMMAND:?the command under test}" "${THPFIX_LIBRARY:?the library beside it}"
unset LD_PRELOAD LD_LIBRARY_PATH GLIBC_TUNABLES THPFIX
for variable in $(env | sed -n 's/^\(THPFIX_[A-Z_]*\)=.*/\1/p'); do
    case $variable in
    THPFIX_COMMAND | THPFIX_LIBRARY | THPFIX_TEST_*) ;;
    *) unset "$variable" ;;
    esac
done

# Read by the tests that source this file.
# shellcheck disable=SC2034
{
    thpfix=$THPFIX_COMMAND
    library=$THPFIX_LIBRARY
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
what=

fail() {
    echo "FAILED: $what: $*" >&2
    for stream in out err; do
        if [ -s "$work/$stream" ]; then
            sed "s/^/    $stream: /" "$work/$stream" >&2
        fi
    done
    failures=$((failures + 1))
}

skip() {
    echo "SKIPPED: $*"
    exit 77
}

# run STATUS COMMAND...: the command must end with that status
run() {
    wanted=$1
    shift
    what=$*
    "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" -eq "$wanted" ] || fail "exit status $status, not $wanted"
}

# expect_out TEXT, expect_err TEXT: a line of the output is exactly that
expect_out() {
    grep -qxF -- "$1" "$work/out" || fail "no line '$1' on stdout"
}
expect_err() {
    grep -qxF -- "$1" "$work/err" || fail "no line '$1' on stderr"
}

# expect_err_part TEXT: it stands somewhere on stderr
expect_err_part() {
    grep -qF -- "$1" "$work/err" || fail "no '$1' on stderr"
}

# expect_complaint TEXT: nothing on stdout, and that one line on stderr
expect_complaint() {
    [ ! -s "$work/out" ] || fail "something on stdout"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line on stderr"
    expect_err "$1"
}

expect_silent() {
    [ ! -s "$work/err" ] || fail "something on stderr"
}

# expect_same WHAT GOT WANTED
expect_same() {
    [ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"
}

finish() {
    if [ "$failures" -ne 0 ]; then
        echo "$failures failed" >&2
        exit 1
    fi
    exit 0
}
