# shellcheck shell=sh
# Shared by the tests that run whole programs with the library and without. Sourced by
# POSIX sh; needs WITH_THP, LEGACY_KERNEL and LIBTHPFIX in the environment.
#
#   run_with NAME COMMAND…     THP always, a kernel that does not exempt stacks, the library
#   run_without NAME COMMAND…  the same without the library: the control, which must suffer
#   run_floor NAME COMMAND…    THP madvise, without the library: as good as it can be
#
# Each leaves what the command printed in $work/NAME; value NAME KEY reads a key=value line of
# it. THPFIX=on, because the library's own probe still meets the real kernel.
# thp_options holds further options of with_thp.

work=$(mktemp -d) || exit 1
group=
thp_options=
failures=0

clean_up() {
    rm -rf "$work"
    [ -z "$group" ] || rmdir "$group" 2>/dev/null
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

skip() {
    echo "SKIP: $*"
    exit 77
}

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect WHAT NUMBER OPERATOR NUMBER: as test(1) compares; an empty value is a failure too.
expect() {
    if test "$2" "$3" "$4" 2>/dev/null; then
        echo "ok: $1 ($2 $3 $4)"
    else
        fail "$1 (wanted: $2 $3 $4)"
    fi
}

# Ends the test by what it found.
finish() {
    [ $failures -eq 0 ] || exit 1
    exit 0
}

# Before anything else: a preload that is not there is ignored, and the test would prove
# nothing.
require_legacy_kernel() {
    [ -n "$LEGACY_KERNEL" ] || skip "the older kernel can be had on x86-64 only"
    for file in "$WITH_THP" "$LEGACY_KERNEL" "$LIBTHPFIX"; do
        [ -r "$file" ] || {
            fail "$file is missing"
            exit 1
        }
    done
    "$WITH_THP" -- true || exit $?
}

# A memory cgroup for the commands alone, where the machine lets us have one.
use_own_cgroup() {
    for parent in /sys/fs/cgroup/memory /sys/fs/cgroup; do
        if [ -e $parent/cgroup.procs ] && mkdir "$parent/thpfix-test-$$" 2>/dev/null; then
            group=$parent/thpfix-test-$$
            [ -e "$group/memory.current" ] || [ -e "$group/memory.usage_in_bytes" ] && return 0
            rmdir "$group"
            group=
        fi
    done
    return 1
}

run_preloaded() { # NAME MODE PRELOAD COMMAND…
    run_name=$1 run_mode=$2 run_preload=$3
    shift 3
    # shellcheck disable=SC2086 # thp_options are words
    "$WITH_THP" --enabled "$run_mode" $thp_options -- \
        sh -c '[ -z "$1" ] || echo $$ >"$1/cgroup.procs"; preload=$2; shift 2
               LD_PRELOAD=$preload; export LD_PRELOAD; exec "$@"' \
        sh "$group" "$run_preload" "$@" >"$work/$run_name"
    run_status=$?
    [ $run_status -eq 0 ] || {
        fail "$run_name: status $run_status of: $*"
        exit 1
    }
}

run_with() {
    run_name=$1
    shift
    run_preloaded "$run_name" always "$LIBTHPFIX:$LEGACY_KERNEL" env THPFIX=on "$@"
}

run_without() {
    run_name=$1
    shift
    run_preloaded "$run_name" always "$LEGACY_KERNEL" "$@"
}

run_floor() {
    run_name=$1
    shift
    run_preloaded "$run_name" madvise "$LEGACY_KERNEL" "$@"
}

value() {
    sed -n "s/^$2=//p" "$work/$1"
}

# The median of several runs NAME.1, NAME.2, …
median() {
    sed -n "s/^$2=//p" "$work/$1".[0-9]* | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Numbers for expect, rounded down.
percent_of() {
    echo $(($1 * $2 / 100))
}
