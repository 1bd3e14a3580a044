#!/bin/bash
# What scripts/test counts: a real run of ctest with every kind of outcome in it.
set -euo pipefail
top=$(cd "$(dirname "$0")/../../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

run_ctest() { # TESTS: lines of CMake. Leaves $dir/records and the summary in $dir/summary.
    rm -rf "$dir/build" "$dir/junit.xml"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(outcomes NONE)' \
        'enable_testing()' "$1" >"$dir/CMakeLists.txt"
    cmake -S "$dir" -B "$dir/build" -G Ninja >/dev/null
    ctest --test-dir "$dir/build" --output-junit "$dir/junit.xml" \
        --test-output-size-passed 1000000 >/dev/null 2>&1 || true
    awk -v suite=s -f "$top/scripts/junit.awk" "$dir/junit.xml" >"$dir/records"
    summary
}

summary() {
    summary_status=0
    awk -f "$top/scripts/summary.awk" "$dir/records" >"$dir/summary" || summary_status=$?
}

last_line_is() {
    [ "$(tail -n 1 "$dir/summary")" = "$1" ] || fail "expected '$1', got: $(cat "$dir/summary")"
}

status_is() {
    [ "$summary_status" -eq "$1" ] || fail "expected status $1, got $summary_status"
}

pass='add_test(NAME pass COMMAND sh -c "echo x")'
skip='add_test(NAME skip COMMAND sh -c "echo \"p: skipped: not root & <more>\"; echo end; exit 77")
set_tests_properties(skip PROPERTIES SKIP_RETURN_CODE 77)'

run_ctest "$pass"
last_line_is "1 passed, 0 failed, 0 skipped"
status_is 0

run_ctest "$pass
$skip"
last_line_is "1 passed, 0 failed, 1 skipped"
status_is 0
grep -qF 's: skip: p: skipped: not root & <more>' "$dir/summary" || fail "the reason is not shown"

# Nothing but skipped tests shows nothing.
run_ctest "$skip"
last_line_is "0 passed, 0 failed, 1 skipped"
status_is 1

for failing in \
    'add_test(NAME f COMMAND false)' \
    'add_test(NAME f COMMAND sh -c "kill -SEGV \$\$")' \
    'add_test(NAME f COMMAND sleep 9)
     set_tests_properties(f PROPERTIES TIMEOUT 1)' \
    'add_test(NAME f COMMAND /nonexistent/program)' \
    'add_test(NAME f COMMAND sh -c "exit 77")'; do
    run_ctest "$pass
$failing"
    last_line_is "1 passed, 1 failed, 0 skipped"
    status_is 1
    grep -q '^  s: f' "$dir/summary" || fail "the failed test is not named"
done

# A test whose fixture failed did not run, and that is no skip.
run_ctest 'add_test(NAME setup COMMAND false)
add_test(NAME needs COMMAND true)
set_tests_properties(setup PROPERTIES FIXTURES_SETUP F)
set_tests_properties(needs PROPERTIES FIXTURES_REQUIRED F)'
last_line_is "0 passed, 2 failed, 0 skipped"

# A Criterion program counts as its cases.
run_ctest 'add_test(NAME unit COMMAND printf "%s\n"
  "[PASS] a::b: (0.00s)" "[SKIP] a::c: not root" "[PASS] a::d: (0.00s)")'
last_line_is "2 passed, 0 failed, 1 skipped"
grep -qF 's: unit: a::c: not root' "$dir/summary" || fail "the case's reason is not shown"

# Its exit status says only once more that a case was skipped.
run_ctest 'add_test(NAME unit COMMAND sh -c "echo \"[PASS] a::b: (0.00s)\"; echo \"[SKIP] a::c: why\"; exit 77")
set_tests_properties(unit PROPERTIES SKIP_RETURN_CODE 77)'
last_line_is "1 passed, 0 failed, 1 skipped"

run_ctest 'add_test(NAME unit COMMAND sh -c "echo \"[PASS] a::b: (0.00s)\"; echo \"[FAIL] a::c: (0.00s)\"; exit 1")'
last_line_is "1 passed, 1 failed, 0 skipped"
status_is 1

# A program that fails after its cases have passed has failed.
run_ctest 'add_test(NAME unit COMMAND sh -c "echo \"[PASS] a::b: (0.00s)\"; exit 1")'
last_line_is "1 passed, 1 failed, 0 skipped"
status_is 1

run_ctest ''
last_line_is "0 passed, 1 failed, 0 skipped"
status_is 1

: >"$dir/records"
summary
last_line_is "0 passed, 0 failed, 0 skipped"
status_is 1

printf 'a\tpass\tx\t\na\ttime\t7\nb\tfail\ty\twhy\nb\ttime\t1\n' >"$dir/records"
summary
last_line_is "1 passed, 1 failed, 0 skipped"
grep -qE '^a +1 +0 +0 +7 s$' "$dir/summary" || fail "no line for suite a: $(cat "$dir/summary")"
grep -qF '  b: y: why' "$dir/summary" || fail "why b failed is not shown"

echo ok
