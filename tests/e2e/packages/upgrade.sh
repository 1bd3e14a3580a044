#!/bin/sh
# A new version of the library takes the old one's place while a program runs with the old one.
. "$(dirname "$0")/lib.sh"

mkdir -p /usr/local/bin /etc/systemd/system
cp "$test"/service /usr/local/bin/demo
printf '%s\n' '[Service]' 'ExecStart=/usr/local/bin/demo' >/etc/systemd/system/demo.service
run 0 "upgrade: install" dpkg -i "$test"/1/thpfix_*.deb "$test"/1/thpfix-sites_*.deb
library=$(dpkg -L thpfix | grep '/libthpfix\.so$')
sites=$(dpkg -L thpfix-sites | grep '/libthpfix-sites\.so$')
for file in "$library" "$sites"; do
    expect "upgrade: the mode of $file" test "$(stat -c %a "$file")" = 644
done
expect_not "upgrade: no entry in /etc/ld.so.preload" test -e /etc/ld.so.preload
run 0 "upgrade: install a drop-in" thpfix systemd demo.service --root / --install

mapped_inode() {
    awk '/\/libthpfix\.so/ { print $5; exit }' "/proc/$1/maps"
}
start_service THPFIX=on LD_PRELOAD="$library"
old=$(stat -c %i "$library")
expect "upgrade: the program has the library" test "$(mapped_inode "$service_pid")" = "$old"

run 0 "upgrade: install the new version" dpkg -i "$test"/2/thpfix_*.deb "$test"/2/thpfix-sites_*.deb
expect "upgrade: it is a new file" test "$(stat -c %i "$library")" != "$old"
expect "upgrade: the program has the old one" test "$(mapped_inode "$service_pid")" = "$old"
echo after >&8
await_service "one more for after" && pass "upgrade: the program goes on, and makes threads"
run 0 "upgrade: its counters can be read" thpfix stat "$service_pid"
expect "upgrade: the new thread was seen" grep -Eq '^threads_seen +21 ' /tmp/out
expect "upgrade: the drop-in has stayed" test -e /etc/systemd/system/demo.service.d/thpfix.conf
stop_service
start_service THPFIX=on LD_PRELOAD="$library"
expect "upgrade: restarted, it has the new one" \
    test "$(mapped_inode "$service_pid")" = "$(stat -c %i "$library")"

# What the package manager must not do, and what this test would see.
old=$(stat -c %i "$library")
cp "$library" /tmp/copy
stop_service
cat /tmp/copy >"$library"
expect "control: written in place, it would be the same file" test "$(stat -c %i "$library")" = "$old"
finish
