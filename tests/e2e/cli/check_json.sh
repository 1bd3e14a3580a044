#!/bin/sh
# thpfix check --json: one valid object, with the right values under stable names.
. "$(dirname "$0")/lib.sh"
roots=$THPFIX_TEST_ROOTS
command -v python3 >/dev/null || skip "needs python3 to judge JSON"

# flatten: the object on stdout as lines "name.name.index value"
flatten() {
    python3 -c '
import json, sys
def walk(name, value):
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            walk(name + [str(key)], item)
    else:
        print(".".join(name), json.dumps(value))
walk([], json.load(sys.stdin))' <"$work/out" >"$work/flat" 2>"$work/err" || fail "no JSON"
}
# has LINE...
has() {
    for line; do
        grep -qxF -- "$line" "$work/flat" || fail "no '$line' in: $(cat "$work/flat")"
    done
}
names() {
    sed 's/\.[0-9]*\././; s/ .*//' "$work/flat" | LC_ALL=C sort -u
}

run 1 "$thpfix" check --json --root "$roots/debian-6.1"
flatten
has 'affected true' 'verdict "active"' 'reason "affected"' 'recorded true' 'stacks_exempt false' \
    'thp.enabled "always"' 'thp.effective "always"' 'thp.pmd_bytes 2097152' \
    'thp.pmd_bytes_stated true' 'thp.khugepaged.max_ptes_none 511' 'max_map_count 65530'
# What belongs to the asking process is unknown in a copy.
has 'opted_out null' 'glibc null' 'glibc_stack_hugetlb null'

run 0 "$thpfix" check --json --root "$roots/no-thp"
flatten
has 'affected false' 'thp.enabled null' 'thp.effective null' 'thp.defrag null' 'kernel null' \
    'thp.khugepaged.defrag null' 'max_map_count null'
run 0 "$thpfix" check --json --root "$roots/linux-6.18"
flatten
has 'thp.sizes.0.bytes 16384' 'thp.sizes.0.enabled "never"'
# The names are an interface: these, whatever is known.
names >"$work/names"
printf '%s\n' affected glibc glibc_stack_hugetlb kernel max_map_count opted_out reason recorded \
    stacks_exempt thp.defrag thp.effective thp.enabled thp.khugepaged.alloc_sleep_ms \
    thp.khugepaged.defrag thp.khugepaged.max_ptes_none thp.khugepaged.pages_to_scan \
    thp.khugepaged.scan_sleep_ms thp.pmd_bytes thp.pmd_bytes_stated thp.shmem_enabled \
    thp.sizes.bytes thp.sizes.enabled verdict why | cmp -s - "$work/names" ||
    fail "other names: $(cat "$work/names")"

# Whatever stands in a copy.
mkdir -p "$work/tree/proc/sys/kernel"
printf '6.1"\\\001\377\303\251\355\240\200\n' >"$work/tree/proc/sys/kernel/osrelease"
run 2 "$thpfix" check --json --root "$work/tree"
flatten
has 'kernel "6.1\"\\\u0001\ufffd\u00e9\ufffd\ufffd\ufffd"'

# What belongs to this process.
what="check opted out by prctl"
python3 -c '
import ctypes, os, sys
PR_SET_THP_DISABLE = 41
if ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0:
    sys.exit("cannot opt out")
os.execv(sys.argv[1], sys.argv[1:])' "$thpfix" check --json >"$work/out" 2>"$work/err" ||
    fail "not taken for unaffected"
flatten
has 'recorded false' 'opted_out true'
env GLIBC_TUNABLES=glibc.pthread.stack_hugetlb=0 "$thpfix" check --json >"$work/out" 2>"$work/err"
flatten
optout=$(python3 -c 'import ctypes; print(ctypes.CDLL(None).prctl(42, 0, 0, 0, 0) > 0)')
has 'glibc_stack_hugetlb 0' "opted_out $(echo "$optout" | tr TF tf)"
finish
