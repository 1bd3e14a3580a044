# shellcheck shell=bash
# The trees that matrix-* and package build against and run programs in; needs scripts/matrix-root.

# What a tree must have for the tests to run in it, and to build against it.
root_packages=(bash binutils coreutils dash diffutils findutils grep libc-bin libc6-dev libgcc-s1
    libstdc++6 libunwind8 mawk mount sed util-linux)

# The oldest is built against: it needs headers, those of C++ of a library that its own keeps up
# with, and what the command takes into itself. What asks for a tree asks for all of it, or the
# tree would be made anew each time.
tree_of() { # SUITE [ARCHITECTURE]; prints its path
    local more=()
    if [ "$1" = bullseye ]; then
        more=(libstdc++-10-dev libelf-dev libdw-dev libbz2-dev liblzma-dev zlib1g-dev libunwind-dev)
    fi
    scripts/matrix-root --suite "$1" --arch "${2:-amd64}" "${root_packages[@]}" "${more[@]}"
}

# How to build the command so that it runs beside every glibc from 2.17 on: against the oldest
# tree, the rest of what it needs taken in.
portable_options() { # TREE TRIPLET; one a line
    say --toolchain "$PWD/scripts/toolchain.cmake" "-DTHPFIX_TARGET=$2" "-DTHPFIX_SYSROOT=$1" \
        -DTHPFIX_PORTABLE=ON
}
