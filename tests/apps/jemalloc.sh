#!/bin/bash
. "$(dirname "$0")/lib.sh"
. "$apps/cxx_common.sh"
use_allocator libjemalloc.so.2 libjemalloc2
run_app "$@"
