#!/bin/sh
# A stack directly below other writable memory: one mapping to the kernel, so that a huge page
# can span both although the stack is too small for one and has a guard page.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

# No multiple of the THP size, or the kernel would align the neighbours and keep them apart.
set -- "$STACKLOAD" --threads 500 --size 1M --guard 4K --neighbour-kib 5120
run_without without "$@"
case $(value without stack_huge_exact_kib) in
-1) skip "this kernel cannot say where huge pages lie (PAGEMAP_SCAN, Linux 6.7)" ;;
esac
run_with with "$@"
thp_options=--khugepaged-eager
run_with later "$@" --wait-collapse

expect "control: huge pages reach into stacks" "$(value without stack_huge_exact_kib)" -gt 20480
expect "none does when the threads have started" "$(value with stack_huge_exact_kib)" -eq 0
expect "none does after khugepaged has gone round" "$(value later stack_huge_exact_kib)" -eq 0
finish
