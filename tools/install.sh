#!/bin/bash
# For developers: builds the package of this machine from this checkout, and installs it (docs/install.md).
#
#   sudo make install      TABLE=one-oled|two-seats|four-seats takes a template instead of asking
#   sudo make rollback     the version before runs again
#   sudo make uninstall    PURGE=yes removes matches, pictures and the table file, too
#
# Only apt and dpkg work as root; what is fetched, checked and built is so by who called sudo. Killed at any moment, the referee
# that ran goes on: nothing of it is touched before the new version lies complete beside it.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

BUILD=(python3-venv python3-numpy)
ALONGSIDE=(python3-lgpio python3-picamera2 i2c-tools)
TABLE_FILE=/etc/table-referee/table.toml
TOOLS=var/package/tools

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

check() {
    local release
    [ "$(id -u)" = 0 ] || die "Installing needs root rights: sudo make ${1:-install}"
    command -v dpkg-deb > /dev/null || die "This is no Debian, nor made of it. On any other machine: make demo"
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    case $release in
    bookworm | trixie) ;;
    *) die "This is Debian ${release:-without a name}: Bookworm or Trixie is needed. On any other machine: make demo" ;;
    esac
    case $(dpkg --print-architecture) in
    arm64 | amd64) ;;
    *) die "This system has 32 bits: Raspberry Pi OS with 64 bits is needed." ;;
    esac
}

# Packages that are there need no network. What only Raspberry Pi OS has is no error elsewhere.
system_packages() {
    local each missing=()
    for each in "${BUILD[@]}"; do
        there "$each" || missing+=("$each")
    done
    for each in "${ALONGSIDE[@]}"; do
        there "$each" || { known "$each" && missing+=("$each"); } || echo "There is no package $each here: it is left out."
    done
    [ ${#missing[@]} -eq 0 ] || get "${missing[@]}"
}

# Another apt may be at work, as after the first start of a machine.
get() {
    apt-get install -o DPkg::Lock::Timeout=300 -y --no-install-recommends "$@"
}

there() {
    dpkg-query -W -f='${Status}' "$1" 2> /dev/null | grep -q 'ok installed'
}

known() {
    LC_ALL=C apt-cache policy "$1" 2> /dev/null | grep -q 'Candidate: [^(]'  # apt translates it
}

as_caller() {
    if [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]; then
        sudo -H -u "$SUDO_USER" -- "$@"
    else
        "$@"
    fi
}

# With a mark that grows, a build of the same version counts as a newer one.
package() {
    as_caller python3 -m venv --system-site-packages "$TOOLS"
    as_caller "$TOOLS/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
        --require-hashes -r requirements/package.txt
    # Not below /tmp: that may be kept in memory, of which a small computer has too little.
    as_caller rm -rf var/package/built var/package/tmp
    as_caller mkdir -p var/package/tmp
    as_caller env TMPDIR="$PWD/var/package/tmp" "$TOOLS/bin/python" -m tools.package --local "dev$(date -u +%Y%m%d%H%M%S)" --out var/package/built
}

# The questions of `referee setup`, and what answers of what was said; the doctor needs the pins and the camera for itself.
# A bus or a camera that hangs must not hang the installation.
ask() {
    referee setup --overwrite "$TABLE_FILE" || true
    systemctl stop referee.service
    runuser -u referee -- timeout 120 referee doctor || true
    systemctl start referee.service
}

install_package() {
    check
    sh tools/package/debian/preinst install # it refuses what an older installer has left, and says what to do
    [ -z "${TABLE:-}" ] || [ -f "config/tables/$TABLE.toml" ] ||
        die "There is no table $TABLE in config/tables: $(basename -s .toml config/tables/*.toml | tr '\n' ' ')"
    system_packages
    package
    local first=
    if [ ! -e "$TABLE_FILE" ]; then
        first=yes
        # The package leaves alone what is there.
        [ -z "${TABLE:-}" ] || install -D -m 644 "config/tables/$TABLE.toml" "$TABLE_FILE"
    fi
    DEBIAN_FRONTEND=noninteractive get ./var/package/built/*.deb
    if [ "$first" = yes ] && [ -z "${TABLE:-}" ] && [ -t 0 ]; then ask; fi
    if [ -e "$TABLE_FILE" ] && cmp -s "$TABLE_FILE" config/tables/two-seats.toml && [ -z "${TABLE:-}" ]; then
        echo "The table file is the template of two seats. To say what is wired: sudo referee setup, then sudo systemctl restart referee"
    fi
    echo "Before the first match show the camera your pieces: docs/enrolling.md"
}

case ${1:-install} in
install) install_package ;;
rollback)
    check rollback
    referee-version back
    ;;
uninstall)
    check uninstall
    if [ "${PURGE:-}" = yes ]; then apt-get purge -y table-referee; else apt-get remove -y table-referee; fi
    ;;
*) die "usage: tools/install.sh [install | rollback | uninstall]" ;;
esac
