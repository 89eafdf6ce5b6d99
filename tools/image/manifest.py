"""The list for Raspberry Pi Imager: python -m tools.image.manifest IMAGE.img.xz --release trixie --url URL

Fields as in rpi-imager's doc/json-schema/os-list-schema.json, beside which its documentation names `devices`,
`capabilities` and the values of `init_format`. Imager refuses an image of another size or hash than it was told, so
both are measured.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import lzma
import sys
from datetime import UTC, datetime
from pathlib import Path

from tools.package.release import RELEASES, version_of

ICON = Path(__file__).parent / "icon.svg"
DEVICES = ("pi5-64bit", "pi4-64bit", "pi3-64bit")
"""Tags of the boards: a Zero 2 W counts as a Pi 3."""
INIT = {"bookworm": "systemd", "trixie": "cloudinit-rpi"}
"""How each release takes over what the owner has set in Imager."""
PIECE = 1 << 20


def manifest(image: Path, release: str, url: str) -> dict[str, object]:
    """The whole list, with one entry. image: compressed by xz. url: where Imager fetches it from."""
    size, content = _measure_unpacked(image)
    entry = {
        "name": f"Table referee {version_of()} ({release.capitalize()})",
        "description": "Raspberry Pi OS Lite (64-bit) with a referee for games at a real table",
        "icon": "data:image/svg+xml;base64," + base64.b64encode(ICON.read_bytes()).decode(),
        "url": url,
        "extract_size": size,
        "extract_sha256": content,
        "image_download_size": image.stat().st_size,
        "image_download_sha256": _sha256(image),
        "release_date": datetime.fromtimestamp(image.stat().st_mtime, UTC).strftime("%Y-%m-%d"),
        "init_format": INIT[release],
        "devices": list(DEVICES),
        "architecture": "armv8",
        "capabilities": ["i2c", "spi"],
    }
    return {"os_list": [entry]}


def _measure_unpacked(image: Path) -> tuple[int, str]:
    """Size in bytes and SHA-256 of what is compressed."""
    size, content = 0, hashlib.sha256()
    with lzma.open(image) as raw:
        while piece := raw.read(PIECE):
            size += len(piece)
            content.update(piece)
    return size, content.hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.image.manifest", description="A list for Raspberry Pi Imager."
    )
    parser.add_argument("image", type=Path, help="the image, compressed by xz")
    parser.add_argument("--release", choices=RELEASES, required=True)
    parser.add_argument("--url", required=True, help="where the image will be fetched from")
    options = parser.parse_args()
    try:
        print(json.dumps(manifest(options.image, options.release, options.url), indent=2))
    except (OSError, lzma.LZMAError, EOFError) as error:
        print(f"tools.image.manifest: {options.image}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
