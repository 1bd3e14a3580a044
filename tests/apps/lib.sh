# shellcheck shell=bash disable=SC2034,SC2154 # variables shared with the scripts
# Runs one real program without the library and with it, and compares. Sourced by the scripts
# of this directory, which scripts/apps runs; needs THPFIX_BUILD (a build directory) and APPS_DIR
# (for results) in the environment.
#
# A script sets
#   version, workload   for the table
#   control=huge        without the library huge pages in stacks are certain, and must be seen;
#   control=rss         they are, but split again by the program: the RSS must tell;
#   control=REASON      why they are not certain
#   harmless=REGEX      lines of the program's log that look like errors and are none
# and defines app, which runs the program once, in an empty directory, under set -e: start or
# program it, drive it, and leave what must be the same both times in the file answers. What
# prepare does, where it is defined, is done before, once, in $scratch. The script's last line is:
# run_app "$@".

: "${THPFIX_BUILD:?}" "${APPS_DIR:?}"
script=$(realpath "$0")
apps=${script%/*}
name=$(basename "$script" .sh)
scratch=$APPS_DIR/$name
control=huge
harmless='^$'
started=()

# glibc's default stack in KiB, guard excluded. With the guard 4 MiB, which Linux 6.7 and
# later align: the top of every stack lies in a whole huge page, by construction.
aligned_stack_kib=4092

skip() {
    echo "SKIP: $*"
    exit 77
}

fail() {
    echo "FAIL: $name: $*"
    exit 1
}

need() { # COMMAND:PACKAGE…
    local entry
    for entry; do
        command -v "${entry%:*}" >/dev/null ||
            skip "${entry%:*} is not here (Debian package ${entry#*:})"
    done
}

# Nothing of what a driver said may look like this.
none_in() { # REGEX FILE
    local found
    found=$(grep -m 1 -iE "$1" "$2") || return 0
    fail "$2 says: $found"
}

# Waits until a command succeeds, as long as the program lives.
await() { # PID COMMAND…
    local pid=$1 tries=0
    shift
    until "$@" >/dev/null 2>&1; do
        kill -0 "$pid" 2>/dev/null || fail "the program ended early: $(tail -n 3 log)"
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || fail "waited in vain for: $*"
        sleep 0.1
    done
}

# Only the program gets the library and the fixture, not those who drive it.
preloaded() { # COMMAND…
    local preload=$THPFIX_BUILD/tests/fixtures/legacy_kernel.so${allocator:+:$allocator}
    if [ "$run" = with ]; then
        exec env LD_PRELOAD="$THPFIX_BUILD/shim/libthpfix.so:$preload" THPFIX=on "$@"
    fi
    exec env LD_PRELOAD="$preload" "$@"
}

# In the background, in a session of its own; sets pid. stdout and stderr go to log.
start() { # COMMAND…
    (preloaded setsid "$@") >>log 2>&1 </dev/null &
    pid=$!
    started+=("$pid")
}

# Is a server listening on a port of 127.0.0.1?
listening() { # PORT
    (exec 4<>"/dev/tcp/127.0.0.1/$1")
}

# Ends a server in its own way, and wants it to end well.
stop() { # PID [SIGNAL]
    local status=0
    kill -"${2:-TERM}" "$1"
    wait "$1" || status=$?
    [ $status -eq 0 ] || fail "status $status at the end: $(tail -n 3 log)"
}

# A program that prints answers and then "ready", keeps its threads, and ends with its input.
program() { # COMMAND…
    local status=0
    mkfifo input
    (preloaded "$@") >answers 2>>log <input &
    pid=$!
    started+=("$pid")
    exec 3>input
    await "$pid" grep -qx ready answers
    measure "$pid"
    exec 3>&-
    wait "$pid" || status=$?
    [ $status -eq 0 ] || fail "status $status: $(tail -n 3 log)"
}

# Huge pages in the mappings that threads run in, the first thread's excepted, by the kernel
# alone: "KIB THREADS". The stack pointer is the last but one word of syscall. A mapping can go
# on above the stack (the heap's, for one), and is left out where all its whole blocks lie there.
kernel_says() { # PID
    local task pointer
    for task in /proc/"$1"/task/*; do
        [ "${task##*/}" != "$1" ] || continue
        pointer=$(awk 'NF > 2 { print $(NF - 1) }' "$task/syscall" 2>/dev/null) || continue
        [ -z "$pointer" ] || echo "pointer ${pointer#0x}"
    done | awk -v thp="$(cat /sys/kernel/mm/transparent_hugepage/hpage_pmd_size)" '
        function number(hex, value, i) {
            value = 0
            for (i = 1; i <= length(hex); i++)
                value = value * 16 + index("123456789abcdef", substr(hex, i, 1))
            return value
        }
        $1 == "pointer" { pointers[++count] = number($2); next }
        $1 ~ /^[0-9a-f]+-[0-9a-f]+$/ {
            split($1, range, "-")
            first = number(range[1]); end = number(range[2]); mine = 0
            block = int((first + thp - 1) / thp) * thp
            for (i = 1; i <= count && !mine; i++)
                mine = pointers[i] >= block && pointers[i] < end
        }
        $1 == "AnonHugePages:" && mine { kib += $2 }
        END { print kib + 0, count + 0 }' - /proc/"$1"/smaps
}

# Both views of the program's stacks now, and its RSS, as key=value into the file seen.
measure() { # PID
    local kernel json stacks
    kernel=$(kernel_says "$1")
    json=$("$THPFIX_BUILD/shim/cli/thpfix" inspect --json "$1" | tr -d '\n ')
    stacks=$(sed -n 's/.*"stacks":{\([^}]*\)}.*/\1/p' <<<"$json")
    {
        echo "threads=${kernel#* }"
        echo "kernel_huge_kib=${kernel% *}"
        echo "inspect_threads=$(sed -n 's/.*"count":\([0-9]*\).*/\1/p' <<<"$stacks")"
        echo "inspect_huge_bytes=$(sed -n 's/.*"huge_bytes":\([0-9]*\).*/\1/p' <<<"$stacks")"
        echo "loaded=$(sed -n 's/.*"loaded":\([a-z]*\).*/\1/p' <<<"$json")"
        echo "rss_kib=$(awk '/^VmRSS:/ { print $2 }' "/proc/$1/status")"
    } >seen
}

seen() { # RUN KEY
    sed -n "s/^$2=//p" "$scratch/$1/seen"
}

error_lines() { # RUN
    grep -viE "$harmless" "$scratch/$1/log" |
        grep -iE 'error|fatal|panic|\b(emerg|alert|crit)\b|abort|assert|fault\b|exception|cannot|failed|thpfix' ||
        true
}

judge() {
    local huge key
    for key in loaded threads rss_kib inspect_huge_bytes kernel_huge_kib; do
        [ -n "$(seen without $key)" ] && [ -n "$(seen with $key)" ] || fail "no $key was measured"
    done
    errors=$(error_lines with | wc -l)
    [ "$errors" -eq 0 ] || fail "error lines: $(error_lines with | head -n 3)"
    [ "$(seen with loaded)" = true ] || fail "the library was not loaded"
    [ "$(seen without loaded)" = false ] || fail "the library was loaded in the control"
    [ "$(seen with threads)" -gt 0 ] || fail "no thread's stack was found"
    [ -s "$scratch/without/answers" ] || fail "no answers to compare"
    cmp "$scratch/without/answers" "$scratch/with/answers" || fail "other answers with the library"
    [ "$(seen with inspect_huge_bytes)" -eq 0 ] || fail "inspect: huge pages in stacks"
    [ "$(seen with kernel_huge_kib)" -eq 0 ] || fail "smaps: huge pages in stacks"
    huge=$(seen without kernel_huge_kib)
    case $control in
    huge) [ "$huge" -gt 0 ] || fail "control: no huge page in a stack without the library" ;;
    rss) [ "$(seen without rss_kib)" -gt $((3 * $(seen with rss_kib) / 2)) ] ||
        fail "control: the RSS without the library is not half as much again" ;;
    esac
}

row() { # WORDS FOR THE LAST COLUMN
    printf '%s\t' "$name" "$version" "$workload" "$errors" \
        "$(($(seen without kernel_huge_kib) / 1024)) -> $(($(seen with kernel_huge_kib) / 1024))" \
        "$(($(seen without rss_kib) / 1024)) -> $(($(seen with rss_kib) / 1024))"
    printf '%s\n' "$1"
}

end_started() {
    local one
    for one in "${started[@]}"; do
        kill -KILL -- "-$one" 2>/dev/null || kill -KILL "$one" 2>/dev/null || true
    done
}

run_app() { # [compare | without | with]
    local each
    case ${1-} in
    without | with)
        run=$1
        rm -rf "${scratch:?}/$run"
        mkdir -p "$scratch/$run"
        cd "$scratch/$run"
        : >log
        trap end_started EXIT
        trap 'exit 143' HUP INT TERM
        set -eu
        app
        ;;
    compare)
        for each in without with; do
            "$script" $each || fail "$each the library: $(tail -n 5 "$scratch/$each/log")"
        done
        judge
        case $control in
        huge | rss) row "" ;;
        *) row "no control: $control" ;;
        esac >"$scratch/row"
        ;;
    *)
        [ -e "$THPFIX_BUILD/tests/fixtures/legacy_kernel.so" ] ||
            skip "the older kernel can be had on x86-64 only"
        mkdir -p "$scratch"
        rm -f "$scratch/row"
        if declare -F prepare >/dev/null; then
            (cd "$scratch" && prepare) || fail "could not be prepared"
        fi
        exec "$THPFIX_BUILD/tests/fixtures/with_thp" --enabled always -- "$script" compare
        ;;
    esac
}
