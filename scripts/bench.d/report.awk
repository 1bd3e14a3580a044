# report.md. After table.awk and judge.awk. Every figure and every judgement comes from the results.

function cell(id) {
    if (!(id in median))
        return "–"
    if (ratio[id] == "")
        return in_unit(median[id], metric_of(id))
    return short(ratio[id]) " (" short(ratio_least[id]) "–" short(ratio_most[id]) ")"
}

function metric_of(id, part) {
    split(id, part, FS)
    return part[4]
}

# A table of ratios to the floor, for the pieces that have the metric.
function table(heading, metric, text,    p, v, rows) {
    for (p = 1; p <= pieces; p++)
        rows += has(piece[p], metric)
    if (!rows)
        return
    printf "\n## %s\n\n%s\n\n| | floor: median (least–most) |", heading, text
    for (v = 2; v <= variants; v++)
        printf " %s |", label[variant[v]]
    printf "\n|---|---|"
    for (v = 2; v <= variants; v++)
        printf "---|"
    print ""
    for (p = 1; p <= pieces; p++) {
        if (!has(piece[p], metric))
            continue
        id = piece[p] FS "floor" FS metric
        printf "| %s | %s (%s–%s) |", title(piece[p]), in_unit(median[id], metric),
            in_unit(least[id], metric), in_unit(most[id], metric)
        for (v = 2; v <= variants; v++)
            printf " %s |", cell(piece[p] FS variant[v] FS metric)
        print ""
    }
}

function times(piece, from, to, metric,    a, b) {
    a = piece FS from FS metric
    b = piece FS to FS metric
    return a in median && b in median && median[b] > 0 ? short(median[a] / median[b]) " ×" : "–"
}

function figure(piece, variant, metric,    id) {
    id = piece FS variant FS metric
    return id in median ? in_unit(median[id], metric) : "–"
}

# How the cost of one thread grows with their number.
function growth_table(    p, v, id, found) {
    for (p = 1; p <= pieces; p++) {
        if (workload_of(piece[p]) != "spawn-2m")
            continue
        if (!found++) {
            print "\n## Growth: start time of one thread among so many\n"
            printf "| |"
            for (v = 1; v <= variants; v++)
                printf " %s |", label[variant[v]]
            printf "\n|---|"
            for (v = 1; v <= variants; v++)
                printf "---|"
            print ""
        }
        printf "| %s |", title(piece[p])
        for (v = 1; v <= variants; v++) {
            id = piece[p] FS variant[v] FS "spawn_ns"
            printf " %s |", id in median ? short(median[id] / 1e3 / size_of(piece[p])) " us" : "–"
        }
        print ""
    }
}

# The largest size of a workload at which the variant was measured.
function largest(workload, variant,    p, found) {
    for (p = 1; p <= pieces; p++)
        if (workload_of(piece[p]) == workload && (piece[p] FS variant FS "rss_kib" in median ||
            piece[p] FS variant FS "safepoint_ms" in median))
            found = piece[p]
    return found
}

function published_row(what, published, piece, metric,    scaled) {
    if (piece == "")
        return
    scaled = size_of(piece) == (workload_of(piece) == "storm" ? 1000 : 10000) ? "" : \
        " **(scaled down)**"
    printf "| %s | %s | %s%s | %s | %s | %s | %s |\n", what, published, title(piece), scaled,
        figure(piece, "without", metric), figure(piece, "hotspot", metric),
        figure(piece, "library", metric), times(piece, "without", "library", metric)
}

function published() {
    print "\n## What others published, on this machine\n"
    print "OpenJDK measured its own mitigation, and its change of how threads are started"
    print "(JDK-8303215, JDK-8312182, JDK-8340547), on machines larger than this one. Where 10 000"
    print "huge pages are more than this machine's memory can give, or khugepaged would take minutes for\n" \
        "them, fewer threads were measured, and the row says so. Here `nothing` is the JVM with its own mitigation off.\n"
    print "| | published | here | nothing | HotSpot's own | libthpfix | nothing / libthpfix |"
    print "|---|---|---|---|---|---|---|"
    published_row("start of 10 000 threads of 1 MiB", "807 → 723 ms: 1.12 ×", \
        largest("jvm-1m", "without"), "spawn_ns")
    published_row("start of 10 000 threads of 2 MiB", "1621 → 710 ms: 2.28 ×", \
        largest("jvm-2m", "without"), "spawn_ns")
    published_row("memory of 10 000 threads", "11–14 GB → 1.3 GB", \
        largest("jvm-2m", "without"), "rss_kib")
    published_row("the same with stacks of 1 MiB", "–", largest("collapse-1m", "without"), "rss_kib")
    published_row("time to safepoint, median", "–", largest("storm", "without"), "safepoint_ms")
    published_row("time to safepoint, worst", "14 s → 4.4 ms", \
        largest("storm", "without"), "safepoint_worst_ms")
}

function limits(    p, v, id, threads, entries, why, each, without) {
    for (p = 1; p <= pieces && workload_of(piece[p]) != "limit"; p++)
        ;
    if (p > pieces)
        return
    print "\n## How far it goes, and what ends it\n"
    printf "Asked for %s threads of 2 MiB. vm.max_map_count is %s, kernel.pid_max %s.\n\n",
        size_of(piece[p]), machine["max_map_count"], machine["pid_max"]
    print "| | threads | map entries | stack memory | started in | what ended it |"
    print "|---|---|---|---|---|---|"
    for (v = 1; v <= variants; v++) {
        id = piece[p] FS variant[v] FS
        if (!((id "threads") in median))
            continue
        threads = median[id "threads"]
        entries = median[id "map_entries"]
        why = entries > machine["max_map_count"] * 0.99 ? "vm.max_map_count" : \
            threads > machine["pid_max"] * 0.95 ? "kernel.pid_max" : \
            threads == size_of(piece[p]) ? "nothing" : "unknown"
        printf "| %s | %d | %d | %s | %s | %s |\n", label[variant[v]], threads, entries,
            figure(piece[p], variant[v], "stack_rss_kib"), figure(piece[p], variant[v], "spawn_ns"), why
    }
    without = largest("spawn-2m", "without")
    if (without != "") {
        each = median[without FS "without" FS "stack_rss_kib"] / size_of(without)
        printf "| nothing | %d (reckoned) | | %s | | memory: %.0f KiB a thread, %s GiB in all |\n",
            machine["memory_gib"] * 1048576 / each, machine["memory_gib"] " GiB", each,
            machine["memory_gib"]
    }
}

END {
    print "# Thread stacks and huge pages: the alternatives, side by side\n"
    printf "Measured by `scripts/bench` (%s) on %s at commit %s: Linux %s, glibc %s, %s CPUs (%s), %s GiB",
        machine["size"], machine["date"], machine["commit"], machine["kernel"], machine["glibc"],
        machine["cpus"], machine["cpu"], machine["memory_gib"]
    print (machine["java"] != "" ? ", JDK " machine["java"] : "") ".\n"
    print exemption() " It was all measured **with the test fixture**"
    print "`legacy_kernel`, which has glibc ask for stacks as on kernels that do not exempt them, and the"
    print "library with `THPFIX=on`. THP was `always`, but for the floor."
    if (machine["tunable_glibc"] != "")
        printf "`stack_hugetlb=0` is a tunable of glibc 2.38 and later; it was measured in a tree with glibc\n" \
            "%s, and its ratios are to the floor in that tree.\n", machine["tunable_glibc"]
    printf "\nThe floor is THP `madvise`: no huge pages but where a program asks for them. A cell is the\n" \
        "median of the ratios to the floor of the same round, and in brackets the least and the most, of\n" \
        "%s rounds; the variants took turns. Below 1 is better than the floor. – was not measured: it\n" \
        "does not apply, or memory would not do.\n", rounds()
    print "\n- **nothing**: THP `always`, no remedy; a JVM with its own mitigation off"
    print "- **libthpfix**: preloaded; a JVM with its own mitigation off"
    print "- **HotSpot's own**: a guard page, and a page more for sizes that are a multiple of 2 MiB"
    print "- **prctl**: `PR_SET_THP_DISABLE` for the whole program, as systemd's `MemoryTHP=` does"

    print "\n## Against the goals\n"
    print "| | goal | worst | |"
    print "|---|---|---|---|"
    goal("memory of the stacks / floor", "stack_rss_kib", "floor", 1.01)
    goal("start time / floor", "spawn_ns", "floor", 1.25)
    goal("start time / floor, aim", "spawn_ns", "floor", 1.10)
    goal("heap access / THP `always` without the library", "heap_access_ns", "without", 1.05)
    print "\n## Where libthpfix is not the best\n"
    print "By more than 1 % in memory or 5 % in time, against the best of all, the floor included:\n"
    not_best("memory of stacks", "stack_rss_kib", 0.01)
    not_best("memory of the whole program", "rss_kib", 0.01)
    not_best("start time", "spawn_ns", 0.05)
    not_best("create and join", "cycle_ns", 0.05)
    not_best("heap access", "heap_access_ns", 0.05)
    not_best("time to safepoint", "safepoint_ms", 0.05)
    if (!gaps)
        print "- nowhere."
    print "\n![stack memory by threads](rss.svg)\n![start time by threads](start.svg)"
    print "![stack memory by depth](depth.svg)\n![time to safepoint](safepoint.svg)"

    table("Memory of the stacks", "stack_rss_kib", "Resident pages of the thread stacks alone.")
    table("Memory of the whole program", "rss_kib",
        "RSS. Where huge pages stay on, those of heap and arenas are in it.")
    table("Start time", "spawn_ns", "From the first creation until all threads run.")
    table("Start, CPU time", "spawn_cpu_ns",
        "Of the process and the kernel for it: what waits and interrupts do not change.")
    table("Heap speed", "heap_access_ns", heap_text())
    table("Churn", "cycle_ns",
        "CPU time of pthread_create and pthread_join, on a stack from glibc's cache.")
    table("Time to safepoint, median", "safepoint_ms",
        "With threads that start threads all the time.")
    table("Time to safepoint, worst", "safepoint_worst_ms", "The longest in each round.")
    table("Threads started meanwhile", "starts_per_s", "Per second; here more is better.")
    published()
    growth_table()
    limits()
}
