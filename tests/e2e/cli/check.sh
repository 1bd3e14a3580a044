#!/bin/sh
# thpfix check: verdict, exit status and JSON, from recorded machines and from this one.
. "$(dirname "$0")/lib.sh"
roots=$THPFIX_TEST_ROOTS

# json FILTER: of what was printed
json() {
    python3 -c '
import json, sys
value = json.load(open(sys.argv[1]))
for name in sys.argv[2].split("."):
    value = value[int(name) if name.isdigit() else name]
print(json.dumps(value))' "$work/out" "$1"
}

# expect_root NAME STATUS HEADLINE AFFECTED REASON
expect_root() {
    run "$2" "$thpfix" check --root "$roots/$1"
    expect_silent
    expect_same "first line" "$(head -n 1 "$work/out")" "$3."
    grep -q '^To do:  .' "$work/out" || fail "no remedy"
    run "$2" "$thpfix" check --json --root="$roots/$1"
    expect_silent
    expect_same affected "$(json affected)" "$4"
    expect_same reason "$(json reason)" "\"$5\""
}

expect_root debian-5.10 1 Affected true affected
expect_root debian-6.1 1 Affected true affected
expect_same enabled "$(json thp.enabled)" '"always"'
expect_same pmd_bytes "$(json thp.pmd_bytes)" 2097152
expect_same kernel "$(json kernel | cut -c 1-5)" '"6.1.'
expect_same stacks_exempt "$(json stacks_exempt)" false
# What belongs to the asking process is unknown in a copy.
expect_same opted_out "$(json opted_out)" null
expect_same glibc "$(json glibc)" null
expect_same max_map_count "$(json max_map_count)" 65530
expect_root debian-6.12 0 "Not affected" false stacks-exempt
expect_same stacks_exempt "$(json stacks_exempt)" true
expect_root linux-6.18 0 "Not affected" false mode-madvise
expect_same "the sizes" "$(json thp.sizes.0.bytes)" 16384
expect_root always-pmd-madvise 0 "Not affected" false mode-madvise
expect_root always-pmd-never 0 "Not affected" false mode-never
expect_root no-thp 0 "Not affected" false no-thp
expect_same enabled "$(json thp.enabled)" null
expect_root always-pmd-inherit 2 "Could not tell" null exemption-unknown
expect_root unreadable 2 "Could not tell" null mode-unknown
expect_root no-sysfs 2 "Could not tell" null mode-unknown
expect_root empty 2 "Could not tell" null mode-unknown
expect_root new-word 2 "Could not tell" null mode-unknown

run 0 "$thpfix" check --root "$roots/debian-6.12"
expect_out "        THP is always, but the kernel keeps huge pages away from the stacks that glibc makes."
expect_out "To do:  nothing."
run 1 "$thpfix" check --root "$roots/debian-6.1"
expect_out "To do:  start the program with the library:  thpfix run -- java -jar app.jar"
expect_out "          echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"

# The remedy names the file that decides; other text of a copy cannot break the JSON.
tree=$work/tree
mkdir -p "$tree/proc/self" "$tree/proc/sys"
cp -r "$roots/madvise-pmd-always/sys" "$tree"
cp "$roots/debian-6.1/proc/self/smaps" "$tree/proc/self"
mkdir -p "$tree/proc/sys/kernel"
printf '6.1"\\\001\377\n' >"$tree/proc/sys/kernel/osrelease"
run 1 "$thpfix" check --root "$tree"
expect_out "          echo madvise > /sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled"
run 1 "$thpfix" check --json --root "$tree"
expect_same kernel "$(json kernel)" '"6.1\"\\\u0001\ufffd"'
# Each field is its own.
mode_of() {
    run "$1" "$thpfix" check --root "$tree"
    sed -n 's/^mode in force for it  *//p' "$work/out"
}
expect_same "mode in force" "$(mode_of 1)" always
printf 'always madvise [never]\n' \
    >"$tree/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled"
expect_same "mode in force" "$(mode_of 0)" never

# This machine: whatever the verdict is, text, JSON and exit status agree.
"$thpfix" check >"$work/out" 2>"$work/err"
here=$?
what="check on this machine"
case $here in
0) headline="Not affected." affected=false ;;
1) headline="Affected." affected=true ;;
*) headline="Could not tell." affected=null ;;
esac
expect_same "first line" "$(head -n 1 "$work/out")" "$headline"
run "$here" "$thpfix" check --json
expect_same affected "$(json affected)" "$affected"
expect_same kernel "$(json kernel)" "\"$(uname -r)\""
expect_same enabled "$(json thp.enabled)" \
    "\"$(sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/mm/transparent_hugepage/enabled)\""

# What belongs to this process.
what="check opted out by prctl"
python3 -c '
import ctypes, os, sys
PR_SET_THP_DISABLE = 41
if ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0:
    sys.exit("cannot opt out")
os.execv(sys.argv[1], sys.argv[1:])' "$thpfix" check --json >"$work/out" 2>"$work/err" ||
    fail "not taken for unaffected"
expect_same opted_out "$(json opted_out)" true
run "$here" env GLIBC_TUNABLES=glibc.pthread.stack_hugetlb=0 "$thpfix" check --json
expect_same glibc_stack_hugetlb "$(json glibc_stack_hugetlb)" 0
finish
