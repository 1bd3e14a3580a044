#!/bin/sh
# A program that needs a sanitizer's runtime gets it before our library.
. "$(dirname "$0")/lib.sh"
program=${THPFIX_TEST_SANITIZED:-}
[ -n "$program" ] || skip "the compiler has no shared address sanitizer"
run 0 "$program"

# The negative control: what it says when the library comes first.
run 1 env LD_PRELOAD="$library" "$program"
expect_err_part "runtime does not come first"

run 0 "$thpfix" run -- "$program"
expect_silent
expect_out started
run 0 "$thpfix" run -- sh -c 'exit 0'
run 0 "$thpfix" run --dry-run -- "$program"
grep -q "^LD_PRELOAD=/[^:]*lib[^:]*asan[^:]*:$library " "$work/out" || fail "no runtime by its path"
runtime=$(sed 's/^LD_PRELOAD=\([^:]*\):.*/\1/' "$work/out")

# Not twice, and first also where it was in LD_PRELOAD already, behind us.
run 0 env LD_PRELOAD="$library:libm.so.6:$runtime" ASAN_OPTIONS=verify_asan_link_order=0 \
    "$thpfix" run --dry-run -- "$program"
expect_out "LD_PRELOAD=$runtime:$library:libm.so.6 $program"

# For a script its interpreter counts, by whatever way.
for first in "#!$program" "#!/usr/bin/env $(basename "$program")"; do
    printf '%s\n' "$first" >"$work/script"
    chmod +x "$work/script"
    run 0 env PATH="$(dirname "$program"):$PATH" "$thpfix" run -- "$work/script"
    expect_silent
    expect_out started
done
run 0 "$thpfix" run --explain -- "$program"
expect_err "thpfix run: first in LD_PRELOAD: $runtime, the sanitizer runtime that the program needs"

# One in the program itself needs nothing first, and is said to be there.
if [ -n "${THPFIX_TEST_SANITIZED_STATIC:-}" ]; then
    run 0 env LD_PRELOAD="$library" "$THPFIX_TEST_SANITIZED_STATIC"
    run 0 "$thpfix" run --explain -- "$THPFIX_TEST_SANITIZED_STATIC"
    expect_out started
    expect_err "thpfix run: the program contains the address sanitizer: nothing need come first"
fi
finish
