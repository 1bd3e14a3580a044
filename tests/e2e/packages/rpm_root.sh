#!/bin/sh
# The .rpm packages in a system that rpm made: it has to find everything that they ask for. The
# system's only other package has this machine's shell and libraries, with what rpmbuild itself
# finds that they provide.
. "$(dirname "$0")/lib.sh"
test=$1/test
root=$1/rpm
build=$1/rpmbuild

rpm_there() {
    rpm --root "$root" --force-debian "$@"
}

inside() {
    chroot "$root" "$@"
}

# make_base: the .rpm of that other package, as $base
make_base() {
    mkdir -p "$build/stage/bin" "$build/unpacked"
    for directory in proc usr/bin usr/lib64 usr/share/doc usr/share/man/man1 usr/share/man/man7; do
        mkdir -p "$build/stage/$directory"
    done
    cp "$(command -v busybox)" "$build/stage/bin/sh"
    for package in "$test"/1/thpfix*.rpm; do
        rpm2cpio "$package" | (cd "$build/unpacked" && cpio -idm --quiet)
    done
    find "$build/unpacked" -type f \( -name '*.so' -o -name thpfix \) -path '*/usr/*' \
        -exec ldd {} + 2>/dev/null | sed -n 's|.*[ 	]\(/lib[^ ]*\) (.*|\1|p' | sort -u |
        while read -r library; do
            cp -L --parents "$library" "$build/stage"
        done
    # rpm looks into what may be executed only.
    chmod -R 755 "$build/stage/lib"*
    cat >"$build/base.spec" <<SPEC
Name: base
Version: 1
Release: 1
Summary: what the packages stand on
License: none
Provides: rtld(GNU_HASH)
%define debug_package %{nil}
%define _build_id_links none
%define __os_install_post %{nil}
%description
A shell and libraries.
%install
cp -a $build/stage/. %{buildroot}
%files
/*
SPEC
    rpmbuild -bb --define "_topdir $build" "$build/base.spec" >/tmp/out 2>&1
    base=$(find "$build/RPMS" -name '*.rpm')
    [ -n "$base" ]
}

# Of the system at $root, but for rpm's own lists.
list_there() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./var -o -path ./root \) -prune -o -type f -exec md5sum {} + \
        -o -printf '%p %y %m %l\n' | sort)
}

mkdir -p "$root"
run 0 "rpm's system: a package of what there is" make_base || finish
rpmdb --root "$root" --initdb
run '1 2 3 4 5 6 7 8 9' "control: rpm refuses where what they ask for is not there" \
    rpm_there -i "$test"/1/*.rpm
expect "control: it says what" grep -q 'libc.so.6.* is needed by thpfix' /tmp/out
run 0 "rpm's system: is made" rpm_there -i "$base"
mount -t proc proc "$root/proc"
mkdir -p "$root/etc/systemd/system" "$root/usr/local/bin"
cp "$test/service" "$root/usr/local/bin/demo"
printf '%s\n' '[Service]' 'ExecStart=/usr/local/bin/demo' >"$root/etc/systemd/system/demo.service"
list_there >/tmp/rpm_before.$$

run 0 "rpm's system: install" rpm_there -i "$test"/1/*.rpm
run 0 "rpm's system: rpm finds every file as it was packed" rpm_there -V thpfix thpfix-sites
run 0 "rpm's system: thpfix runs" inside thpfix --version
run 0 "rpm's system: a program with the library" inside thpfix run --log stderr -- \
    /usr/local/bin/demo
expect "rpm's system: it says that it is there" grep -q ': exit program=demo .* threads_seen=20 ' /tmp/out
run 0 "rpm's system: install a drop-in" inside thpfix systemd demo.service --root / --install
run 0 "rpm's system: upgrade" rpm_there -U "$test"/2/*.rpm
expect "rpm's system: the drop-in has stayed" \
    test -e "$root/etc/systemd/system/demo.service.d/thpfix.conf"
expect "rpm's system: one version is left" test "$(rpm_there -q thpfix)" = \
    "$(rpm -qp "$test"/2/thpfix-0*.rpm)"
run 0 "rpm's system: remove" rpm_there -e thpfix-sites thpfix
expect "rpm's system: the removal says what it took" grep -q /demo.service.d/thpfix.conf /tmp/out
list_there >/tmp/rpm_after.$$
run 0 "rpm's system: nothing is left" diff /tmp/rpm_before.$$ /tmp/rpm_after.$$
umount "$root/proc"
rm -rf /tmp/rpm_before.$$ /tmp/rpm_after.$$ "$root" "$build"
finish
