#!/bin/sh
# Where the map table has no room for guards, but for flags: threads that asked for no guard get
# none, and their stacks must not merge before they are flagged.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

counter() { # NAME COUNTER
    sed -n "s/.* $2=\([0-9]*\).*/\1/p" "$work/$1.log" | tail -n 1
}

load() { # RUN NAME MAP-ROOM
    "$1" "$2" env THPFIX_LOG="$work/$2.log" "$STACKLOAD" --threads 600 --size 2M --guard 0 \
        --map-room "$3"
}

limit=$(cat /proc/sys/vm/max_map_count)
# Left beside the eighth that is the program's: less than guards need, more than nothing.
room=$((limit / 8 + limit / 10))
load run_with with $room
load run_floor floor $room
load run_without without $room
load run_with full 600

expect "all threads run" "$(value with threads)" -eq 600
expect "none has a guard" "$(counter with threads_guarded)" -lt 10
expect "stacks take as much memory as with THP off, within 1 %" \
    "$(value with stack_rss_kib)" -le "$(percent_of "$(value floor stack_rss_kib)" 101)"
expect "hardly a huge page was made and given back" "$(counter with tops_released)" -lt 60
expect "control: with the table full they are" "$(counter full tops_released)" -gt 200
expect "control: without the library stacks take ten times as much" \
    "$(value without stack_rss_kib)" -gt $(($(value floor stack_rss_kib) * 10))
finish
