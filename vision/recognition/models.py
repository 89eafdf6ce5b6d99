"""The two files that hold what was learned: read whole, and only if they are those that the program was made with.

Another network would give other vectors, and other weights another certainty: wrong names, which nobody would notice.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from engine.errors import RefereeError

NETWORK = Path(__file__).with_name("embedding.onnx")
FITS = Path(__file__).with_name("confidence.json")

SHA256 = {
    NETWORK.name: "ff45dccdac2c55e8c06107c2bae05e37b6845a8436dbb2db45108c853e343f6a",
    FITS.name: "64eb4d827f3537107c58cdc4f436355cfa98e68288122889ad9c81d721ab0ed0",
}
"""Of each file by its name. Whoever trains them anew writes the new digests here."""


class ModelUnfit(RefereeError, ValueError):
    """A file that is missing, damaged or of another version: names it, and says what to do."""


def read_model(path: Path) -> bytes:
    """What one of the two files holds. Raises ModelUnfit."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelUnfit(f"{path} cannot be read ({error.strerror}): install the referee again") from error
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256[path.name]:
        raise ModelUnfit(
            f"{path} is damaged or of another version, and would name pieces wrongly: install the referee again "
            f"(SHA-256 {found[:12]}..., not {SHA256[path.name][:12]}...)"
        )
    return data
