#!/bin/sh
# thpfix systemd on the files of a system below a directory: what is merged, what is refused,
# what is taken away, and that nothing else is touched.
. "$(dirname "$0")/lib.sh"

root=$work/root
units=$root/etc/systemd/system
vendor=$root/usr/lib/systemd/system
triplet=${THPFIX_TEST_TRIPLET:-x86_64-linux-gnu}
# What $LIB stands for is where packages put the library.
directory=/usr/lib/$triplet
# shellcheck disable=SC2016 # for ld.so
ours='/usr/$LIB/libthpfix.so'
[ -n "${THPFIX_TEST_TRIPLET-}" ] || skip "this system has no directory for each architecture"
mkdir -p "$units" "$vendor" "$root$directory" "$root/usr/bin" "$root/etc/default"
cp "$library" "$root$directory/libthpfix.so"
cp "$THPFIX_TEST_PLAIN" "$root/usr/bin/app"

# unit NAME LINE…
unit() {
    name=$1
    shift
    rm -rf "$units/$name.d"
    printf '%s\n' '[Service]' 'ExecStart=/usr/bin/app' "$@" >"$vendor/$name"
}

# on STATUS ARGUMENT…
on() {
    wanted=$1
    shift
    run "$wanted" "$thpfix" systemd --root "$root" "$@"
}

state() {
    (cd "$root" && find . -type f -exec cksum {} + | sort && find . | sort)
}

# refused TEXT ARGUMENT…: status 2, a line with that text, and nothing changed
refused() {
    text=$1
    shift
    before=$(state)
    on 2 "$@"
    expect_err_part "$text"
    [ ! -s "$work/out" ] || fail "something on stdout"
    [ "$before" = "$(state)" ] || fail "something was changed"
}

# defeated TEXT LINE…: a unit with these lines is refused; without them it is not
defeated() {
    text=$1
    shift
    unit app.service "$@"
    refused "$text" app --install
    expect_err "thpfix systemd: app.service: nothing was changed; --force installs the drop-in all the same"
    on 1 app
    on 0 app --install --force
    on 1 app
    on 0 app --remove
}

# warned TEXT LINE…
warned() {
    text=$1
    shift
    unit app.service "$@"
    on 0 app --install
    expect_err_part "app.service: warning: "
    expect_err_part "$text"
}

# harmless LINE…
harmless() {
    unit app.service "$@"
    on 0 app --install
    expect_silent
}

# merged WANTED LINE…: what the drop-in sets
merged() {
    value=$1
    shift
    unit app.service "$@"
    on 0 app --print
    expect_out "Environment=$value"
    expect_silent
}

drop_in=$units/app.service.d/thpfix.conf
unit app.service
on 1 app
expect_out "Drop-in:  none (thpfix systemd app.service --root $root --install)"
on 0 app --print
cp "$work/out" "$work/printed"
[ ! -e "$units/app.service.d" ] || fail "--print wrote"
on 0 app --install
expect_out "Wrote $drop_in"
cmp -s "$work/printed" "$drop_in" || fail "not what --print printed"
expect_same 'first line' "$(head -n 1 "$drop_in")" '# Made by thpfix systemd --install'
expect_same mode "$(stat -c %a "$drop_in")" 644
before=$(state)
on 0 app.service --install
expect_out "Already in place: $drop_in"
[ "$before" = "$(state)" ] || fail "installed twice is not once"
on 0 app
on 0 app --remove
expect_out "Removed $drop_in"
[ ! -e "$units/app.service.d" ] || fail "the directory is still there"
on 0 app --remove
expect_out "Nothing to remove: there is no $drop_in"
# Others' drop-ins stay, and so does the directory.
unit app.service
mkdir "$units/app.service.d"
echo '[Service]' >"$units/app.service.d/other.conf"
on 0 app --install
on 0 app --remove
[ -e "$units/app.service.d/other.conf" ] || fail "other.conf is gone"

# What is set already stays, in its order.
merged "LD_PRELOAD=$ours" 'Environment=A=1'
merged "LD_PRELOAD=$ours:/x/a.so" 'Environment=LD_PRELOAD=/x/a.so'
merged "LD_PRELOAD=$ours:/x/a.so:b.so" 'Environment=A=1 "LD_PRELOAD=/x/a.so b.so" B=2'
merged "LD_PRELOAD=$ours:/x/b.so" 'Environment=LD_PRELOAD=/x/a.so' "Environment='LD_PRELOAD=/x/b.so'"
merged "LD_PRELOAD=$ours" 'Environment=LD_PRELOAD=/x/a.so' 'Environment='
merged "LD_PRELOAD=$ours:/x/%i.so:/y/%%.so" 'Environment=LD_PRELOAD=/x/%i.so:/y/%%.so'
# shellcheck disable=SC1003 # a backslash
merged "LD_PRELOAD=$ours:/x/a.so" 'Environment=A=1 \' '# in between' '  LD_PRELOAD=/x/a.so'
merged "LD_PRELOAD=$ours" '[Install]' 'Environment=LD_PRELOAD=/x/not-a-service.so'
merged "\"LD_PRELOAD=$ours:/x/a\\\\\\\\b.so\"" 'Environment=LD_PRELOAD=/x/a\\\\b.so'
unit app.service 'Environment=LD_PRELOAD=/x/unit.so'
mkdir "$units/app.service.d" "$vendor/service.d"
printf '[Service]\nEnvironment=LD_PRELOAD=/x/early.so\n' >"$units/app.service.d/10.conf"
printf '[Service]\nEnvironment=LD_PRELOAD=/x/type.so\n' >"$vendor/service.d/00.conf"
on 0 app --print
expect_out "Environment=LD_PRELOAD=$ours:/x/early.so"
ln -sf /dev/null "$units/app.service.d/10.conf"
on 0 app --print
expect_out "Environment=LD_PRELOAD=$ours:/x/type.so"
rm -r "$vendor/service.d"
printf '[Service]\nEnvironment=LD_PRELOAD=/x/late.so\n' >"$units/app.service.d/zz.conf"
refused "LD_PRELOAD" app --install
expect_err_part "/app.service.d/zz.conf:2 comes after thpfix.conf and overrules it"

# There already, by somebody else's hand.
unit app.service "Environment=LD_PRELOAD=/opt/libthpfix.so"
refused "app.service has the library already, by Environment= in $vendor/app.service:3" app --install
on 0 app
unit app.service "Environment=LD_PRELOAD=/opt/libthpfix.so:/x/a.so:$ours"
refused "has the library already, 2 times, by" app --install
unit app.service
mkdir "$units/app.service.d"
echo '# of another hand' >"$drop_in"
refused 'was not made by thpfix: rename it first' app --install
refused 'was not made by thpfix: remove it by hand' app --remove
unit app.service 'Environment="LD_PRELOAD=/x/a.so'
refused 'a quote without an end?' app --install

# Names.
refused "there is no unit 'none.service' below" none --install
refused "there is no unit" none
ln -s /dev/null "$units/masked.service"
refused "'masked.service' is masked" masked --install
: >"$units/empty.service"
refused "'empty.service' is masked" empty --install
for name in '' 'a b' 'a/b' ../app "a
b" 'ä' '*' '.service' '@' '@x' "$(printf '%0250d' 0)"; do
    refused 'is no name of a service: ' "$name" --install
done
refused "'app.timer' is no name of a service: name the service that it starts" app.timer --install
unit 'od:d_\x2dn.1.service'
on 0 'od:d_\x2dn.1' --install
[ -e "$units/od:d_\\x2dn.1.service.d/thpfix.conf" ] || fail "not there"
on 0 --remove-all
ln -s /lib/systemd/system/app.service "$units/alias.service"
unit app.service
on 0 alias --install
expect_out "Wrote $drop_in"
on 0 alias --remove

# Templates: an instance has what its template has, and can have it alone.
unit many@.service 'Environment=LD_PRELOAD=/x/%i.so'
on 0 many@one --install
expect_out "Wrote $units/many@one.service.d/thpfix.conf"
on 1 many@two
on 0 many@ --install
on 0 many@two
on 0 many@two --install
expect_out "Already in place: $units/many@.service.d/thpfix.conf"
on 0 many@two --global --remove
on 0 --remove-all
expect_out "Removed $units/many@.service.d/thpfix.conf"
expect_out "Removed $units/many@one.service.d/thpfix.conf"
on 1 many@one

# Units of users.
mkdir -p "$root/usr/lib/systemd/user"
cp "$vendor/app.service" "$root/usr/lib/systemd/user/own.service"
refused "there is no unit 'own.service'" own --install
on 1 own --global
expect_out "Drop-in:  none (thpfix systemd own.service --global --root $root --install)"
on 0 own --global --install
expect_out "Wrote $root/etc/systemd/user/own.service.d/thpfix.conf"
on 0 --remove-all
expect_out "Removed $root/etc/systemd/user/own.service.d/thpfix.conf"
run 2 "$thpfix" systemd own --user --root "$root"
expect_complaint 'thpfix systemd: --root knows no users: --global is for the units of all of them'

# What would keep the library out.
defeated 'UnsetEnvironment= in' 'UnsetEnvironment=A LD_PRELOAD'
echo 'LD_PRELOAD="/x/a.so"' >"$root/etc/default/app"
defeated "'/etc/default/app' sets LD_PRELOAD" 'EnvironmentFile=-/etc/default/app'
defeated "'/etc/default/app' sets LD_PRELOAD" 'EnvironmentFile=/etc/default/ap*'
echo "LD_PRELOAD=$ours:/x/a.so" >"$root/etc/default/app"
harmless 'EnvironmentFile=-/etc/default/app' 'EnvironmentFile=-/etc/default/none'
defeated 'install it at' 'RootDirectory=/srv/root'
warned 'the library has to be in that image' 'RootImage=/srv/image.raw'
defeated "hides '$directory/libthpfix.so'" 'InaccessiblePaths=-/usr/lib'
defeated "hides '$directory/libthpfix.so'" 'TemporaryFileSystem=/usr:ro'
harmless 'TemporaryFileSystem=/usr:ro' 'BindReadOnlyPaths=/usr/lib'
defeated 'keeps' 'NoExecPaths=/' 'ExecPaths=/usr/bin/app'
harmless 'NoExecPaths=/' 'ExecPaths=/usr/bin/app /usr/lib'
warned 'SELinuxContext=' 'SELinuxContext=system_u:system_r:app_t:s0'
harmless ProtectSystem=strict ProtectHome=yes PrivateTmp=yes MemoryDenyWriteExecute=yes \
    DynamicUser=yes NoNewPrivileges=yes
mkdir -p "$root/home/lib" "$root/tmp" "$root/opt"
for place in /home/lib /tmp /opt; do
    cp "$library" "$root$place/libthpfix.so"
    chmod 644 "$root$place/libthpfix.so"
done
unit app.service ProtectHome=tmpfs PrivateTmp=yes AppArmorProfile=app
refused 'ProtectHome= in' app --install --library /home/lib/libthpfix.so
refused 'PrivateTmp= in' app --install --library /tmp/libthpfix.so
on 0 app --install --library /opt/libthpfix.so
expect_err_part "add '/opt/libthpfix.so mr,' to the profile"
expect_same 'the path as given' "$(sed -n 's/^Environment=//p' "$drop_in")" LD_PRELOAD=/opt/libthpfix.so
harmless DynamicUser=yes
chmod 700 "$root/opt"
unit app.service User=nobody
on 0 app --install --library /opt/libthpfix.so
expect_err_part "'/opt' is not open to everybody"
refused "'libthpfix.so' is no absolute path" app --install --library libthpfix.so
refused "--library: cannot read '$root/none.so'" app --install --library /none.so
mkdir "$root/a:b" "$root/50%"
cp "$library" "$root/a:b/libthpfix.so"
cp "$library" "$root/50%/libthpfix.so"
refused 'it splits paths at colons and blanks' app --install --library /a:b/libthpfix.so
on 0 app --print --library /50%/libthpfix.so
expect_out 'Environment=LD_PRELOAD=/50%%/libthpfix.so'

# Filters: madvise, killed or refused.
defeated 'kills the service at madvise' 'SystemCallFilter=@basic-io @file-system'
defeated 'kills the service at madvise' 'SystemCallFilter=~madvise'
defeated 'kills the service at madvise' 'SystemCallFilter=@system-service' \
    'SystemCallFilter=~madvise'
warned 'forbids madvise' 'SystemCallFilter=@basic-io' 'SystemCallErrorNumber=EPERM'
warned 'forbids madvise' 'SystemCallFilter=~madvise:EPERM'
harmless 'SystemCallFilter=@system-service'
harmless 'SystemCallFilter=@basic-io' 'SystemCallFilter='
harmless 'SystemCallFilter=~@mount'
unit app.service 'SystemCallFilter=@basic-io'
on 0 app --install --allow-calls
grep -qx 'SystemCallFilter=madvise' "$drop_in" || fail "not let pass"
on 0 app
on 0 app --install
expect_out "Already in place: $drop_in"
# The filter of the unit goes away: ours alone would forbid all else.
printf '%s\n' '[Service]' 'ExecStart=/usr/bin/app' >"$vendor/app.service"
on 1 app
on 0 app --install
! grep -q SystemCallFilter "$drop_in" || fail "the filter is still there"
on 0 app

# Programs.
cp "$THPFIX_TEST_MUSL" "$root/usr/bin/musl"
unit app.service ExecStart= 'ExecStart=-/usr/bin/musl --option'
refused 'uses musl' app --install
if [ -n "${THPFIX_TEST_STATIC-}" ]; then
    cp "$THPFIX_TEST_STATIC" "$root/usr/bin/static"
    printf '#!/usr/bin/static\n' >"$root/usr/bin/script"
    chmod +x "$root/usr/bin/script"
    unit app.service ExecStart= 'ExecStart=@/usr/bin/static name'
    refused 'is statically linked' app --install
    unit app.service ExecStart= 'ExecStart=script'
    refused "'/usr/bin/static' is statically linked" app --install
fi
cp "$THPFIX_TEST_PLAIN" "$root/usr/bin/setuid"
chmod 6755 "$root/usr/bin/setuid"
unit app.service ExecStart= ExecStart=/usr/bin/setuid User=daemon
refused 'is set-user-ID: ld.so ignores LD_PRELOAD for it' app --install
harmless ExecStart= ExecStart=/usr/bin/setuid User=daemon NoNewPrivileges=yes
harmless ExecStart= ExecStart=/usr/bin/setuid

# The library is not in the image.
rm "$root$directory/libthpfix.so" "$root"/*/libthpfix.so
refused 'libthpfix.so is not installed below' app --install
on 0 app --print --library "$ours"

# What is written wrongly.
run 2 "$thpfix" systemd
expect_complaint "thpfix systemd: which service? 'thpfix systemd UNIT'"
run 2 "$thpfix" systemd app other
expect_complaint "thpfix systemd: unexpected argument 'other': it takes one UNIT"
run 2 "$thpfix" systemd app --install --remove
expect_complaint 'thpfix systemd: --install and --remove exclude each other'
run 2 "$thpfix" systemd app --instal
expect_complaint "thpfix systemd: unknown option '--instal': did you mean '--install'?"
run 2 "$thpfix" systemd app --root "$work/none"
expect_complaint "thpfix systemd: --root: cannot open directory '$work/none': No such file or directory"
run 2 "$thpfix" systemd app --remove-all
expect_complaint "thpfix systemd: unexpected argument 'app': --remove-all is about all of them"

# A link in the image does not lead out of it.
mkdir "$work/outside"
unit app.service
ln -s "$work/outside" "$units/app.service.d"
on 2 app --install --library "$ours"
[ -z "$(ls "$work/outside")" ] || fail "written outside of the root"
finish
