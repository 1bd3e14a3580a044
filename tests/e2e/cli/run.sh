#!/bin/sh
# thpfix run: becomes the program, with the library in it.
. "$(dirname "$0")/lib.sh"

# The library is in the program; without thpfix it is not.
run 0 "$thpfix" run -- grep -qF "$library" /proc/self/maps
expect_silent
run 1 grep -qF "$library" /proc/self/maps
run 0 "$thpfix" run grep -qF "$library" /proc/self/maps

# The program's exit status, arguments, process and environment.
run 42 "$thpfix" run -- sh -c 'exit 42'
run 0 "$thpfix" run -- printf '<%s>\n' 'a b' '' -- --dry-run '*'
expect_silent
printf '<%s>\n' 'a b' '' -- --dry-run '*' | cmp -s - "$work/out" || fail "other arguments"
run 0 sh -c "echo \$\$; exec '$thpfix' run -- sh -c 'echo \$\$'"
expect_same "number of processes" "$(sort -u "$work/out" | wc -l)" 1
run 0 "$thpfix" run --mode on --guard 64K --user-stacks --no-inherit --gate=off --only 'java,x*' \
    --log "$work/log" -- env
for setting in THPFIX=on THPFIX_GUARD=64K THPFIX_USER_STACKS=1 THPFIX_INHERIT=0 THPFIX_GATE=off \
    'THPFIX_ONLY=java,x*' "THPFIX_LOG=$work/log"; do
    expect_out "$setting"
done
# Nothing is set that was not asked for.
run 0 "$thpfix" run -- env
grep -v '^THPFIX_\(COMMAND\|LIBRARY\|TEST_.*\)=' "$work/out" | grep -q ^THPFIX && fail "more is set"

# 127, 126, 125
run 127 "$thpfix" run -- no-such-command-here
expect_complaint "thpfix run: cannot run 'no-such-command-here': no such command in PATH"
run 127 "$thpfix" run -- ./no-such-file
expect_complaint "thpfix run: cannot run './no-such-file': no such file"
run 127 "$thpfix" run -- ''
run 127 "$thpfix" run --dry-run -- no-such-command-here
expect_complaint "thpfix run: cannot run 'no-such-command-here': no such command in PATH"
run 126 "$thpfix" run -- /
expect_complaint "thpfix run: cannot run '/': Permission denied"
echo 'exit 3' >"$work/script"
run 126 "$thpfix" run -- "$work/script"
expect_complaint "thpfix run: cannot run '$work/script': Permission denied"
# As execvp: a file that may not be executed hides no later one, but is the better reason.
run 126 env PATH="$work" "$thpfix" run -- script
expect_complaint "thpfix run: cannot run 'script': Permission denied"
mkdir "$work/later"
cp "$work/script" "$work/later"
chmod +x "$work/later/script"
run 3 env PATH="$work:$work/later:/bin" "$thpfix" run -- script
run 3 env PATH="$work:$work/later:/bin" sh -c script
printf '#!/no/such/interpreter\n' >"$work/orphan"
chmod +x "$work/orphan"
run 127 "$thpfix" run -- "$work/orphan"
expect_complaint \
    "thpfix run: cannot run '$work/orphan': its interpreter '/no/such/interpreter' does not exist"
printf '\177ELF and then nothing' >"$work/broken"
chmod +x "$work/broken"
run 126 "$thpfix" run -- "$work/broken"
expect_complaint "thpfix run: cannot run '$work/broken': Exec format error"

# Scripts: with an interpreter, with env, without anything.
sh=$(command -v sh)
while IFS=@ read -r first interpreter; do
    printf '%s\ngrep -qF "%s" /proc/self/maps && echo "$1"\n' "$first" "$library" >"$work/x y"
    chmod +x "$work/x y"
    run 0 "$thpfix" run -- "$work/x y" 'a b'
    expect_silent
    expect_out 'a b'
    run 0 "$thpfix" run --explain --dry-run -- "$work/x y"
    expect_err "thpfix run: program: $work/x y, a script for $interpreter"
done <<END
#!/bin/sh@/bin/sh
#!/usr/bin/env sh@$sh
#! /usr/bin/env -S sh -e@$sh
@/bin/sh
END

run 0 "$thpfix" run --explain --guard 1M -- true
expect_err "thpfix run: library: $library (found beside thpfix)"
expect_err_part "thpfix run: host: "
expect_err_part "thpfix run: the library will: "
expect_err_part "thpfix run: THPFIX_GUARD=1M (option): "
expect_err_part "thpfix run: THPFIX=auto (default): "
run 0 "$thpfix" run --explain --dry-run --mode=on --only 'x*' -- "$work/x y"
expect_err "thpfix run: the library will: look after thread stacks, as THPFIX=on says"
run 0 "$thpfix" run --explain --dry-run --mode=on --only java -- true
expect_err_part "the library will: do nothing: THPFIX_ONLY or THPFIX_EXCLUDE leaves this program"
run 0 env THPFIX=off THPFIX_GUARD=much "$thpfix" run --explain --dry-run -- true
expect_err "thpfix run: the library will: do nothing, as THPFIX=off says"
expect_err_part "thpfix run: THPFIX_GUARD=much is no value (BYTES): "
finish
