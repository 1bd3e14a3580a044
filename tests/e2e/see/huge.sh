#!/bin/sh
# On a kernel that gives stacks huge pages: what is wasted is told, and with the library
# nothing is. To be run under with_thp --enabled always.
. "$(dirname "$0")/lib.sh"
: "${THPFIX_TEST_LEGACY_KERNEL:?}"
need_root "change the THP mode"

# expect_waste THREADS STACK_BYTES: nearly all of the stacks would return
expect_waste() {
    run 1 "$thpfix" inspect --check --json "$pid"
    expect_silent
    back=$(field stacks would_return_bytes)
    [ "$back" -gt $(($1 * $2 * 9 / 10)) ] && [ "$back" -lt $(($1 * $2)) ] ||
        fail "$back bytes would return from $1 stacks of $2"
    run 1 "$thpfix" scan --check --min "$(($1 * $2 / 2))" --json
    grep -q "\"pid\": $pid," "$work/out" || fail "scan does not list it"
}

expect_none() {
    run 0 "$thpfix" inspect --check --json "$pid"
    expect_field 0 stacks would_return_bytes
    expect_field 0 stacks huge_bytes
    expect_field 0 stacks not_judged
}

LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL start "$THPFIX_TEST_STACKS" 100 2048 0 4
expect_waste 100 2097152
stop "$pid"
"$THPFIX_TEST_RAW_SUM" "$pid" >"$work/sum"
read -r _ resident huge _ <"$work/sum"
run 0 "$thpfix" inspect --json "$pid"
expect_field "$huge" stacks huge_bytes
expect_field "$resident" stacks resident_bytes
[ "$huge" -ge 104857600 ] || fail "only $huge bytes are huge: this tests nothing"
run 0 "$thpfix" inspect --map "$pid"
grep -q '#########' "$work/out" || fail "the picture shows no huge pages"
run 0 "$thpfix" inspect --threads --bytes -o ORIGIN,HUGE,BACK "$pid"
expect_same "huge, by thread" \
    "$(awk '$1 == "glibc" {sum += $2} END {printf "%d", sum}' "$work/out")" "$huge"
end_all

LD_PRELOAD=$library:$THPFIX_TEST_LEGACY_KERNEL THPFIX=on start "$THPFIX_TEST_STACKS" 100 2048 0 4
expect_none
end_all

# A JVM splits its huge pages with its guard zones: nothing is huge, all is resident.
if java --list-modules 2>/dev/null | grep -q jdk.compiler; then
    LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL start java -Xmx64m -Xss2m \
        -XX:+UnlockDiagnosticVMOptions -XX:-THPStackMitigation "$(dirname "$0")/Waiting.java" 100
    run 1 "$thpfix" inspect --check --json "$pid"
    back=$(field stacks would_return_bytes)
    [ "$back" -gt 180000000 ] || fail "only $back bytes would return from the JVM"
    end_all
    LD_PRELOAD=$library:$THPFIX_TEST_LEGACY_KERNEL THPFIX=on start java -Xmx64m -Xss2m \
        -XX:+UnlockDiagnosticVMOptions -XX:-THPStackMitigation "$(dirname "$0")/Waiting.java" 100
    run 0 "$thpfix" inspect --check --json "$pid"
    expect_field 0 stacks would_return_bytes
fi
finish
