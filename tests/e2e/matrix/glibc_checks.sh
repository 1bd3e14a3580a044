#!/bin/bash
# glibc_checks.sh LIBRARY SHA256 LIST NOT: the checks beside one glibc, in its own tree. Runs the
# tests of LIST whose names do not match NOT. Output and exit status as of run_list.sh.
set -u
library=$1 sum=$2 list=$3 not=$4
here=$(dirname "$0")
. "$here/checks.sh"

glibc=$(ldd --version | sed -n '1s/.* //p')
echo "glibc $glibc"
check "same library, sha256 $sum" "$(sha256sum <"$library")" = "$sum  -"

# A program without threads, which before 2.34 has no libpthread.
LD_PRELOAD=$library cat /proc/self/maps >"$work/maps" 2>"$work/err"
check "single-threaded: exit status" $? -eq 0
check "single-threaded: silent" ! -s "$work/err"
check "single-threaded: loaded" "$(grep -c "$library" "$work/maps")" -gt 0
check "single-threaded: no libpthread" "$(grep -c libpthread "$work/maps")" -eq 0
LD_PRELOAD=$work/none.so cat /dev/null 2>"$work/err"
check "single-threaded: control: what cannot be loaded is heard of" -s "$work/err"

grep -vE "^run_test ($not)" "$list" >"$work/list"
"$here/run_list.sh" "$work/list" || failed=1
exit $failed
