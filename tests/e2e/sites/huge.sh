#!/bin/sh
# The huge memory of the stacks stands at the site that made them. Run with THP always.
. "$(dirname "$0")/lib.sh"
: "${THPFIX_TEST_LEGACY_KERNEL:?}"

# Of 20 threads with 2 MiB: HUGE bytes.
huge_of() {
    LD_PRELOAD=$library:$THPFIX_TEST_LEGACY_KERNEL THPFIX_SITES=1 THPFIX=$1 \
        start "$THPFIX_TEST_STACKS" 20 2048 4 40
    run 0 "$thpfix" sites --json "$pid"
    expect_field 20 sites created
    expect_field 20 sites alive
    huge=$(total huge_bytes)
    run 0 "$thpfix" inspect --json "$pid"
    expect_same "huge bytes" "$huge" "$(field stacks huge_bytes)"
    end_all
}

huge_of on
expect_same "huge bytes with the library" "$huge" 0
# This kernel exempts stacks, so that by its own verdict the library does nothing: the
# fixture makes them suffer.
for size in 2048 4096; do
    LD_PRELOAD=$library:$THPFIX_TEST_LEGACY_KERNEL THPFIX_SITES=1 \
        start "$THPFIX_TEST_STACKS" 20 $size 0 40
    run 0 "$thpfix" sites --json "$pid"
    expect_field 20 sites alive
    [ "$(total resident_bytes)" -ge $((20 * 2097152)) ] || fail "$size: they do not suffer"
    end_all
done
finish
