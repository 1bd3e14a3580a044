#!/bin/sh
# Stacks too small for a huge page, but neighbours without guard pages: khugepaged makes
# huge pages of them later.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

thp_options=--khugepaged-eager
set -- "$STACKLOAD" --threads 500 --size 1M --guard 0 --wait-collapse
run_with with "$@"
run_floor floor "$@"
run_without without "$@"

floor=$(value floor stack_rss_kib)
expect "all threads run" "$(value with threads)" -eq 500
expect "no stack collapses" "$(value with stack_huge_kib)" -eq 0
# Of the stacks only: of a program this small the library's own pages are more than 1 %.
expect "RSS of the stacks is that of THP off, within 1 %" \
    "$(value with stack_rss_kib)" -le "$(percent_of "$floor" 101)"
expect "control: stacks collapse" "$(value without stack_huge_kib)" -gt $((200 * 1024))
expect "control: ten times as much" "$(value without stack_rss_kib)" -gt $((floor * 10))
finish
