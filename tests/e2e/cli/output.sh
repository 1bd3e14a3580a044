#!/bin/sh
# What cannot be written is an error with a reason, never a short report that looks whole.
. "$(dirname "$0")/lib.sh"

full() {
    "$@" >/dev/full
}
closed() {
    "$@" >&-
}
full_reason="cannot write to standard output: No space left on device"
run 2 full "$thpfix" check
expect_complaint "thpfix check: $full_reason"
run 2 full "$thpfix" check --json
expect_complaint "thpfix check: $full_reason"
run 2 full "$thpfix" check --help
expect_complaint "thpfix check: $full_reason"
run 2 full "$thpfix" help
expect_complaint "thpfix: $full_reason"
run 2 full "$thpfix" --version
expect_complaint "thpfix: $full_reason"
run 125 full "$thpfix" run --help
expect_complaint "thpfix run: $full_reason"
run 125 full "$thpfix" run --dry-run true
expect_complaint "thpfix run: $full_reason"
run 2 closed "$thpfix" check
expect_complaint "thpfix check: cannot write to standard output: Bad file descriptor"

# A pipe that nobody reads any more: no death by SIGPIPE, which says nothing.
mkfifo "$work/pipe"
cat "$work/pipe" >/dev/null &
reader=$!
exec 3>"$work/pipe"
kill "$reader"
wait "$reader" 2>/dev/null
broken() {
    "$@" >&3
}
run 2 broken "$thpfix" check
expect_complaint "thpfix check: cannot write to standard output: Broken pipe"
run 125 broken "$thpfix" run --dry-run true
expect_complaint "thpfix run: cannot write to standard output: Broken pipe"
# The program gets SIGPIPE as we got it: it dies of it, as it would without us.
run 141 broken "$thpfix" run -- sh -c 'echo x; echo y'
run 141 broken sh -c 'echo x; echo y'
exec 3>&-
finish
