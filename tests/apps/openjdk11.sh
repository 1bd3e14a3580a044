#!/bin/bash
# Of the last Debian that has it, unpacked into a tree, and run on this machine's glibc.
. "$(dirname "$0")/lib.sh"
tree=$(cd "$apps/../.." && scripts/matrix-root --suite bullseye openjdk-11-jdk-headless) ||
    skip "OpenJDK 11 is no package of this release, and could not be had from Debian 11"
java=$tree/usr/lib/jvm/java-11-openjdk-amd64/bin/java javac=${java}c
need "$java:openjdk-11-jdk-headless" "$javac:openjdk-11-jdk-headless"
. "$apps/openjdk.sh"
run_app "$@"
