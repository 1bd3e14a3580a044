# shellcheck shell=bash
# What the matrix-* scripts share: builds, and the lists of tests made from them.

# The caller's settings are no part of the tests, but for those of the scripts themselves.
for variable in LD_PRELOAD GLIBC_TUNABLES JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS "${!THPFIX@}"; do
    case $variable in
    THPFIX_ROOTS | THPFIX_MIRROR) ;;
    *) unset "$variable" ;;
    esac
done
export LC_ALL=C

matrix=$PWD/build/matrix
. scripts/trees.sh

# Builds as much as can be into $matrix/NAME. The log is shown only where something cannot.
matrix_build() { # NAME CMAKE_OPTION...
    local build=$matrix/$1
    shift
    mkdir -p "$build"
    # It remembers where in a tree things were found, and the trees may lie elsewhere now.
    rm -f "$build/CMakeCache.txt"
    run_child cmake -S . -B "$build" -G Ninja "$@" >"$build/log" 2>&1 &&
        run_child cmake --build "$build" -j "$(nproc)" -- -k 0 >>"$build/log" 2>&1 && return
    grep -A 12 -E 'CMake Error|^FAILED|error:' "$build/log" | tail -n 40
    warn "not everything could be built; see $build/log"
    return 1
}

# The library as it would be released, and the command.
matrix_build_host() {
    matrix_build host -DTHPFIX_UNIT_TESTS=OFF
}

# The tests of a build as a list for run_list.sh; prints its path.
matrix_list() { # NAME
    local build=$matrix/$1
    ctest --test-dir "$build" --show-only=json-v1 >"$build/tests.json"
    cmake -DTESTS="$build/tests.json" -DLIST="$build/tests.sh" -P tests/e2e/matrix/list_tests.cmake
    say "$build/tests.sh"
}

# Shows the outcomes that a command prints as those of SUITE. Its status is kept.
matrix_outcomes() { # SUITE COMMAND...
    local suite=$1 out=$matrix/$1.out status=0
    shift
    run_child "$@" >"$out" 2>&1 || status=$?
    sed -E "s/^(PASS|FAIL|SKIP) /\1 $suite /" "$out"
    # One that did not come to the point where it says what failed.
    [ $status -eq 0 ] || grep -q '^FAIL ' "$out" || say "FAIL $suite: ended with status $status"
    return $status
}
