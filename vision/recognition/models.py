"""Reads the trained network, verified by digest: another would silently misname pieces."""

from __future__ import annotations

import hashlib
from pathlib import Path

from vision.files import BadFile, Fault, read_bytes

NETWORK = Path(__file__).with_name("embedding.onnx")

SHA256 = {
    NETWORK.name: "ff45dccdac2c55e8c06107c2bae05e37b6845a8436dbb2db45108c853e343f6a",
}
"""By file name; update after training."""


LONGEST = 16_000_000
REMEDY = "install the referee again"


def read_model(path: Path) -> bytes:
    """Read a model. Raises BadFile."""
    data = read_bytes(path, limit=LONGEST, remedy=REMEDY)
    if hashlib.sha256(data).hexdigest() != SHA256[path.name]:
        raise BadFile(path, Fault("", "is damaged or of another version, and would name pieces wrongly", REMEDY))
    return data
