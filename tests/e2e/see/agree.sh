#!/bin/sh
# Stack memory to the kB as in an independent sum over the raw smaps: agree.sh PROGRAM [huge]
# huge: on a kernel that gives stacks huge pages; to be run under with_thp --enabled always
. "$(dirname "$0")/lib.sh"
program=$1
huge_wanted=${2:-}
preload=
if [ -n "$huge_wanted" ]; then
    need_root "change the THP mode"
    preload=$THPFIX_TEST_TELL_BOUNDS:${THPFIX_TEST_LEGACY_KERNEL:?}
    TELL_BOUNDS=$work/bounds
    export TELL_BOUNDS
fi

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
    LD_PRELOAD=$preload "$@" >"$work/program" 2>&1 &
    pid=$!
    started="$started $pid"
    await_threads "$threads_wanted"
}

case $program in
plain)
    if [ -n "$huge_wanted" ]; then
        LD_PRELOAD=$preload start "$THPFIX_TEST_STACKS" 50 2048 0 100
    else
        start "$THPFIX_TEST_STACKS" 50 512 4 100
    fi
    ;;
java)
    need java
    "$found" --list-modules 2>/dev/null | grep -q jdk.compiler || skip "this java has no compiler"
    # Of 4 MiB, so that the guard zones at the low end split no huge page.
    huge_stacks="-Xss4m -XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions
        -XX:-THPStackMitigation"
    # shellcheck disable=SC2086 # words
    LD_PRELOAD=$preload start "$found" -Xmx64m ${huge_wanted:+$huge_stacks} \
        "$(dirname "$0")/Waiting.java" 100
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
    # jemalloc's own threads are created past what is preloaded.
    huge_threads="--disable-thp no --jemalloc-bg-thread no"
    # shellcheck disable=SC2086 # words
    background "$([ -n "$huge_wanted" ] && echo 4 || echo 5)" "$found" --port 0 \
        --unixsocket "$work/redis" --save "" --dir "$work" ${huge_wanted:+$huge_threads}
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

# stop_told: with bounds of all its threads, which a new one tells first
stop_told() {
    for _ in $(seq 100); do
        stop "$pid"
        [ -n "$huge_wanted" ] || return 0
        untold=$(printf '%s\n' /proc/"$pid"/task/* | sed 's,.*/,,' |
            awk -v first="$pid" 'NR == FNR { told[$1] = 1; next }
                !($1 in told) && $1 != first { print }' "$work/bounds" -)
        [ -z "$untold" ] && return 0
        kill -CONT "$pid"
        sleep 0.1
    done
    fail "thread $untold does not tell where its stack is"
}

# sum FILE
sum() {
    if [ -n "$huge_wanted" ]; then
        "$THPFIX_TEST_BOUNDS_SUM" "$pid" "$work/bounds" >"$1" 2>"$work/err"
    else
        "$THPFIX_TEST_RAW_SUM" "$pid" >"$1" 2>"$work/err"
    fi
    case $? in
    0) ;;
    77) skip "stacks are merged with other memory, and this kernel does not tell of single pages" ;;
    *) fail "no sum" ;;
    esac
}

stop_told
# What is read of a library in the process is then mapped there, and counts from the first look on.
run 0 "$thpfix" inspect "$pid"
# The kernel may swap and collapse meanwhile: what is compared lay between two equal sums.
for _ in $(seq 50); do
    sum "$work/sum"
    run 0 "$thpfix" inspect --threads --bytes -o TID,BASE,END,ORIGIN,RESIDENT "$pid"
    expect_silent
    mv "$work/out" "$work/threads"
    run 0 "$thpfix" scan --bytes -o PID,RESIDENT,HUGE,RSS,RSS-HUGE
    mv "$work/out" "$work/scan"
    run 0 "$thpfix" inspect --json "$pid"
    expect_silent
    sum "$work/sum_again"
    cmp -s "$work/sum" "$work/sum_again" && break
done
cmp -s "$work/sum" "$work/sum_again" || fail "its memory goes on changing"

read -r threads resident huge all_resident all_huge merged <"$work/sum"
echo "$threads threads, $resident resident, $huge huge, ${merged:-no} merged mappings"
expect_field "$((threads + 1))" threads
expect_field "$threads" stacks count
expect_field 0 stacks unknown
expect_field "$resident" stacks resident_bytes
expect_field "$huge" stacks huge_bytes
expect_field "$resident" memory thread_stacks resident_bytes
expect_field "$huge" memory thread_stacks huge_bytes
expect_field "$all_resident" memory all resident_bytes
expect_field "$all_huge" memory all huge_bytes
expect_same "scan" "$(awk -v pid="$pid" '$1 == pid { print $2, $3, $4, $5 }' "$work/scan")" \
    "$resident $huge $all_resident $all_huge"
[ "$resident" -gt 0 ] || fail "no memory to compare"

# The kinds add up, and so do the threads.
kinds=$(awk '/"memory": /{on=1} on && /"resident_bytes": /{gsub(/[^0-9]/, ""); print}
    /"all": /{exit}' "$work/out" | awk '{sum += $1} END {print sum}')
expect_same "the sum of the kinds" "$kinds" "$all_resident"
expect_same "the sum of the threads" \
    "$(awk '$4 == "glibc" || $4 == "caller" {sum += $5} END {print sum}' "$work/threads")" "$resident"
if [ -n "$huge_wanted" ]; then
    [ "$huge" -gt 0 ] || fail "nothing is huge: this tests nothing"
    # Each stack is where its thread itself said.
    awk -v threads="$threads" 'NR == FNR { told[$1] = $2 " " $3; next }
        !($1 in told) { next }
        { count++ }
        told[$1] != $2 " " $3 { print $1 " said " told[$1]; wrong = 1 }
        END { print count " of " threads; exit wrong || count != threads }' \
        "$work/bounds" "$work/threads" >"$work/wrong" || fail "bounds: $(cat "$work/wrong")"
fi
finish
