#!/bin/sh
# thpfix scan: everybody, worst first, in four forms.
. "$(dirname "$0")/lib.sh"

start "$THPFIX_TEST_STACKS" 40 512 4 100
many=$pid
start "$THPFIX_TEST_STACKS" 2 512 4 4
few=$pid

run 0 "$thpfix" scan
expect_silent
grep -q "^ *$many see-stacks  *41 " "$work/out" || fail "the one with forty is missing"
grep -q "^ *$few see-stacks  *3 " "$work/out" || fail "the one with two is missing"
grep -q ' processes with threads read, ' "$work/out" || fail "no summary"
run 0 "$thpfix" scan -o pid,resident --bytes
awk 'NF == 2 && $1 ~ /^[0-9]+$/ {print $1}' "$work/out" | grep -nxE "$many|$few" >"$work/order"
expect_same "the first of the two" "$(sed -n '1s/.*://p' "$work/order")" "$many"

# Nothing returns from either: --min leaves them out.
run 0 "$thpfix" scan --min 1K
grep -qE "^ *($many|$few) see-stacks" "$work/out" && fail "listed in spite of --min"
run 2 "$thpfix" scan --min lots
expect_complaint "thpfix scan: --min: 'lots' is no size such as 64K, 10M, 1G"
run 2 "$thpfix" scan 17
expect_complaint "thpfix scan: unexpected argument '17': it looks at all processes"
run 2 "$thpfix" scan --json --prometheus
expect_complaint "thpfix scan: --json and --prometheus: choose one"

run 0 "$thpfix" scan --json
grep -q "\"pid\": $many," "$work/out" || fail "not in the JSON"
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; json.load(sys.stdin)' <"$work/out" || fail "no JSON"
fi

# The exposition format: help and type once, before the samples, which stand together.
run 0 "$thpfix" scan --prometheus
awk '
    /^# HELP /  { if ($3 in helped) bad("help again"); helped[$3] = 1; next }
    /^# TYPE /  { if (!($3 in helped) || $4 != "gauge") bad("type"); metric = $3; next }
    {
        name = $0; sub(/[{ ].*/, "", name)
        if (name != metric) bad("not under its type")
        if ($0 !~ /^[a-z_]+({[a-z]+="([^"\\]|\\.)*"(,[a-z]+="([^"\\]|\\.)*")*})? [0-9]+$/) bad("form")
        samples++
    }
    function bad(why) { print why ": " $0; failed = 1 }
    END { exit failed || samples < 10 }' "$work/out" || fail "not the exposition format"
grep -qx "thpfix_process_threads{pid=\"$many\",command=\"see-stacks\"} 41" "$work/out" ||
    fail "no metric of the one with forty"
grep -q '^thpfix_process_thread_stack_resident_bytes{pid="'"$many"'",' "$work/out" || fail "no bytes"

# Into a file that is complete or as it was.
run 0 "$thpfix" scan --prometheus --write "$work/thpfix.prom"
expect_silent
grep -q '^thpfix_scan_processes{result="read"} [1-9]' "$work/thpfix.prom" || fail "not written"
expect_same "readable by all" "$(stat -c %a "$work/thpfix.prom")" 644
run 2 "$thpfix" scan --prometheus --write "$work/no/such/directory"
expect_complaint "thpfix scan: cannot write '$work/no/such/directory': No such file or directory"
if [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null; then
    mkdir "$work/small"
    # shellcheck disable=SC2016
    run 2 unshare --mount sh -c 'mount -t tmpfs -o size=4k none "$1" && echo before >"$1/file" &&
        "$2" scan --json --write "$1/file"; status=$?; cat "$1/file"; ls "$1" | wc -l
        exit $status' sh "$work/small" "$thpfix"
    expect_err_part "No space left on device"
    expect_same "the file" "$(cat "$work/out")" "before
1"
fi

# Again and again, until Ctrl-C.
run 0 timeout --preserve-status --signal=INT 3 "$thpfix" scan --watch 0.2
expect_silent
[ "$(grep -c '^ *PID ' "$work/out")" -ge 2 ] || fail "looked once only"
finish
