# What README.md shows of the results. After table.awk; directory is where the pictures are.

function row(text, workload, variant_needed, metric,    p, v, found, id) {
    for (p = 1; p <= pieces; p++)
        if (workload_of(piece[p]) == workload && (piece[p] FS variant_needed FS metric) in median)
            found = piece[p]
    if (found == "")
        return
    printf "| %s: %s | %s |", title(found), text, in_unit(median[found FS "floor" FS metric], metric)
    for (v = 2; v <= variants; v++) {
        id = found FS variant[v] FS metric
        printf " %s |", id in median ? short(ratio[id]) " ×" : "–"
    }
    print ""
}

END {
    split(machine["kernel"], version, /[.-]/)
    printf "By `scripts/bench`, medians of %s rounds: %s CPUs, %s GiB, Linux %s.%s, glibc %s, JDK %s;\n",
        rounds(), machine["cpus"], machine["memory_gib"], version[1], version[2], machine["glibc"],
        machine["java"]
    print "THP `always`, but for the first column. " exemption() " It was all"
    print "measured **with the test fixture** that has glibc ask for stacks as on older kernels.\n"
    printf "![Memory of stacks by the number of threads](%s/rss.svg)\n", directory
    printf "![Start time by the number of threads](%s/start.svg)\n", directory
    printf "![Time to safepoint by the number of threads that start threads](%s/safepoint.svg)\n\n", directory
    printf "| |"
    for (v = 1; v <= variants; v++)
        printf " %s |", label[variant[v]]
    printf "\n|---|"
    for (v = 1; v <= variants; v++)
        printf "---|"
    print ""
    row("memory of stacks", "spawn-2m", "without", "stack_rss_kib")
    row("start of all", "spawn-2m", "without", "spawn_ns")
    row("memory of stacks", "jvm-2m", "without", "stack_rss_kib")
    row("start of all", "jvm-2m", "without", "spawn_ns")
    row("time to safepoint", "storm", "without", "safepoint_ms")
    row("memory of stacks", "mix", "without", "stack_rss_kib")
    row("access to the heap", "mix", "without", "heap_access_ns")
    print "\nThe first column is the floor, the others are ratios to it; `prctl` is what systemd's"
    if (machine["tunable_glibc"] != "")
        print "`MemoryTHP=` does, and `stack_hugetlb=0`, a tunable since glibc 2.38, ran under glibc " \
            machine["tunable_glibc"] "."
    else
        print "`MemoryTHP=` does."
    printf "Spread, other loads, and where the library is not the best: [report](%s/report.md).\n", directory
}
