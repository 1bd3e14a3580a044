#!/bin/sh
# LD_PRELOAD: ours in front, the rest kept, nothing twice, nothing that ld.so would split.
. "$(dirname "$0")/lib.sh"

# with VALUE: what the program finds in LD_PRELOAD when we find VALUE in it
with() {
    run 0 env LD_PRELOAD="$1" "$thpfix" run -- sh -c 'printf "%s\n" "$LD_PRELOAD"'
}
cp "$library" "$work/other.so"
mkdir "$work/old"
cp "$library" "$work/old/libthpfix.so"

run 0 "$thpfix" run -- sh -c 'printf "%s\n" "$LD_PRELOAD"'
expect_out "$library"
with ''
expect_out "$library"
with "$work/other.so"
expect_out "$library:$work/other.so"
with "$work/other.so libm.so.6"
expect_out "$library:$work/other.so:libm.so.6"
with "$library"
expect_out "$library"
with "$work/other.so:$library"
expect_out "$work/other.so:$library"
run 0 "$thpfix" run -- "$thpfix" run -- sh -c 'printf "%s\n" "$LD_PRELOAD"'
expect_out "$library"
# Another copy of the library would act as well: ours takes its place.
with "$work/other.so:$work/old/libthpfix.so"
expect_out "$work/other.so:$library"
run 0 env LD_PRELOAD="$library" "$thpfix" run --library "$work/old/libthpfix.so" -- \
    sh -c 'printf "%s\n" "$LD_PRELOAD"'
expect_out "$work/old/libthpfix.so"

# --library: made absolute, for children with another working directory.
cd "$work/old" || exit 1
run 0 "$thpfix" run --library libthpfix.so -- sh -c 'cd /; exec grep -c libthpfix /proc/self/maps'
expect_silent
run 0 "$thpfix" run --dry-run --library ./libthpfix.so -- true
expect_out "LD_PRELOAD=$work/old/libthpfix.so true"
run 0 "$thpfix" run --dry-run --library ../old/libthpfix.so -- true
expect_out "LD_PRELOAD=$work/old/libthpfix.so true"
cd / || exit 1

# ld.so's own variables are left to it.
run 0 "$thpfix" run --library '/usr/$LIB/libm.so.6' -- sh -c 'printf "%s\n" "$LD_PRELOAD"'
# shellcheck disable=SC2016
expect_out '/usr/$LIB/libm.so.6'

# What cannot be preloaded is refused. The negative control: ld.so does split it.
for directory in "$work/a b" "$work/a:b"; do
    mkdir "$directory"
    cp "$library" "$directory/libthpfix.so"
    run 125 "$thpfix" run --library "$directory/libthpfix.so" -- true
    expect_complaint "thpfix run: ld.so cannot preload '$directory/libthpfix.so': it splits paths at\
 colons and blanks; copy the library elsewhere and name it with --library PATH"
    run 1 env LD_PRELOAD="$directory/libthpfix.so" grep -q libthpfix /proc/self/maps
    mkdir "$directory/bin" "$directory/lib"
    cp "$thpfix" "$directory/bin"
    cp "$library" "$directory/lib"
    run 125 "$directory/bin/thpfix" run -- true
    expect_err_part "ld.so cannot preload '$directory/lib/libthpfix.so'"
done
run 125 "$thpfix" run --library "$work/none.so" -- true
expect_complaint "thpfix run: --library: cannot read '$work/none.so': No such file or directory"
echo text >"$work/text.so"
run 125 "$thpfix" run --library "$work/text.so" -- true
expect_complaint "thpfix run: '$work/text.so' is not a shared library"
run 125 "$thpfix" run --library / -- true
expect_complaint "thpfix run: '/' is not a shared library"

# A shell reads --dry-run back as what would have been run.
quoted="it's \"quoted\" \$HOME * \\ ; # ~"
newline='a
b'
run 0 "$thpfix" run --dry-run --only 'x*,y' -- printf '<%s>\n' "$quoted" "$newline" '' a=b
expect_silent
cp "$work/out" "$work/command"
run 0 sh "$work/command"
printf '<%s>\n' "$quoted" "$newline" '' a=b | cmp -s - "$work/out" || fail "other arguments"
finish
