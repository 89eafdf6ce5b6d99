#!/bin/bash
# Installs the referee with the versions that a Raspberry Pi gets, and tests it with them:
#   tools/as_on_pi.sh bookworm|trixie TESTS...
# The environment is var/RELEASE. Without that release's Python nothing is done, and that is said.
set -euo pipefail
cd "$(dirname "$0")/.."
release=$1
shift
declare -A pythons=([bookworm]=3.11 [trixie]=3.13)
version=${pythons[$release]}
folder=var/$release

python_of_release() {
    local each
    for each in "python$version" python3 "$(pyenv prefix "$version" 2>/dev/null || true)/bin/python"; do
        if "$each" -c "import sys, venv; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" 2>/dev/null; then
            echo "$each"
            return
        fi
    done
    return 1
}

python=$(python_of_release) || {
    echo "There is no Python $version here: what $release runs is not tried."
    exit 0
}
[ -x "$folder/bin/python" ] || "$python" -m venv "$folder"
pip() {
    "$folder/bin/python" -m pip --quiet --disable-pip-version-check "$@"
}
locked=(--no-deps --no-build-isolation --require-hashes)
# One of the same version would be kept.
pip uninstall --yes table-referee table-referee-phones table-referee-record table-referee-simulator 2>/dev/null
pip install "${locked[@]}" -r requirements/build.txt
pip install "${locked[@]}" -r "requirements/$release.txt" -r requirements/test.txt
pip install --no-deps --no-build-isolation . extensions/phones extensions/record extensions/simulator
"$folder/bin/python" -c '
import sys, cv2, numpy
print(f"Python {sys.version.split()[0]}, numpy {numpy.__version__}, OpenCV {cv2.__version__}")'

# The wheel plays by itself, with the data that it carries.
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
referee=$PWD/$folder/bin/referee
(cd "$elsewhere" && "$referee" simulate --headless --no-camera --matches 1 --json > /dev/null)
"$folder/bin/python" -m pytest -n 2 -p no:cacheprovider -m "not soak and not browser" "$@"
