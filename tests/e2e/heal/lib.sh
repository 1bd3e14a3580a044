# Sourced by the tests of heal.
#
# shellcheck shell=sh
. "$(dirname "$0")/../see/lib.sh"
: "${THPFIX_TEST_LEGACY_KERNEL?}" "${THPFIX_TEST_HOSTILE:?}" "${THPFIX_TEST_SPOIL:?}"
need_root "change the THP mode"
# Where the older kernel cannot be had for one process, it has to be one.
if [ -z "$THPFIX_TEST_LEGACY_KERNEL" ]; then
    "$thpfix" check >"$work/out" 2>&1
    [ $? -ne 0 ] || skip "this kernel exempts stacks: there is nothing to heal"
fi

# heal STATUS...: heals $pid; the exit status must be one of these
heal() {
    what="thpfix heal $pid"
    "$thpfix" heal --json "$pid" </dev/null >"$work/out" 2>"$work/err"
    healed=$?
    for status in "$@"; do
        [ $healed -eq "$status" ] && return 0
    done
    fail "exit status $healed"
}

# start_charged COMMAND...: as start, in a memory cgroup of its own, where the machine lets us have
# one: what others do meanwhile is then no part of the figure.
group=
start_charged() {
    for parent in /sys/fs/cgroup/memory /sys/fs/cgroup; do
        [ -z "$group" ] && [ -e $parent/cgroup.procs ] || continue
        mkdir "$parent/thpfix-heal-$$" 2>/dev/null && group=$parent/thpfix-heal-$$
        [ -z "$group" ] || [ -e "$group/memory.current" ] || [ -e "$group/memory.usage_in_bytes" ] ||
            { rmdir "$group"; group=; }
    done
    trap 'end_all; [ -z "$group" ] || rmdir "$group"; rm -rf "$work"' EXIT
    # shellcheck disable=SC2016 # for the inner shell
    start sh -c '[ -z "$1" ] || echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$group" "$@"
}

# charged: the memory that the process takes, in KiB; of the whole machine without a cgroup
charged() {
    if [ -n "$group" ]; then
        cat "$group/memory.current" "$group/memory.usage_in_bytes" 2>/dev/null |
            awk '{ print int($1 / 1024) }'
    else
        awk '/^MemTotal:/ { total = $2 } /^MemFree:/ { print total - $2 }' /proc/meminfo
    fi
}

# end_whole: tells the hostile process to end, which it must do as one that is whole
end_whole() {
    what="the process that was healed"
    kill -TERM "$pid" || fail "it is not there any more"
    wait "$pid"
    ended=$?
    cp "$work/program" "$work/out"
    [ $ended -eq 0 ] && grep -qx whole "$work/program" || fail "it is not whole, status $ended"
    started=
}
