#!/bin/bash
# memcached with many threads, under memcslap and a client that checks every value.
. "$(dirname "$0")/lib.sh"
need memcached:memcached memcslap:libmemcached-tools /usr/bin/python3:python3
version=$(memcached -V | cut -d ' ' -f 2)
workload="-t 48, memcslap, 20000 values checked"
port=18083
harmless="Setting a high number of worker threads"

app() {
    ulimit -s "$aligned_stack_kib"
    start memcached -u root -l 127.0.0.1 -p $port -U 0 -t 48
    await "$pid" listening $port
    memcslap --servers=127.0.0.1:$port --concurrency=16 --execute-number=500 >slap 2>&1
    /usr/bin/python3 "$apps/memcached_client.py" $port >answers
    measure "$pid"
    stop "$pid"
}

run_app "$@"
