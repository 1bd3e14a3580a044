#!/bin/bash
# CPython: threads that take a nested JSON text apart, each on several MiB of stack.
. "$(dirname "$0")/lib.sh"
need /usr/bin/python3:python3
version=$(/usr/bin/python3 -c 'import platform; print(platform.python_version())')
workload="32 threads, nested JSON, 16 MiB stacks"
app() {
    program /usr/bin/python3 "$apps/threads.py"
}
run_app "$@"
