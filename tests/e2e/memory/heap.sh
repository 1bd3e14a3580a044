#!/bin/sh
# The heap keeps its huge pages.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

set -- "$STACKLOAD" --threads 64 --size 2M --guard 0 --heap-mib 512
run_with with "$@"
run_without without "$@"
run_floor floor "$@"

expect "the heap is all huge pages without the library" "$(value without heap_huge_kib)" -eq 524288
expect "and with it" "$(value with heap_huge_kib)" -eq 524288
expect "the stacks are not" "$(value with stack_huge_kib)" -eq 0
expect "control: huge pages with THP off" "$(value floor heap_huge_kib)" -eq 0
expect "control: the stacks are without the library" "$(value without stack_huge_kib)" -gt 65536
finish
