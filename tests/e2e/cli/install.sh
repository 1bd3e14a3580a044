#!/bin/sh
# The command finds the library in a build tree, in an installation, and where that was
# moved to.
. "$(dirname "$0")/lib.sh"

# expect_library COMMAND PATH
expect_library() {
    run 0 "$1" run --dry-run -- true
    expect_silent
    expect_out "LD_PRELOAD=$2 true"
    run 0 "$1" run -- grep -qF "$2" /proc/self/maps
    expect_silent
}

expect_library "$thpfix" "$library"

run 0 "$THPFIX_TEST_CMAKE" --install "$THPFIX_TEST_BUILD" --prefix "$work/prefix"
bin=$THPFIX_TEST_BINDIR
lib=$THPFIX_TEST_LIBDIR
expect_library "$work/prefix/$bin/thpfix" "$work/prefix/$lib/libthpfix.so"

# Installed again, it is another file: programs that run have the old one mapped.
expect_same "the mode of the library" "$(stat -c %a "$work/prefix/$lib/libthpfix.so")" 644
ln "$work/prefix/$lib/libthpfix.so" "$work/old"
cp "$work/old" "$work/before"
run 0 "$THPFIX_TEST_CMAKE" --install "$THPFIX_TEST_BUILD" --prefix "$work/prefix"
expect_library "$work/prefix/$bin/thpfix" "$work/prefix/$lib/libthpfix.so"
expect_same "the number of names of the old library" "$(stat -c %h "$work/old")" 1
cmp -s "$work/old" "$work/before" || fail "the old library was changed"
[ ! -e "$work/prefix/$lib/thpfix.new" ] || fail "a directory is left"

mv "$work/prefix" "$work/moved"
expect_library "$work/moved/$bin/thpfix" "$work/moved/$lib/libthpfix.so"

# By way of a symbolic link, and of PATH.
mkdir "$work/links"
ln -s "$work/moved/$bin/thpfix" "$work/links/thpfix"
expect_library "$work/links/thpfix" "$work/moved/$lib/libthpfix.so"
run 0 env PATH="$work/links:$PATH" thpfix run --dry-run -- true
expect_out "LD_PRELOAD=$work/moved/$lib/libthpfix.so true"

# Other distributions' directories.
for directory in lib lib64 "lib/${THPFIX_TEST_TRIPLET:-none}"; do
    case $directory in
    */none) continue ;;
    esac
    mkdir -p "$work/x/$directory" "$work/x/bin"
    cp "$thpfix" "$work/x/bin"
    cp "$library" "$work/x/$directory"
    expect_library "$work/x/bin/thpfix" "$work/x/$directory/libthpfix.so"
    rm -r "$work/x"
done

# Nowhere.
mkdir -p "$work/alone/bin"
cp "$thpfix" "$work/alone/bin"
run 125 "$work/alone/bin/thpfix" run -- true
expect_complaint "thpfix run: cannot find libthpfix.so beside this command: install it, or name it \
with --library PATH"
run 0 "$work/alone/bin/thpfix" run --library "$library" -- true
expect_silent

# Without /proc nothing tells where the command is, and that is what it says.
if [ "$(id -u)" -eq 0 ] && unshare -m umount -l /proc 2>/dev/null; then
    # shellcheck disable=SC2016 # for the inner shell
    run 125 unshare -m sh -c 'umount -l /proc && exec "$@"' - "$thpfix" run -- true
    expect_complaint "thpfix run: cannot tell where this command is (/proc/self/exe: not there):\
 name the library with --library PATH"
    # shellcheck disable=SC2016
    run 0 unshare -m sh -c 'umount -l /proc && exec "$@"' - \
        "$thpfix" run --library "$library" -- true
    expect_silent
fi
finish
