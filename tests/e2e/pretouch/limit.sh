#!/bin/sh
# limit.sh COMMAND…: runs a command in a memory cgroup of 256 MiB without swap. Exit status: the
# command's; 77 with a reason where no such cgroup can be made.
limit=268435456
cgroup=

skip() {
    echo "skipped: $*"
    exit 77
}

clean_up() {
    [ -n "$cgroup" ] || return
    # The kernel takes a moment to let the last process go.
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        rmdir "$cgroup" 2>/dev/null && return
        sleep 0.2
    done
}
trap clean_up EXIT
trap 'exit 143' HUP INT TERM

[ "$(id -u)" -eq 0 ] || skip "a cgroup can only be made as root"
if [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
    parent=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
    [ -d "$parent" ] || parent=/sys/fs/cgroup/memory
    cgroup=$parent/thpfix-test-$$
    mkdir "$cgroup" 2>/dev/null || { cgroup=; skip "$parent takes no new cgroup"; }
    echo $limit >"$cgroup/memory.limit_in_bytes" || skip "no memory limit can be set"
    if [ -e "$cgroup/memory.memsw.limit_in_bytes" ]; then
        echo $limit >"$cgroup/memory.memsw.limit_in_bytes" || skip "swap cannot be limited"
    fi
elif grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
    cgroup=/sys/fs/cgroup/thpfix-test-$$
    mkdir "$cgroup" 2>/dev/null || { cgroup=; skip "/sys/fs/cgroup takes no new cgroup"; }
    echo $limit >"$cgroup/memory.max" || skip "no memory limit can be set"
    [ ! -e "$cgroup/memory.swap.max" ] || echo 0 >"$cgroup/memory.swap.max"
else
    skip "there is no memory cgroup controller"
fi

# The command alone goes in, so that what is killed there is not this script.
sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$cgroup" "$@"
