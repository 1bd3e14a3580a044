#!/bin/bash
# Where the library cannot work, or is of the wrong kind, it must not be noticed. Needs LIBTHPFIX,
# LIBTHPFIX32 (or empty), PROGRAMS, a directory with threads-KIND, and INSTALLED, in the form that
# ld.so takes, a path with $LIB. Prints "PASS name", "FAIL name: why" or "SKIP name: why".
set -u
: "${LIBTHPFIX:?}" "${PROGRAMS:?}" "${INSTALLED:?}"
. "$(dirname "$0")/checks.sh"

# The program says what it says without the library, and nothing else is said.
unnoticed() { # NAME PRELOAD [ENVIRONMENT…] PROGRAM
    local name=$1 preload=$2
    shift 2
    if [ ! -x "${!#}" ]; then
        skip "$name" "${!#} could not be built here"
        return
    fi
    "${!#}" >"$work/alone" 2>&1
    check "$name: alone: exit status" $? -eq 0
    env LD_PRELOAD="$preload" "$@" >"$work/out" 2>"$work/err"
    check "$name: exit status" $? -eq 0
    check "$name: silent" ! -s "$work/err"
    check "$name: same output" "$(<"$work/out")" = "$(<"$work/alone")"
}

# Does the program have the library? Told by the line that it writes at the start.
loaded() { # NAME yes|no PRELOAD PROGRAM
    local found=no
    [ -x "$4" ] || return
    rm -f "$work/log"
    LD_PRELOAD=$3 THPFIX_LOG=$work/log "$4" >/dev/null 2>&1
    [ ! -s "$work/log" ] || found=yes
    check "$1: is loaded: $2" $found = "$2"
}

# Set-group-ID: AT_SECURE. Only root can make one.
secure_program() {
    local status=0
    cp "$PROGRAMS/threads-glibc" "$work/secure" && chgrp 65534 "$work/secure" &&
        chmod 2755 "$work/secure" || status=1
    findmnt -n -o OPTIONS --target "$work" | grep -qw nosuid && status=1
    return $status
}

unnoticed glibc "$LIBTHPFIX" THPFIX=on "$PROGRAMS/threads-glibc"
loaded "control: glibc" yes "$LIBTHPFIX" "$PROGRAMS/threads-glibc"
unnoticed musl "$LIBTHPFIX" "$PROGRAMS/threads-musl"
unnoticed musl-forced "$LIBTHPFIX" THPFIX=on THPFIX_GATE=all "$PROGRAMS/threads-musl"
loaded musl yes "$LIBTHPFIX" "$PROGRAMS/threads-musl"
unnoticed static "$LIBTHPFIX" THPFIX=on "$PROGRAMS/threads-static"
loaded static no "$LIBTHPFIX" "$PROGRAMS/threads-static"
if [ "$(id -u)" -eq 0 ] && secure_program; then
    unnoticed secure "$LIBTHPFIX" THPFIX=on "$work/secure"
    loaded secure no "$LIBTHPFIX" "$work/secure"
else
    skip secure "needs root and a /tmp that honours set-group-ID"
fi

if [ -z "$LIBTHPFIX32" ]; then
    skip 32-bit "no compiler for it"
else
    unnoticed 32-bit "$LIBTHPFIX32" THPFIX=on "$PROGRAMS/threads-32"
    loaded 32-bit yes "$LIBTHPFIX32" "$PROGRAMS/threads-32"
    # One setting for programs of either kind, in one process tree.
    unnoticed '$LIB: 32-bit' "$INSTALLED" THPFIX=on "$PROGRAMS/threads-32"
    loaded '$LIB: 32-bit' yes "$INSTALLED" "$PROGRAMS/threads-32"
    unnoticed '$LIB: 64-bit' "$INSTALLED" THPFIX=on "$PROGRAMS/threads-glibc"
    loaded '$LIB: 64-bit' yes "$INSTALLED" "$PROGRAMS/threads-glibc"
    LD_PRELOAD=$INSTALLED sh -c "'$PROGRAMS/threads-32' && '$PROGRAMS/threads-glibc'" \
        >"$work/out" 2>"$work/err"
    check '$LIB: both from one shell: silent' ! -s "$work/err"
    LD_PRELOAD=$LIBTHPFIX "$PROGRAMS/threads-32" >"$work/out" 2>"$work/err"
    check 'control: without $LIB the linker complains of the 64-bit one' -s "$work/err"
fi
exit $failed
