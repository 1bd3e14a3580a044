#!/bin/bash
# Redis with I/O threads, under redis-benchmark.
. "$(dirname "$0")/lib.sh"
need redis-server:redis-server redis-cli:redis-tools redis-benchmark:redis-tools
version=$(redis-server --version | sed 's/.* v=\([^ ]*\).*/\1/')
workload="io-threads 4, redis-benchmark, 64 clients"
port=18082

app() {
    ulimit -s $aligned_stack_kib
    start redis-server --bind 127.0.0.1 --port $port --io-threads 4 --io-threads-do-reads yes \
        --save "" --appendonly no --dir "$PWD"
    await "$pid" redis-cli -p $port ping
    redis-benchmark -h 127.0.0.1 -p $port --threads 2 -c 64 -n 40000 -P 4 -q \
        -t set,get,incr,lpush,mset >benchmark 2>&1
    ! grep -i error benchmark
    seq 5000 | awk '{ print "set key:" $1, $1 * $1; print "incrby sum", $1 }' |
        redis-cli -p $port >replies
    ! grep -v -E '^(OK|[0-9]+)$' replies
    {
        redis-cli -p $port get sum
        redis-cli -p $port eval "local s = 0
            for i = 1, 5000 do s = s + redis.call('get', 'key:' .. i) end return s" 0
        redis-cli -p $port get counter:__rand_int__
        redis-cli -p $port llen mylist
    } >answers
    measure "$pid"
    stop "$pid"
}

run_app "$@"
