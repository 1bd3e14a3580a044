#!/bin/sh
# thpfix systemd where the drop-in cannot be written, or ought not to be: one line says so, and
# nothing was changed. Names that are hard to write, and many runs at once.
. "$(dirname "$0")/lib.sh"

root=$work/root
units=$root/etc/systemd/system
drop_in=$units/app.service.d/thpfix.conf
mkdir -p "$units" "$root/usr/bin" "$root/usr/lib"
cp "$library" "$root/usr/lib/libthpfix.so"
cp "$THPFIX_TEST_PLAIN" "$root/usr/bin/app"

unit() { # NAME
    printf '%s\n' '[Service]' 'ExecStart=/usr/bin/app' >"$units/$1"
}

# thpfix_systemd ARGUMENT…
thpfix_systemd() {
    "$thpfix" systemd --root "$root" --library /usr/lib/libthpfix.so "$@"
}

# on STATUS ARGUMENT…
on() {
    wanted=$1
    shift
    run "$wanted" thpfix_systemd "$@"
}

state() {
    (cd "$root" && find . -exec stat -c '%N %F %a' {} + | sort && find . -type f -exec cksum {} + | sort)
}

# refused LINE ARGUMENT…: status 2, that one line, and nothing changed
refused() {
    line=$1
    shift
    before=$(state)
    on 2 "$@"
    expect_complaint "thpfix systemd: $line"
    expect_same 'what is there' "$(state)" "$before"
}

unit app.service

# A link: what is written through it is for other units, too.
remedy='which may be there for other units as well: make it a directory, or write there with --force'
mkdir "$units/shared"
ln -s shared "$units/app.service.d"
refused "'$units/app.service.d' is a link to 'shared', $remedy" app --install
on 0 app --install --force
[ -e "$units/shared/thpfix.conf" ] || fail "not written by force"
on 0 app --install
expect_out "Already in place: $drop_in"
on 0 app --remove
[ -L "$units/app.service.d" ] || fail "the link is gone"
rm "$units/app.service.d"
rmdir "$units/shared"
ln -s /nowhere "$units/app.service.d"
refused "'$units/app.service.d' is a link to '/nowhere', $remedy" app --install
rm "$units/app.service.d"

# Not a directory, and no file.
: >"$units/app.service.d"
refused "cannot write below '$units/app.service.d': Not a directory" app --install
rm "$units/app.service.d"
mkdir -p "$drop_in"
refused "cannot read '$drop_in': Is a directory" app --install
refused "cannot read '$drop_in': Is a directory" app --remove
rm -r "$units/app.service.d"

# Names. A directory's name has two characters more than the unit's.
unit -dash.service
refused "unknown option '-dash': 'thpfix help systemd' lists the options" -dash --install
on 0 --install -- -dash
expect_out "Wrote $units/-dash.service.d/thpfix.conf"
on 0 --remove -- -dash
fits=$(printf '%0245d' 0)
unit "$fits.service"
on 0 "$fits" --install
on 0 "$fits" --remove
unit "0$fits.service"
refused "cannot look for the files of '0$fits.service': File name too long" "0$fits" --install
rm "$units/0$fits.service"

# Many at once: each is done, and what is there in the end is whole.
at_once() { # ACTION…
    number=0
    for action; do
        number=$((number + 1))
        { thpfix_systemd app "$action" || echo "status $?"; } >"$work/run.$number" 2>&1 &
    done
    wait
    cat "$work"/run.* >"$work/err"
    rm "$work"/run.*
    what="at once: $*"
    grep -vE '^(Wrote|Already in place:|Removed) |^Nothing to remove: ' "$work/err" &&
        fail "not all did what they should"
}
on 0 app --print
cp "$work/out" "$work/printed"
at_once --install --install --install --install --install --install --install --install
cmp -s "$drop_in" "$work/printed" || fail "not what --print printed"
expect_same 'files in the directory' "$(ls -A "${drop_in%/*}")" thpfix.conf
for _ in 1 2 3 4 5; do
    at_once --install --remove --install --remove --install --remove --install --remove
    if [ -e "$drop_in" ]; then
        cmp -s "$drop_in" "$work/printed" || fail "not what --print printed"
        expect_same 'files in the directory' "$(ls -A "${drop_in%/*}")" thpfix.conf
    fi
done
at_once --remove --remove --remove --remove
[ ! -e "${drop_in%/*}" ] || fail "something is left"

# within COMMANDS LINE: in a namespace of its own, where we are root and mounts are ours alone,
# the commands spoil what is at $units before thpfix is to write there
within() {
    # shellcheck disable=SC2016 # for the inner shell
    unshare --mount --map-root-user sh -c '
        units=$1 work=$2
        cd "$work" && eval "$3" && shift 3 && "$@"
        status=$?
        ls "$units" | grep thpfix
        exit $status' sh "$units" "$work" "$1" "$thpfix" systemd --root "$root" \
        --library /usr/lib/libthpfix.so app --install >"$work/out" 2>"$work/err"
    status=$?
    what="app --install after $1"
    expect_same status $status 2
    expect_complaint "thpfix systemd: cannot write below '$units/app.service.d': $2"
}
unshare --mount --map-root-user true 2>/dev/null ||
    skip "no namespaces can be made here: a full disk and a read-only one were not tried"
# shellcheck disable=SC2016 # for the inner shell
{
    mount='mount -t tmpfs -o size=16k none "$units" && cp unit "$units/app.service"'
    cp "$units/app.service" "$work/unit"
    within "$mount && mount -o remount,ro \"\$units\"" \
        'Read-only file system: remount it writable, or put the output of --print where its files come from'
    within "$mount && ! cat /dev/zero 2>cat >\"\$units/filler\"" 'No space left on device'
    within "$mount && mount -o remount,nr_inodes=3 \"\$units\"" 'No space left on device'
}
finish
