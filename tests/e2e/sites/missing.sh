#!/bin/sh
# Without libthpfix-sites.so, or what it needs: one line, and the program runs.
. "$(dirname "$0")/lib.sh"
sites=$(dirname "$library")/libthpfix-sites.so
cp "$library" "$work/libthpfix.so"

expect_one_line() {
    start env LD_PRELOAD="$work/libthpfix.so" THPFIX_SITES=1 "$places" plain
    expect_same "lines" "$(grep -cv '^ready$' "$work/program")" 1
    grep -q "^thpfix\\[$pid\\]: THPFIX_SITES: .*$1.*; creation sites are not recorded\$" \
        "$work/program" || {
        cat "$work/program" >&2
        fail "not the line that was to be expected"
    }
    end_all
}

expect_one_line 'libthpfix-sites.so: cannot open shared object file'
sed 's/libunwind\.so\.8/libunwind.so.0/' "$sites" >"$work/libthpfix-sites.so"
cmp -s "$sites" "$work/libthpfix-sites.so" && skip "it does not need libunwind.so.8 here"
expect_one_line 'libunwind.so.0: cannot open shared object file'

# The control: the same two files as they should be.
cp "$sites" "$work/libthpfix-sites.so"
start env LD_PRELOAD="$work/libthpfix.so" THPFIX_SITES=1 "$places" plain
expect_same "lines" "$(cat "$work/program")" ready
finish
