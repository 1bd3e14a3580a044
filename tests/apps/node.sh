#!/bin/bash
# Node.js: worker threads that recurse.
. "$(dirname "$0")/lib.sh"
need node:nodejs
version=$(node --version)
workload="12 workers, deep recursion, messages"
app() {
    program node "$apps/workers.js"
}
run_app "$@"
