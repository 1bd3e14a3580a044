# shellcheck shell=bash disable=SC2034,SC2154 # shared with lib.sh
# What the JDKs have in common. Sourced after lib.sh; needs java and javac, the commands.
version=$("$java" -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p')
workload="200 threads, exceptions, -Xss2m"
control=rss # the JVM's own guard zones split what is huge

prepare() {
    "$javac" -d . "$apps/Threads.java"
}

app() {
    local options=(-Xms64m -Xmx64m -XX:+UseSerialGC -Xss2m)
    # Later updates of JDK 17 and 11 have a mitigation of their own, which the control is without.
    if "$java" -XX:+UnlockDiagnosticVMOptions -XX:+PrintFlagsFinal -version 2>&1 |
        grep -q THPStackMitigation; then
        options+=(-XX:+UnlockDiagnosticVMOptions -XX:-THPStackMitigation)
    fi
    program "$java" "${options[@]}" -cp "$scratch" Threads
}
