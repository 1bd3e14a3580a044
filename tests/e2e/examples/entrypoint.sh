#!/bin/sh
# scripts/thpfix-entrypoint in the shells that images have, on this machine; in a container of each
# kind it is scripts/container that starts it.
. "$(dirname "$0")/lib.sh"
: "${THPFIX_LIBRARY:?the library}"
library=$THPFIX_LIBRARY

unset LD_PRELOAD THPFIX THPFIX_LIBRARY
[ -e /lib64/ld-linux-x86-64.so.2 ] || [ -e /lib/ld-linux-aarch64.so.1 ] ||
    skip "not one of the architectures that it knows"
mkdir "$work/image" "$work/empty"
cp "$here/../../../scripts/thpfix-entrypoint" "$work/image"
cp "$here/../../../scripts/thpfix-entrypoint" "$work/empty"
cp "$library" "$work/image/libthpfix.so"
# Finds none in this machine's directories either, if there is one.
cp "$library" "$work/other.so"

# gives WANTED [VARIABLE=VALUE…]: what a command finds in LD_PRELOAD
gives() {
    wanted=$1
    shift
    # shellcheck disable=SC2016,SC2086 # for the command; the shell and its applet
    got=$(env "$@" $shell "$work/image/thpfix-entrypoint" sh -c 'printf "%s" "$LD_PRELOAD"' 2>&1)
    if [ "$got" = "$wanted" ]; then
        echo "ok: $shell: ${*:-as it is}"
    else
        fail "$shell: $*: '$got', not '$wanted'"
    fi
}

for shell in sh dash 'busybox sh' bash 'bash --posix'; do
    command -v "${shell%% *}" >/dev/null || continue
    gives "$work/image/libthpfix.so"
    gives "$work/image/libthpfix.so" THPFIX=on
    gives '' THPFIX=off
    gives 'libm.so.6' THPFIX=off LD_PRELOAD=libm.so.6
    gives "$work/image/libthpfix.so:libm.so.6 libdl.so.2" "LD_PRELOAD=libm.so.6 libdl.so.2"
    gives "libm.so.6:$work/image/libthpfix.so" "LD_PRELOAD=libm.so.6:$work/image/libthpfix.so"
    gives "$work/other.so" "THPFIX_LIBRARY=$work/other.so"
    gives '' "THPFIX_LIBRARY=$work/none.so"
    # Not to be overwritten for the command: they are exported.
    # shellcheck disable=SC2016,SC2086
    got=$(env file=1 here=2 triplet=3 element=4 IFS=5 $shell "$work/image/thpfix-entrypoint" \
        sh -c 'echo "$file $here $triplet $element"')
    [ "$got" = '1 2 3 4' ] || fail "$shell: variables are now '$got'"
    # shellcheck disable=SC2086
    $shell "$work/image/thpfix-entrypoint" sh -c 'exit 7'
    [ $? -eq 7 ] || fail "$shell: not the exit status of the command"
    # shellcheck disable=SC2086
    got=$($shell "$work/image/thpfix-entrypoint" printf '<%s>' a 'b c' '' '*' 2>&1)
    [ "$got" = '<a><b c><><*>' ] || fail "$shell: the arguments became $got"
    # shellcheck disable=SC2086
    $shell "$work/image/thpfix-entrypoint" 2>"$work/err"
    [ $? -eq 125 ] && grep -q 'no command given' "$work/err" || fail "$shell: without a command"
done

# It becomes the command.
# shellcheck disable=SC2016 # for the command
got=$(sh -c 'echo $$; exec "$@"' sh "$work/image/thpfix-entrypoint" sh -c 'echo $$')
[ "$(echo "$got" | uniq | wc -l)" -eq 1 ] || fail "a process of its own stays: $got"
# What ld.so would split is not preloaded.
mkdir "$work/a:b"
cp "$work/image"/* "$work/a:b"
got=$("$work/a:b/thpfix-entrypoint" sh -c 'printf "%s" "$LD_PRELOAD"')
[ -z "$got" ] || fail "a path with a colon: '$got'"
# It is there: the library can be loaded from where it was found.
got=$("$work/image/thpfix-entrypoint" cat /proc/self/maps | grep -c "$work/image/libthpfix.so")
[ "$got" -gt 0 ] || fail "the library is not in the command"
got=$(THPFIX=off "$work/image/thpfix-entrypoint" cat /proc/self/maps | grep -c libthpfix)
[ "$got" -eq 0 ] || fail "control: off, and the library is in the command"
finish
