#!/bin/sh
# Processes that change or end while they are read: an answer or one line, nothing else.
. "$(dirname "$0")/lib.sh"

start "$THPFIX_TEST_STACKS" 50 256 4 4 churn
for attempt in $(seq 60); do
    run 0 "$thpfix" inspect --threads -o TID,BASE,END,ORIGIN "$pid"
    expect_silent
    # The fifty that stay are always told, and told right.
    awk 'NF == 3 && $1 ~ /^[0-9]+$/' "$work/program" | sort -n >"$work/wanted"
    awk '$4 == "glibc" {print $1, $2, $3}' "$work/out" | sort -n >"$work/got"
    missing=$(join -v 1 "$work/wanted" "$work/got" | wc -l)
    wrong=$(join "$work/wanted" "$work/got" | awk '$2 != $4 || $3 != $5' | wc -l)
    [ "$wrong" -eq 0 ] || fail "$wrong threads are told a wrong stack"
    [ "$missing" -eq 50 ] || told=yes
done
[ -n "${told:-}" ] || fail "no thread was ever told"
end_all

ended=0
for attempt in $(seq 40); do
    "$THPFIX_TEST_STACKS" 200 64 4 0 >"$work/program" 2>&1 &
    pid=$!
    started="$started $pid"
    await "$work/program" ready
    ( sleep "0.00$((attempt % 10))"; kill -KILL "$pid" ) &
    what="inspect $pid, which ends"
    "$thpfix" inspect --threads "$pid" >"$work/out" 2>"$work/err"
    status=$?
    case $status in
    0) expect_silent ;;
    2)
        ended=$((ended + 1))
        expect_err_part " $pid"
        [ ! -s "$work/out" ] || fail "half an answer"
        [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line"
        ;;
    *) fail "exit status $status" ;;
    esac
done
echo "of 40 processes, $ended had ended"
finish
