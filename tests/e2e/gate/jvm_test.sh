#!/bin/sh
# jvm_test.sh LIBRARY SOURCE_DIRECTORY GATE CREATORS THREADS [dumps]
#
# Starts and ends THREADS Java threads from CREATORS creators under THPFIX_GATE=GATE. The JVM has
# to end them all and exit with 0, and every start has to have gone through the gate, or with GATE
# off none. dumps: takes heap dumps and thread dumps all the while.
set -eu
library=$1 source=$2 gate=$3 creators=$4 threads=$5 dumps=${6-}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
tool() { command -v "$(dirname "$(readlink -f "$(command -v "$java")")")/$1"; }

command -v "$java" >/dev/null || { echo "skipped: no java"; exit 77; }
if ! javac=$(tool javac) || ! jcmd=$(tool jcmd); then
    echo "skipped: $java is no JDK"
    exit 77
fi

scratch=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || :; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "FAILED: $*"
    head -c 4000 "$scratch/out" "$scratch/dump" "$scratch/log" 2>/dev/null || :
    exit 1
}

"$javac" -d "$scratch" "$source/ThreadChurn.java"
env LD_PRELOAD="$library" THPFIX_GATE="$gate" THPFIX_LOG="$scratch/log" \
    "$java" -Xmx256m -XX:+UseParallelGC -cp "$scratch" ThreadChurn "$creators" "$threads" \
    >"$scratch/out" 2>&1 &
pid=$!

heap_dumps=0 thread_dumps=0
if [ "$dumps" = dumps ]; then
    until grep -q running "$scratch/out"; do
        kill -0 "$pid" 2>/dev/null || fail "the JVM did not start"
        sleep 0.1
    done
    while kill -0 "$pid" 2>/dev/null && ! grep -q ended "$scratch/out"; do
        # One that comes when the JVM is about to end may fail; none may fail before.
        if "$jcmd" "$pid" Thread.print >"$scratch/dump" 2>&1; then
            thread_dumps=$((thread_dumps + 1))
        else
            sleep 1
            grep -q ended "$scratch/out" || fail "a thread dump failed"
        fi
        if "$jcmd" "$pid" GC.heap_dump -all "$scratch/heap.hprof" >"$scratch/dump" 2>&1 &&
            grep -q created "$scratch/dump"; then
            heap_dumps=$((heap_dumps + 1))
        else
            sleep 1
            grep -q ended "$scratch/out" || fail "a heap dump failed"
        fi
        rm -f "$scratch/heap.hprof"
    done
    if [ "$heap_dumps" -lt 2 ] || [ "$thread_dumps" -lt 2 ]; then
        fail "only $heap_dumps heap dumps and $thread_dumps thread dumps"
    fi
fi

status=0
wait "$pid" || status=$?
pid_ended=$pid pid=
[ "$status" -eq 0 ] || fail "the JVM exited with $status"
[ "$(tail -n 1 "$scratch/out")" = "ended $threads" ] || fail "not all threads ended"

counter() {
    sed -n "s/.*thpfix\[$pid_ended\]: exit .* $1=\([0-9]*\).*/\1/p" "$scratch/log"
}
passes=$(counter gate_passes)
[ -n "$passes" ] || fail "no line at exit"
if [ "$gate" = off ]; then
    [ "$passes" -eq 0 ] || fail "$passes starts went through a gate that is off"
else
    [ "$passes" -ge "$threads" ] || fail "only $passes of $threads starts went through the gate"
    [ "$(counter jvm_start_not_found)" -eq 0 ] || fail "the JVM's own function was not found"
fi
echo "threads $threads passes $passes contended $(counter gate_contended)" \
    "timeouts $(counter gate_timeouts) reentries $(counter gate_reentries)" \
    "longest_wait_ns $(counter gate_longest_wait_ns)" \
    "heap_dumps $heap_dumps thread_dumps $thread_dumps"
