#!/bin/sh
# command_outcome.sh COMMAND READELF: what the portable command needs, with its outcome as lines: of
# libraries those of glibc, and no symbol of a glibc later than 2.17.
command=$1 readelf=$2
failed=0

outcome() { # NAME FOUND
    if [ -z "$2" ]; then
        echo "PASS $1"
    else
        echo "FAIL $1: $(echo "$2" | tr "\n" " ")"
        failed=1
    fi
}

needed=$("$readelf" --wide --dynamic "$command" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
versions=$("$readelf" --wide --version-info "$command" | grep -oE '\bGLIBC_[0-9.]+' | sort -Vu)
outcome "command: needs glibc alone" \
    "$(echo "${needed:-nothing}" | grep -vE '^(libc\.so\.6|lib(dl|pthread)\.so\.[0-9]|ld-linux.*)$')"
outcome "command: no symbol of a later glibc than 2.17" "$(
    # sed does not look for the end of a range in its first line.
    printf '%s\n' GLIBC_0 GLIBC_2.17 "${versions:-none}" | sort -Vu | sed '1,/^GLIBC_2\.17$/d'
)"
exit $failed
