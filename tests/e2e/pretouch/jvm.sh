#!/bin/sh
# A JVM with -XX:+UseTransparentHugePages has its heap pretouched. Needs LIBTHPFIX, JAVA and
# JAVA_CLASSES in the environment.
heap_kib=524288
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

if [ -z "$JAVA" ]; then
    echo "skipped: no java and javac"
    exit 77
fi

fail() {
    echo "FAIL: $*"
    exit 1
}

# run NAME WANTED-KIB SETTING…
run() {
    name=$1 wanted=$2
    shift 2
    env "$@" "$JAVA" -XX:+UseTransparentHugePages -Xms512m -Xmx512m -cp "$JAVA_CLASSES" \
        HeapAtMain "$wanted" >"$work/$name" || fail "$name: java failed"
    at_main=$(sed -n 's/^resident_at_main_kib=//p' "$work/$name")
    echo "$name: $at_main KiB resident at main"
}

run without 0
[ "$at_main" -lt $((heap_kib / 2)) ] || fail "the heap is there without the library"
run off 0 LD_PRELOAD="$LIBTHPFIX"
[ "$at_main" -lt $((heap_kib / 2)) ] || fail "the heap is there without being asked for"
run now $heap_kib LD_PRELOAD="$LIBTHPFIX" THPFIX_PRETOUCH_HEAP=now
[ "$at_main" -ge $heap_kib ] || fail "the heap is not there at main"
# Waits for all of it, and fails where it does not come.
run background $heap_kib LD_PRELOAD="$LIBTHPFIX" THPFIX_PRETOUCH_HEAP=background
