#!/bin/sh
# What cannot be healed is told, and not touched.
. "$(dirname "$0")/lib.sh"

# complains TEXT COMMAND...: status 2, and one line that has TEXT in it
complains() {
    text=$1
    shift
    run 2 "$@"
    grep -qF -- "$text" "$work/err" || fail "it does not say '$text'"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "more than one line"
    [ ! -s "$work/out" ] || fail "something on stdout"
}

# refused TEXT
refused() {
    complains "$1" "$thpfix" heal --yes "$pid"
}

# resident: of the process, in KiB
resident() {
    awk '/^Rss:/ { print $2 }' "/proc/$pid/smaps_rollup"
}

# What there is not, or has no threads of a program.
complains "no process 4194305, or it has just ended" "$thpfix" heal --yes 4194305
if [ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ]; then
    complains "process 2 is a thread of the kernel" "$thpfix" heal --yes 2
fi
# Long enough for the shell to be gone, which would take it in.
sh -c 'sleep 0.5 & echo $!; exec sleep 600' >"$work/zombie" &
started="$started $!"
for _ in $(seq 100); do
    [ -s "$work/zombie" ] && grep -q '^State:.*Z' "/proc/$(cat "$work/zombie")/status" && break
    sleep 0.1
done
zombie=$(cat "$work/zombie")
complains "process $zombie is a zombie" "$thpfix" heal --yes "$zombie"
# shellcheck disable=SC2016 # for the inner shell
complains "is this command itself" sh -c 'exec "$0" heal --yes $$' "$thpfix"

LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL start "$THPFIX_TEST_STACKS" 20 2048 0 4
stop "$pid"
refused "is stopped"
kill -CONT "$pid"

"$THPFIX_TEST_SPOIL" hold "$pid" >"$work/holder" &
holder=$!
started="$started $holder"
for _ in $(seq 100); do
    grep -q '^TracerPid:.[1-9]' "/proc/$pid/status" && break
    sleep 0.1
done
refused "is traced by process $holder already"
kill "$holder"
wait "$holder" 2>/dev/null

# Somebody without rights. Root of the machine has them all.
if command -v setpriv >/dev/null; then
    complains "not permitted" setpriv --reuid 65534 --clear-groups "$thpfix" heal --yes "$pid"
fi

# What it would have to tell goes nowhere.
ill=$(resident)
[ "$ill" -gt $((20 * 2048 * 9 / 10)) ] || fail "$ill KiB resident: there is nothing to heal"
unheard="cannot write to standard output"
for option in --yes --json; do
    # shellcheck disable=SC2016 # for the inner shells
    {
        complains "$unheard: No space left on device" \
            sh -c 'exec "$0" heal "$@" >/dev/full' "$thpfix" $option "$pid"
        complains "$unheard: Bad file descriptor" \
            sh -c 'exec "$0" heal "$@" >&-' "$thpfix" $option "$pid"
    }
    rm -f "$work/pipe"
    mkfifo "$work/pipe"
    : <"$work/pipe" &
    reader=$!
    exec 3>"$work/pipe"
    wait "$reader"
    # shellcheck disable=SC2016 # for the inner shell
    complains "$unheard: Broken pipe" sh -c 'exec "$0" heal "$@" >&3 3>&-' "$thpfix" $option "$pid"
    exec 3>&-
done

run 2 "$thpfix" heal --batch 0 "$pid"
run 2 "$thpfix" heal 1x
run 2 "$thpfix" heal
run 2 "$thpfix" heal --jsn "$pid"
grep -q "json" "$work/err" || fail "it does not name the nearest option"

# A terminal is asked; no is no.
if command -v script >/dev/null; then
    echo n | script -qec "'$thpfix' heal $pid" /dev/null >"$work/out" 2>&1
    what="heal on a terminal"
    grep -q '\[y/N\]' "$work/out" || fail "it does not ask"
    run 1 "$thpfix" inspect --check "$pid"
fi
what="a process that was refused"
[ "$(resident)" -ge "$ill" ] || fail "it was touched: $(resident) KiB are resident, not $ill"
heal 0
expect_field 20 threads "done"
[ "$(resident)" -le $((ill / 2)) ] || fail "$(resident) KiB are resident: it was not healed"
end_all

start "$THPFIX_TEST_SPOIL" confine "$THPFIX_TEST_STACKS" 5 2048 0 4
refused "confined by seccomp"
end_all

# In 32 bits, and without a C library that would tell of its threads.
if [ -n "${THPFIX_TEST_32BIT:-}" ] && "$THPFIX_TEST_32BIT" --version 2>/dev/null; then
    start "$THPFIX_TEST_32BIT"
    refused "the threads of process $pid cannot be told: it is a static program"
    end_all
fi

# One thread has no thread stack: nothing to do.
start sh -c 'echo ready; exec sleep 1000'
run 0 "$thpfix" heal --yes "$pid"
finish
