#!/bin/sh
# The control: the hostile process does notice what a bad healer does to it.
. "$(dirname "$0")/lib.sh"

for how in bare red stack restart; do
    LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL start "$THPFIX_TEST_HOSTILE" 2
    what="spoiled: $how"
    "$THPFIX_TEST_SPOIL" $how "$pid" || fail "it was not noticed"
    wait "$pid" && fail "exit status 0"
    grep -qx whole "$work/program" && fail "it says that it is whole"
    echo "$how: $(tail -n 1 "$work/program")"
    started=
done
finish
