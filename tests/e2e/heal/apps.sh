#!/bin/sh
# Real programs, healed while they work: their answers are what they were, and they have given
# back what huge pages took for their stacks, to within 10 % of what they take without.
# apps.sh PROGRAM
. "$(dirname "$0")/lib.sh"
program=$1
here=$(dirname "$0")

need() {
    found=$(PATH=$PATH:/usr/sbin:/sbin command -v "$1") || skip "$1 is not installed"
}

# background COMMAND...: as on a kernel that gives stacks huge pages; for comparison, with the
# library, which keeps them away.
background() {
    : >"$work/program"
    if [ "$phase" = floor ]; then
        LD_PRELOAD=$library:$THPFIX_TEST_LEGACY_KERNEL THPFIX=on "$@" >"$work/program" 2>&1 &
    else
        LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL${ill:+:$ill} "$@" >"$work/program" 2>&1 &
    fi
    pid=$!
    started="$started $pid"
}

# until COMMAND...: until it succeeds
until_ready() {
    for _ in $(seq 300); do
        "$@" >"$work/ready" 2>&1 && return 0
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.2
    done
    cat "$work/program" "$work/ready" >&2
    fail "$program does not get ready"
    finish
}

# heal_under_load LEAST_KIB: several times; the first must free as much. Up to two pages a thread
# hold the instructions' list.
heal_under_load() {
    if [ "$phase" = floor ]; then
        run 0 "$thpfix" heal --dry-run --json "$pid"
        floor=$(($(field before resident_bytes) / 1024))
        return
    fi
    heal 0 1
    freed=$(($(field freed_bytes) / 1024)) cured=$(field threads "done")
    ill_kib=$(($(field before resident_bytes) / 1024))
    before=$(field before would_return_bytes) longest=$(field longest_stop_ns)
    for _ in 1 2 3; do
        heal 0 1
    done
    after=$(field after would_return_bytes) healed_kib=$(($(field after resident_bytes) / 1024))
    echo "$program: $cured threads gave $freed KiB, longest stop $longest ns;" \
        "$before bytes would have returned, $after would now;" \
        "resident: $ill_kib KiB, healed $healed_kib KiB, without huge pages $floor KiB"
    limit=$((floor * 11 / 10 + cured * 8))
    [ "$ill_kib" -gt $limit ] || fail "$ill_kib KiB were resident: there was nothing to heal"
    [ "$healed_kib" -le $limit ] || fail "$healed_kib KiB are resident, not $floor"
    [ "$freed" -ge "$1" ] || fail "only $freed KiB were freed"
    [ "$after" -le $((before / 10 + 2097152)) ] || fail "$after bytes would return still"
    kill -0 "$pid" 2>/dev/null || fail "$program has ended"
}

# The stacks of a JVM for Java have no guard, and come in huge pages by themselves.
ill=
[ "$program" = java ] || ill=$THPFIX_TEST_ILL_STACKS
work_with() { # floor|healed: without huge pages in its stacks; with them, and healed
    phase=$1 place=$work/$1
    mkdir "$place"
    case $program in
    java)
        need java
        "$found" --list-modules 2>/dev/null | grep -q jdk.compiler || skip "this java has no compiler"
        background "$found" -Xms128m -Xmx128m -XX:+AlwaysPreTouch -Xss2m -XX:+IgnoreUnrecognizedVMOptions \
            -XX:+UnlockDiagnosticVMOptions -XX:-THPStackMitigation "$here/Working.java" 300 "$place/end"
        await "$work/program" ready
        heal_under_load 200000
        : >"$place/end"
        wait "$pid"
        ended=$?
        cat "$work/program"
        [ $ended -eq 0 ] && grep -qx whole "$work/program" || fail "java is not whole, status $ended"
        started=
        ;;
    redis)
        need redis-cli
        need redis-server
        background "$found" --port 0 --unixsocket "$place/redis" --save "" --dir "$place" --io-threads 4
        until_ready redis-cli -s "$place/redis" ping
        for number in $(seq 4000); do echo "INCRBY sum $number"; done >"$place/commands"
        redis-cli -s "$place/redis" <"$place/commands" >"$place/answers" 2>&1 &
        client=$!
        heal_under_load 20000
        wait $client || fail "the client has failed"
        sum=$(redis-cli -s "$place/redis" get sum)
        expect_same "the sum" "$sum" 8002000
        ;;
    nginx)
        need curl
        need nginx
        mkdir "$place/nginx"
        head -c 300000 /dev/urandom >"$place/nginx/file"
        chmod -R a+rX "$work"
        cat >"$place/nginx.conf" <<CONF
daemon off; master_process off; pid $place/nginx/pid; error_log stderr; user root;
thread_pool pool threads=20;
events {}
http {
    access_log off; client_body_temp_path $place/nginx; proxy_temp_path $place/nginx;
    fastcgi_temp_path $place/nginx; uwsgi_temp_path $place/nginx; scgi_temp_path $place/nginx;
    aio threads=pool;
    server { listen unix:$place/nginx/socket; root $place/nginx; }
}
CONF
        background "$found" -p "$place/nginx" -c "$place/nginx.conf"
        get() { curl -sf --unix-socket "$place/nginx/socket" http://localhost/file; }
        until_ready get
        for number in $(seq 200); do get | cksum; done >"$place/answers" &
        client=$!
        heal_under_load 100000
        wait $client
        sums=$(sort -u "$place/answers" | wc -l)
        [ "$sums" -eq 1 ] && [ "$(wc -l <"$place/answers")" -eq 200 ] || fail "$sums different answers"
        expect_same "the answer" "$(head -n 1 "$place/answers")" "$(cksum <"$place/nginx/file")"
        ;;
    mariadb)
        need mysqlslap
        need mariadb-install-db
        need mariadbd
        mariadb-install-db --no-defaults --user=root --datadir="$place/data" \
            --auth-root-authentication-method=normal >"$work/install" 2>&1 ||
            { cat "$work/install" >&2; fail "mariadb-install-db"; finish; }
        background "$found" --no-defaults --user=root --datadir="$place/data" --skip-networking \
            --socket="$place/socket" --thread-stack=2097152
        until_ready mariadb --no-defaults -S "$place/socket" -e 'create database if not exists test'
        mariadb --no-defaults -S "$place/socket" test -e 'create table counts (n bigint); insert into counts values (0)'
        mysqlslap --no-defaults -S "$place/socket" --create-schema=test --no-drop --concurrency=20 \
            --iterations=1 --number-of-queries=4000 --query='update counts set n = n + 1' \
            >"$work/load" 2>&1 &
        client=$!
        sleep 1
        heal_under_load 30000
        wait $client || { cat "$work/load" >&2; fail "the client has failed"; }
        expect_same "the count" "$(mariadb --no-defaults -S "$place/socket" test -Ne 'select n from counts')" 4000
        ;;
    node)
        need node
        cat >"$place/work.js" <<'JS'
const { createHash, pbkdf2 } = require('crypto');
const { existsSync } = require('fs');
let expected, running = 0, ended = false;
function one() {
  running++;
  pbkdf2('word', 'salt', 20000, 32, 'sha512', (error, key) => {
    running--;
    const sum = createHash('sha256').update(key).digest('hex');
    expected ??= sum;
    if (error || sum !== expected) { console.log('another sum'); process.exit(1); }
    if (!existsSync(process.argv[2])) one();
    else if (running === 0) console.log('whole');
  });
}
for (let i = 0; i < 8; i++) one();
setTimeout(() => console.log('ready'), 500);
JS
        background "$found" "$place/work.js" "$place/end"
        await "$work/program" ready
        heal_under_load 20000
        : >"$place/end"
        wait "$pid"
        ended=$?
        [ $ended -eq 0 ] && grep -qx whole "$work/program" || fail "node is not whole, status $ended"
        started=
        ;;
    esac
    end_all
}

work_with floor
work_with healed
finish
