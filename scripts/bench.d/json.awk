# results.json: the same as machine.csv and results.csv. After table.awk.

function quoted(text) {
    gsub(/["\\]/, "\\\\&", text)
    return "\"" text "\""
}

function number(text) {
    return text == "" ? "null" : text
}

END {
    print "{"
    printf "  \"machine\": {"
    for (i = 2; i <= keys; i++)
        printf "%s\n    %s: %s", comma++ ? "," : "", quoted(key[i]), quoted(machine[key[i]])
    printf "\n  },\n  \"results\": ["
    comma = 0
    for (i = 1; i <= ids; i++) {
        id = order[i]
        split(id, part, FS)
        printf "%s\n    {\"workload\": %s, \"size\": %d, \"variant\": %s, \"metric\": %s, ",
            comma++ ? "," : "", quoted(part[1]), part[2], quoted(part[3]), quoted(part[4])
        printf "\"ratio\": [%s, %s, %s], \"value\": [%s, %s, %s]}", number(ratio_least[id]),
            number(ratio[id]), number(ratio_most[id]), least[id], median[id], most[id]
    }
    print "\n  ],"
    print "  \"order\": [\"least\", \"median\", \"most\"]"
    print "}"
}
