"""Stores the ownership, and reads a code from the memory card. Files are reread on each access."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from device.owner.claim import UNREADABLE, Claim, Codes, code_of, open_codes, plain
from vision.files import BadFile, NoFile, read_json, read_text, write_whole

OWNER, CODE, CAMERA_CODE = "owner.json", "claim-code", "camera-code"
CARD = Path("/boot/firmware/table-referee-code.txt")
"""On the card's boot partition: one line with a code."""

_log = logging.getLogger(__name__)


class OwnerFiles(msgspec.Struct, frozen=True):
    """Files of a claim, by default the table's. state: state folder. owner, own: file names there."""

    state: Path
    card: Path = CARD
    owner: str = OWNER
    own: str = CODE

    def claim(self) -> Claim:
        """Return the ownership; if unreadable, nobody gets in."""
        try:
            return read_json(self.state / self.owner, Claim)
        except NoFile:
            return Claim()
        except BadFile as error:
            _log.error(
                "nobody is let in by %s: %s; for the owner's page `referee owner forget` helps", self.owner, error
            )
            return Claim(UNREADABLE)

    def keep(self, claim: Claim) -> None:
        """Store the ownership. Raises OSError."""
        write_whole(self.state / self.owner, msgspec.json.encode(claim), 0o600)

    def codes(self) -> Codes:
        return Codes(_line(self.card), _line(self.state / self.own))

    def code(self) -> str:
        """Return the code that claims an unowned table; "" if there is none."""
        claim = self.claim()
        return next(iter(open_codes(claim, self.codes())), "") if not claim.owner else ""

    def set_code(self, code: str) -> None:
        """Store the table's own claim code. Raises OSError."""
        write_whole(self.state / self.own, f"{code}\n".encode(), 0o600)

    def furnish(self, drawn: int) -> None:
        """Make a claim code if an unowned table has none. drawn: `BITS` random bits. Raises OSError."""
        if not self.claim().owner and not plain(_line(self.state / self.own)):
            self.set_code(code_of(drawn))


def camera_files(state: Path) -> OwnerFiles:
    """Return the camera phone's files; a new code lets another phone replace it."""
    return OwnerFiles(state, state / CAMERA_CODE, "camera.json", CAMERA_CODE)


def _line(path: Path) -> str:
    try:
        return next(iter(read_text(path).splitlines()), "").strip()[:64]
    except BadFile:
        return ""
