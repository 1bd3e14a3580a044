# Sourced by the tests of stat, inspect and scan: processes to look at.
#
# shellcheck shell=sh
. "$(dirname "$0")/../cli/lib.sh"
: "${THPFIX_TEST_STACKS:?}" "${THPFIX_TEST_RAW_SUM:?}"
started=
trap 'end_all; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

end_all() {
    for pid in $started; do
        kill -KILL "$pid" 2>/dev/null
    done
    started=
    wait 2>/dev/null
}

# await FILE TEXT: until a line of the file is that. Its process is $pid.
await() {
    for _ in $(seq 600); do
        grep -qxF -- "$2" "$1" 2>/dev/null && return 0
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    what=$pid
    cat "$1" >&2
    fail "the process to look at does not get ready"
    finish
}

# start COMMAND...: in the background, until it prints "ready"; its PID is $pid, its
# output $work/PROGRAM
start() {
    : >"$work/program"
    "$@" >"$work/program" 2>&1 &
    pid=$!
    started="$started $pid"
    await "$work/program" ready
}

# stop PID: it does not change any more. A busy machine may take its time to stop the last
# of its threads.
stop() {
    kill -STOP "$1"
    for _ in $(seq 300); do
        running=$(grep -L '^State:.*T (stopped)' "/proc/$1"/task/*/status)
        [ -z "$running" ] && return 0
        sleep 0.1
    done
    fail "process $1 does not stop"
}

# field NAME...: the number or word in $work/out of the last NAME, which stands below the
# others
field() {
    awk -v path="$*" '
        BEGIN { count = split(path, names, " "); at = 1 }
        index($1, "\"" names[at] "\":") == 1 {
            if (at == count) { gsub(/^[^:]*: |,$/, ""); print; exit }
            at++
        }' "$work/out"
}

# expect_field VALUE NAME...
expect_field() {
    expected=$1
    shift
    got=$(field "$@")
    [ "$got" = "$expected" ] || fail "$* is '$got', not '$expected'"
}

need_root() {
    [ "$(id -u)" -eq 0 ] || skip "only root can $1"
}
