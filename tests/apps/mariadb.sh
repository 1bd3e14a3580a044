#!/bin/bash
# MariaDB: mysqlslap from many connections, and sums that must come out.
. "$(dirname "$0")/lib.sh"
need mariadbd:mariadb-server-core mariadb-install-db:mariadb-server-core \
    mariadb:mariadb-client-core mariadb-slap:mariadb-client
version=$(mariadbd --version | sed 's/.*Ver \([0-9.]*\).*/\1/')
workload="mysqlslap, 32 connections; SQL sums"
harmless='\[(Note|Warning)\]'
port=18084

client() { # PROGRAM ARGUMENT…
    "$1" --no-defaults --protocol=tcp -h 127.0.0.1 -P $port -u root "${@:2}"
}

prepare() {
    [ -d data ] || mariadb-install-db --no-defaults --datadir="$PWD/data" --user=root \
        --auth-root-authentication-method=normal --skip-test-db --skip-name-resolve >install 2>&1
}

app() {
    local each clients=()
    cp -a "$scratch/data" data
    ulimit -s "$aligned_stack_kib" # InnoDB's; those of connections by --thread-stack
    start mariadbd --no-defaults --user=root --datadir="$PWD/data" --socket="$PWD/socket" \
        --bind-address=127.0.0.1 --port=$port --pid-file="$PWD/pid" --skip-name-resolve \
        --thread-stack=$((aligned_stack_kib * 1024)) --innodb-flush-log-at-trx-commit=2
    await "$pid" client mariadb -e "select 1"
    client mariadb-slap --concurrency=32 --iterations=2 --auto-generate-sql \
        --auto-generate-sql-load-type=mixed --number-of-queries=1600 >slap
    client mariadb -e "create database d; create table d.t (k int auto_increment primary key, n int)"
    for each in {1..16}; do
        (seq 100 | sed 's/.*/insert into d.t (n) values (& * '"$each"');/'
            echo "select sleep(2);") | client mariadb -N >"client.$each" &
        clients+=($!)
    done
    sleep 1
    measure "$pid"
    wait "${clients[@]}"
    client mariadb -N -e "select count(*), sum(n), max(n) from d.t; check table d.t" >answers
    stop "$pid"
    rm -rf data
}

run_app "$@"
