#!/bin/sh
# thpfix check: verdict, remedy and exit status, from recorded machines and from this one.
. "$(dirname "$0")/lib.sh"
roots=$THPFIX_TEST_ROOTS

# expect_root NAME STATUS HEADLINE AFFECTED REASON
expect_root() {
    run "$2" "$thpfix" check --root "$roots/$1"
    expect_silent
    expect_same "first line" "$(head -n 1 "$work/out")" "$3."
    grep -q '^To do:  .' "$work/out" || fail "no remedy"
    run "$2" "$thpfix" check --json --root="$roots/$1"
    expect_silent
    expect_out "  \"affected\": $4,"
    expect_out "  \"reason\": \"$5\","
}

expect_root debian-5.10 1 Affected true affected
expect_root debian-6.1 1 Affected true affected
expect_root debian-6.12 0 "Not affected" false stacks-exempt
expect_root linux-6.18 0 "Not affected" false mode-madvise
expect_root always-pmd-madvise 0 "Not affected" false mode-madvise
expect_root always-pmd-never 0 "Not affected" false mode-never
expect_root no-thp 0 "Not affected" false no-thp
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

# The remedy names the file that decides.
tree=$work/tree
mkdir -p "$tree/proc/self"
cp -r "$roots/madvise-pmd-always/sys" "$tree"
cp "$roots/debian-6.1/proc/self/smaps" "$tree/proc/self"
size_file=$tree/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled
run 1 "$thpfix" check --root "$tree"
expect_out "          echo madvise > ${size_file#"$tree"}"
expect_out "mode in force for it    always"
printf 'always madvise [never]\n' >"$size_file"
run 0 "$thpfix" check --root "$tree"
expect_out "mode in force for it    never"

# This machine: text, JSON and exit status agree, whatever they say. Somebody may be
# changing its mode, so the looks must lie between two equal ones.
enabled=/sys/kernel/mm/transparent_hugepage/enabled
for attempt in 1 2 3 4 5; do
    before=$(cat "$enabled" 2>&1)
    "$thpfix" check >"$work/text" 2>&1
    here=$?
    "$thpfix" check --json >"$work/out" 2>"$work/err"
    status=$?
    [ "$before" = "$(cat "$enabled" 2>&1)" ] && break
    sleep "$attempt"
done
what="check on this machine"
case $here in
0) headline="Not affected." affected=false ;;
1) headline="Affected." affected=true ;;
*) headline="Could not tell." affected=null ;;
esac
expect_same "status with --json" "$status" "$here"
expect_same "first line" "$(head -n 1 "$work/text")" "$headline"
expect_out "  \"affected\": $affected,"
expect_out "  \"kernel\": \"$(uname -r)\","
case $before in
*\[*\]*) expect_out "    \"enabled\": \"$(echo "$before" | sed 's/.*\[\(.*\)\].*/\1/')\"," ;;
*) expect_out '    "enabled": null,' ;;
esac
finish
