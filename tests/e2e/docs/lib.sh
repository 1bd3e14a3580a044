# shellcheck shell=sh
# Sourced by the tests that hold what is written against what the command says of itself.
. "$(dirname "$0")/../see/lib.sh"
: "${THPFIX_TEST_SOURCE:?}" "${THPFIX_TEST_COMPLETIONS:?}"
source=$THPFIX_TEST_SOURCE
manuals=$source/shim/man

list_commands() {
    "$thpfix" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# help_options COMMAND: "--name VALUE" or "--name", a line each
help_options() {
    [ "$1" = help ] || "$thpfix" help "$1" |
        sed -n 's/^  \(--[a-z-]*\( [^ ][^ ]*\)\{0,1\}\)\(  .*\)\{0,1\}$/\1/p' | grep -vx -e --help
}
