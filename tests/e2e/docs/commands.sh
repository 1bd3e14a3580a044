#!/bin/sh
# The commands that README.md and the manual pages show are run, as they stand there: with a
# process to look at in place of PID, and stand-ins for programs that are not ours.
. "$(dirname "$0")/lib.sh"
stacks=$THPFIX_TEST_STACKS

# shown FILE: the lines in it that show a use of thpfix, without the words that explain them
shown() {
    case $1 in
    *.md) sed -n 's/^    //p' "$1" ;;
    *) sed -n '/^\.Bd -literal/,/^\.Ed/{/^\./d;p;}' "$1" ;;
    esac | sed 's/   .*//; s/^sudo //' | grep -E "^(thpfix |[A-Z_]+=.*libthpfix\.so)"
}

mkdir "$work/bin"
ln -s "$thpfix" "$work/bin/thpfix"
for name in java some-daemon; do
    # shellcheck disable=SC2016 # for the program
    printf '#!/bin/sh\necho "started with $LD_PRELOAD"\n' >"$work/bin/$name"
    chmod +x "$work/bin/$name"
done
PATH=$work/bin:$PATH

# A system with a service in it, and the library where packages put it.
system=$work/system
mkdir -p "$system/etc/systemd/system" "$system/usr/sbin" "$system/usr/lib"
cp "$library" "$system/usr/lib"
cp "$stacks" "$system/usr/sbin/mariadbd"
printf '[Service]\nExecStart=/usr/sbin/mariadbd\n' >"$system/etc/systemd/system/mariadb.service"

# run_shown LINE: $status is the command's own where the manual says that of it, else 1
# shellcheck disable=SC2016 # $LIB is not the shell's
run_shown() {
    echo "$1" | sed "s|\bPID\b|$pid|g
        s|/usr/\$LIB/libthpfix.so|$library|
        s|/var/lib/prometheus/node-exporter|$work|
        s|^thpfix systemd .*|& --root $system|" >"$work/line"
    sh "$work/line" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    case $1 in
    'thpfix check') [ $status -le 2 ] && [ ! -s "$work/err" ] ;;
    'thpfix systemd '*.service) [ $status -le 1 ] && [ ! -s "$work/err" ] ;;
    *' --check' | 'thpfix heal '*) [ $status -le 1 ] ;;
    *' java '* | *' some-daemon') [ $status -eq 0 ] && grep -q "^started with .*libthpfix.so" "$work/out" ;;
    *) [ $status -eq 0 ] ;;
    esac
}

start env LD_PRELOAD="$library" THPFIX_SITES=1 "$stacks" 4 64 4 8
for file in "$source/README.md" "$manuals"/*.[17]; do
    shown "$file" >"$work/shown"
    while read -r line; do
        what="${file##*/}: $line"
        run_shown "$line" || fail "exit status $status"
        echo "$line" >>"$work/all"
    done <"$work/shown"
done
what=documents
for command in $(list_commands); do
    [ "$command" = help ] || grep -q "^thpfix $command" "$work/all" || fail "no '$command' is shown"
done

what=controls
run_shown 'thpfix scan --no-such-option' && fail "an option that is none is not noticed"
run_shown 'thpfix nonsense PID' && fail "a command that is none is not noticed"
run_shown 'thpfix systemd no-such.service' && fail "a service that is none is not noticed"
run_shown 'thpfix check --nonsense' && fail "wrong usage of check is not noticed"
run_shown 'thpfix run --mode off -- echo java --' && fail "a program without the library is not noticed"
expect_same "what is shown in a text" "$(printf 'a thpfix b\n    thpfix c   for d\n    cmake\n' >"$work/x.md"
    shown "$work/x.md")" "thpfix c"
finish
