"""What an owner may have made of a table, as small as it can be: files of the state folder that the table can use."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import cv2
import numpy as np

from device.resources import find

NAMED = "0123456789abcdef.png"
PICTURE = cv2.imencode(".png", np.full((8, 8, 3), 90, np.uint8))[1].tobytes()
INDEX = b'{"name": "stones", "symmetry": 1, "references": [{"kind": "sword", "file": "0123456789abcdef.png"}]}'
DECK = find("decks/fence.toml").read_bytes().replace(b"sp = 0\n", b"sp = 2\n", 1)
"""Of Fence, with one card corrected."""

MEASURES = b'{"pictures": {}}'
FILES: Mapping[str, bytes] = {
    "enrolled/stones/enrolled.json": INDEX,
    f"enrolled/stones/{NAMED}": PICTURE,
    "decks/fence.toml": DECK,
}


def packed(files: Mapping[str, bytes]) -> bytes:
    """As they lie in an archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()
