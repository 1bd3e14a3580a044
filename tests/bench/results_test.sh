#!/bin/bash
# What README.md and the report show is what scripts/bench makes of the published results.
set -euo pipefail
cd "$(dirname "$0")/../.."
results=tests/bench/results
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

block_of() { # README
    sed -n '/^<!-- bench: begin/,/^<!-- bench: end/p' "$1" | sed '1d;$d'
}

shows() { # README RESULTS: does it show these results?
    block_of "$1" >"$dir/shown"
    scripts/bench --readme "$2" >"$dir/made"
    [ -s "$dir/shown" ] && diff "$dir/shown" "$dir/made" >&2
}

shows README.md $results || fail "README.md is not what 'scripts/bench --update-readme $results' makes"

# A figure that someone typed, and results that changed, are noticed.
sed '/^<!-- bench: begin/,/^<!-- bench: end/s/ \([0-9.]*\) × |/ 9\1 × |/' README.md >"$dir/typed"
! shows "$dir/typed" $results 2>/dev/null || fail "a typed figure is not noticed"
sed '/<!-- bench: begin/,$d' README.md >"$dir/none"
! shows "$dir/none" $results 2>/dev/null || fail "a README without the figures is not noticed"
mkdir "$dir/changed"
cp $results/machine.csv "$dir/changed"
awk -F , -v OFS=, '$3 == "library" && $6 != "" { $6 += 1 } { print }' $results/results.csv \
    >"$dir/changed/results.csv"
sed "s|$results/|$(realpath --relative-to=. "$dir/changed")/|" README.md >"$dir/README.md"
! shows "$dir/README.md" "$dir/changed" 2>/dev/null || fail "changed results are not noticed"

# The report is of the same results. Pictures are not made again: gnuplot need not be here.
mkdir "$dir/again"
cp $results/*.csv "$dir/again"
scripts/bench --report "$dir/again" >/dev/null 2>&1
for file in report.md results.json; do
    cmp "$results/$file" "$dir/again/$file" || fail "$results/$file is not of the results beside it"
done

# Every picture that the texts show is there, in both forms.
pictures=0
while read -r picture; do
    if [ ! -s "$results/$picture" ] || [ ! -s "$results/${picture%.svg}.png" ]; then
        fail "there is no $results/${picture%.svg} as SVG and PNG"
    fi
    pictures=$((pictures + 1))
done < <(grep -hoE '[a-z]+\.svg' README.md $results/report.md | sort -u)
[ $pictures -ge 4 ] || fail "only $pictures pictures were found"
echo ok
