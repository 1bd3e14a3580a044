#!/bin/sh
# A malloc that creates threads while it is being called.
. "$(dirname "$0")/lib.sh"
: "${THPFIX_TEST_CREATING_MALLOC:?}"
malloc=$THPFIX_TEST_CREATING_MALLOC

# Its creation is recorded, and allocates no more than pthread_create does by itself.
start env LD_PRELOAD="$malloc" "$places" malloc
alone=$(grep '^allocated: ' "$work/program")
[ -n "$alone" ] || fail "malloc creates no thread"
end_all
start env LD_PRELOAD="$malloc:$library" THPFIX_SITES=1 "$places" malloc
expect_same "allocations meanwhile" "$(grep '^allocated: ' "$work/program")" "$alone"
run 0 "$thpfix" sites --json "$pid"
expect_field 1 counters seen
expect_site malloc created 1
expect_site main alive 1
end_all

# jemalloc's background threads, of which the first comes while sites are being loaded.
jemalloc=$(ldconfig -p | awk '$1 == "libjemalloc.so.2" { print $NF; exit }')
if [ -n "$jemalloc" ]; then
    for order in "$jemalloc:$library" "$library:$jemalloc"; do
        start env LD_PRELOAD="$order" THPFIX_SITES=1 MALLOC_CONF=background_thread:true \
            "$places" crowd
        run 0 "$thpfix" sites --json "$pid"
        expect_silent
        [ "$(total created)" -ge 800 ] || fail "$order: the program's own are not there"
        [ "$(field others alive)" -ge 1 ] || fail "$order: jemalloc has no threads"
        end_all
    done
fi
finish
