#!/bin/bash
# Services with the drop-in of `thpfix systemd`, under a systemd that runs, on a kernel that is
# affected, which is the caller's to change (a virtual machine).
#
#   guest.sh [PART...]
#
# Needs THPFIX_COMMAND, LIBTHPFIX, LIBRARY_DIRECTORY (where a package puts the library), STACKS,
# and for the JVM JAVA and JAVA_CLASSES; root. Prints "PASS name", "FAIL name: why" or "SKIP name:
# why". Exit status 0, or 1 where a test failed.
set -u
units=/etc/systemd/system
# In the directory of which everybody may see what is in it.
work=/run/e2e
mkdir -p $work
failed=0

pass() {
    echo "PASS $1"
}

fail() { # NAME WHY
    echo "FAIL $1: $2"
    failed=$((failed + 1))
}

# check NAME TEST…: as test(1); an empty value fails.
check() {
    local name=$1
    shift
    if test "$@" 2>/dev/null; then
        pass "$name ($*)"
    else
        fail "$name" "wanted $*"
    fi
}

# expect NAME STATUS ARGUMENT…: of thpfix systemd. What it said is in $work/out.
expect() {
    local name=$1 wanted=$2 status=0
    shift 2
    thpfix systemd "$@" >$work/out 2>&1 || status=$?
    if [ $status -eq "$wanted" ]; then
        pass "$name: exit status $status"
    else
        fail "$name" "exit status $status, not $wanted: $(tr '\n' ' ' <$work/out)"
    fi
}

says() { # NAME TEXT
    if grep -qF -- "$2" $work/out; then
        pass "$1: says so"
    else
        fail "$1" "does not say '$2': $(tr '\n' ' ' <$work/out)"
    fi
}

# unit NAME LINE…: a service that says "ready" once all its threads run.
unit() {
    local name=$1
    shift
    printf '%s\n' '[Service]' "StandardOutput=truncate:$work/$name.ready" "$@" >"$units/$name.service"
}

# As the printed command says; waits until the threads run.
restart() { # NAME
    systemctl restart "$1.service"
    ready "$1"
}

ready() { # NAME
    local i
    for ((i = 0; i < 100; i++)); do
        ! grep -qx ready "$work/$1.ready" 2>/dev/null || return 0
        sleep 0.5
    done
    fail "$1" "does not come up: $(systemctl show -p Result,ExecMainStatus "$1.service" | tr '\n' ' ')"
}

pid() { # NAME
    systemctl show --value -p MainPID "$1.service"
}

rss_kib() { # NAME
    sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(pid "$1")/status"
}

drop_ins() {
    find /etc/systemd /run/systemd/system $work -name thpfix.conf | wc -l
}

# Without the library every stack is resident; with it a service has a tenth of that.
damage_kib=$((100 * 2000))
mended_kib=$((damage_kib / 2))

native_service() {
    local before
    unit native "ExecStart=$work/stacks 100 2048 0 8" 'Environment="NOTE=two words" LD_PRELOAD=libm.so.6'
    systemctl daemon-reload
    restart native
    check "native: control: every stack is resident" "$(rss_kib native)" -ge $damage_kib
    expect "native: status before" 1 native
    before=$(pid native)

    expect "native: install" 0 native --install
    says "native: install tells the way to restart" "To take effect: systemctl restart native.service"
    check "native: nothing is restarted" "$(pid native)" = "$before"
    expect "native: status before the restart" 1 native
    says "native: status before the restart" "without the library"

    restart native
    check "native: memory" "$(rss_kib native)" -lt $((damage_kib / 10))
    expect "native: status after the restart" 0 native
    says "native: status after the restart" ", with the library"
    check "native: what was preloaded before still is" \
        "$(grep -c 'libm\.so' "/proc/$(pid native)/maps")" -gt 0
    thpfix stat "$(pid native)" >$work/out 2>&1
    says "native: stat" active
    before=$(stat -c %i:%Y $units/native.service.d/thpfix.conf)
    expect "native: install again" 0 native.service --install
    check "native: install again writes nothing" \
        "$(stat -c %i:%Y $units/native.service.d/thpfix.conf)" = "$before"
}

jvm_service() {
    if [ ! -x "${JAVA-}" ] || [ ! -e "${JAVA_CLASSES-}/Waiting.class" ]; then
        echo "SKIP jvm: no JDK here"
        return
    fi
    unit jvm "ExecStart=$JAVA -Xms16m -Xmx16m -Xint -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
-XX:+UnlockDiagnosticVMOptions -XX:-THPStackMitigation -Xss2m -cp $work Waiting 100" \
        DynamicUser=yes ProtectSystem=strict ProtectHome=read-only
    systemctl daemon-reload
    restart jvm
    check "jvm: control: every stack is resident" "$(rss_kib jvm)" -ge $damage_kib
    expect "jvm: install" 0 jvm --install
    restart jvm
    check "jvm: memory" "$(rss_kib jvm)" -lt $mended_kib
    expect "jvm: status" 0 jvm
}

# What the check for filters is about: the kernel does kill.
filters() {
    local state
    unit usual "ExecStart=$work/stacks 20 2048 0 8" 'SystemCallFilter=@system-service'
    unit filter "ExecStart=$work/stacks 20 2048 0 8" 'SystemCallFilter=@system-service' \
        'SystemCallFilter=~madvise'
    systemctl daemon-reload
    expect "usual filter: install" 0 usual --install
    restart usual
    expect "usual filter: status" 0 usual
    says "usual filter: status" ", with the library"
    expect "filter: install" 2 filter --install
    says "filter: install" "--allow-calls"
    check "filter: nothing was changed" ! -e $units/filter.service.d
    expect "filter: install by force" 0 filter --install --force
    systemctl restart filter
    state=$(systemctl show --value -p Result filter)
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ "$state" != success ] || { sleep 1; state=$(systemctl show --value -p Result filter); }
    done
    check "filter: control: it is killed by the filter" "$state" = core-dump -o "$state" = signal
    expect "filter: install with the calls" 0 filter --install --allow-calls
    restart filter
    expect "filter: status" 0 filter
    says "filter: status" ", with the library"
}

instances() {
    unit 'many@' "ExecStart=$work/stacks 2 256 4 8"
    systemctl daemon-reload
    systemctl start 'many@a\x2db.service' many@c.service
    expect "template: install" 0 many@ --install
    says "template: each instance that runs" "systemctl restart 'many@a\\x2db.service'"
    says "template: each instance that runs" "systemctl restart many@c.service"
    systemctl restart 'many@a\x2db.service'
    sleep 1
    expect "template: restarted instance" 0 'many@a\x2db'
    says "template: restarted instance" ", with the library"
    expect "template: the other instance" 1 many@c
}

# The manager of a user, without the session that would come with it.
users() {
    local home=$work/home run
    mkdir -p $home/.config/systemd/user $work/runtime
    printf '%s\n' '[Service]' "ExecStart=$work/stacks 2 256 4 8" >$home/.config/systemd/user/own.service
    chown -R nobody: $home $work/runtime
    unit manager User=nobody "Environment=HOME=$home XDG_RUNTIME_DIR=$work/runtime" Delegate=yes \
        'ExecStart=/lib/systemd/systemd --user --unit=own.service' Type=notify
    run=(setpriv --reuid nobody --regid nogroup --clear-groups
        env "HOME=$home" "XDG_RUNTIME_DIR=$work/runtime")
    systemctl daemon-reload
    systemctl start manager
    if "${run[@]}" "$(command -v thpfix)" systemd own --user --install >$work/out 2>&1; then
        pass "user: install"
    else
        fail "user: install" "$(tr '\n' ' ' <$work/out)"
    fi
    says "user: install" "To take effect: systemctl --user restart own.service"
    "${run[@]}" systemctl --user restart own.service
    sleep 1
    "${run[@]}" "$(command -v thpfix)" systemd own --user >$work/out 2>&1
    says "user: status" ", with the library"
    "${run[@]}" "$(command -v thpfix)" systemd --remove-all --user >$work/out 2>&1
    says "user: remove-all" "Removed $home/.config/systemd/user/own.service.d/thpfix.conf"
    systemctl stop manager
}

# Clear words, the right status, nothing changed.
refusals() {
    local before
    before=$(find /etc/systemd | sort | sha256sum)
    ln -s /dev/null $units/masked.service
    systemctl daemon-reload
    expect "masked unit" 2 masked --install
    says "masked unit" "thpfix systemd: 'masked.service' is masked"
    rm $units/masked.service
    expect "unknown unit" 2 no-such --install
    says "unknown unit" "there is no unit 'no-such.service'"
    unit plain "ExecStart=$work/stacks 2 256 4 8"
    setpriv --reuid nobody --regid nogroup --clear-groups "$(command -v thpfix)" systemd plain \
        --install >$work/out 2>&1
    check "not root: exit status" $? -eq 2
    says "not root" "run it as root"
    mount --bind /etc /etc
    mount -o remount,bind,ro /etc
    expect "read-only /etc" 2 plain --install
    says "read-only /etc" "Read-only file system: remount it writable"
    umount /etc
    rm $units/plain.service
    check "nothing was changed" "$(find /etc/systemd | sort | sha256sum)" = "$before"
}

takes_back() {
    expect "remove" 0 native --remove
    says "remove" "To take effect: systemctl restart native.service"
    check "remove: the directory, too" ! -e $units/native.service.d
    restart native
    expect "remove: status" 1 native
    check "remove: as before" "$(rss_kib native)" -ge $damage_kib
    expect "remove again" 0 native --remove
    says "remove again" "Nothing to remove"

    expect "remove-all" 0 --remove-all
    says "remove-all: names what runs with it" "systemctl restart filter.service"
    says "remove-all: names what runs with it" "systemctl restart many@c.service"
    check "remove-all: none is left" "$(drop_ins)" -eq 0
}

parts=(native_service jvm_service filters instances users refusals takes_back)
[ $# -eq 0 ] || parts=("$@")
# A service with a /tmp of its own would not see a build there.
cp "$STACKS" $work/stacks
[ ! -e "${JAVA_CLASSES-}/Waiting.class" ] || cp "$JAVA_CLASSES/Waiting.class" $work
echo "kernel $(uname -r), $(systemctl --version | head -n 1)"
install -m 755 "$THPFIX_COMMAND" /usr/bin/thpfix
install -D -m 644 "$LIBTHPFIX" "$LIBRARY_DIRECTORY/libthpfix.so"
check "systemd is the first process" "$(cat /proc/1/comm)" = systemd
thpfix check >$work/out
check "the kernel is affected" $? -eq 1
for part in "${parts[@]}"; do
    $part
done
[ $failed -eq 0 ]
