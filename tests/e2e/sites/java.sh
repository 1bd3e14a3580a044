#!/bin/sh
# Threads of a JVM stand at the site that starts Java threads, with the memory of their
# stacks. Run with THP always.
. "$(dirname "$0")/lib.sh"
: "${THPFIX_TEST_LEGACY_KERNEL:?}"
command -v java >/dev/null || skip "java is not installed"
java --list-modules 2>/dev/null | grep -q jdk.compiler || skip "this java has no compiler"
threads=60

# Where JVM_StartThread is among the frames, FIELD of the site is printed.
java_site() {
    awk -v field="\"$1\":" '
        /"created":/ { value = "" }
        $1 == field && value == "" { value = $2; sub(/,$/, "", value) }
        $1 == "\"function\":" && $2 == "\"JVM_StartThread\"," { sum += value; value = 0 }
        END { print sum + 0 }' "$work/out"
}

# look VARIABLE=VALUE: at a JVM without the mitigation that it has of its own
look() {
    start env LD_PRELOAD="$library:$THPFIX_TEST_LEGACY_KERNEL" THPFIX_SITES=1 "$1" \
        java -XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions \
        -XX:-THPStackMitigation -Xmx64m -Xss2m "$(dirname "$0")/../see/Waiting.java" "$threads"
    stop "$pid"
    run 0 "$thpfix" sites "$pid" --json
    expect_silent
    created=$(java_site created) alive=$(java_site alive) resident=$(java_site resident_bytes)
    [ "$alive" -ge "$threads" ] || fail "$alive threads of Java are alive, not $threads"
    [ "$created" -ge "$alive" ] || fail "fewer were created than are alive"
    # All sites and the rest together are all stacks.
    all=$(total resident_bytes)
    run 0 "$thpfix" inspect --threads --bytes -o RESIDENT,ORIGIN "$pid"
    expect_same "resident bytes of all" "$all" \
        "$(awk '$2 == "glibc" || $2 == "caller" { sum += $1 } END { print sum }' "$work/out")"
    end_all
}

look THPFIX=on
[ "$resident" -lt $((threads * 262144)) ] || fail "with the library: $resident bytes"
# The control: by its own verdict the library does nothing on a new kernel.
look THPFIX=auto
[ "$resident" -ge $((threads * 1048576)) ] || fail "they do not suffer: $resident bytes"
finish
