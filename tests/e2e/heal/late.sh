#!/bin/sh
# The healer comes too late whenever it looks what a thread has done: the thread has gone home by
# itself and uses its stack again. It notices, comes to its end, and the process goes on. What may
# show is that a thread was stopped, as it does with SIGSTOP: some calls return EINTR then
# (signal(7)).
. "$(dirname "$0")/lib.sh"
strace=$(command -v strace) || skip "strace is not installed"

LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL start "$THPFIX_TEST_HOSTILE" 1 stops
# A thread waits 20 ms for it after PTRACE_CONT, and may be stopped for long: all calls take that.
timeout --foreground -s KILL 120 "$strace" -f --seccomp-bpf -qq -o "$work/calls" -e trace=ptrace \
    -e inject=ptrace:delay_exit=40ms "$thpfix" heal --batch 10000 --json "$pid" \
    </dev/null >"$work/out" 2>"$work/err"
healed=$?
what="the healer"
case $healed in
0 | 1) ;;
137) fail "it does not come to its end" ;;
*) fail "exit status $healed" ;;
esac
late=$(grep -c "PTRACE_CONT.*DELAYED" "$work/calls")
echo "$late threads were let go and seen too late; $(field threads "done") threads were healed"
[ "$late" -ge 10 ] || fail "it was hardly ever late: this tests nothing"
heal 0 1
end_whole
finish
