#!/bin/sh
# What keeps the library out of a program is said before it starts, and it starts.
. "$(dirname "$0")/lib.sh"

# warned COMMAND...: one line of warning, with the text in $expected
warned() {
    run 0 "$thpfix" run "$@"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line on stderr"
    expect_err "$expected"
}

# A program like all others: no warning.
run 0 "$thpfix" run -- "$THPFIX_TEST_PLAIN"
expect_silent
expect_out started
# So is the dynamic loader, which looks as if it were static.
loader=$(readelf -lW "$THPFIX_TEST_PLAIN" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
run 0 "$thpfix" run -- "$loader" "$(command -v grep)" -qF "$library" /proc/self/maps
expect_silent

if [ -n "${THPFIX_TEST_STATIC:-}" ]; then
    expected="thpfix run: warning: '$THPFIX_TEST_STATIC' is statically linked: no library can be\
 preloaded, it will start without"
    warned -- "$THPFIX_TEST_STATIC"
    expect_out started
    # Nor for a script that it interprets.
    printf '#!%s\n' "$THPFIX_TEST_STATIC" >"$work/script"
    chmod +x "$work/script"
    warned -- "$work/script"
    expect_out started
else
    fail "no static program was built"
fi

# Another C library: the loader is named, not needed here, for nothing is started.
expected="thpfix run: warning: '$THPFIX_TEST_MUSL' uses another C library than glibc\
 (/lib/ld-musl-test.so.1): the library will do nothing in it"
warned --dry-run -- "$THPFIX_TEST_MUSL"
run 127 "$thpfix" run -- "$THPFIX_TEST_MUSL"
expect_err "thpfix run: cannot run '$THPFIX_TEST_MUSL': its interpreter '/lib/ld-musl-test.so.1'\
 does not exist"

if [ -n "${THPFIX_TEST_32BIT:-}" ]; then
    expected="thpfix run: warning: '$THPFIX_TEST_32BIT' is a 32-bit program and the library is a\
 64-bit one: ld.so will say so and start it without; install the library for both and give\
 --library '/usr/\$LIB/libthpfix.so'"
    warned --dry-run -- "$THPFIX_TEST_32BIT"
    run 0 "$thpfix" run --dry-run --library '/usr/$LIB/libthpfix.so' -- "$THPFIX_TEST_32BIT"
    expect_silent
fi

# A script whose programs go without; the control: without the option they do not.
printf '#!/usr/bin/env sh\ngrep -qF "%s" /proc/self/maps\n' "$library" >"$work/launcher"
chmod +x "$work/launcher"
run 0 "$thpfix" run -- "$work/launcher"
expect_silent
run 1 "$thpfix" run --no-inherit -- "$work/launcher"
[ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line on stderr"
expect_err "thpfix run: warning: '$work/launcher' is a script, and with THPFIX_INHERIT=0 the\
 programs that it starts go without the library"
run 1 env THPFIX_INHERIT=0 "$thpfix" run -- "$work/launcher"
expect_err_part "is a script, and with THPFIX_INHERIT=0"

# A program that cannot be looked into is started all the same.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    cp "$THPFIX_TEST_PLAIN" "$work/unreadable"
    cp "$thpfix" "$work/thpfix"
    cp "$library" "$work/libthpfix.so"
    chmod 711 "$work" "$work/unreadable"
    run 0 setpriv --reuid 65534 --regid 65534 --clear-groups "$work/thpfix" run \
        --library "$work/libthpfix.so" -- "$work/unreadable"
    expect_silent
    expect_out started
fi
finish
