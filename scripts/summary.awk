# Records (junit.awk) and times to the table at the end of scripts/test.
#
# Times are records of the form: SUITE <tab> time <tab> SECONDS
# The last line is exactly "N passed, M failed, K skipped". Fails if a test failed or
# none ran.
BEGIN { FS = "\t" }

!($1 in seen) { seen[$1] = 1; order[++suites] = $1 }

$2 == "time" { seconds[$1] = $3; next }

{
    count[$1, $2]++
    total[$2]++
    if ($2 != "pass")
        note[$2] = note[$2] sprintf("  %s: %s%s\n", $1, $3, $4 != "" ? ": " $4 : "")
}

END {
    printf "\n%-12s %8s %8s %8s %8s\n", "suite", "passed", "failed", "skipped", "time"
    for (i = 1; i <= suites; i++) {
        s = order[i]
        printf "%-12s %8d %8d %8d %6d s\n", s, count[s, "pass"], count[s, "fail"],
            count[s, "skip"], seconds[s]
    }
    if (note["skip"] != "")
        printf "\nskipped:\n%s", note["skip"]
    if (note["fail"] != "")
        printf "\nfailed:\n%s", note["fail"]
    printf "\n%d passed, %d failed, %d skipped\n", total["pass"], total["fail"], total["skip"]
    exit total["fail"] > 0 || total["pass"] + total["fail"] == 0
}
