#!/bin/bash
. "$(dirname "$0")/lib.sh"
. "$apps/cxx_common.sh"
use_allocator libmimalloc.so.2.0 libmimalloc2.0
run_app "$@"
