# shellcheck shell=bash
# What scripts/bench runs under each variant. Sourced by it.
#
# A piece is WORKLOAD/SIZE. What is measured goes to raw/WORKLOAD-SIZE.csv, a line for each:
# workload,size,variant,round,metric,value.

pieces_full() {
    local megabytes
    for megabytes in 1 2 8; do
        printf "spawn-${megabytes}m/%s\n" 100 300 1000 3000 5000 10000
    done
    printf 'depth-8m/%s\n' 16 32 64 128 256 512
    printf 'jvm-1m/%s\n' 1000 10000
    printf 'jvm-2m/%s\n' 1000 3000 10000
    say collapse-1m/2000 churn/1
    printf 'storm/%s\n' 1 10 100 1000
    say mix/1000 limit/40000
}

pieces_quick() {
    say spawn-1m/300 spawn-2m/100 spawn-2m/300 spawn-8m/300 depth-8m/64 jvm-2m/200 churn/1 \
        storm/50 mix/200
}

# HotSpot's own mitigation, for a program in C: a page more where the size is a multiple of the
# THP size, and a guard page. What it starts from has none, as HotSpot's threads.
stack_kib() { # VARIANT SIZE-KIB
    if [ "$1" = hotspot ] && [ $(($2 % 2048)) -eq 0 ]; then echo $(($2 + 4)); else echo "$2"; fi
}

guard_kib() { # VARIANT
    if [ "$1" = hotspot ]; then echo 4; else echo 0; fi
}

# Would that many huge pages leave the machine room to breathe?
fits() { # COUNT: of blocks of 2 MiB
    awk -v need=$(($1 * 2048)) '/^MemAvailable/ { exit !(need < $2 * 0.6) }' /proc/meminfo
}

stackload() { # VARIANT OPTION...
    run_variant "$1" "$build/tests/e2e/memory/stackload" "${@:2}"
}

run_spawn() { # VARIANT WORKLOAD THREADS
    local kib=${2#spawn-}
    kib=$((${kib%m} * 1024))
    # Without a remedy a stack of 2 MiB or more, with no guard, is resident at least that far.
    if [ "$1" = without ] && [ $kib -ge 2048 ] && ! fits "$3"; then return 0; fi
    stackload "$1" --threads "$3" --size "$(stack_kib "$1" $kib)K" --guard "$(guard_kib "$1")K"
}

# The stacks of native programs: a guard page, and more of it in use.
run_depth() { # VARIANT WORKLOAD KIB
    stackload "$1" --threads 500 --size "$(stack_kib "$1" 8192)K" --guard 4K --touch-kib "$3"
}

# A heap of one size, resident from the start, and nothing else that differs between runs.
jvm() { # VARIANT OPTION...
    local own=-
    [ "$1" != hotspot ] || own=+
    run_variant "$1" "$java" -Xms64m -Xmx64m -XX:+AlwaysPreTouch -XX:+UseSerialGC \
        -XX:+UnlockDiagnosticVMOptions "-XX:${own}THPStackMitigation" "${@:2}"
}

many_threads() { # VARIANT STACK THREADS SETTLE-SECONDS
    jvm "$1" "-Xss$2" -cp "$out/classes" ManyThreads "$3" "$4" \
        env -u LD_PRELOAD "$thpfix" inspect --json |
        awk '/^[a-z]/ { print }
            /"stacks"/ { inside = 1 }
            inside && /"resident_bytes"/ {
                gsub(/[^0-9]/, ""); print "stack_rss_kib=" $0 / 1024; inside = 0
            }'
}

run_jvm() { # VARIANT WORKLOAD THREADS
    if [ "$1" = without ] && [ "$2" = jvm-2m ] && ! fits "$3"; then return 0; fi
    many_threads "$1" "${2#jvm-}" "$3" 0
}

# Stacks of 1 MiB are whole at first; khugepaged could collapse two of them at a time, unless
# the JVM's guard zones keep them apart, which is what is to be seen here. It is made
# eager, so that what takes it a day otherwise takes seconds: more threads would take minutes.
run_collapse() { # VARIANT WORKLOAD THREADS
    case $1 in prctl | tunable*) return 0 ;; esac # no more than in the other JVMs
    if [ "$1" = without ] && ! fits $(($3 / 2)); then return 0; fi
    local -a thp_options=(--khugepaged-eager)
    many_threads "$1" 1m "$3" 5
}

run_churn() { # VARIANT
    [ "$1" != hotspot ] || return 0 # it has no part in that
    run_variant "$1" "$build/tests/bench/create_join" 20
}

run_storm() { # VARIANT WORKLOAD CREATORS
    local log=$out/safepoints seconds=2
    [ "$size" = full ] || seconds=1
    jvm "$1" -Xlog:safepoint:file="$log"::filecount=0 -cp "$out/classes" \
        ThreadStartStorm "$3" $seconds collect >"$out/storm" || return
    awk -f "$top/scripts/bench.d/safepoints.awk" "$out/storm" "$log"
}

run_mix() { # VARIANT WORKLOAD THREADS
    local heap=1024
    [ "$size" = full ] || heap=256
    run_variant "$1" "$build/tests/bench/service_mix" "$3" "$(stack_kib "$1" 2048)" \
        "$(guard_kib "$1")" $heap
}

# As many threads as there can be. Without a remedy memory is the limit, long before: not tried.
run_limit() { # VARIANT WORKLOAD THREADS
    [ "$1" != without ] || return 0
    stackload "$1" --threads "$3" --size "$(stack_kib "$1" 2048)K" --guard "$(guard_kib "$1")K"
}

# More of those that are over in milliseconds, where chance is most of the difference.
rounds_of() { # WORKLOAD SIZE
    local many=5
    if [ "$size" = full ]; then
        case $1 in
        spawn-*) many=$(($2 <= 300 ? 21 : $2 <= 1000 ? 15 : $2 <= 5000 ? 11 : 5)) ;;
        churn | depth-*) many=15 ;;
        mix | limit) many=7 ;;
        esac
    fi
    echo $many
}

prepare_classes() {
    [ ! -e "$out/classes/ManyThreads.class" ] || return 0
    "$javac" -d "$out/classes" "$top/tests/bench/ManyThreads.java" \
        "$top/examples/ThreadStartStorm.java"
}

needs_java() { # WORKLOAD
    case $1 in jvm-* | collapse-* | storm) ;; *) return 1 ;; esac
}

run_piece() { # VARIANT WORKLOAD SIZE
    local status=0
    "run_${2%%-*}" "$@" >"$out/output" || status=$?
    [ $status -eq 0 ] || die "$2/$3: status $status of $1"
}

measure_piece() { # WORKLOAD SIZE
    local round rounds variant raw=$out/raw/$1-$2.csv turns
    rounds=$(rounds_of "$1" "$2")
    if needs_java "$1"; then
        if [ -z "$javac" ]; then
            warn "no JDK here: $1/$2 is left out"
            return
        fi
        prepare_classes
    fi
    : >"$raw.new"
    for ((round = 1; round <= rounds; round++)); do
        # Every other round backwards. Whoever comes after gigabytes of huge pages finds the
        # machine as they left it: without a remedy is last, and a run that does not count follows.
        turns=("${variants[@]}")
        if ((round % 2 == 0)); then
            mapfile -t turns < <(printf '%s\n' "${variants[@]}" | tac)
        fi
        case $1 in storm | collapse-*) ;; *) run_piece floor "$@" ;; esac
        for variant in "${turns[@]}" without; do
            [ ! -t 2 ] || printf '\r%-60s' "$1/$2: round $round of $rounds, $variant" >&2
            run_piece "$variant" "$@"
            sed -n "s/^\([a-z_]*\)=\(-\{0,1\}[0-9.]*\)\$/$1,$2,$variant,$round,\1,\2/p" "$out/output" \
                >>"$raw.new"
        done
    done
    [ ! -t 2 ] || printf '\r%60s\r' '' >&2
    mv "$raw.new" "$raw"
    rm -f "$out/output" "$out/storm" "$out/safepoints"
}
