#!/bin/sh
# run_list.sh LIST [PATTERN [FACTOR]]: runs the tests of a list (list_tests.cmake) whose names
# match PATTERN, with FACTOR times their time limits, as ctest would. Needs a shell and coreutils.
#
# Prints "PASS name", "FAIL name: why" with what the test printed, or "SKIP name: why". NAME.alone
# is a program without the library. Where that fails, the program expects something that this C
# library or machine has not, and the other NAME.* would say nothing of the library: all of them are
# skipped. Exit status 0, or 1 where a test failed, or fewer passed than were skipped.
set -u
list=$1 names=${2:-.} factor=${3:-1}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 143' HUP INT TERM
failed=0 passed=0 skipped=0 unfit=

skip() { # WHY
    echo "SKIP $name: $1"
    skipped=$((skipped + 1))
}

# Called by the list.
run_test() { # NAME TIMEOUT PATTERN COMMAND…
    name=$1 limit=$(($2 * factor)) pattern=$3
    shift 3
    case $unfit in
    *" ${name%%.*}.$(echo "$name" | cut -d . -f 2) "*)
        skip "its program fails here without the library, too"
        return
        ;;
    esac
    status=0
    timeout -k 10 "$limit" "$@" >"$work/out" 2>&1 </dev/null || status=$?
    if [ $status -eq 77 ]; then
        skip "$(tail -n 1 "$work/out")"
        return
    fi
    if [ $status -eq 124 ]; then
        why="more than $limit s"
    elif [ -n "$pattern" ]; then
        why="no line with $pattern"
        ! grep -qE -- "$pattern" "$work/out" || why=
    else
        why="exit status $status"
        [ $status -ne 0 ] || why=
    fi
    if [ -z "$why" ]; then
        echo "PASS $name"
        passed=$((passed + 1))
        return
    fi
    # 127: it is not there at all.
    if [ "${name%.alone}" != "$name" ] && [ "$why" != "more than $limit s" ] && [ $status -ne 127 ]; then
        unfit="$unfit ${name%.alone} "
        skip "$why without the library: $(tail -n 1 "$work/out")"
        return
    fi
    echo "FAIL $name: $why"
    tail -n 40 "$work/out" | sed 's/^/    /'
    failed=$((failed + 1))
}

# By awk, for which the name ends where the pattern's $ is.
names=$names awk '$2 ~ ENVIRON["names"]' "$list" >"$work/list"
if [ ! -s "$work/list" ]; then
    echo "FAIL run_list: no test's name matches $names"
    exit 1
fi
# shellcheck source=/dev/null
. "$work/list"
[ $failed -eq 0 ] && [ $passed -gt $skipped ]
