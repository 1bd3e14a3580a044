# ctest's --output-junit file to one record per test:
#   SUITE <tab> pass|fail|skip <tab> NAME <tab> REASON
#
# A Criterion program (run with CRITERION_VERBOSITY_LEVEL=1) counts as its test cases.
# ctest files a test that it could not start under "skipped"; here that is a failure.
# Usage: awk -v suite=NAME -f junit.awk FILE

function unescape(text) {
    gsub(/&lt;/, "<", text)
    gsub(/&gt;/, ">", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&apos;/, "'", text)
    gsub(/&amp;/, "\\&", text)
    return text
}

function attribute(line, key) {
    if (!match(line, " " key "=\"[^\"]*\""))
        return ""
    return unescape(substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 4))
}

function record(outcome, of, reason) {
    gsub(/\t/, " ", reason)
    printf "%s\t%s\t%s\t%s\n", suite, outcome, of, reason
    records++
}

# A line of the test's output.
function output(line) {
    gsub(/<\/?system-out>/, "", line)
    line = unescape(line)
    if (line ~ /^\[(PASS|FAIL|SKIP)\] .*::/) {
        split(line, part, /: /)
        case_name = substr(part[1], 8)
        outcome = line ~ /^\[PASS/ ? "pass" : line ~ /^\[FAIL/ ? "fail" : "skip"
        record(outcome, name ": " case_name, outcome == "skip" ? substr(line, length(part[1]) + 3) : "")
        cases++
        failures += outcome == "fail"
        skips += outcome == "skip"
    }
    if (tolower(line) ~ /skip/)
        skip_line = line
    if (line ~ /[^ \t]/)
        last_line = line
}

/<testcase / {
    name = attribute($0, "name")
    status = attribute($0, "status")
    why = skip_line = last_line = ""
    cases = failures = skips = in_output = 0
    next
}

/<(skipped|failure|error) / { why = attribute($0, "message"); next }

/<system-out>/ { in_output = 1; sub(/^[ \t]*/, "") }

in_output {
    output($0)
    if (/<\/system-out>/)
        in_output = 0
    next
}

/<\/testcase>/ {
    if (status == "run") {
        if (!cases)
            record("pass", name, "")
    } else if (status == "disabled") {
        record("skip", name, "disabled in CMakeLists.txt")
    } else if (why ~ /^SKIP_/) {
        if (!skips)
            record("skip", name, skip_line != "" ? skip_line : last_line != "" ? last_line : "no reason given")
    } else if (!failures) {
        record("fail", name, why != "" ? why : last_line)
    }
}

END {
    if (!records)
        record("fail", "(all)", "no test ran")
}
