# Sourced by the tests of heal.
#
# shellcheck shell=sh
. "$(dirname "$0")/../see/lib.sh"
: "${THPFIX_TEST_LEGACY_KERNEL:?}" "${THPFIX_TEST_HOSTILE:?}" "${THPFIX_TEST_SPOIL:?}"
need_root "change the THP mode"

# heal STATUS...: heals $pid; the exit status must be one of these
heal() {
    what="thpfix heal $pid"
    "$thpfix" heal --json "$pid" </dev/null >"$work/out" 2>"$work/err"
    healed=$?
    for status in "$@"; do
        [ $healed -eq "$status" ] && return 0
    done
    fail "exit status $healed"
}

# end_whole: tells the hostile process to end, which it must do as one that is whole
end_whole() {
    what="the process that was healed"
    kill -TERM "$pid" || fail "it is not there any more"
    wait "$pid"
    ended=$?
    cp "$work/program" "$work/out"
    [ $ended -eq 0 ] && grep -qx whole "$work/program" || fail "it is not whole, status $ended"
    started=
}
