# What ThreadStartStorm prints, then the log of its safepoints: figures as key=value lines. The
# time to safepoint is that of the storm alone: how long the JVM took to stop all threads.

FNR == NR {
    for (i = 1; i < NF; i += 2)
        figure[$i] = $(i + 1)
    next
}

match($0, /Reaching safepoint: [0-9]+/) {
    ns = substr($0, RSTART + 20, RLENGTH - 20)
    if (substr($0, 2) + 0 >= figure["begin_s"])
        reached[++count] = ns / 1e6
}

END {
    print "starts_per_s=" figure["starts_per_s"]
    print "longest_start_ms=" figure["longest_start_ms"]
    if (!count)
        exit
    for (i = 2; i <= count; i++)
        for (j = i; j > 1 && reached[j] < reached[j - 1]; j--) {
            swap = reached[j]; reached[j] = reached[j - 1]; reached[j - 1] = swap
        }
    printf "safepoint_ms=%.3f\n", reached[int((count + 1) / 2)]
    printf "safepoint_worst_ms=%.3f\n", reached[count]
}
