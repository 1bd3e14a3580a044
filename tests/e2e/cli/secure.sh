#!/bin/sh
# Programs that ld.so protects from LD_PRELOAD: set-user-ID, set-group-ID, capabilities.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "needs root to make set-user-ID files"
command -v setpriv >/dev/null || skip "needs setpriv (util-linux)"
chmod 755 "$work"
mkdir "$work/bin" "$work/lib"
cp "$thpfix" "$work/bin"
cp "$library" "$work/lib"
chmod 755 "$work/bin" "$work/lib" "$work/bin/thpfix"
chmod 644 "$work/lib/libthpfix.so"
thpfix=$work/bin/thpfix
grep=$work/grep
cp "$(command -v grep)" "$grep"

as_nobody() {
    setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
# found STATUS: whether the library is in the program that nobody starts
found() {
    run "$1" as_nobody "$thpfix" run -- "$grep" -q libthpfix /proc/self/maps
}
warning() {
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line on stderr"
    expect_err "thpfix run: warning: '$grep' $1: ld.so ignores LD_PRELOAD for it, it will start\
 without the library; start thpfix as the user that it changes to"
}

chmod 755 "$grep"
found 0
expect_silent
chmod 4755 "$grep"
as_nobody "$grep" -q '^Uid:[[:space:]]*65534[[:space:]]*0' /proc/self/status ||
    skip "set-user-ID does not work in $work (nosuid, or no_new_privs)"
found 1
warning "is set-user-ID"
# Nothing changes for the owner, and where no new privileges are given.
run 0 "$thpfix" run -- "$grep" -q libthpfix /proc/self/maps
expect_silent
run 0 setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs \
    "$thpfix" run -- "$grep" -q libthpfix /proc/self/maps
expect_silent
chmod 2755 "$grep"
found 1
warning "is set-group-ID"
chmod 755 "$grep"
if command -v setcap >/dev/null && setcap cap_net_raw+ep "$grep" 2>/dev/null; then
    found 1
    warning "has file capabilities"
fi
finish
