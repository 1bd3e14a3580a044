#!/bin/bash
# Go with cgo: threads that are created by C, which reads their stack size to set bounds.
. "$(dirname "$0")/lib.sh"
need go:golang-go gcc:gcc
version=$(go env GOVERSION)
workload="64 threads, goroutines deep in C, 8 MiB stacks"
prepare() {
    HOME=$PWD GOCACHE=$PWD/cache CGO_ENABLED=1 GO111MODULE=off go build -o threads "$apps/threads.go"
}
app() {
    ulimit -s 8192
    program "$scratch/threads"
}
run_app "$@"
