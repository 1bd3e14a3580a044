#!/bin/sh
# Creators that are in no state to be looked at, and very many at once.
. "$(dirname "$0")/lib.sh"

# sites_of MODE: its sites are in $work/out
sites_of() {
    start_sites "$1"
    run 0 "$thpfix" sites --json "$pid"
    expect_silent
}

# Too little stack, or nobody knows how much: the thread is there, its site is not.
sites_of small
expect_field 1 counters short_of_stack
expect_field 2 counters seen
expect_field 1 others alive
end_all
sites_of coroutine
expect_field 1 counters short_of_stack
expect_field 1 counters seen
expect_field 1 others alive
end_all

# The innermost frames are kept, and it is said that there were more.
sites_of deep
expect_site second_place created 1
expect_same "frames" "$(grep -c '"address":' "$work/out")" 24
expect_field true sites cut
run 0 "$thpfix" sites "$pid"
expect_out "    ..."
end_all

# At once: each is counted, at a site or as left out.
sites_of crowd
expect_field 1608 counters seen
expect_field 0 counters no_room
created=$(total created)
expect_same "created and left out" $((created + $(field counters busy))) 1608
[ "$created" -ge 800 ] || fail "only $created were looked at"
end_all

# The last frame is an address; and no guesses, for which libunwind opens a pipe.
if [ "$(uname -m)" = x86_64 ]; then
    sites_of jit
    expect_field 1 counters seen
    expect_same "frames without a module" "$(grep -c '"module": null' "$work/out")" 1
    expect_same "the last frame" "$(grep '"module":' "$work/out" | tail -n 1 | tr -d ' ,')" \
        '"module":null'
    grep -qx 'descriptors: 0' "$work/program" || fail "it has other descriptors than before"
    end_all
fi
finish
