#!/bin/bash
# Writes requirements/*.txt anew with uv: tools/lock.sh [uv's options, such as --upgrade or another index]
# Versions that are there already are kept, unless something asks for others. Every version stands with the hashes of all
# its files, so that a lock serves every machine. They are read from PyPI, whatever pip and uv are told on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
index=("$@")

compile() {  # FILE COMMENT [uv's options]
    local file=requirements/$1 comment=$2
    shift 2
    uv pip compile --no-config --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links --quiet \
        --output-file "$file" "$@" "${index[@]}"
    sed -i "1i # $comment Written by \`make lock\`." "$file"
}

pins() {  # LOCK [NAMES|TO|LEAVE|OUT]: its versions, as constraints
    sed -n 's/^\([a-z0-9-]*==[^\\]*\).*/\1/p' "$1" | grep -v -E "^(${2:-nothing})=="
}

held=$(mktemp)
here=$(mktemp)
trap 'rm -f "$held" "$here"' EXIT

# Extensions ask for the referee and for each other: that is this checkout, and no lock names it.
echo "table-referee @ file://$PWD" > "$here"
whole=(--overrides "$here")
for each in extensions/*/; do
    name=table-referee-$(basename "$each")
    echo "$name @ file://$PWD/$each" >> "$here"
    whole+=(--no-emit-package "$name")
done
whole+=(--no-emit-package table-referee)
all=(pyproject.toml extensions/*/pyproject.toml "${whole[@]}")
packaged=(pyproject.toml extensions/phones/pyproject.toml extensions/record/pyproject.toml "${whole[@]}")

compile develop.txt "What the checks run with, on Python 3.11 to 3.13." \
    "${all[@]}" --group dev --universal --python-version 3.11
pins requirements/develop.txt > "$held"
compile run.txt "What the virtual table and a club's host run with, on Python 3.11 to 3.13: make demo and make club install no more." \
    "${all[@]}" --universal --python-version 3.11 --constraints "$held"
for group in build package test; do
    compile $group.txt "The dependency group '$group', on Python 3.11 to 3.13." \
        --group $group --universal --python-version 3.11 --constraints "$held"
done
echo 'picamera2==0.3.38' > "$held"
compile picamera2.txt "Only its sources, for the tests that compare signatures." "$held" --no-deps --python-version 3.11

# picamera2 is built on the system's numpy, so that one is kept; the rest is what fits it.
pins requirements/develop.txt "numpy|opencv-python-headless" > "$held"
echo 'numpy==1.24.2' >> "$held"
compile bookworm.txt "What the package for Raspberry Pi OS Bookworm holds; a part of the tests runs with it." \
    "${packaged[@]}" --extra pins --python-platform aarch64-manylinux_2_36 --python-version 3.11 --constraints "$held"
sed -i 's/^numpy==.*/numpy==2.2.4/' "$held"
compile trixie.txt "What the package for Raspberry Pi OS Trixie holds; a part of the tests runs with it." \
    "${packaged[@]}" --python-platform aarch64-manylinux_2_40 --python-version 3.13 --constraints "$held"
