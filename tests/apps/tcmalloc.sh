#!/bin/bash
. "$(dirname "$0")/lib.sh"
. "$apps/cxx_common.sh"
use_allocator libtcmalloc_minimal.so.4 libtcmalloc-minimal4
run_app "$@"
