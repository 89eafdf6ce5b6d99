#!/bin/sh
# Makes the virtual environment that `make demo`, `make test` and CI use: tools/venv.sh PYTHON FOLDER
set -eu
python=$1
folder=$2

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
[ -x "$folder/bin/python" ] || "$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements.lock
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -e .
# Without libcamera it cannot be imported, but the camera adapter is checked against its signatures.
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps picamera2==0.3.38 ||
    say "picamera2 cannot be had here: the tests of its signatures will be skipped."
