# shellcheck shell=sh
# Sourced by what scripts/packages runs in a clean system.
set -u
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH LC_ALL=C
test=/test
failures=0
service_pid=
trap 'stop_service' EXIT

pass() {
    echo "PASS $*"
}

fail() { # NAME WHY
    echo "FAIL $1: $2"
    failures=$((failures + 1))
}

# run STATUS NAME COMMAND...: its output is in /tmp/out, and shown where it fails
run() {
    run_wanted=$1 run_name=$2
    shift 2
    "$@" >/tmp/out 2>&1
    run_status=$?
    case " $run_wanted " in
    *" $run_status "*) pass "$run_name" ;;
    *)
        cat /tmp/out >&2
        fail "$run_name" "status $run_status of: $*"
        return 1
        ;;
    esac
}

# expect NAME COMMAND...: it succeeds
expect() {
    expect_name=$1
    shift
    if "$@" >/tmp/expect 2>&1; then
        pass "$expect_name"
    else
        fail "$expect_name" "not so: $*"
    fi
}

# expect_not NAME COMMAND...
expect_not() {
    expect_name=$1
    shift
    if "$@" >/tmp/expect 2>&1; then
        fail "$expect_name" "is so: $*"
    else
        pass "$expect_name"
    fi
}

# Every file with its kind, rights, owner and contents. Not those that dpkg changes whenever
# it does something, and what is mounted or temporary.
list_files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /test -o \
        -path /var/lib/dpkg/lock -o -path /var/lib/dpkg/status-old -o -path /var/log/dpkg.log -o \
        -path /var/cache/ldconfig/aux-cache -o -path /etc/ld.so.cache -o \
        -path /var/lib/dpkg/triggers/Lock -o -path /var/lib/dpkg/lock-frontend \) -prune \
        -o -printf '%p %y %m %U %G %l\n' | sort
    find /etc /usr /opt /var/lib/dpkg/status -xdev -type f ! -path /etc/ld.so.cache \
        -exec md5sum {} + | sort
}

# expect_clean NAME FILE: all is as in the list in FILE
expect_clean() {
    list_files >/tmp/after
    if diff "$2" /tmp/after >/tmp/difference; then
        pass "$1"
    else
        cat /tmp/difference >&2
        fail "$1" "$(grep -c '^[<>]' /tmp/difference) lines differ, as: $(sed -n 2p /tmp/difference)"
    fi
}

# start_service VARIABLE=VALUE...: as systemd would, with that environment and no other
start_service() {
    [ -p /tmp/to_service ] || mkfifo /tmp/to_service
    env -i "$@" /usr/local/bin/demo </tmp/to_service >/tmp/service 2>&1 &
    service_pid=$!
    exec 8>/tmp/to_service
    await_service ready
}

# The service says so, which takes a moment.
await_service() {
    await_tries=0
    until grep -qxF "$1" /tmp/service; do
        await_tries=$((await_tries + 1))
        if [ $await_tries -gt 300 ] || ! kill -0 "$service_pid"; then
            cat /tmp/service >&2
            fail "the service" "it does not say '$1'"
            return 1
        fi
        sleep 0.1
    done
}

stop_service() {
    [ -n "$service_pid" ] || return 0
    exec 8>&-
    wait "$service_pid"
    service_pid=
}

has_library() { # PID
    grep -q '/libthpfix\.so' "/proc/$1/maps"
}

finish() {
    [ $failures -eq 0 ]
    exit
}
