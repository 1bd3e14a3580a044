#!/bin/sh
# The memory comes back, to where it is without huge pages.
. "$(dirname "$0")/lib.sh"

# resident: of the process, in KiB. VmRSS lags behind by what each thread has used last, before
# Linux 6.2.
resident() {
    awk '/^Rss:/ { print $2 }' "/proc/$pid/smaps_rollup"
}

# Without huge pages, for comparison: the library keeps them away.
LD_PRELOAD=$library:$THPFIX_TEST_LEGACY_KERNEL THPFIX=on start "$THPFIX_TEST_STACKS" 300 2048 0 4
floor=$(resident)
end_all

start_charged env "LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL" "$THPFIX_TEST_STACKS" 300 2048 0 4
ill=$(resident)
what="before"
[ "$ill" -gt $((300 * 2048 * 9 / 10)) ] || fail "$ill KiB resident: there is nothing to heal"

run 0 "$thpfix" heal --dry-run --json "$pid"
expect_field false acted
[ "$(resident)" -ge "$ill" ] || fail "--dry-run freed something"
[ "$(field before would_return_bytes)" -gt $((280 * 2097152)) ] || fail "it would not free enough"

charged_before=$(charged)
heal 0
charged_after=$(charged)
healed=$(resident)
echo "resident: $ill KiB, healed $healed KiB, without huge pages $floor KiB;" \
    "given back: $((charged_before - charged_after)) KiB, by ${group:-the whole machine}"
echo "longest stop $(field longest_stop_ns) ns, of $(field stops)"
expect_field 300 threads "done"
expect_field 0 failed_calls
expect_field 0 after would_return_bytes
expect_field 0 after stacks_huge_bytes
# Up to two pages a thread hold the instructions' list.
[ "$healed" -le $((floor * 11 / 10 + 300 * 8)) ] || fail "$healed KiB are resident, not $floor"
[ $((charged_before - charged_after)) -gt $((300 * 2048 / 2)) ] ||
    fail "only $((charged_before - charged_after)) KiB were given back"

run 0 "$thpfix" inspect --check "$pid"
heal 0
expect_field 0 stops
kill -0 "$pid" || fail "the process has ended"
finish
