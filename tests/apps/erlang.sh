#!/bin/bash
# Erlang: schedulers, dirty schedulers and asynchronous threads, all at work.
. "$(dirname "$0")/lib.sh"
need erl:erlang-base
version=$(erl -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')
workload="+A 64, 8 dirty, 1000 processes, files"
app() {
    # Threads without a size of their own; the others' are in kilowords of 8 KiB.
    ulimit -s "$aligned_stack_kib"
    program erl -noshell +S 4:4 +SDcpu 8:8 +SDio 8 +A 64 \
        +sss 511 +sssdcpu 511 +sssdio 511 +a 511 -env ERL_CRASH_DUMP /dev/null \
        -eval "$(cat "$apps/threads.erl")"
}
run_app "$@"
