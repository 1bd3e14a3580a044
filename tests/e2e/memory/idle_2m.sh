#!/bin/sh
# 2000 stacks of 2 MiB without guard pages, as a JVM makes them.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

set -- "$STACKLOAD" --threads 2000 --size 2M --guard 0
# How much of libc is mapped in differs from run to run by more than the half per cent at stake.
for i in 1 2 3 4 5; do
    run_with with.$i "$@"
    run_floor floor.$i "$@"
done
# An eighth of the threads is enough to see it, and fits in the memory of a small machine.
run_without without "$STACKLOAD" --threads 250 --size 2M --guard 0

floor=$(median floor rss_kib)
expect "all threads run" "$(value with.1 threads)" -eq 2000
expect "RSS is that of THP off, within 1 %" \
    "$(median with rss_kib)" -le "$(percent_of "$floor" 101)"
expect "no huge pages" "$(value with.1 anon_huge_kib)" -eq 0
expect "not more than two map entries a thread" "$(value with.1 map_growth)" -le 4000
expect "control: an eighth of the threads takes more than ten times as much" \
    "$(value without rss_kib)" -gt $((floor * 10))
expect "control: no stack is exempt" "$(value without stacks_exempt)" -eq 0
finish
