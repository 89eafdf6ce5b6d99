#!/bin/sh
# Makes or completes a virtual environment: tools/venv.sh PYTHON FOLDER LOCK
# Nothing is fetched that is there already, so where nothing is missing no network is needed.
set -eu
python=$1
folder=$2
lock=$3

say() {
    printf '%s\n' "$*" >&2
}

command -v "$python" >/dev/null || {
    say "There is no $python. Once, with root rights: apt install python3 python3-venv"
    exit 1
}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    say "$python is older than 3.11. Name a newer one: make PYTHON=python3.13 ..."
    exit 1
}
"$python" -c 'import ensurepip, venv' 2>/dev/null || {
    say "$python cannot make virtual environments. Once, with root rights: apt install python3-venv"
    exit 1
}
"$folder/bin/python" -m pip --version >/dev/null 2>&1 || { # also one that was left half made
    say "Making $folder ..."
    "$python" -m venv "$folder"
}
pip() {
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation "$@"
}

locked() {  # LOCK: all that it names, and only files whose hashes stand there
    say "Installing what $1 names (packages: $(grep -c '^[a-z0-9]' "$1")) ..."
    pip --require-hashes -r "$1"
}

# What wheels are built with comes first: pip would otherwise fetch it by itself, at any version.
{ locked requirements/build.txt && locked "$lock"; } || {
    say "Not everything that $lock names could be installed: see above. With a network, the same command goes on."
    exit 1
}
say "Installing the table referee itself, and its extensions ..."
pip -e .
for extension in extensions/*/; do
    pip -e "$extension"
done
case $lock in *develop*)
    # Without libcamera; the tests run it over a stand-in of that.
    locked requirements/picamera2.txt ||
        say "picamera2 cannot be had here: the tests of the Pi camera will be skipped."
    ;;
esac
