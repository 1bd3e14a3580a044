#!/bin/sh
# From "is this host affected" to "all gone again", in a system that has never seen thpfix.
. "$(dirname "$0")/lib.sh"

mkdir -p /usr/local/bin
cp "$test"/service /usr/local/bin/demo
mkdir -p /etc/systemd/system
printf '%s\n' '[Service]' 'ExecStart=/usr/local/bin/demo' >/etc/systemd/system/demo.service
list_files >/tmp/before
start_service HOME=/

run 0 "newcomer: install the package" dpkg -i "$test"/1/thpfix_*.deb
run '0 1' "newcomer: thpfix check" thpfix check
run 0 "newcomer: thpfix scan" thpfix scan
expect "newcomer: the service is listed, without the library" \
    grep -Eq "^ *$service_pid demo .*not loaded" /tmp/out
run 2 "control: nothing to tell of the service yet" thpfix stat "$service_pid"

# There is no systemd here that would answer: the files are looked at.
run 0 "newcomer: see the drop-in" thpfix systemd demo.service --root / --print
expect "newcomer: it names the library" grep -q '^Environment=.*LD_PRELOAD=.*/libthpfix.so' /tmp/out
expect_not "control: to print it is not to write it" test -e /etc/systemd/system/demo.service.d
run 0 "newcomer: install the drop-in" thpfix systemd demo.service --root / --install
drop_in=/etc/systemd/system/demo.service.d/thpfix.conf
run 0 "newcomer: thpfix systemd --status" thpfix systemd demo.service --root /

# Restart, as systemd does: with what the drop-in says.
stop_service
preload=$(sed -n 's/^Environment=//p' $drop_in | tr -d '"')
start_service THPFIX=on "$preload"
run 0 "newcomer: thpfix stat" thpfix stat "$service_pid"
expect "newcomer: its threads were seen" grep -Eq '^threads_seen +20 ' /tmp/out
expect "newcomer: and looked after" grep -Eq '^threads_padded +20 ' /tmp/out
run 0 "newcomer: thpfix scan, again" thpfix scan
expect "newcomer: the service is listed with the library" \
    grep -Eq "^ *$service_pid demo .* active" /tmp/out
expect_not "control: then it is not listed without" \
    grep -Eq "^ *$service_pid demo .*not loaded" /tmp/out

run 0 "newcomer: remove the package" dpkg -r thpfix
expect "newcomer: the removal says what it took" grep -q "$drop_in" /tmp/out
stop_service
start_service HOME=/
expect_not "newcomer: the service starts without it" has_library "$service_pid"
stop_service
expect_clean "newcomer: nothing is left" /tmp/before
touch /etc/thpfix.left
list_files >/tmp/after
expect_not "control: a file that is left is noticed" cmp -s /tmp/before /tmp/after
finish
