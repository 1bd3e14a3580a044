#!/bin/sh
# The functions of C++ programs by the names that they have in the source.
. "$(dirname "$0")/lib.sh"
: "${THPFIX_TEST_NAMED:?}"
[ -n "$names" ] || skip "built without libdw: there are no names of functions"

start env LD_PRELOAD="$library" THPFIX_SITES=1 "$THPFIX_TEST_NAMED"
run 0 "$thpfix" sites "$pid"
expect_silent
grep -q '^    place::first(int)[ +]' "$work/out" || fail "place::first(int) is not named"
grep -q '^    pool<long>::grow(long)[ +]' "$work/out" || fail "the member of a template is not named"
grep -q '_ZN' "$work/out" && fail "a name is left as the linker has it"
run 0 "$thpfix" sites "$pid" --json
expect_site _ZN5place5firstEi created 2
grep -q '"demangled": "place::first(int)' "$work/out" || fail "not in the JSON"

# The control: without a C++ library the linker's names, and no complaint.
if [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null; then
    # shellcheck disable=SC2016 # for the other shell
    run 0 unshare --mount sh -c '
        ldconfig -p | sed -n "s/^\tlibstdc++\.so\.6 .* => //p" |
            while read -r file; do mount --bind /dev/null "$file" || exit 99; done
        exec "$@"' sh "$thpfix" sites "$pid"
    expect_silent
    grep -q '^    _ZN5place5firstEi[.+]' "$work/out" || fail "named without the means to"
fi
finish
