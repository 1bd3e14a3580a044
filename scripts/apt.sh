# shellcheck shell=bash
# apt for other releases and architectures than this machine's. Sourced by the scripts that
# need packages of those.

# The mirror in the machine's own apt sources, of either format.
host_mirror() {
    apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk '$3 == "main" && $2 !~ /-(security|updates|backports)/ && !n++ { print $1 }'
}

# Makes DIR the configuration of apt for one suite, and fetches its package lists.
private_apt_update() { # DIR ARCH SUITE MIRROR
    local dir=$1 arch=$2 suite=$3 mirror=$4 options=
    local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    mkdir -p "$dir"/{lists,archives}/partial
    # Beside it lies the lock: /dev/null would be everybody's.
    : >"$dir/status"
    [ ! -e $keyring ] || options="[signed-by=$keyring] "
    printf 'deb %s%s %s main\n' "$options" "$mirror" "$suite" >"$dir/sources.list"
    private_apt "$dir" "$arch" apt-get update --error-on=any
}

# With a configuration of its own: the machine's sources, lists and package state stay
# untouched; its proxy and authentication settings still apply.
private_apt() { # DIR ARCH PROGRAM ARG...
    local dir=$1 arch=$2 program=$3
    shift 3
    "$program" -q -o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
        -o Dir::State::lists="$dir/lists" -o Dir::State::status="$dir/status" -o Dir::Cache="$dir" \
        -o APT::Architecture="$arch" -o APT::Architectures::="$arch" -o APT::Sandbox::User=root \
        -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}
