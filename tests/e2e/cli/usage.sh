#!/bin/sh
# What is written wrongly is named in one line, with the nearest word that is right.
. "$(dirname "$0")/lib.sh"

run 2 "$thpfix"
expect_complaint "thpfix: no command given: 'thpfix help' lists the commands"
run 2 "$thpfix" chek
expect_complaint "thpfix: unknown command 'chek': did you mean 'check'?"
run 2 "$thpfix" rnu
expect_complaint "thpfix: unknown command 'rnu': did you mean 'run'?"
run 2 "$thpfix" completely-different
expect_complaint "thpfix: unknown command 'completely-different': 'thpfix help' lists what there is"
run 2 "$thpfix" ''
expect_complaint "thpfix: unknown command '': 'thpfix help' lists what there is"
run 2 "$thpfix" --verson
expect_complaint "thpfix: unknown option '--verson': did you mean '--version'?"
run 2 "$thpfix" --version check
expect_complaint "thpfix: unexpected argument 'check' after '--version'"
run 2 "$thpfix" help nothing-like-it
expect_complaint "thpfix: unknown command 'nothing-like-it': 'thpfix help' lists what there is"
run 2 "$thpfix" help check run
expect_complaint "thpfix help: unexpected argument 'run': it takes one command"
# A name cannot make a second line, nor move the cursor.
run 2 "$thpfix" "$(printf 'a\nb\033[2J')"
expect_complaint "thpfix: unknown command 'a?b?[2J': 'thpfix help' lists what there is"

run 2 "$thpfix" check --jsn
expect_complaint "thpfix check: unknown option '--jsn': did you mean '--json'?"
run 2 "$thpfix" check -j
expect_complaint "thpfix check: unknown option '-j': 'thpfix help check' lists the options"
run 2 "$thpfix" check --json=1
expect_complaint "thpfix check: option '--json' takes no value"
run 2 "$thpfix" check --root
expect_complaint "thpfix check: option '--root' needs a value: --root DIR"
run 2 "$thpfix" check everything
expect_complaint "thpfix check: unexpected argument 'everything': it takes options only"
run 2 "$thpfix" check --root "$work/none"
expect_complaint "thpfix check: --root: cannot open directory '$work/none': No such file or directory"
run 2 "$thpfix" check --root /dev/null
expect_complaint "thpfix check: --root: cannot open directory '/dev/null': Not a directory"

run 125 "$thpfix" run
expect_complaint "thpfix run: no command given: thpfix run [OPTION...] [--] COMMAND [ARGUMENT...]"
run 125 "$thpfix" run --
expect_complaint "thpfix run: no command given: thpfix run [OPTION...] [--] COMMAND [ARGUMENT...]"
run 125 "$thpfix" run --dry-rum true
expect_complaint "thpfix run: unknown option '--dry-rum': did you mean '--dry-run'?"
run 125 "$thpfix" run --dry-run=yes true
expect_complaint "thpfix run: option '--dry-run' takes no value"
run 125 "$thpfix" run --guard
expect_complaint "thpfix run: option '--guard' needs a value: --guard BYTES"
run 125 "$thpfix" run -x true
expect_complaint "thpfix run: unknown option '-x': 'thpfix help run' lists the options"
for bad in --mode=maybe --mode= --guard=64KB --guard=-1 --gate=open --log=relative/path --only=; do
    run 125 "$thpfix" run "$bad" true
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line on stderr"
    expect_err_part "thpfix run: ${bad%%=*} wants "
    expect_err_part ", not '${bad#*=}': "
done

run 0 "$thpfix" --version
expect_silent
grep -qx 'thpfix [0-9.]*' "$work/out" || fail "no version"
run 0 "$thpfix" --help
cp "$work/out" "$work/help"
for form in help -h; do
    run 0 "$thpfix" "$form"
    cmp -s "$work/out" "$work/help" || fail "not the same as --help"
done
for command in check run; do
    grep -q "^  $command " "$work/help" || fail "'$command' is not in the help"
    run 0 "$thpfix" help "$command"
    expect_silent
    cp "$work/out" "$work/command-help"
    run 0 "$thpfix" "$command" --help
    cmp -s "$work/out" "$work/command-help" || fail "not the same as help $command"
    [ "$(awk '{ print length }' "$work/out" | sort -n | tail -n 1)" -le 80 ] ||
        fail "wider than a terminal"
done
# --help of the program is the program's.
run 0 "$thpfix" run -- printf '%s\n' --help
expect_out --help
finish
