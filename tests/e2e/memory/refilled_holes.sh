#!/bin/sh
# What lies above a stack may go, and a heap may come to lie there: the two merge, and only the
# flag that each stack was given keeps a huge page from spanning both.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

status=0
"$REFILLED_HOLES" >/dev/null || status=$?
[ $status -ne 77 ] || skip "this kernel cannot be asked for a huge page (MADV_COLLAPSE, Linux 6.1)"
run_without without "$REFILLED_HOLES"
run_with with "$REFILLED_HOLES"

expect "control: stacks become huge" "$(value without collapsed)" -gt 20
expect "none does" "$(value with collapsed)" -eq 0
finish
