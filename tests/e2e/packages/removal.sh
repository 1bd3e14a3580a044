#!/bin/sh
# Removal takes the drop-ins that thpfix made, and no others, before the library goes.
. "$(dirname "$0")/lib.sh"

mkdir -p /usr/local/bin /etc/systemd/system /etc/systemd/system/other.service.d
cp "$test"/service /usr/local/bin/demo
printf '%s\n' '[Service]' 'ExecStart=/usr/local/bin/demo' >/etc/systemd/system/demo.service
cp /etc/systemd/system/demo.service /etc/systemd/system/other.service
printf '%s\n' '# by hand' '[Service]' 'Environment=LD_PRELOAD=' \
    >/etc/systemd/system/other.service.d/thpfix.conf
list_files >/tmp/before

run 0 "removal: install" dpkg -i "$test"/1/thpfix_*.deb "$test"/1/thpfix-sites_*.deb
list_files >/tmp/after
expect_not "control: files of the package are noticed" cmp -s /tmp/before /tmp/after
run 0 "removal: install a drop-in" thpfix systemd demo.service --root / --install
start_service LD_PRELOAD=/usr/lib/"$(dpkg -L thpfix | sed -n 's|^/usr/lib/\(.*libthpfix\.so\)$|\1|p')"
expect "removal: a program runs with the library" has_library "$service_pid"

run 0 "removal: remove" dpkg -r thpfix-sites thpfix
expect "removal: it says what it took" grep -q /demo.service.d/thpfix.conf /tmp/out
echo after >&8
await_service "one more for after" && pass "removal: the program goes on, and makes threads"
stop_service
expect_clean "removal: nothing is left, and what is not ours is" /tmp/before
expect "removal: dpkg knows nothing of it" test -z "$(dpkg-query -W -f '${Package}\n' 'thpfix*' 2>/dev/null)"

run 0 "removal: the order is kept by dpkg" dpkg -i "$test"/1/thpfix_*.deb "$test"/1/thpfix-sites_*.deb
run '1 2' "control: not before what needs it" dpkg -r thpfix
run 0 "removal: purge" dpkg -P thpfix-sites thpfix
expect_clean "removal: nothing is left after a purge" /tmp/before
# Where systemd runs it is told, after the drop-in has gone, and the services that run are named.
# A stand-in for it: demo.service is active.
mkdir -p /run/systemd/system
cat >/usr/bin/systemctl <<'STUB'
#!/bin/sh
case " $* " in
*' daemon-reload '*) ls -d /etc/systemd/system/demo.service.d >/tmp/at_reload 2>&1 ;;
*' list-units '*) echo demo.service loaded active running demo ;;
esac
STUB
chmod +x /usr/bin/systemctl
run 0 "removal: install beside systemd" dpkg -i "$test"/1/thpfix_*.deb
run 0 "removal: another drop-in" thpfix systemd demo.service --root / --install
run 0 "removal: remove beside systemd" dpkg -r thpfix
expect "removal: the service to restart is named" grep -q 'systemctl restart demo.service' /tmp/out
expect "removal: systemd reads its files again without the drop-in" \
    grep -q 'No such file' /tmp/at_reload
run 0 "removal: install once more" dpkg -i "$test"/1/thpfix_*.deb
run 0 "removal: remove without a drop-in" dpkg -r thpfix
expect_not "control: no service is named that had none" grep -q 'systemctl restart' /tmp/out
rm -r /usr/bin/systemctl /run/systemd
finish
