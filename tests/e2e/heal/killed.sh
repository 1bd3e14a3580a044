#!/bin/sh
# Kills the healer at random moments; the process goes on. What may show is that a thread was
# stopped, as it does with SIGSTOP: some calls return EINTR then (signal(7)).
# KILLS: how often (40).
. "$(dirname "$0")/lib.sh"

LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL start "$THPFIX_TEST_HOSTILE" 2 stops
# Anywhere between its start and its end, however fast this machine is.
started_ns=$(date +%s%N)
heal 0 1
whole_ms=$((($(date +%s%N) - started_ns) / 1000000))
killed=0 tries=0
while [ $killed -lt "${KILLS:-40}" ] && [ $tries -lt 1000 ]; do
    tries=$((tries + 1))
    "$thpfix" heal "$pid" </dev/null >"$work/out" 2>"$work/err" &
    healer=$!
    sleep "$(awk -v seed="$tries$$" -v ms="$whole_ms" \
        'BEGIN { srand(seed); printf "%.3f", rand() * ms / 1000 }')"
    kill -KILL $healer 2>/dev/null
    wait $healer 2>/dev/null
    [ $? -eq 137 ] && killed=$((killed + 1))
    kill -0 "$pid" || break
done
what="$killed kills"
echo "$what"
[ $killed -ge "${KILLS:-40}" ] || fail "the healer was hardly ever killed: this tests nothing"
heal 0 1
end_whole
finish
