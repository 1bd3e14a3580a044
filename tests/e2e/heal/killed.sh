#!/bin/sh
# Kills the healer at random moments; the process goes on. What may show is that a thread was
# stopped, as it does with SIGSTOP: some calls return EINTR then (signal(7)).
# KILLS: how often (40).
. "$(dirname "$0")/lib.sh"

LD_PRELOAD=$THPFIX_TEST_LEGACY_KERNEL start "$THPFIX_TEST_HOSTILE" 2 stops
killed=0 tries=0
while [ $killed -lt "${KILLS:-40}" ] && [ $tries -lt 1000 ]; do
    tries=$((tries + 1))
    "$thpfix" heal "$pid" </dev/null >"$work/out" 2>"$work/err" &
    healer=$!
    # Reading the process comes first; after that the threads are stopped, one by one.
    sleep "0.$(awk -v seed="$tries$$" 'BEGIN { srand(seed); printf "%03d", 10 + int(rand() * 190) }')"
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
