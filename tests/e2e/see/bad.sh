#!/bin/sh
# Processes that cannot be looked at, and output that nobody takes: one clear line, exit
# status 2, nothing half-written.
. "$(dirname "$0")/lib.sh"

# expect_both TEXT PID: of stat and inspect, after their name
expect_both() {
    for command in stat inspect; do
        run 2 "$thpfix" "$command" "$2"
        expect_complaint "thpfix $command: $1"
    done
}

for word in 0 -- -5 12x 99999999999999999999 ' 1' ''; do
    run 2 "$thpfix" inspect "$word"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line"
done
expect_both "'12x' is no PID" 12x
run 2 "$thpfix" inspect
expect_complaint "thpfix inspect: which process? 'thpfix inspect PID'"
run 2 "$thpfix" inspect 1 2
expect_complaint "thpfix inspect: unexpected argument '2': it takes one PID"
expect_both "no process 4194305, or it has just ended" 4194305

if [ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ]; then
    expect_both "process 2 is a thread of the kernel: it has no memory of its own" 2
fi

# Long enough for the shell to be gone, which would take it in.
sh -c 'sleep 0.5 & echo $!; exec sleep 60' >"$work/zombie" &
started="$started $!"
for _ in $(seq 100); do
    [ -s "$work/zombie" ] && grep -q '^State:.*Z' "/proc/$(cat "$work/zombie")/status" && break
    sleep 0.1
done
zombie=$(cat "$work/zombie")
expect_both "process $zombie is a zombie: it has ended, and only waits for its parent" "$zombie"

start "$THPFIX_TEST_STACKS" 5 256 4 4
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    thpfix_as_root=$thpfix
    cp "$thpfix" "$work/thpfix"
    chmod 755 "$work" "$work/thpfix"
    for command in stat inspect; do
        run 2 setpriv --reuid 65534 --regid 65534 --clear-groups "$work/thpfix" "$command" "$pid"
        expect_complaint "thpfix $command: not permitted to look into process $pid: run it as root, or with CAP_SYS_PTRACE"
    done
    run 0 setpriv --reuid 65534 --regid 65534 --clear-groups "$work/thpfix" scan
    grep -q '^[1-9][0-9]* could not be read: run it as root, or with CAP_SYS_PTRACE$' \
        "$work/out" || fail "says nothing of those it could not read"
    thpfix=$thpfix_as_root
fi

# Options behind the PID are those before it; behind -- there are none.
run 0 "$thpfix" inspect --json "$pid"
grep '"tid":\|"count":' "$work/out" >"$work/before"
run 0 "$thpfix" inspect "$pid" --json
grep '"tid":\|"count":' "$work/out" | cmp -s - "$work/before" || fail "another answer"
run 2 "$thpfix" inspect "$pid" -- --json
expect_complaint "thpfix inspect: unexpected argument '--json': it takes one PID"
for command in inspect stat sites heal; do
    run 2 "$thpfix" "$command" "$pid" --jsom
    expect_complaint "thpfix $command: unknown option '--jsom': did you mean '--json'?"
done

# A 32-bit process: its stacks are not told, and everything else is.
if [ -n "${THPFIX_TEST_32BIT:-}" ] && "$THPFIX_TEST_32BIT" --version 2>/dev/null; then
    start "$THPFIX_TEST_32BIT"
    run 0 "$thpfix" inspect --json "$pid"
    expect_silent
    expect_field 2 threads
    expect_field 0 stacks count
    expect_field 1 stacks unknown
    [ "$(field memory all resident_bytes)" -gt 0 ] || fail "no memory"
    run 2 "$thpfix" stat "$pid"
    expect_err_part "libthpfix is not loaded in process $pid"
fi

# Output: a closed pipe, a full disk. The reader has gone before the first byte is written.
closed_pipe() {
    what="$* into a closed pipe"
    rm -f "$work/pipe"
    mkfifo "$work/pipe"
    : <"$work/pipe" &
    reader=$!
    exec 3>"$work/pipe"
    wait "$reader"
    "$@" >&3 2>"$work/err" 3>&-
    status=$?
    exec 3>&-
    expect_same "the exit status" "$status" 2
    expect_err_part "cannot write to standard output: Broken pipe"
}
start env LD_PRELOAD="$library" "$THPFIX_TEST_STACKS" 5 256 4 4
for command in "inspect $pid" "inspect --threads $pid" "inspect --json $pid" "inspect --map $pid" \
    "stat $pid" "stat --json $pid" scan "scan --json" "scan --prometheus"; do
    # shellcheck disable=SC2086
    closed_pipe "$thpfix" $command
    # shellcheck disable=SC2086,SC2016
    run 2 sh -c '"$0" "$@" >/dev/full' "$thpfix" $command
    expect_complaint "thpfix ${command%% *}: cannot write to standard output: No space left on device"
done
finish
