#!/bin/sh
# limit_test.sh LIBTHPFIX LIMIT MODE: pretouching ends at a memory limit; touching dies there.
here=$(dirname "$0")

"$here/limit.sh" "$2" touch
status=$?
[ $status -ne 77 ] || exit 77
# The control: the limit is one, and kills.
if [ $status -ne 137 ]; then
    echo "FAIL: four times the limit was touched, with status $status"
    exit 1
fi
exec "$here/limit.sh" env LD_PRELOAD="$1" THPFIX_PRETOUCH_HEAP="$3" "$2" madvise
