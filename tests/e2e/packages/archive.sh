#!/bin/sh
# The archive works wherever it is unpacked, and after it was moved.
. "$(dirname "$0")/lib.sh"

mkdir -p "/opt/a b" /usr/local/bin
cp "$test"/service /usr/local/bin/demo
list_files >/tmp/before
tar -xzf "$test"/1/thpfix-*.tar.gz -C /opt
directory=$(echo /opt/thpfix-*)
run '0 1' "archive: thpfix check" "$directory/bin/thpfix" check
run 0 "archive: thpfix run" "$directory/bin/thpfix" run -- grep -F "$directory/lib/libthpfix.so" \
    /proc/self/maps
mv "$directory" /opt/moved
run 0 "archive: thpfix run, from another place" /opt/moved/bin/thpfix run -- \
    grep -F /opt/moved/lib/libthpfix.so /proc/self/maps
mv /opt/moved/lib/libthpfix.so /opt/moved/lib/gone
run 125 "control: without the library it does not run" /opt/moved/bin/thpfix run -- true
rm -r /opt/moved
expect_clean "archive: nothing was written elsewhere" /tmp/before
finish
