#!/bin/sh
# The control: the hostile process does notice what a bad healer does to it.
. "$(dirname "$0")/lib.sh"

for how in bare red stack restart; do
    # That threads are stopped is noticed by itself, by some calls: what else is done must be, too.
    stops=
    [ $how = bare ] || stops=stops
    # shellcheck disable=SC2086 # an argument, or none
    LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL start "$THPFIX_TEST_HOSTILE" 2 $stops
    what="spoiled: $how"
    "$THPFIX_TEST_SPOIL" $how "$pid" || fail "it was not noticed"
    wait "$pid" && fail "exit status 0"
    grep -qx whole "$work/program" && fail "it says that it is whole"
    echo "$how: $(tail -n 1 "$work/program")"
    started=
done
finish
