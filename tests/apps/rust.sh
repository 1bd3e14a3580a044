#!/bin/bash
# Rust: std threads with a stack size of their own, panics caught.
. "$(dirname "$0")/lib.sh"
need rustc:rustc
version=$(rustc --version | cut -d ' ' -f 2)
workload="64 threads, recursion, panics, 8 MiB stacks"
harmless="panicked at|on purpose"
prepare() {
    rustc -O -o threads "$apps/threads.rs"
}
app() {
    RUST_BACKTRACE=0 program "$scratch/threads"
}
run_app "$@"
