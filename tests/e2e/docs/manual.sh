#!/bin/sh
# The manual pages have the commands, options and variables that there are, and no others.
. "$(dirname "$0")/lib.sh"

manual_commands() { # PAGE
    sed -n '/^\.Sh COMMANDS/,/^\.Sh ENV/s/^\.Ss \([a-z]*\)$/\1/p' "$1"
}

manual_options() { # PAGE COMMAND
    awk -v command="$2" '
        /^\.S[sh] / { inside = $0 == ".Ss " command }
        inside && /^\.It Fl -/ {
            sub(/^\.It Fl /, "-")
            sub(/ Ar /, " ")
            print
        }' "$1"
}

# "NAME VALUES default: DEFAULT, HELP", from both in the same form
manual_variables() { # PAGE
    awk '
        function put() { if (name != "") print name, values, "default: " default_value, help }
        /^\.Sh / { put(); name = ""; inside = $2 == "ENVIRONMENT" }
        inside && /^\.It Ev / { put(); name = $3; values = $8; help = default_value = ""; next }
        inside && /^\.Pq default: / { default_value = $3; next }
        inside && /^\./ { put(); name = "" }
        inside && name != "" { help = help (help != "" ? " " : "") $0 }' "$1"
}
readme_variables() {
    sed -n 's/^| `\(THPFIX[A-Z_]*\)` | `\(.*\)` | `\{0,1\}\([^ `]*\)`\{0,1\} | \(.*\) |$/\1 \2 default: \3 \4/p' \
        "$source/README.md" | sed 's/\\|/|/g'
}

# complaints DIRECTORY: what is wrong with the pages there, a line each
complaints() {
    list_commands >"$work/a"
    manual_commands "$1/thpfix.1" >"$work/b"
    sort "$work/b" | diff "$work/a.sorted" - >/dev/null || echo "thpfix.1 has other commands"
    while read -r command; do
        help_options "$command" >"$work/a"
        manual_options "$1/thpfix.1" "$command" >"$work/b"
        diff "$work/a" "$work/b" | sed -n "s/^[<>] \(.*\)/$command: '\1' is in one only/p"
    done <"$work/commands"
    readme_variables >"$work/a"
    manual_variables "$1/libthpfix.7" >"$work/b"
    diff "$work/a" "$work/b" | sed -n "s/^[<>] \([^ ]*\).*/\1 is not the same in both/p"
}
list_commands >"$work/commands"
sort "$work/commands" >"$work/a.sorted"

what=manuals
expect_same "the number of variables in README.md" "$(readme_variables | wc -l)" \
    "$(grep -c '^| `THPFIX' "$source/README.md")"
[ "$(wc -l <"$work/commands")" -ge 8 ] || fail "too few commands were found"
expect_same complaints "$(complaints "$manuals")" ""

# controls: spoil EXPRESSION: a page with that done to it is noticed
spoil() {
    rm -rf "$work/pages"
    cp -r "$manuals" "$work/pages"
    sed -i "$1" "$work/pages"/*.[17]
    [ -n "$(complaints "$work/pages")" ] || fail "control: not noticed: $1"
}
spoil '/^\.It Fl -prometheus/d'
spoil 's/^\.It Fl -prometheus/&x/'
spoil 's/^\.It Fl -min Ar SIZE/.It Fl -min/'
spoil '/^\.Ss heal/d'
spoil '/^\.It Ev THPFIX_GATE/,+2d'
spoil 's/^\.Pq default: 64M/.Pq default: 32M/'
spoil 's/^the least range to populate/the range to populate/'

command -v mandoc >/dev/null || skip "mandoc is not here: the form of the pages was not looked at"
for page in "$manuals"/*.[17]; do
    run 0 mandoc -T lint -W warning "$page"
    [ ! -s "$work/out" ] || fail "mandoc complains"
done
printf '.Dd x\n.Dt X 1\n.Sh NAME\n.Nm x\n.Foo\n' >"$work/bad.1"
mandoc -T lint -W warning "$work/bad.1" >/dev/null && fail "control: mandoc finds nothing in a bad page"
finish
