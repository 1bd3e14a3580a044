#!/bin/sh
# Heals a process again and again that notices everything. HEALS: how often (60).
. "$(dirname "$0")/lib.sh"

LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL start "$THPFIX_TEST_HOSTILE" 2
freed=0 threads=0
for round in $(seq "${HEALS:-60}"); do
    heal 0 1
    kill -0 "$pid" || break
    freed=$((freed + $(field freed_bytes) / 1024))
    threads=$((threads + $(field threads "done")))
done
what="$round heals"
echo "$round heals, of $threads threads, freed $freed KiB"
[ "$threads" -ge $((round * 10)) ] || fail "only $threads threads were healed: this tests nothing"
[ "$freed" -ge $((round * 4096)) ] || fail "only $freed KiB were freed: this tests nothing"
end_whole
finish
