#!/bin/bash
# Writes requirements/*.txt anew with uv: tools/lock.sh [uv's options, such as --upgrade or another index]
# Versions that are there already are kept, unless something asks for others.
set -euo pipefail
cd "$(dirname "$0")/.."

compile() {  # FILE COMMENT [uv's options]
    local file=requirements/$1 comment=$2
    shift 2
    uv pip compile pyproject.toml --no-annotate --no-header --no-emit-index-url --no-emit-find-links --quiet \
        --output-file "$file" "$@"
    sed -i "1i # $comment Written by \`make lock\`." "$file"
}

pi=aarch64-manylinux_2_36
held=$(mktemp)
trap 'rm -f "$held"' EXIT
index=("$@")

compile develop.txt "What the checks run with, on Python 3.11 to 3.13." \
    --universal --extra dev --python-version 3.11 "${index[@]}"
compile run.txt "What the virtual table runs with, on Python 3.11 to 3.13: make demo installs no more." \
    --universal --extra build --python-version 3.11 --constraints requirements/develop.txt "${index[@]}"

# picamera2 is built on the system's numpy, so that one is kept; the rest is what fits it.
echo 'numpy==1.24.2' > "$held"
compile bookworm.txt "Raspberry Pi OS Bookworm: tools/install.sh is held to it, and a part of the tests runs with it." \
    --python-platform "$pi" --extra test --python-version 3.11 --constraints "$held" "${index[@]}"
echo 'numpy==2.2.4' > "$held"
compile trixie.txt "Raspberry Pi OS Trixie: tools/install.sh is held to it, and a part of the tests runs with it." \
    --python-platform "$pi" --extra test --python-version 3.13 --constraints "$held" "${index[@]}"
