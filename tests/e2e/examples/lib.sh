# Shared by the tests of examples/. Sourced by POSIX sh.
#
#   valid COMMAND FILE…          the command must accept the files, without a word on stderr
#   fault FILE EXPRESSION COMMAND  the command must refuse the example changed by sed, which shows
#                                that it looks
#
# shellcheck shell=sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
examples=$(cd "$here/../../../examples" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

skip() {
    echo "SKIP: $*"
    exit 77
}

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

valid() {
    command=$1
    shift
    if "$command" "$@" >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ]; then
        echo "ok: $*"
    else
        fail "$*: $(head -n 5 "$work/out" "$work/err")"
    fi
}

fault() {
    file=$(find "$examples" -name "$1")
    mkdir -p "$work/fault"
    sed "$2" "$file" >"$work/fault/$1"
    if cmp -s "$file" "$work/fault/$1"; then
        fail "$1: '$2' changes nothing"
    elif "$3" "$work/fault/$1" >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ]; then
        fail "$1: '$2' is not noticed"
    else
        echo "ok: control: '$2' is noticed"
    fi
}

finish() {
    [ $failures -eq 0 ] || exit 1
    exit 0
}
