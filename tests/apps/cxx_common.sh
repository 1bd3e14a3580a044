# shellcheck shell=bash disable=SC2034,SC2154 # shared with lib.sh
# The C++ program, by itself and under other allocators. Sourced after lib.sh.
need c++:g++
version=$(c++ -dumpfullversion)

prepare() {
    c++ -std=c++17 -O1 -pthread -o threads "$apps/threads.cc"
}

app() {
    ulimit -s "$aligned_stack_kib"
    program "$scratch/threads"
}

# Another allocator, preloaded both times.
use_allocator() { # FILE PACKAGE
    allocator=/usr/lib/x86_64-linux-gnu/$1
    [ -e "$allocator" ] || skip "$1 is not here (Debian package $2)"
    version=$(dpkg-query -W -f '${Version}' "$2")
    workload="64 threads of C++, allocating, preloaded too"
}
