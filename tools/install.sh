#!/bin/bash
# Installs the referee on a Raspberry Pi (64-bit Raspberry Pi OS, Bookworm or Trixie): sudo make install
#
# Safe to run again: it upgrades the program and keeps the table file. TABLE=one-oled|two-seats|four-seats takes a
# template instead of asking. ROOT=/some/folder installs below a folder, without users and services (for packaging).
set -euo pipefail
cd "$(dirname "$0")/.."

ROOT=${ROOT:-}
PREFIX=$ROOT/opt/table-referee
ETC=$ROOT/etc/table-referee
UNITS=$ROOT/etc/systemd/system
PACKAGES=(python3-venv python3-numpy python3-picamera2 python3-lgpio python3-spidev i2c-tools)
GROUPS_OF_REFEREE=(gpio i2c spi video)

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

check() {
    [ -n "$ROOT" ] || [ "$(id -u)" = 0 ] || die "Installing needs root rights: sudo make install"
    [ -n "$ROOT" ] || [ "$(dpkg --print-architecture 2>/dev/null)" = arm64 ] ||
        die "This is no 64-bit Raspberry Pi OS. On any other machine: make demo"
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        die "Python $(python3 -V) is too old: Raspberry Pi OS Bookworm or later is needed."
}

system_packages() {
    local missing=()
    for package in "${PACKAGES[@]}"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] || apt-get install -y --no-install-recommends "${missing[@]}"
}

# The versions that are tested, by their hashes. numpy is the system's: picamera2 is built on it, and another would break it.
program() {
    local release lock
    lock=$(mktemp)
    release=$(python3 -c 'import sys; print("bookworm" if sys.version_info < (3, 12) else "trixie")')
    sed '/^numpy==/,/[^\\]$/d' "requirements/$release.txt" > "$lock"
    [ -x "$PREFIX/bin/python" ] || python3 -m venv --system-site-packages "$PREFIX"
    pip() {
        "$PREFIX/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation "$@"
    }
    pip --require-hashes -r requirements/build.txt
    pip --require-hashes -r "$lock"
    pip --force-reinstall .
    rm -f "$lock"
    ln -sfn . "$PREFIX/current"  # where the units look for it
}

table_file() {
    mkdir -p "$ETC"
    [ ! -e "$ETC/table.toml" ] || return 0
    if [ -n "${TABLE:-}" ]; then
        install -m 644 "config/tables/$TABLE.toml" "$ETC/table.toml"
    elif [ -t 0 ]; then
        "$PREFIX/bin/referee" setup "$ETC/table.toml"
    else
        install -m 644 config/tables/two-seats.toml "$ETC/table.toml"
    fi
}

user() {
    getent passwd referee >/dev/null || useradd --system --user-group --home-dir /var/lib/referee --shell /usr/sbin/nologin referee
    for group in "${GROUPS_OF_REFEREE[@]}"; do
        getent group "$group" >/dev/null || groupadd --system "$group"
        usermod --append --groups "$group" referee
    done
}

units() {
    mkdir -p "$UNITS"
    find systemd -maxdepth 1 -type f \( -name '*.service' -o -name '*.target' -o -name '*.socket' \) \
        -exec install -m 644 -t "$UNITS" {} +
}

start() {
    systemctl daemon-reload
    systemctl enable referee.service
    systemctl restart referee.service
}

check
[ -n "$ROOT" ] || system_packages
program
table_file
units
if [ -z "$ROOT" ]; then
    user
    ln -sf "$PREFIX/bin/referee" /usr/local/bin/referee
    systemctl stop referee.service 2>/dev/null || true  # the doctor needs the pins and the camera for itself
    # A bus or a camera that hangs must not hang the installation.
    runuser -u referee -- timeout 120 "$PREFIX/bin/referee" doctor --table "$ETC/table.toml" || true
    start
    echo "Installed and running. Before the first match show the camera your pieces: docs/enrolling.md"
    echo "After a change of the wiring: sudo systemctl stop referee; sudo -u referee referee doctor"
fi
