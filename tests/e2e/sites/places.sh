#!/bin/sh
# Sites with their numbers, and what the stacks of their threads take.
. "$(dirname "$0")/lib.sh"

expect_all_places() {
    expect_field 0 others alive
    expect_site first_place created 3
    expect_site first_place alive 3
    expect_site first_place least_stack_bytes 262144
    expect_site first_place most_stack_bytes 524288
    expect_site first_place least_guard_bytes 8192
    expect_site first_place most_guard_bytes 8192
    expect_site second_place created 4
    expect_site second_place default_sizes 4
    expect_site second_place least_stack_bytes null
    expect_site third_place created 2
    expect_site third_place alive 2
    expect_site third_place callers_stacks 2
    expect_site third_place most_stack_bytes 131072
    expect_same "created" "$(total created)" 9
    expect_same "alive" "$(total alive)" 9
}

# Whether the library acts or not.
for mode in THPFIX=on THPFIX=auto; do
    start_sites plain $mode
    stop "$pid"
    run 0 "$thpfix" sites --json "$pid"
    expect_silent
    expect_all_places
    expect_field 9 counters seen
    resident=$(total resident_bytes)
    run 0 "$thpfix" inspect --threads --bytes -o RESIDENT,ORIGIN "$pid"
    expect_same "resident bytes" "$resident" \
        "$(awk '$2 == "glibc" || $2 == "caller" { sum += $1 } END { print sum }' "$work/out")"
    end_all
done

start_sites plain
run 0 "$thpfix" sites "$pid"
expect_silent
expect_out "$(basename "$places" | cut -c1-15) (PID $pid): 9 threads created at 3 sites"
grep -q '^3 created, stack 256K to 512K, guard 8K; 3 alive: ' "$work/out" || fail "no sizes"
if [ -n "$names" ]; then
    grep -q '^    first_place+0x[0-9a-f]*  '"$(basename "$places")" "$work/out" || fail "no name"
fi
run 2 "$thpfix" sites
run 2 "$thpfix" sites --jason "$pid"
expect_complaint "thpfix sites: unknown option '--jason': did you mean '--json'?"
end_all

# A daemon is looked at as what it was started as.
start_sites daemon
of_child
run 0 "$thpfix" sites --json "$pid"
expect_all_places
expect_field false of_parent
end_all

# A child of a process with threads creates its threads, and records none.
start_sites forked
of_child
run 0 "$thpfix" sites --json "$pid"
expect_field true of_parent
expect_field 2 counters after_fork
expect_field 2 others alive
expect_site first_place created 3
expect_site first_place alive 0
expect_same "created" "$(total created)" 3
end_all

# The control: nothing where it was not asked for.
start env LD_PRELOAD="$library" "$places" plain
run 2 "$thpfix" sites "$pid"
expect_err_part "has libthpfix, but records no sites"
grep -q 'libthpfix-sites\|libunwind' "/proc/$pid/maps" && fail "loaded for no reason"
end_all
start_sites plain THPFIX=off
run 2 "$thpfix" sites "$pid"
expect_err_part "has libthpfix, but records no sites"
end_all
start "$places" plain
run 2 "$thpfix" sites "$pid"
expect_err_part "libthpfix is not loaded in process $pid"
end_all
run 2 "$thpfix" sites 999999999
expect_complaint "thpfix sites: no process 999999999, or it has just ended"
finish
