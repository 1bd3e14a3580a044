#!/bin/bash
# What threads cost under the kernel that this runs on, which is the caller's to change (a virtual
# machine): the library by itself, without a fixture. The verdict is under test, too.
#
#   guest_memory.sh affected|exempt
#
# Needs LIBTHPFIX, STACKLOAD, and for more of it THPFIX_COMMAND, JAVA and JAVA_CLASSES; root. Prints
# "PASS name", "FAIL name: why" or "SKIP name: why". Exit status 0, or 1 where a test failed.
set -u
expected=$1
thp=/sys/kernel/mm/transparent_hugepage
. "$(dirname "$0")/checks.sh"
show_values=yes
# Of the library itself that much is resident: its pages and its counters.
library_kib=256

# The program without the library: as it is, and with THP off for all that does not ask for it.
run_without() { # NAME COMMAND…
    echo always >$thp/enabled
    "${@:2}" >"$work/$1" || echo "status=$?" >>"$work/$1"
}

run_floor() {
    echo madvise >$thp/enabled
    "${@:2}" >"$work/$1" || echo "status=$?" >>"$work/$1"
}

run_with() {
    echo always >$thp/enabled
    LD_PRELOAD=$LIBTHPFIX THPFIX_LOG=$work/$1.log "${@:2}" >"$work/$1" || echo "status=$?" >>"$work/$1"
}

value() { # NAME KEY
    sed -n "s/^$2=//p" "$work/$1"
}

# From the library's last line, which is of the program itself.
logged() { # NAME KEY
    sed -n "s/.*: exit .*\b$2=\([^ ]*\).*/\1/p" "$work/$1.log" | tail -n 1
}

percent_of() {
    echo $(($1 * $2 / 100))
}

eager_khugepaged() {
    local setting
    for setting in defrag=1 max_ptes_none=511 pages_to_scan=65536 alloc_sleep_millisecs=10 \
        scan_sleep_millisecs=10; do
        echo "${setting#*=}" >"$thp/khugepaged/${setting%=*}"
    done
}

# The four figures that hold for any load on an affected kernel.
compare() { # NAME THREADS
    local floor
    floor=$(value "$1.floor" stack_rss_kib)
    check "$1: all threads run" "$(value "$1.with" threads)" -eq "$2"
    check "$1: verdict" "$(logged "$1.with" verdict)" = active
    check "$1: no huge pages in stacks" "$(value "$1.with" stack_huge_kib)" -eq 0
    check "$1: RSS of stacks within 1 % of THP off" \
        "$(value "$1.with" stack_rss_kib)" -le "$(percent_of "$floor" 101)"
    check "$1: RSS within 1 % of THP off" "$(value "$1.with" rss_kib)" -le \
        $(($(percent_of "$(value "$1.floor" rss_kib)" 101) + library_kib))
}

# What is free agrees with what is resident. The kernel's own memory for threads is in it, and
# what its processors keep in stock.
compare_free() { # NAME CONTROL_TIMES
    local floor
    floor=$(value "$1.floor" memfree_drop_kib)
    check "$1: MemFree fell as with THP off, within 5 % and 4 MiB" \
        "$(value "$1.with" memfree_drop_kib)" -le $(($(percent_of "$floor" 105) + 4096))
    check "$1: control: MemFree fell $2 times as much" \
        "$(value "$1.without" memfree_drop_kib)" -ge $((floor * $2))
}

# As a JVM makes them.
idle_2m() {
    local load=("$STACKLOAD" --threads 400 --size 2M --guard 0)
    run_floor idle_2m.floor "${load[@]}"
    run_with idle_2m.with "${load[@]}"
    run_without idle_2m.without "${load[@]}"
    compare idle_2m 400
    compare_free idle_2m 10
    check "idle_2m: not more than two map entries a thread" "$(value idle_2m.with map_growth)" -le 800
    check "idle_2m: control: ten times as much" "$(value idle_2m.without rss_kib)" -gt \
        $(($(value idle_2m.floor rss_kib) * 10))
}

# glibc's default size, used as deep as programs do. Whether a stack has a huge page without the
# library depends on where it lies, but for one that is used deeper than the size of it.
default_stacks() {
    local touch load
    ulimit -s 8192
    for touch in 16 64 256 2304; do
        load=("$STACKLOAD" --threads 200 --default-attr --touch-kib "$touch")
        [ $touch -ne 2304 ] || load[2]=50
        run_floor default_$touch.floor "${load[@]}"
        run_with default_$touch.with "${load[@]}"
        compare default_$touch "${load[2]}"
    done
    run_without default_2304.without "${load[@]}"
    check "default_2304: control: huge pages in every stack" \
        "$(value default_2304.without stack_huge_kib)" -ge $((50 * 2048))
}

# The heap, because khugepaged looks only at processes that have memory for huge pages.
khugepaged() {
    local load=("$STACKLOAD" --threads 300 --size 1M --guard 0 --heap-mib 4 --wait-collapse)
    eager_khugepaged
    run_floor khugepaged.floor "${load[@]}"
    run_with khugepaged.with "${load[@]}"
    run_without khugepaged.without "${load[@]}"
    compare khugepaged 300
    check "khugepaged: control: stacks collapse" "$(value khugepaged.without stack_huge_kib)" -gt \
        $((100 * 1024))
}

heap() {
    local load=("$STACKLOAD" --threads 50 --size 2M --guard 0 --heap-mib 128)
    run_with heap.with "${load[@]}"
    check "heap: keeps its huge pages" "$(value heap.with heap_huge_kib)" -eq $((128 * 1024))
    check "heap: and the stacks have none" "$(value heap.with stack_huge_kib)" -eq 0
}

# The JVM's own mitigation is the mark; and each start goes through the gate.
jvm() {
    local java
    if [ ! -x "${JAVA-}" ] || [ ! -e "${JAVA_CLASSES-}/IdleThreads.class" ]; then
        skip jvm "no JDK here"
        return
    fi
    java=("$JAVA" -Xms64m -Xmx64m -Xint -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -Xss2m
        -cp "$JAVA_CLASSES")
    run_without jvm.own "${java[@]}" -XX:+THPStackMitigation IdleThreads 300
    run_with jvm.with "${java[@]}" -XX:-THPStackMitigation IdleThreads 300
    run_without jvm.without "${java[@]}" -XX:-THPStackMitigation IdleThreads 100
    check "jvm: all threads run" "$(value jvm.with threads)" -eq 300
    check "jvm: RSS at most that of its own mitigation" \
        "$(value jvm.with rss_kib)" -le "$(value jvm.own rss_kib)"
    check "jvm: control: every stack resident" "$(value jvm.without rss_kib)" -gt $((100 * 2048))
    check "jvm: every start through the gate" "$(logged jvm.with gate_passes)" -ge 300
    check "jvm: its own start was found" "$(logged jvm.with jvm_start_not_found)" -eq 0
}

# The library finds that there is nothing to do, and changes nothing.
exempt() {
    local load=("$STACKLOAD" --threads 400 --size 2M --guard 0)
    run_without exempt.without "${load[@]}"
    run_with exempt.with "${load[@]}"
    check "exempt: all threads run" "$(value exempt.with threads)" -eq 400
    check "exempt: verdict" "$(logged exempt.with verdict)" = inert
    check "exempt: reason" "$(logged exempt.with reason)" = stacks-exempt
    check "exempt: not one map entry more" \
        "$(value exempt.with map_growth)" -eq "$(value exempt.without map_growth)"
    check "exempt: RSS of stacks is the same" \
        "$(value exempt.with stack_rss_kib)" -eq "$(value exempt.without stack_rss_kib)"
    check "exempt: RSS the same, but for the library" "$(value exempt.with rss_kib)" -le \
        $(($(value exempt.without rss_kib) + library_kib))
}

# thpfix check tells the same.
command_check() { # STATUS REASON
    local status=0
    if [ ! -x "${THPFIX_COMMAND-}" ]; then
        skip command "the command was not built for this machine"
        return
    fi
    echo always >$thp/enabled
    "$THPFIX_COMMAND" check --json >"$work/check" || status=$?
    check "command: exit status of thpfix check" $status -eq "$1"
    check "command: reason" "$(sed -n 's/.*"reason": *"\([^"]*\)".*/\1/p' "$work/check")" = "$2"
}

echo "kernel $(uname -r) $(uname -m)"
run_without probe "$STACKLOAD" --threads 8
# The first use of a file takes memory for the file, which is not to be in a figure.
run_with first "$STACKLOAD" --threads 8
case $expected in
affected)
    check "kernel: stacks are not exempt" "$(value probe stacks_exempt)" -eq 0
    command_check 1 affected
    idle_2m
    default_stacks
    khugepaged
    heap
    jvm
    ;;
exempt)
    check "kernel: stacks are exempt" "$(value probe stacks_exempt)" -eq 8
    command_check 0 stacks-exempt
    exempt
    ;;
esac
exit $failed
