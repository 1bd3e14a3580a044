#!/bin/sh
# Memory that left the RSS is free. Measured as the charge of a cgroup of the program's own.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel
use_own_cgroup || skip "no memory cgroup to be had here"

# Does the measure tell? Here RSS falls and nothing is freed.
run_without half_freed "$HALF_FREED"
expect "control: little RSS" "$(value half_freed rss_growth_kib)" -lt 4096
expect "control: much memory taken" "$(value half_freed cgroup_growth_kib)" -gt 61440

check() {
    echo "# $*"
    run_with with "$STACKLOAD" "$@"
    run_without without "$STACKLOAD" "$@"
    rss=$(value with rss_growth_kib)
    # Charges are made in batches for each CPU: 256 KiB each are not in use.
    slack=$((256 * $(nproc)))
    expect "not more taken than resident, within 3 %" "$(value with cgroup_growth_kib)" -le \
        $(($(percent_of "$rss" 103) + slack))
    expect "control: several times as much" "$(value without cgroup_growth_kib)" -gt \
        "$(percent_of "$rss" "$control_percent")"
}

control_percent=1000 # of what it takes with the library
check --threads 500 --size 2M --guard 0 --touch-kib 64
# Here a huge page is there before the thread runs, and must be given back.
control_percent=300
check --threads 500 --size 1M --guard 4K --neighbour-kib 5120
finish
