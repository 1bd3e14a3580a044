#!/bin/bash
# nginx: files read by a pool of threads, under load.
. "$(dirname "$0")/lib.sh"
need nginx:nginx wrk:wrk curl:curl
version=$(nginx -v 2>&1 | sed 's|.*/||')
workload="aio threads=32, wrk, 100 files"
port=18081

conf() {
    cat <<CONF
user root;
worker_processes 1;
daemon off;
pid $PWD/pid;
error_log $PWD/log warn;
thread_pool pool threads=32 max_queue=65536;
events { worker_connections 1024; }
http {
    access_log off;
    client_body_temp_path $PWD/tmp; proxy_temp_path $PWD/tmp; fastcgi_temp_path $PWD/tmp;
    uwsgi_temp_path $PWD/tmp; scgi_temp_path $PWD/tmp;
    server {
        listen 127.0.0.1:$port;
        root $scratch/files;
        # Through the pool only, never from the page cache by sendfile.
        sendfile off; aio threads=pool; output_buffers 2 64k;
    }
}
CONF
}

prepare() {
    local i
    mkdir -p files
    for ((i = 0; i < 100; i++)); do
        [ -e files/$i ] || seq $((i * 1000)) $((i * 1000 + 50000)) >files/$i
    done
}

app() {
    local i worker
    conf >nginx.conf
    ulimit -s "$aligned_stack_kib"
    start nginx -p "$PWD" -c "$PWD/nginx.conf" -e "$PWD/log"
    await "$pid" listening $port
    wrk -t 2 -c 64 -d 3 "http://127.0.0.1:$port/1" >load
    none_in 'Socket errors|Non-2xx' load
    for ((i = 0; i < 100; i++)); do
        curl -sf "http://127.0.0.1:$port/$i" | sha256sum
    done >answers
    worker=$(cat "/proc/$pid/task/$pid/children")
    measure "${worker% }"
    stop "$pid" QUIT
}

run_app "$@"
