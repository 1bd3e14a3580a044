# Raw measurements to results.csv: for each workload, size, variant and metric the number of
# rounds, the ratio to the floor of the same round (median, least, most; empty where there is
# none), and the figure itself (median, least, most). tunable's floor is tunable_floor.

BEGIN {
    FS = OFS = ","
    wanted = " spawn_ns spawn_cpu_ns rss_kib rss_growth_kib stack_rss_kib heap_access_ns heap_huge_kib cycle_ns" \
        " safepoint_ms safepoint_worst_ms starts_per_s threads map_entries create_error "
}

index(wanted, " " $5 " ") {
    key = $1 OFS $2 OFS $3 OFS $5
    if (!(key in rounds))
        order[++keys] = key
    rounds[key]++
    value[key, rounds[key]] = $6
    by_round[key, $4] = $6
    round_of[key, rounds[key]] = $4
}

# Sorts list[1..n].
function sort(list, n,    i, j, swap) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
            swap = list[j]; list[j] = list[j - 1]; list[j - 1] = swap
        }
}

function median(list, n) {
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

END {
    print "workload", "size", "variant", "metric", "rounds", "ratio", "ratio_min", "ratio_max", \
        "median", "min", "max"
    for (k = 1; k <= keys; k++) {
        key = order[k]
        split(key, part, OFS)
        floor = part[1] OFS part[2] OFS (part[3] ~ /^tunable/ ? "tunable_floor" : "floor") OFS part[4]
        ratios = 0
        for (i = 1; i <= rounds[key]; i++) {
            figures[i] = value[key, i] + 0
            base = by_round[floor, round_of[key, i]] + 0
            if (base > 0)
                ratio[++ratios] = figures[i] / base
        }
        sort(figures, rounds[key])
        sort(ratio, ratios)
        text = ratios ? sprintf("%.4f,%.4f,%.4f", median(ratio, ratios), ratio[1], ratio[ratios]) : ",,"
        printf "%s,%s,%s,%s,%d,%s,%.10g,%.10g,%.10g\n", part[1], part[2], part[3], part[4], rounds[key], \
            text, median(figures, rounds[key]), figures[1], figures[rounds[key]]
    }
}
