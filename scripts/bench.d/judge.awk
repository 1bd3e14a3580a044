# What the figures say of libthpfix, in words. Between table.awk and report.awk.

function has(piece, metric) {
    return (piece FS "library" FS metric) in median && (piece FS "floor" FS metric) in median
}

# The worst ratio of the library in a metric: against the goal, in a line of the table of goals.
function goal(text, metric, base, limit,    p, id, value, worst, where, count, missed) {
    for (p = 1; p <= pieces; p++) {
        id = piece[p] FS "library" FS metric
        if (!has(piece[p], metric) || !((piece[p] FS base FS metric) in median))
            continue
        value = base == "floor" ? ratio[id] + 0 : median[id] / median[piece[p] FS base FS metric]
        count++
        missed += value > limit
        if (where == "" || value > worst) {
            worst = value
            where = title(piece[p])
        }
    }
    if (count)
        printf "| %s | ≤ %s | %s (%s) | %s |\n", text, limit, sprintf("%.3f", worst), where,
            missed ? "missed in " missed " of " count : "met in all " count
}

# Where another one is better than the library by more than slack: a line for each workload, of
# the size where the difference is greatest.
function not_best(name, metric, slack,    p, v, id, own, other, best, by, line, workload, groups, n) {
    for (p = 1; p <= pieces; p++) {
        if (!has(piece[p], metric))
            continue
        own = ratio[piece[p] FS "library" FS metric] + 0
        best = ""
        for (v = 1; v <= variants; v++) {
            id = piece[p] FS variant[v] FS metric
            if (id in median && ratio[id] != "" && (best == "" || ratio[id] + 0 < other)) {
                best = variant[v]
                other = ratio[id] + 0
            }
        }
        workload = workload_of(piece[p])
        if (!(workload in total))
            groups = groups " " workload
        total[workload]++
        if (best == "" || best == "library" || own <= other + slack)
            continue
        worse[workload]++
        if (own - other > by[workload]) {
            by[workload] = own - other
            id = piece[p] FS best FS metric
            line[workload] = sprintf("%s: %s × the floor, %s %s ×%s", title(piece[p]), short(own), \
                label[best], short(other), \
                ratio_least[piece[p] FS "library" FS metric] + 0 <= ratio_most[id] + 0 ? \
                "; the spreads overlap" : "")
        }
    }
    n = split(groups, group, " ")
    for (p = 1; p <= n; p++) {
        if (worse[group[p]]) {
            printf "- %s: %s", name, line[group[p]]
            if (total[group[p]] > 1)
                printf " (the widest gap; there is one at %d of %d sizes)", worse[group[p]], total[group[p]]
            print "."
            gaps++
        }
        delete total[group[p]]
        delete worse[group[p]]
    }
}

# What it costs a heap to lose its huge pages.
function heap_text(    p, text, v, id, own) {
    text = "CPU time of an access to a random place of the heap, each depending on the one before."
    for (p = 1; p <= pieces; p++) {
        own = piece[p] FS "library" FS "heap_access_ns"
        if (!(own in median))
            continue
        text = text " Against libthpfix"
        for (v = 1; v <= variants; v++) {
            id = piece[p] FS variant[v] FS "heap_access_ns"
            if (variant[v] != "library" && variant[v] != "tunable" && id in median)
                text = text sprintf("%s %s takes %+.0f %%", comma++ ? "," : "", label[variant[v]], \
                    (median[id] / median[own] - 1) * 100)
        }
        text = text "."
    }
    return text
}
