#!/bin/sh
# Runs one test file of Perl's in the directory of its module; prints "FILE: OUTCOME" for each
# of its tests, and how it ended. What a test is called may hold an address.
# Usage: perl_outcomes.sh DIRECTORY/t/NAME.t
exec 9<"$0"
cd "${1%/t/*}" || exit 1
outcomes=$({
    timeout 300 perl "t/${1##*/}"
    echo "status $?"
} | sed -nE "
    s,^((not )?ok [0-9]+).*# *(skip|todo).*,\1 \3,I; t print
    s,^((not )?ok [0-9]+).*,\1,; t print
    /^(1\.\.[0-9]+|status )/ b print
    d
    :print
    s,^,$(basename "${1%/t/*}")/${1##*/}: ,p")
# Several of these run at a time, and a pipe takes 4096 bytes at a time from each.
flock 9
printf '%s\n' "$outcomes"
