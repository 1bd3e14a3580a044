#!/bin/sh
# 2000 idle Java threads with stacks of 2 MiB, without the JVM's own mitigation and with.
. "$(dirname "$0")/../lib.sh"
require_legacy_kernel

[ -n "$JAVA_CLASSES" ] || skip "no java and javac were found when the build was configured"
"$JAVA" -XX:+UnlockDiagnosticVMOptions -XX:+PrintFlagsFinal -version 2>/dev/null |
    grep -q THPStackMitigation || skip "this JVM has no THPStackMitigation to compare with"

# A heap of one size, and nothing else that would differ from run to run.
jvm() {
    run=$1 name=$2 option=$3 threads=$4
    "$run" "$name" "$JAVA" -Xms64m -Xmx64m -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions \
        "-XX:$option" -Xss2m -cp "$JAVA_CLASSES" IdleThreads "$threads"
}

jvm run_with with -THPStackMitigation 2000
jvm run_without own +THPStackMitigation 2000
jvm run_without without -THPStackMitigation 250

expect "all threads run" "$(value with threads)" -eq 2000
expect "RSS at most that of the JVM's own mitigation" \
    "$(value with rss_kib)" -le "$(value own rss_kib)"
# 250 stacks of 2 MiB are 500 MiB.
expect "control: every stack resident" "$(value without rss_kib)" -gt 500000
finish
