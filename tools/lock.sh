#!/bin/sh
# Writes requirements.lock anew with uv: tools/lock.sh [uv's options for another index]
set -eu
{
    sed -n '/^#/p' requirements.lock
    uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
        --no-annotate --no-header --no-emit-index-url --no-emit-find-links --quiet "$@"
} > requirements.lock.new
mv requirements.lock.new requirements.lock
