#!/bin/bash
# C++: exceptions through deep stacks, and thread_local objects with constructors.
. "$(dirname "$0")/lib.sh"
. "$apps/cxx_common.sh"
workload="64 threads, exceptions, thread_local"
run_app "$@"
