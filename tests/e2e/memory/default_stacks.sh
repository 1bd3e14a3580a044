#!/bin/sh
# 1000 stacks of glibc's default size, which contain whole blocks wherever they lie.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

ulimit -s 8192 || skip "no stack limit of 8 MiB to be had"

check() { # TOUCH_KIB OPTION
    set -- "$1" "$STACKLOAD" --threads 1000 "$2" --touch-kib "$1"
    touched=$1
    shift
    echo "# $*"
    run_with with "$@"
    run_floor floor "$@"
    run_without without "$@"
    floor=$(value floor rss_kib)
    expect "all threads run" "$(value with threads)" -eq 1000
    expect "$touched KiB used: RSS is that of THP off, within 1 %" \
        "$(value with rss_kib)" -le "$(percent_of "$floor" 101)"
    expect "$touched KiB used: no huge pages" "$(value with anon_huge_kib)" -eq 0
    expect "$touched KiB used: control: half as much again" \
        "$(value without rss_kib)" -gt "$(percent_of "$floor" 150)"
}

check 16 --default-attr
check 64 --default-attr
check 256 --default-attr
check 64 --null-attr
finish
