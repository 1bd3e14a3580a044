#!/bin/sh
# The .rpm packages: installed, upgraded and removed by an rpm outside of the system at $1, with
# their scripts run inside.
. "$(dirname "$0")/lib.sh"
root=$1
test=$root/test

rpm_there() {
    rpm --root "$root" --force-debian --nodeps "$@"
}

inside() {
    chroot "$root" "$@"
}

# Of the system at $root, but for rpm's own lists.
list_there() {
    # shellcheck disable=SC2016 # for the inner shell
    inside sh -c '. /test/lib.sh; list_files' | grep -v '/\(var/lib/rpm\|root/\.rpmdb\)'
}

mkdir -p "$root/usr/local/bin" "$root/etc/systemd/system"
cp "$test/service" "$root/usr/local/bin/demo"
printf '%s\n' '[Service]' 'ExecStart=/usr/local/bin/demo' >"$root/etc/systemd/system/demo.service"
rpmdb --root "$root" --initdb
list_there >/tmp/rpm_before.$$
library=$root/usr/lib64/libthpfix.so
drop_in=$root/etc/systemd/system/demo.service.d/thpfix.conf

run 0 "rpm: install" rpm_there -i "$test"/1/*.rpm
expect "rpm: the mode of the library" test "$(stat -c %a "$library")" = 644
run 0 "rpm: thpfix run" inside thpfix run -- grep -F /usr/lib64/libthpfix.so /proc/self/maps
run 0 "rpm: install a drop-in" inside thpfix systemd demo.service --root / --install
expect "rpm: it is there" test -e "$drop_in"
old=$(stat -c %i "$library")
run 0 "rpm: upgrade" rpm_there -U "$test"/2/*.rpm
expect "rpm: it is a new file" test "$(stat -c %i "$library")" != "$old"
expect "rpm: the drop-in has stayed" test -e "$drop_in"
list_there >/tmp/rpm_after.$$
expect_not "control: files of the package are noticed" cmp -s /tmp/rpm_before.$$ /tmp/rpm_after.$$
run 0 "rpm: remove" rpm_there -e thpfix-sites thpfix
expect "rpm: the removal says what it took" grep -q /demo.service.d/thpfix.conf /tmp/out
list_there >/tmp/rpm_after.$$
if diff /tmp/rpm_before.$$ /tmp/rpm_after.$$ >&2; then
    pass "rpm: nothing is left"
else
    fail "rpm: nothing is left" "$(diff /tmp/rpm_before.$$ /tmp/rpm_after.$$ | sed -n 2p)"
fi
rm -f /tmp/rpm_before.$$ /tmp/rpm_after.$$
finish
