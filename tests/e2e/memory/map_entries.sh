#!/bin/sh
# A guard page costs a map entry. Near vm.max_map_count the program must still get as many
# threads as without the library.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

room=600

# Guards of the program's own use the table up: it is as nearly full as meant.
run_without full "$STACKLOAD" --threads 1000 --size 1M --guard 4K --map-room $room
expect "control: the table is nearly full" "$(value full threads)" -lt 1000
run_with guarded "$STACKLOAD" --threads 1000 --size 1M --guard 4K --map-room $room
expect "with guards: as many threads as without the library" \
    "$(value guarded threads)" -ge "$(value full threads)"

for size in 64K 1M 2M; do
    set -- "$STACKLOAD" --threads 1000 --size $size --guard 0 --map-room $room
    run_floor without "$@"
    run_with with "$@"
    expect "$size, no guards: all threads without the library" "$(value without threads)" -eq 1000
    expect "$size, no guards: all threads with it" "$(value with threads)" -eq 1000
    expect "$size, no guards: the table did not overflow" "$(value with create_error)" -eq 0
done

for size in 1M 2M 8M; do
    run_with with "$STACKLOAD" --threads 1000 --size $size --guard 0
    expect "$size: not more than two map entries a thread" "$(value with map_growth)" -le 2000
done
finish
