# shellcheck shell=bash
# What scripts/bench compares, and how a command is run under each. Sourced by it.
#
#   without        nothing: THP always
#   library        THP always and libthpfix
#   hotspot        THP always and what HotSpot does by itself: the caller passes its sizes
#   floor          THP madvise: what an administrator can set who may
#   prctl          THP always, and PR_SET_THP_DISABLE for the program, as systemd's MemoryTHP= does
#   tunable        THP always and glibc.pthread.stack_hugetlb=0, in a tree with a glibc that knows it
#   tunable_floor  THP madvise in that tree, for tunable is compared with its own C library

root_packages=(bash coreutils dash libc-bin libgcc-s1 libstdc++6 zlib1g libdw1t64 libelf1t64
    libsmartcols1)

prepare_build() {
    if [ ! -e "$build/tests/bench/service_mix" ]; then
        [ "$build" = "$top/build/release" ] || die "$build is no build with tests: see --build"
        install_packages cc:gcc libc6-dev cmake:cmake ninja:ninja-build pkg-config:pkg-config \
            libelf-dev || true
        say "Building into build/release"
        (cd "$top" && cmake --preset release -DTHPFIX_UNIT_TESTS=OFF &&
            cmake --build --preset release) >"$out/build.log" 2>&1 || die "cannot build: see $out/build.log"
    fi
    build=$(realpath "$build")
    with_thp=$build/tests/fixtures/with_thp
    fixture=$build/tests/fixtures/legacy_kernel.so
    library=$build/shim/libthpfix.so
    thpfix=$build/shim/cli/thpfix
    [ -e "$fixture" ] || die "the fixture that takes the exemption of stacks away is for x86-64 only"
    "$with_thp" -- true || exit $?
}

prepare_variants() {
    # By the path that it has in the tree, too.
    java=$(realpath -e "$(command -v java)" 2>/dev/null || true)
    javac=$(command -v javac || true)
    variants=(floor library hotspot prctl) # and without, always last
    root=
    [ -n "$root_wanted" ] || return 0
    if root=$(THPFIX_ROOTS=${THPFIX_ROOTS:-$top/build/roots}/bench \
        "$top/scripts/matrix-root" --suite trixie "${root_packages[@]}"); then
        variants+=(tunable_floor tunable)
    else
        warn "Debian 13's C library cannot be had: the tunable is left out"
    fi
}

# The JVM of this machine, its settings and what is measured, as seen in the tree.
run_in_root() { # MODE COMMAND...
    local mode=$1 directories=("$build" "$top" "$out")
    shift
    if [ -n "$java" ]; then
        directories+=(/usr/lib/jvm)
        mapfile -t -O ${#directories[@]} directories < <(compgen -G '/etc/java-*')
    fi
    "$with_thp" --enabled "$mode" "${thp_options[@]}" -- \
        "$top/tests/e2e/matrix/in_root.sh" "$root" "${directories[@]}" -- "$@"
}

run_here() { # MODE COMMAND...
    local mode=$1
    shift
    "$with_thp" --enabled "$mode" "${thp_options[@]}" -- "$@"
}

thp_options=()
run_variant() { # VARIANT COMMAND...
    local variant=$1
    shift
    case $variant in
    without | hotspot) run_here always env LD_PRELOAD="$fixture" "$@" ;;
    library) run_here always env LD_PRELOAD="$library:$fixture" THPFIX=on "$@" ;;
    floor) run_here madvise env LD_PRELOAD="$fixture" "$@" ;;
    prctl) run_here always "$build/tests/bench/thp_disabled" env LD_PRELOAD="$fixture" "$@" ;;
    tunable)
        run_in_root always env LD_PRELOAD="$fixture" \
            GLIBC_TUNABLES=glibc.pthread.stack_hugetlb=0 "$@"
        ;;
    tunable_floor) run_in_root madvise env LD_PRELOAD="$fixture" "$@" ;;
    esac
}

libc_version() { # [IN-ROOT...]
    "$@" ldd --version | sed -n '1s/.* //p'
}

describe_machine() {
    say key,value "commit,$(git -C "$top" rev-parse --short HEAD 2>/dev/null || echo unknown)" \
        "date,$(date -u +%Y-%m-%d)" "kernel,$(uname -r)" "cpus,$(nproc)" \
        "cpu,$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 | tr -d ,)" \
        "memory_gib,$(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' /proc/meminfo)" \
        "glibc,$(libc_version env)" "size,$size" \
        "max_map_count,$(cat /proc/sys/vm/max_map_count)" "pid_max,$(cat /proc/sys/kernel/pid_max)"
    say "stacks_exempt,$("$thpfix" check --json | sed -n 's/.*"stacks_exempt": \([a-z]*\).*/\1/p')"
    [ -z "$root" ] || say "tunable_glibc,$(libc_version run_in_root madvise)"
    [ -z "$java" ] || say "java,$("$java" -version 2>&1 | sed -n 's/.*version "\([^"]*\)".*/\1/p')"
}
