#!/bin/sh
# ansible-lint and ansible-playbook accept the playbook; what it calls, thpfix has.
. "$(dirname "$0")/lib.sh"

command -v ansible-lint >/dev/null && command -v ansible-playbook >/dev/null ||
    skip "no ansible-lint here"
HOME=$work
export HOME LC_ALL=C.UTF-8 ANSIBLE_LOCALHOST_WARNING=False ANSIBLE_NOCOLOR=1

syntax() {
    ansible-playbook --syntax-check -i localhost, "$@" >/dev/null
}
# In the file's own directory: of others it looks at no more than the syntax.
lint() (
    cd "$(dirname "$1")" || exit
    ansible-lint --offline -q "$(basename "$1")" 2>"$work/lint" || {
        cat "$work/lint" >&2
        exit 1
    }
)

valid syntax "$examples/ansible/thpfix.yml"
fault thpfix.yml 's/loop_control:/loop-control:/' syntax
valid lint "$examples/ansible/thpfix.yml"
fault thpfix.yml '/changed_when: false/d' lint
# The word by which it tells whether something was changed.
grep -q 'printf("Wrote ' "$here/../../../shim/cli/systemd_install.c" || fail "no 'Wrote ' there"
finish
