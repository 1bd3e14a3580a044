#!/bin/sh
# What cannot be healed is told, and not touched.
. "$(dirname "$0")/lib.sh"

# refused TEXT
refused() {
    run 2 "$thpfix" heal --yes "$pid"
    grep -q -- "$1" "$work/err" || fail "it does not say '$1'"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "more than one line"
}

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
    run 2 setpriv --reuid 65534 --clear-groups "$thpfix" heal --yes "$pid"
    grep -q "not permitted" "$work/err" || fail "it does not say that it is not permitted"
fi

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
heal 0
expect_field 20 threads "done"
end_all

start "$THPFIX_TEST_SPOIL" confine "$THPFIX_TEST_STACKS" 5 2048 0 4
refused "confined by seccomp"
end_all

# One thread has no thread stack: nothing to do.
start sh -c 'echo ready; exec sleep 1000'
run 0 "$thpfix" heal --yes "$pid"
finish
