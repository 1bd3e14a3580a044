#!/bin/sh
# The program's exceptions go on using its own unwinder: nothing but libunwind itself is bound
# to a function of libunwind's that is called _Unwind_*.
. "$(dirname "$0")/lib.sh"
: "${THPFIX_TEST_EXCEPTIONS:?}"

# bound_to_libunwind PRELOAD: how many such bindings there are
bound_to_libunwind() {
    rm -f "$work"/bindings.*
    run 0 env LD_PRELOAD="$1" THPFIX_SITES=1 LD_DEBUG=bindings LD_DEBUG_OUTPUT="$work/bindings" \
        "$THPFIX_TEST_EXCEPTIONS"
    expect_out "caught 20"
    grep -q '_Unwind_RaiseException' "$work"/bindings.* || fail "no exceptions were bound at all"
    count=$(cat "$work"/bindings.* |
        grep -c 'binding file [^ ]* \[[0-9]*\] to [^ ]*libunwind[^ ]* .*_Unwind_')
}

bound_to_libunwind "$library"
expect_silent
expect_same "bindings to libunwind" "$count" 0
grep -q 'libthpfix-sites.so .* to [^ ]*libunwind\.so' "$work"/bindings.* ||
    fail "libunwind is not there: this tests nothing"

# The control: in the global scope it takes the place of the program's own.
bound_to_libunwind libunwind.so.8
[ "$count" -gt 0 ] || fail "the bindings are not told apart"
finish
