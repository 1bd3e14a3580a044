# The drop-ins that `thpfix systemd --install` made go before the library that they name, so
# that no service starts with a line about a library that is not there. Put at the place
# marked in the maintainer scripts of each package.
remove_drop_ins() {
    removed=
    for drop_in in /etc/systemd/system/*.d/thpfix.conf /etc/systemd/user/*.d/thpfix.conf; do
        [ -f "$drop_in" ] || continue
        case $(head -n 1 "$drop_in") in
        '# Made by thpfix systemd --install'*) ;;
        *) continue ;;
        esac
        rm -f -- "$drop_in" || continue
        rmdir -- "${drop_in%/*}" 2>/dev/null || true
        echo "thpfix: removed $drop_in"
        removed=1
    done
    if [ -n "$removed" ] && [ -d /run/systemd/system ]; then
        systemctl daemon-reload || true
    fi
}

# Programs that have the library go on with it; only a new start is without.
name_services() {
    for maps in /proc/[0-9]*/maps; do
        grep -qs '/libthpfix\.so' "$maps" || continue
        sed -n 's|.*/\([^/]*\.service\).*|\1|p' "$(dirname "$maps")/cgroup" 2>/dev/null
    done | sort -u | sed 's|.*|thpfix: & has the library until: systemctl restart &|'
}
