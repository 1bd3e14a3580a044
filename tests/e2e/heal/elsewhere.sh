#!/bin/sh
# Another user's own process, and one in other PID and mount namespaces.
. "$(dirname "$0")/lib.sh"
need_root "become somebody else"
command -v setpriv >/dev/null || skip "setpriv is not installed"

# Not root: both are somebody else's. What is needed is where he may read it.
chmod 755 "$work"
cp "$thpfix" "$THPFIX_TEST_STACKS" "$work"
preload=
if [ -n "$THPFIX_TEST_LEGACY_KERNEL" ]; then
    cp "$THPFIX_TEST_LEGACY_KERNEL" "$work"
    preload=$work/$(basename "$THPFIX_TEST_LEGACY_KERNEL")
fi
scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
if [ "$scope" -eq 0 ]; then
    start setpriv --reuid 65534 --regid 65534 --clear-groups \
        env LD_PRELOAD="$preload" "$work/$(basename "$THPFIX_TEST_STACKS")" 30 2048 0 4
    run 0 setpriv --reuid 65534 --regid 65534 --clear-groups \
        "$work/$(basename "$thpfix")" heal --json "$pid"
    expect_field 30 threads "done"
    expect_field 0 failed_calls
    end_all
fi

unshare --pid --mount true 2>/dev/null || skip "no namespaces here"
LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL start unshare --pid --mount --fork --kill-child \
    "$THPFIX_TEST_STACKS" 30 2048 0 4
pid=$(grep -lx "PPid:.$pid" /proc/[0-9]*/status | tr -cd '[:digit:]')
heal 0
expect_field 30 threads "done"
expect_field 0 failed_calls
[ "$(field freed_bytes)" -gt $((25 * 2097152)) ] || fail "not enough was freed"
finish
