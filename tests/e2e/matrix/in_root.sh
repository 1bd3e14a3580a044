#!/bin/sh
# in_root.sh ROOT DIRECTORY… -- COMMAND…: runs a command in the tree ROOT, where the directories
# of this machine are to be seen under their own paths. Needs root.
#
# All of it happens in namespaces: nothing stays mounted or running, however it ends.
set -eu
root=$1
shift
if [ "${IN_ROOT_UNSHARED-}" != 1 ]; then
    exec env IN_ROOT_UNSHARED=1 unshare --mount --pid --fork --kill-child=KILL "$0" "$root" "$@"
fi
unset IN_ROOT_UNSHARED

# What is no mount point cannot be the root of namespaces that a test makes.
mount --rbind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
while [ "$1" != -- ]; do
    mkdir -p "$root$1"
    mount --bind "$1" "$root$1"
    shift
done
shift
# The THP mode is this machine's, and so is the lock on it.
touch /run/thpfix-thp.lock "$root/run/thpfix-thp.lock"
mount --bind /run/thpfix-thp.lock "$root/run/thpfix-thp.lock"
# As the packages' scripts would have left it.
chroot "$root" /sbin/ldconfig
# The first process of a namespace gets only the signals that it asked for, and takes all others
# with it: they are to put back what they changed of this machine before.
trap 'kill -TERM -1 && wait; exit 143' HUP INT TERM
chroot "$root" env "PATH=/usr/sbin:/usr/bin:/sbin:/bin" "$@" &
wait $!
