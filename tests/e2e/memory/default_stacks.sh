#!/bin/sh
# 1000 stacks of glibc's default size, which contain whole blocks wherever they lie.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

# shellcheck disable=SC3045 # dash and bash have it
ulimit -s 8192 || skip "no stack limit of 8 MiB to be had"

check() { # TOUCH_KIB OPTION
    set -- "$1" "$STACKLOAD" --threads 1000 "$2" --touch-kib "$1"
    touched=$1
    shift
    echo "# $*"
    for i in 1 2 3; do
        run_with with.$i "$@"
        run_floor floor.$i "$@"
    done
    run_without without "$@"
    floor=$(median floor rss_kib)
    expect "all threads run" "$(value with.1 threads)" -eq 1000
    expect "$touched KiB used: RSS is that of THP off, within 1 %" \
        "$(median with rss_kib)" -le "$(percent_of "$floor" 101)"
    expect "$touched KiB used: no huge pages" "$(value with.1 anon_huge_kib)" -eq 0
    expect "$touched KiB used: control: half as much again" \
        "$(value without rss_kib)" -gt "$(percent_of "$floor" 150)"
}

check 16 --default-attr
check 64 --default-attr
check 256 --default-attr
check 64 --null-attr
finish
