#!/bin/bash
# Makes an SD-card image: sudo tools/image/build.sh bookworm|trixie [FOLDER [PACKAGE]]
# FOLDER (var/image) is where pi-gen and its work lie; the image comes into FOLDER/deploy. PACKAGE is a released .deb for
# arm64; without it, that of this checkout is built.
set -euo pipefail
package=${3:+$(realpath "$3")}
cd "$(dirname "$0")/../.."

# Branch and commit of pi-gen for 64 bits; a newer one has to be tried before it is taken.
declare -A branches=([bookworm]=bookworm-arm64 [trixie]=arm64)
declare -A commits=(
    [bookworm]=d7a31c6aa09f4b867902c51da2b45807c0a1709e
    [trixie]=ca8aeed0ae300c2a89f55ce9617d5f96a27e99e5
)

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

release=${1:-}
folder=$(realpath -m "${2:-var/image}")
case $release in
bookworm | trixie) ;;
*) die "usage: tools/image/build.sh bookworm|trixie [FOLDER [PACKAGE]]" ;;
esac
[ "$(id -u)" = 0 ] || die "pi-gen mounts what it builds: sudo tools/image/build.sh $release"
[[ $folder != *" "* ]] || die "pi-gen cannot work in a folder with spaces: $folder"

pigen=$folder/pi-gen-$release
stage=$folder/stage-referee
[ -d "$pigen" ] || git clone --quiet --branch "${branches[$release]}" https://github.com/RPi-Distro/pi-gen "$pigen"
git -C "$pigen" checkout --quiet --detach "${commits[$release]}"
touch "$pigen/stage2/SKIP_IMAGES" # or it would export Raspberry Pi OS Lite, too

rm -rf "$stage"
cp -a tools/image/stage-referee "$stage"
if [ -n "$package" ]; then
    install -D -m 644 "$package" "$stage/00-referee/files/$(basename "$package")"
else
    make package ARGS="--release $release --arch arm64 --out $stage/00-referee/files"
fi
cp tools/image/config "$folder/config"
cat >> "$folder/config" << CONFIG
RELEASE="$release"
STAGE_LIST="stage0 stage1 stage2 $stage"
DEPLOY_DIR="$folder/deploy"
CONFIG
cd "$pigen"
CLEAN=1 ./build.sh -c "$folder/config"
ls -l "$folder"/deploy
