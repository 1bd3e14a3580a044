#!/bin/bash
. "$(dirname "$0")/lib.sh"
java=/usr/lib/jvm/java-17-openjdk-amd64/bin/java javac=${java}c
need "$java:openjdk-17-jdk-headless" "$javac:openjdk-17-jdk-headless"
. "$apps/openjdk.sh"
run_app "$@"
