#!/bin/sh
# systemd-analyze verify has nothing to say of the unit files and drop-ins.
. "$(dirname "$0")/lib.sh"

command -v systemd-analyze >/dev/null || skip "no systemd-analyze here"

# A unit, or a drop-in of the unit that it is named after, as systemd would find them: alone, so
# that no other unit is looked at, and with programs that are here.
verify() {
    for file; do
        rm -rf "$work/units"
        mkdir -p "$work/units"
        case $file in
        *.conf)
            unit=$(basename "$file" .conf).service
            printf '[Service]\nExecStart=/bin/sh\n' >"$work/units/$unit"
            mkdir "$work/units/$unit.d"
            cp "$file" "$work/units/$unit.d"
            ;;
        *)
            unit=$(basename "$file")
            cp "$(dirname "$file")"/*.service "$work/units"
            cp "$file" "$work/units"
            sed -i 's,^\(Exec[A-Za-z]*=\)/[^ ]*,\1/bin/sh,' "$work/units"/*.service
            ;;
        esac
        for target in sysinit basic shutdown timers network multi-user; do
            echo '[Unit]' >"$work/units/$target.target"
        done
        SYSTEMD_UNIT_PATH=$work/units systemd-analyze verify --man=no "$unit" || return
    done
}

units=0
for file in "$examples"/*/*.service "$examples"/*/*.timer "$examples"/systemd/*.conf; do
    valid verify "$file"
    units=$((units + 1))
done
[ $units -ge 7 ] || fail "only $units units were found"
fault app.service 's/^ProtectSystem=strict/ProtectSystem=stricter/' verify
fault app.service 's/^Environment=/Enviroment=/' verify
fault thpfix-scan.timer 's/^OnActiveSec=.*/OnActiveSec=soon/' verify
fault nginx.conf 's/^Environment=/Environment="/' verify

# The variables are the library's.
for variable in $(grep -rhoE '\bTHPFIX[A-Z_]*=' "$examples/systemd" | sort -u | tr -d =); do
    grep -q "\"$variable\"" "$here/../../../shim/config.c" || fail "there is no variable $variable"
done

# The metric of the alert is one that is written.
metric=$(sed -n 's/^ *expr: *\([a-z_]*\).*/\1/p' "$examples/prometheus/alerts.yml")
grep -q "\"$metric\"" "$here/../../../shim/cli/scan_prometheus.c" || fail "there is no metric '$metric'"
finish
