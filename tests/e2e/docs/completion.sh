#!/bin/sh
# What bash and zsh complete is what the command has.
. "$(dirname "$0")/lib.sh"
completions=$THPFIX_TEST_COMPLETIONS
[ -r "$completions/thpfix.bash" ] || skip "no completions were made"

# bash_words WORD...: what is offered for the last one, sorted
# shellcheck disable=SC2016 # for the inner shell
bash_words() {
    bash -c '
        . "$1" || exit 1
        shift
        _command_offset() { COMPREPLY=("program at $1"); }
        COMP_WORDS=(thpfix "$@") COMP_CWORD=$#
        _thpfix
        printf "%s\n" "${COMPREPLY[@]}"' bash "$completions/thpfix.bash" "$@" | sort | xargs
}

what=bash
expect_same commands "$(bash_words '')" "$( (list_commands; echo --help; echo --version) | sort | xargs)"
expect_same "of sc" "$(bash_words sc)" scan
for command in $(list_commands); do
    [ "$command" != help ] || continue
    expect_same "options of $command" "$(bash_words "$command" --)" \
        "$( (help_options "$command" | sed 's/ .*//'; echo --help) | sort | xargs)"
done
expect_same "values of --mode" "$(bash_words run --mode '')" "auto off on"
expect_same "values of --mode=" "$(bash_words run --mode = '')" "auto off on"
expect_same "values of --mode=of" "$(bash_words run --mode = of)" off
expect_same "columns" "$(bash_words inspect --output TID,SI)" "TID,SIZE"
expect_same "a process" "$(bash_words stat $$ | tr ' ' '\n' | grep -x $$)" $$
expect_same "a program" "$(bash_words run ja)" "program at 2"
expect_same "a program after options" "$(bash_words run --dry-run --mode on -- ja)" "program at 6"
expect_same "a value, no program" "$(bash_words run --dry-run --mode a)" auto
expect_same "a command for help" "$(bash_words help insp)" inspect
expect_same "nothing for an unknown command" "$(bash_words nonsense '')" ""

command -v zsh >/dev/null || skip "zsh is not here: its completion was not looked at"
# What it hands to zsh's own function: names of options.
# shellcheck disable=SC2016 # for the inner shell
zsh_options() { # COMMAND
    zsh -f -c '
        _arguments() { print -rl -- "$@"; }
        _describe() { print -rl -- described; }
        words=(thpfix "$2" "") CURRENT=3
        . "$1"' zsh "$completions/thpfix.zsh" "$1" | sed -n 's/^\(--[a-z-]*\).*/\1/p' | sort | xargs
}
what=zsh
run 0 zsh -n "$completions/thpfix.zsh"
for command in $(list_commands); do
    [ "$command" != help ] || continue
    expect_same "options of $command" "$(zsh_options "$command")" \
        "$( (help_options "$command" | sed 's/ .*//'; echo --help) | sort | xargs)"
done
expect_same "options of an unknown command" "$(zsh_options nonsense)" ""
finish
