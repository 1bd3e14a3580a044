#!/bin/bash
# guest_arm64.sh LIST NAMES: the memory figures, and then the tests of LIST whose names match, under
# the kernel that this runs on. Output and exit status as of those.
set -u
here=$(dirname "$0")
failed=0
"$here/guest_memory.sh" affected || failed=1
echo always >/sys/kernel/mm/transparent_hugepage/enabled
# Emulated, everything takes many times as long.
"$here/run_list.sh" "$1" "$2" 10 || failed=1
exit $failed
