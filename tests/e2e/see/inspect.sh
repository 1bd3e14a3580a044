#!/bin/sh
# thpfix inspect: each thread's stack is where the thread itself says it is.
. "$(dirname "$0")/lib.sh"

# Against the bounds that the threads printed: TID BASE END.
expect_bounds() {
    run 0 "$thpfix" inspect --threads -o TID,BASE,END "$pid"
    expect_silent
    awk 'NF == 3 && $1 ~ /^[0-9]+$/' "$work/program" | sort -n >"$work/wanted"
    [ -s "$work/wanted" ] || fail "the program told nothing"
    awk 'NR > 1 {print $1, $2, $3}' "$work/out" | grep -v "^$pid " | sort -n >"$work/got"
    cmp -s "$work/wanted" "$work/got" || {
        diff "$work/wanted" "$work/got" >&2
        fail "bounds"
    }
}

# With guards, and the depth that the threads use.
start "$THPFIX_TEST_STACKS" 20 1024 4 200
expect_bounds
run 0 "$thpfix" inspect --threads --bytes -o TID,SIZE,USED,GUARD,ORIGIN,MERGED "$pid"
awk -v first="$pid" 'NR > 1 && $1 != first &&
    ($2 != 1052672 && $2 != 1048576 || $3 < 204800 || $3 > 300000 || $4 != 4096 ||
     $5 != "glibc" || $6 != "no") {print "unexpected: " $0; bad = 1} END {exit bad}' "$work/out" ||
    fail "a thread is not as it was made"
run 0 "$thpfix" inspect "$pid"
grep -q '^Thread stacks:  20, of 21 threads; ' "$work/out" || fail "no summary"
expect_out "libthpfix:      not loaded"

# Order, choice and number of lines.
run 0 "$thpfix" inspect --sort tid --top 3 -o tid,name "$pid"
expect_same "the head" "$(sed -n 1p "$work/out" | tr -s ' ' | sed 's/^ //')" "TID NAME"
expect_out "and 18 threads more"
expect_same "the first" "$(awk 'NR == 2 {print $1}' "$work/out")" "$pid"
run 0 "$thpfix" inspect --sort RESIDENT --bytes -o RESIDENT "$pid"
awk 'NR > 1 {print $1}' "$work/out" >"$work/numbers"
sort -rn "$work/numbers" | cmp -s - "$work/numbers" || fail "not in order"
run 2 "$thpfix" inspect --sort RESIDANT "$pid"
expect_complaint "thpfix inspect: --sort: unknown column 'RESIDANT': did you mean 'RESIDENT'?"
run 2 "$thpfix" inspect -o TID,NAMES "$pid"
expect_complaint "thpfix inspect: --output: unknown column 'NAMES': did you mean 'NAME'?"
run 2 "$thpfix" inspect -o "" "$pid"
run 2 "$thpfix" inspect --top many "$pid"
expect_complaint "thpfix inspect: --top: 'many' is no number"
run 2 "$thpfix" inspect --map --json "$pid"
run 2 "$thpfix" inspect --color pink --map "$pid"
run 2 "$thpfix" inspect --thread "$pid"
expect_complaint "thpfix inspect: unknown option '--thread': did you mean '--threads'?"

# The picture: 80 columns, no colour but where it is wanted.
run 0 "$thpfix" inspect --map "$pid"
awk 'length($0) > 80 {print "long: " $0; bad = 1} END {exit bad}' "$work/out" || fail "too wide"
grep -q '^    20  .*x\..*[|=]' "$work/out" || fail "the twenty do not share a picture"
escape=$(printf '\033')
grep -q "$escape" "$work/out" && fail "colour in a file"
run 0 "$thpfix" inspect --map --color always "$pid"
grep -q "$escape" "$work/out" || fail "no colour"
if command -v script >/dev/null; then
    terminal() {
        run 0 env TERM=xterm "$@" script -qec "'$thpfix' inspect --map $pid" /dev/null
    }
    terminal
    grep -q "$escape" "$work/out" || fail "no colour on a terminal"
    terminal NO_COLOR=1
    grep -q "$escape" "$work/out" && fail "colour in spite of NO_COLOR"
    terminal TERM=dumb
    grep -q "$escape" "$work/out" && fail "colour on a dumb terminal"
fi
end_all

# Neighbours without a guard share a mapping.
start "$THPFIX_TEST_STACKS" 20 1024 0 40
expect_bounds
run 0 "$thpfix" inspect --json "$pid"
expect_field 20 stacks count
[ "$(field stacks merged)" -gt 10 ] || fail "nothing is merged: this tests nothing"
end_all

# The program's own stacks, inside one mapping.
start "$THPFIX_TEST_STACKS" 20 256 0 40 caller
expect_bounds
run 0 "$thpfix" inspect --threads -o ORIGIN "$pid"
expect_same "stacks of the caller" "$(grep -c '^caller$' "$work/out")" 20
end_all

# main() has left: the first thread is a zombie, the process is not.
start "$THPFIX_TEST_STACKS" 5 256 4 40 leave
for _ in $(seq 100); do
    grep -q '^State:.Z' "/proc/$pid/status" && break
    sleep 0.1
done
run 0 "$thpfix" inspect --json "$pid"
expect_field 5 stacks count
end_all

# With the library: loaded, and what it does about it.
LD_PRELOAD=$library THPFIX=on start "$THPFIX_TEST_STACKS" 7 2048 0 40
expect_bounds
run 0 "$thpfix" inspect "$pid"
expect_out "libthpfix:      active: THPFIX=on; 7 threads seen"
run 0 "$thpfix" inspect --json "$pid"
expect_field true library loaded
expect_field '"active"' library state
expect_field 7 stacks exempt
end_all

# LD_PRELOAD names it, and the program has not got it.
mkdir "$work/other"
LD_PRELOAD=$work/other/libthpfix.so start "$THPFIX_TEST_STACKS" 2 256 4 4
run 0 "$thpfix" inspect --json "$pid"
expect_field '"kept out"' library state
finish
