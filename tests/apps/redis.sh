#!/bin/bash
# Redis with I/O threads, under redis-benchmark.
. "$(dirname "$0")/lib.sh"
need redis-server:redis-server redis-cli:redis-tools redis-benchmark:redis-tools
version=$(redis-server --version | sed 's/.* v=\([^ ]*\).*/\1/')
workload="io-threads 3, disable-thp no, redis-benchmark"
port=18082

app() {
    ulimit -s "$aligned_stack_kib"
    # Redis would turn huge pages off for itself by prctl, heap and stacks alike. jemalloc's
    # background threads, 4 at most, are created past every library preloaded before it.
    start redis-server --disable-thp no --jemalloc-bg-thread no --bind 127.0.0.1 --port $port --io-threads 3 --io-threads-do-reads yes \
        --save "" --appendonly no --dir "$PWD"
    await "$pid" redis-cli -p $port ping
    redis-benchmark -h 127.0.0.1 -p $port --threads 2 -c 64 -n 3000 -P 4 -q \
        -t set,get,incr,lpush >benchmark 2>&1
    none_in "error" benchmark
    seq 5000 | awk '{ print "set key:" $1, $1 * $1; print "incrby sum", $1 }' |
        redis-cli -p $port >replies
    none_in '[^OK0-9]' replies
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
