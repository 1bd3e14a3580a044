# Reads machine.csv and results.csv, for the awk programs that come after it.
#
#   machine[KEY], key[1..keys]          what was measured on; the first is the head of the column
#   median, least, most[ID]             ID is workload,size,variant,metric; in the metric's unit
#   ratio, ratio_least, ratio_most[ID]  to the floor of the same round; "" where there is none
#   order[1..ids]                       every ID, as in the file
#   piece[1..pieces]                    workload,size, in the order of the measurement
#   variant[1..variants]                those there are figures of, without tunable_floor

BEGIN {
    FS = ","
    candidates = split("floor without library hotspot prctl tunable", candidate, " ")
    label["floor"] = "THP `madvise`"
    label["without"] = "nothing"
    label["library"] = "libthpfix"
    label["hotspot"] = "HotSpot's own"
    label["prctl"] = "prctl"
    label["tunable"] = "`stack_hugetlb=0`"
}

FILENAME ~ /machine\.csv$/ {
    machine[$1] = $2
    key[++keys] = $1
    next
}

FNR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}

{
    id = $1 FS $2 FS $3 FS $4
    if (!least_rounds || $column["rounds"] < least_rounds)
        least_rounds = $column["rounds"]
    if ($column["rounds"] > most_rounds)
        most_rounds = $column["rounds"]
    ratio[id] = $column["ratio"]
    ratio_least[id] = $column["ratio_min"]
    ratio_most[id] = $column["ratio_max"]
    median[id] = $column["median"]
    least[id] = $column["min"]
    most[id] = $column["max"]
    if (!(($1 FS $2) in seen_piece)) {
        seen_piece[$1 FS $2]
        piece[++pieces] = $1 FS $2
    }
    seen_variant[$3]
    order[++ids] = id
}

# Pieces in the order of their sizes, whatever the order in which they were measured.
function sort_pieces(    i, j, swap, a, b) {
    for (i = 2; i <= pieces; i++)
        for (j = i; j > 1; j--) {
            split(piece[j - 1], a, FS)
            split(piece[j], b, FS)
            if (!(a[1] > b[1] || (a[1] == b[1] && a[2] + 0 > b[2] + 0)))
                break
            swap = piece[j]; piece[j] = piece[j - 1]; piece[j - 1] = swap
        }
}

function know_variants(    i) {
    for (i = 1; i <= candidates; i++)
        if (candidate[i] in seen_variant)
            variant[++variants] = candidate[i]
}

function workload_of(piece, part) {
    split(piece, part, FS)
    return part[1]
}

function size_of(piece, part) {
    split(piece, part, FS)
    return part[2]
}

# Three digits, or two: 0.013, 0.98, 12.3, 256.
function short(number) {
    if (number > 0 && number < 0.0995)
        return sprintf(number < 0.00995 ? "%.4f" : "%.3f", number)
    return sprintf(number < 9.995 ? "%.2f" : number < 99.95 ? "%.1f" : "%.0f", number)
}

function in_unit(number, metric) {
    if (metric ~ /_kib$/)
        return short(number / 1024) " MiB"
    if (metric ~ /^spawn_/)
        return short(number / 1e6) " ms"
    if (metric == "cycle_ns")
        return short(number / 1e3) " us"
    if (metric ~ /_ns$/)
        return short(number) " ns"
    if (metric ~ /_ms$/)
        return short(number) " ms"
    return number ""
}

# What a piece is, in words.
function title(piece,    workload, size) {
    workload = workload_of(piece)
    size = size_of(piece)
    if (workload ~ /^spawn-/)
        return size " threads of " substr(workload, 7, 1) " MiB"
    if (workload ~ /^depth-/)
        return "500 threads of 8 MiB, " size " KiB used"
    if (workload ~ /^jvm-/)
        return "JVM, " size " threads of " substr(workload, 5, 1) " MiB"
    if (workload ~ /^collapse-/)
        return "JVM, " size " threads of " substr(workload, 10, 1) " MiB, after khugepaged"
    if (workload == "churn")
        return "create and join, one at a time"
    if (workload == "storm")
        return "JVM, " size (size == 1 ? " thread that starts" : " threads that start") " threads"
    if (workload == "mix")
        return "service: " size " threads of 2 MiB, heap of " \
            (machine["size"] == "full" ? "1 GiB" : "256 MiB")
    if (workload == "limit")
        return "as many threads of 2 MiB as there can be"
    return piece
}

function rounds() {
    return least_rounds == most_rounds ? least_rounds : least_rounds " to " most_rounds
}

function exemption() {
    return machine["stacks_exempt"] == "true" ? "This kernel exempts thread stacks by itself." : \
        "This kernel does not exempt thread stacks."
}

END {
    sort_pieces()
    know_variants()
}
