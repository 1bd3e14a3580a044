#!/bin/sh
# The older kernel is one: stacks are not exempt under it. And it is loud where it is not.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

run_floor older "$STACKLOAD" --threads 8
run_preloaded this madvise "" "$STACKLOAD" --threads 8
expect "no stack is exempt on the older kernel" "$(value older stacks_exempt)" -eq 0
if [ "$(value this stacks_exempt)" -eq 8 ]; then
    echo "ok: this kernel exempts stacks, so the fixture made the difference"
else
    echo "note: this kernel does not exempt stacks by itself"
fi

# A second copy finds nothing left to change.
cp "$LEGACY_KERNEL" "$work/second.so"
LD_PRELOAD=$LEGACY_KERNEL:$work/second.so /bin/true 2>"$work/message"
expect "a fixture that cannot work ends the program" $? -eq 70
grep -q '^legacy_kernel: ' "$work/message" || fail "no reason on stderr: $(cat "$work/message")"
finish
