#!/bin/sh
# thpfix stat: the counters, wherever the process and the library's file are.
. "$(dirname "$0")/lib.sh"
cp "$library" "$work/libthpfix.so"
copy=$work/libthpfix.so

expect_counters() {
    run 0 "$@" --json "$pid"
    expect_silent
    expect_field '"active"' verdict
    expect_field '"forced-on"' reason
    expect_field '"on"' settings config_mode
    expect_field 8192 settings config_guard_bytes
    expect_field 30 counters threads_seen
    expect_field 30 counters threads_guarded
}

LD_PRELOAD=$copy THPFIX=on THPFIX_GUARD=8192 start "$THPFIX_TEST_STACKS" 30 512 0 4
expect_counters "$thpfix" stat
run 0 "$thpfix" stat "$pid"
expect_silent
expect_out "Verdict: active: THPFIX=on"
grep -q '^threads_seen  *30 thread creations' "$work/out" || fail "no counter with its meaning"
grep -q ' THPFIX_GUARD=8192' "$work/out" || fail "no settings"

# Another build in the file's place, and no file at all.
cp /bin/true "$work/another"
mv "$work/another" "$copy"
expect_counters "$thpfix" stat
rm "$copy"
expect_counters "$thpfix" stat
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    end_all
    cp "$library" "$copy"
    chmod 755 "$work" "$copy"
    # Of an unprivileged user, whose file is gone as well.
    nobody() {
        exec setpriv --reuid 65534 --regid 65534 --clear-groups \
            env LD_PRELOAD="$copy" THPFIX=on THPFIX_GUARD=8192 "$@"
    }
    start nobody "$THPFIX_TEST_STACKS" 30 512 0 4
    rm "$copy"
    expect_counters setpriv --reuid 65534 --regid 65534 --clear-groups "$thpfix" stat
fi
end_all

# Without environment and descriptors.
LD_PRELOAD=$library THPFIX=on THPFIX_GUARD=8192 start "$THPFIX_TEST_STACKS" 30 512 0 4 hide
expect_counters "$thpfix" stat
end_all

# In other mount and PID namespaces, where the library has another name for us.
if [ "$(id -u)" -eq 0 ] && unshare --mount --pid --fork true 2>/dev/null; then
    mkdir "$work/inside"
    : >"$work/program"
    unshare --mount --pid --fork --kill-child sh -c '
        mount -t tmpfs none "$1" && cp "$2" "$1/libthpfix.so" &&
        LD_PRELOAD=$1/libthpfix.so THPFIX=on THPFIX_GUARD=8192 exec "$3" 30 512 0 4' \
        sh "$work/inside" "$library" "$THPFIX_TEST_STACKS" >"$work/program" 2>&1 &
    pid=$!
    started="$started $pid"
    await "$work/program" ready
    [ ! -e "$work/inside/libthpfix.so" ] || fail "not in a namespace of its own"
    outer=$pid
    pid=$(tr -d ' ' <"/proc/$outer/task/$outer/children")
    expect_counters "$thpfix" stat
    run 0 "$thpfix" inspect --json "$pid"
    expect_field 30 stacks count
    expect_field 0 stacks unknown
    kill -KILL "$pid"
    end_all
fi

# Not the library that this command knows.
start "$THPFIX_TEST_STACKS" 1 256 4 4
run 2 "$thpfix" stat "$pid"
expect_complaint "thpfix stat: libthpfix is not loaded in process $pid (see-stacks): start it with 'thpfix run'"
end_all
for other in version magic none; do
    mkdir "$work/$other"
    case $other in
    version) cp "$THPFIX_TEST_OTHER_VERSION" "$work/$other/libthpfix.so" ;;
    magic) cp "$THPFIX_TEST_OTHER_MAGIC" "$work/$other/libthpfix.so" ;;
    none) cp "$THPFIX_TEST_OTHER_NONE" "$work/$other/libthpfix.so" ;;
    esac
    LD_PRELOAD=$work/$other/libthpfix.so start "$THPFIX_TEST_STACKS" 1 256 4 4
    run 2 "$thpfix" stat "$pid"
    if [ "$other" = version ]; then
        expect_complaint "thpfix stat: $work/$other/libthpfix.so in process $pid has counters of version 99, this thpfix reads version 1: use the thpfix that came with it"
    else
        expect_complaint "thpfix stat: $work/$other/libthpfix.so in process $pid has no counters: it is no libthpfix that this thpfix knows"
    fi
    run 0 "$thpfix" inspect "$pid"
    expect_out "libthpfix:      loaded, but 'thpfix stat $pid' cannot read it"
    end_all
done

# --watch ends with the process, and at Ctrl-C, and both are good ends.
LD_PRELOAD=$library THPFIX=on start "$THPFIX_TEST_STACKS" 3 512 0 4
(
    sleep 1
    kill -KILL "$pid"
) &
run 0 "$thpfix" stat --watch 0.2 "$pid"
expect_err "thpfix stat: process $pid has ended"
grep -q 'PER SECOND' "$work/out" || fail "nothing but the first look"
LD_PRELOAD=$library THPFIX=on start "$THPFIX_TEST_STACKS" 3 512 0 4
run 0 timeout --preserve-status --signal=INT 1 "$thpfix" stat --watch 0.2 --json "$pid"
expect_silent
run 2 "$thpfix" stat --watch soon "$pid"
expect_complaint "thpfix stat: --watch: 'soon' is no number of seconds from 0.1 to 86400"
finish
