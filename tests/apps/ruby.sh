#!/bin/bash
# Ruby: threads that recurse through blocks, which takes the C stack as well.
. "$(dirname "$0")/lib.sh"
need ruby:ruby
version=$(ruby -e 'print RUBY_VERSION')
workload="32 threads, recursion in blocks, 16 MiB stacks"
control="Ruby turns huge pages off for itself"
app() {
    RUBY_THREAD_MACHINE_STACK_SIZE=$((16 << 20)) RUBY_THREAD_VM_STACK_SIZE=$((16 << 20)) \
        program ruby "$apps/threads.rb"
}
run_app "$@"
