#!/bin/sh
# A process in another root directory: its functions are those of its own files, and not of what
# has the same path here.
. "$(dirname "$0")/lib.sh"
need_root "change the root directory"
sites=$(dirname "$library")/libthpfix-sites.so
root=$work/root

# copy FILE [AS]: with the libraries that it needs
copy() {
    mkdir -p "$root$(dirname "${2:-$1}")"
    cp -L "$1" "$root${2:-$1}"
    ldd "$1" | sed -n 's,^[^/]*\(/[^ ]*\) (0x.*,\1,p' >"$work/needed"
    while read -r needed; do
        [ -e "$root$needed" ] || { mkdir -p "$root$(dirname "$needed")" && cp -L "$needed" "$root$needed"; }
    done <"$work/needed"
}
copy "$places" /usr/bin/true
copy /usr/bin/env
copy "$library" /lib/libthpfix.so
copy "$sites" /lib/libthpfix-sites.so
start chroot "$root" /usr/bin/env LD_PRELOAD=/lib/libthpfix.so THPFIX_SITES=1 /usr/bin/true plain
run 0 "$thpfix" sites --json "$pid"
expect_silent
grep -q '"module": ".*/usr/bin/true"' "$work/out" || fail "the program is not where it should be"
expect_site first_place created 3
expect_site second_place created 4
run 0 "$thpfix" stat "$pid"
expect_silent

full() {
    "$@" >/dev/full
}
for form in "" --json; do
    # shellcheck disable=SC2086
    run 2 full "$thpfix" sites $form "$pid"
    expect_complaint "thpfix sites: cannot write to standard output: No space left on device"
done
finish
