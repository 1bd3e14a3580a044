#!/bin/bash
# The options of the commands, and that a command that is killed leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/../../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

expect() { # STATUS TEXT COMMAND...
    local want=$1 text=$2 status=0
    shift 2
    "$@" >"$dir/out" 2>&1 || status=$?
    [ $status -eq "$want" ] || fail "$*: expected status $want, got $status: $(cat "$dir/out")"
    grep -qF -- "$text" "$dir/out" || fail "$*: expected '$text', got: $(cat "$dir/out")"
}

expect 0 'Usage: scripts/test' scripts/test -h
expect 0 'tidy ' scripts/test --list
expect 2 "unknown argument '--onyl'" scripts/test --onyl tidy
expect 2 "no suite 'tdiy'" scripts/test --only tdiy
expect 2 "--only needs a suite" scripts/test --only
expect 0 'Usage: scripts/quickstart' scripts/quickstart -h
expect 2 "unknown argument '--thread'" scripts/quickstart --thread
expect 2 "--threads needs a number" scripts/quickstart --threads many
expect 0 'Usage: scripts/package ' scripts/package -h
expect 2 "unknown argument 'dbe'" scripts/package dbe
expect 2 "--release needs a value" scripts/package --release
expect 2 "--release takes a number, not '1-2'" scripts/package --release 1-2
expect 0 'Usage: scripts/packages' scripts/packages -h
expect 2 "unknown argument '--quick'" scripts/packages --quick

# run_child hands the status on, and what it runs does not outlive the script.
cat >"$dir/parent" <<'PARENT'
. scripts/lib.sh
end_on_signals
run_child sh -c 'echo $$ >"$1"; sleep 60; echo woke' sh "$1/pid"
PARENT
status=0
bash -c '. scripts/lib.sh; run_child sh -c "exit 7"' || status=$?
[ $status -eq 7 ] || fail "run_child handed on $status instead of 7"
for signal in INT TERM HUP; do
    rm -f "$dir/pid"
    # The shell has background jobs ignore SIGINT; a terminal's jobs do not.
    env --default-signal=INT bash "$dir/parent" "$dir" &
    parent=$!
    for _ in $(seq 100); do
        [ ! -s "$dir/pid" ] || break
        sleep 0.1
    done
    [ -s "$dir/pid" ] || fail "the child did not start"
    group=$(cat "$dir/pid")
    kill -0 -- "-$group" || fail "the child has no group of its own"
    kill -"$signal" $parent
    status=0
    wait $parent || status=$?
    [ $status -eq $((128 + $(kill -l $signal))) ] || fail "status $status after SIG$signal"
    for _ in $(seq 100); do
        kill -0 -- "-$group" 2>/dev/null || break
        sleep 0.1
    done
    ! kill -0 -- "-$group" 2>/dev/null || fail "the child outlived its parent after SIG$signal"
done

# Packages: what is there is not asked for, by command or by name.
. scripts/lib.sh
[ -z "$(missing_packages sh:no-such-package)" ] || fail "a command that is there is missing"
[ "$(missing_packages no-such-command:some-package)" = some-package ] || fail "not missed"
if command -v dpkg-query >/dev/null; then
    [ -z "$(missing_packages bash)" ] || fail "an installed package is missing"
    [ "$(missing_packages no-such-package)" = no-such-package ] || fail "not missed"
fi

echo ok
