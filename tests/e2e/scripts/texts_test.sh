#!/bin/bash
# The texts name only what exists.
set -euo pipefail
cd "$(dirname "$0")/../../.."
failures=0

fail() {
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

exists() { # GLOB...: does one match?
    compgen -G "$1" >/dev/null || { [ $# -gt 1 ] && exists "${@:2}"; }
}

! exists 'no/such/file*' 'README.no' || fail "exists finds what is not there"
exists 'no/such/file*' 'README.md' || fail "exists does not find what is there"

links=0
for text in *.md; do
    while read -r link; do
        exists "$link" || fail "$text: there is no $link"
        links=$((links + 1))
    done < <(grep -oE '\]\([^):]+\)' "$text" | tr -d '])(')
done
[ $links -ge 10 ] || fail "only $links links were found"

# The first column of the map of the source.
names=0
while read -r name; do
    exists "detect/$name.[ch]" "shim/$name.[ch]" "detect/$name" || fail "README.md: there is no $name"
    names=$((names + 1))
done < <(sed -n '/^## Map/,$p' README.md | grep '^| `' | cut -d '|' -f 2 | grep -oE '[a-z_*]+(\.h)?')
[ $names -ge 20 ] || fail "only $names names were found in the map"

# Scripts and subcommands that the texts call.
while read -r script; do
    exists "$script" || fail "there is no $script"
done < <(grep -ohE '\bscripts/[a-z-]+' ./*.md | grep -v -- '-$' | sort -u)
while read -r command; do
    grep -q "X($command," shim/cli/commands.h || fail "thpfix has no command $command"
done < <(grep -ohE '(^|[ `/])thpfix [a-z]+' README.md CONTRIBUTING.md | sed 's/.* //' | sort -u)

[ $failures -eq 0 ]
echo ok
