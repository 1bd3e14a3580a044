# shellcheck shell=bash
# Functions that the scripts share: messages, root, packages, children.

say() { # LINE...
    printf '%s\n' "$@"
}

warn() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
    warn "$*"
    exit 1
}

# Can we become root without asking? At a terminal sudo may ask.
can_be_root() {
    [ "$(id -u)" -eq 0 ] && return
    command -v sudo >/dev/null || return
    [ -t 0 ] || sudo -n true 2>/dev/null
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

# What of the list is missing, as package names. An entry is PACKAGE, or COMMAND:PACKAGE
# where it does not matter which package brings the command.
missing_packages() {
    local entry
    for entry; do
        case $entry in
        *:*)
            command -v "${entry%%:*}" >/dev/null || say "${entry#*:}"
            ;;
        *)
            # Without dpkg nothing can be said about libraries; CMake will.
            command -v dpkg-query >/dev/null || continue
            case $(dpkg-query -W -f '${db:Status-Status}' "$entry" 2>/dev/null) in
            installed) ;;
            *) say "$entry" ;;
            esac
            ;;
        esac
    done
}

# Installs what of the list is missing. Fails, with the remedy said, where that cannot be.
install_packages() {
    local -a missing install
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        warn "no apt-get here; install what Debian calls: ${missing[*]}"
        return 1
    fi
    if ! can_be_root; then
        warn "not root; first run: apt-get install --no-install-recommends ${missing[*]}"
        return 1
    fi
    say "Installing ${missing[*]}"
    install=(as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y
        -o DPkg::Lock::Timeout=120 --no-install-recommends install "${missing[@]}")
    # The lists of packages are fetched only if those at hand do not do.
    "${install[@]}" >/dev/null 2>&1 && return
    as_root apt-get -qq -o DPkg::Lock::Timeout=120 update || true
    if ! "${install[@]}" >/dev/null; then
        warn "could not install: ${missing[*]}"
        return 1
    fi
}

# Runs a command in a session of its own, so that all of it can be ended, and waits.
child=
run_child() {
    local status=0
    setsid "$@" </dev/null &
    child=$!
    wait "$child" || status=$?
    child=
    return "$status"
}

end_child() {
    [ -z "$child" ] || kill -TERM -- "-$child" 2>/dev/null || true
}

# Ends the running child on a signal, waits for it (it may have things to put back) and
# ends by the same signal.
end_on_signals() {
    local signal
    for signal in HUP INT TERM; do
        # shellcheck disable=SC2064 # the signal is this one
        trap "trap - $signal; end_child; wait; kill -$signal \$\$" "$signal"
    done
}
