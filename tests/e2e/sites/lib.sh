# Sourced by the tests of creation sites.
#
# shellcheck shell=sh
. "$(dirname "$0")/../see/lib.sh"
: "${THPFIX_TEST_PLACES:?}"
places=$THPFIX_TEST_PLACES
names=${THPFIX_TEST_LIBDW:+yes} # functions have names

# start_sites MODE [VARIABLE=VALUE...]: the program, with sites
start_sites() {
    mode=$1
    shift
    start env LD_PRELOAD="$library" THPFIX_SITES=1 "$@" "$places" "$mode"
}

# of_child: $pid becomes that of the only child
of_child() {
    parent=$pid
    pid=$(tr -d ' ' <"/proc/$parent/task/$parent/children")
    started="$started $pid"
}

# site FUNCTION FIELD: the number at the site with that function among its frames, from
# --json in $work/out
site() {
    awk -v wanted="\"$1\"" -v field="\"$2\":" '
        /"created":/ { value = "" }
        $1 == field && value == "" { value = $2; sub(/,$/, "", value) }
        $1 == "\"function\":" && index($2, wanted) == 1 { print value; exit }' "$work/out"
}

# expect_site FUNCTION FIELD VALUE
expect_site() {
    [ -n "$names" ] || return 0
    expect_same "$2 of $1" "$(site "$1" "$2")" "$3"
}

# total FIELD: its sum over all sites and other threads
total() {
    awk -v field="\"$1\":" '$1 == field { sum += $2 } END { print sum + 0 }' "$work/out"
}
