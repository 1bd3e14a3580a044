#!/bin/sh
# Stacks of 64 KiB to 64 MiB side by side without guard pages, with an eager khugepaged.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

thp_options=--khugepaged-eager
set -- "$STACKLOAD" --threads 450 --mixed --guard 0 --touch-kib 16 --wait-collapse
run_with with "$@"
run_floor floor "$@"
run_without without "$@"

floor=$(value floor stack_rss_kib)
expect "all threads run" "$(value with threads)" -eq 450
expect "no huge pages" "$(value with stack_huge_kib)" -eq 0
expect "RSS of the stacks is that of THP off, within 1 %" \
    "$(value with stack_rss_kib)" -le "$(percent_of "$floor" 101)"
expect "control: five times as much" "$(value without stack_rss_kib)" -gt $((floor * 5))
finish
