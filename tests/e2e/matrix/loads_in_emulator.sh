#!/bin/bash
# loads_in_emulator.sh EMULATOR ROOT: the library ($LIBTHPFIX) is loaded under qemu-user, silently,
# and threads run with it ($STACKLOAD). Nothing about memory: the emulator has that its own way.
set -u
emulator=$1 root=$2
. "$(dirname "$0")/checks.sh"

if ! command -v "$emulator" >/dev/null; then
    skip emulator "$emulator is missing"
    exit
fi
emulate=("$emulator" -L "$root" -E "LD_PRELOAD=$LIBTHPFIX")

"${emulate[@]}" "$root/usr/bin/true" >"$work/out" 2>&1
check "single-threaded: exit status" $? -eq 0
check "single-threaded: silent" ! -s "$work/out"
"${emulate[@]}" -E THPFIX=on -E THPFIX_LOG="$work/log" "$STACKLOAD" --threads 50 --size 2M --guard 0 \
    >"$work/out" 2>"$work/err"
check "threads: exit status" $? -eq 0
check "threads: silent" ! -s "$work/err"
check "threads: all run" "$(sed -n 's/^threads=//p' "$work/out")" = 50
check "threads: all seen" "$(sed -n 's/.* threads_seen=\([0-9]*\).*/\1/p' "$work/log")" = 50
check "threads: none left as it was" "$(sed -n 's/.* retried_as_asked=\([0-9]*\).*/\1/p' "$work/log")" = 0
"$emulator" -L "$root" -E "LD_PRELOAD=$work/none.so" "$root/usr/bin/true" >"$work/out" 2>&1
check "control: what cannot be loaded is heard of" -s "$work/out"
exit $failed
