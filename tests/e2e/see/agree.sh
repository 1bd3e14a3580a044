#!/bin/sh
# Stack memory to the kB as in an independent sum over the raw smaps: agree.sh PROGRAM
. "$(dirname "$0")/lib.sh"
program=$1

need() {
    found=$(PATH=$PATH:/usr/sbin:/sbin command -v "$1") || skip "$1 is not installed"
}

# What the programs do at start differs; that their threads are there can be seen.
await_threads() {
    for _ in $(seq 600); do
        threads=$(sed -n 's/^Threads:[^0-9]*//p' "/proc/$pid/status" 2>/dev/null)
        [ "${threads:-0}" -ge "$1" ] && return 0
        sleep 0.1
    done
    cat "$work/program" >&2
    fail "process $pid has ${threads:-no} threads, not $1"
    finish
}

# background THREADS COMMAND...
background() {
    threads_wanted=$1
    shift
    "$@" >"$work/program" 2>&1 &
    pid=$!
    started="$started $pid"
    await_threads "$threads_wanted"
}

case $program in
plain)
    start "$THPFIX_TEST_STACKS" 50 512 4 100
    ;;
java)
    need java
    "$found" --list-modules 2>/dev/null | grep -q jdk.compiler || skip "this java has no compiler"
    start "$found" -Xmx64m "$(dirname "$0")/Waiting.java" 100
    ;;
nginx)
    need nginx
    mkdir "$work/nginx"
    cat >"$work/nginx.conf" <<EOF
daemon off; master_process off; pid $work/nginx/pid; error_log stderr;
thread_pool pool threads=20;
events {}
http {
    access_log off; client_body_temp_path $work/nginx; proxy_temp_path $work/nginx;
    fastcgi_temp_path $work/nginx; uwsgi_temp_path $work/nginx; scgi_temp_path $work/nginx;
    aio threads=pool;
    server { listen unix:$work/nginx/socket; }
}
EOF
    background 21 "$found" -p "$work/nginx" -c "$work/nginx.conf"
    ;;
redis)
    need redis-server
    background 5 "$found" --port 0 --unixsocket "$work/redis" --save "" --dir "$work"
    ;;
mariadb)
    need mariadbd
    need_root "start mariadbd as it is packaged"
    mariadb-install-db --no-defaults --user=root --datadir="$work/data" \
        --auth-root-authentication-method=normal >"$work/install" 2>&1 ||
        { cat "$work/install" >&2; fail "mariadb-install-db"; finish; }
    need mariadbd
    background 6 "$found" --no-defaults --user=root --datadir="$work/data" --skip-networking \
        --socket="$work/socket"
    sleep 2
    ;;
esac

stop "$pid"
# What is read of a library in the process is then mapped there, and counts from the first look on.
run 0 "$thpfix" inspect "$pid"
what="raw_sum $pid"
"$THPFIX_TEST_RAW_SUM" "$pid" >"$work/sum" || fail "no sum"
read -r threads resident huge all_resident all_huge <"$work/sum"
run 0 "$thpfix" inspect --json "$pid"
expect_silent
expect_field "$((threads + 1))" threads
expect_field "$threads" stacks count
expect_field 0 stacks unknown
expect_field "$resident" stacks resident_bytes
expect_field "$huge" stacks huge_bytes
expect_field "$resident" memory thread_stacks resident_bytes
expect_field "$all_resident" memory all resident_bytes
expect_field "$all_huge" memory all huge_bytes
[ "$resident" -gt 0 ] || fail "no memory to compare"

# The kinds add up, and so do the threads.
kinds=$(awk '/"memory": /{on=1} on && /"resident_bytes": /{gsub(/[^0-9]/, ""); print}
    /"all": /{exit}' "$work/out" | awk '{sum += $1} END {print sum}')
expect_same "the sum of the kinds" "$kinds" "$all_resident"
run 0 "$thpfix" inspect --threads --bytes -o ORIGIN,RESIDENT "$pid"
expect_same "the sum of the threads" \
    "$(awk '$1 == "glibc" || $1 == "caller" {sum += $2} END {print sum}' "$work/out")" "$resident"
finish
