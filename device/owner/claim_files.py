"""Stores the ownership, and reads a code from the memory card. Files are reread on each access."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from device.daemon.phone_seats import code_of
from device.owner.claim import UNREADABLE, Claim, Codes, open_codes, plain
from vision.files import BadFile, NoFile, read_json, read_text, write_whole

OWNER, CODE = "owner.json", "claim-code"
CARD = Path("/boot/firmware/table-referee-code.txt")
"""On the card's boot partition: one line with a code."""

_log = logging.getLogger(__name__)


class OwnerFiles(msgspec.Struct, frozen=True):
    """One table's files. state: its state folder."""

    state: Path
    card: Path = CARD

    def claim(self) -> Claim:
        """Return the ownership; if unreadable, nobody gets in."""
        try:
            return read_json(self.state / OWNER, Claim)
        except NoFile:
            return Claim()
        except BadFile as error:
            _log.error("nobody can open the owner's page: %s; `referee owner forget` makes it nobody's", error)
            return Claim(UNREADABLE)

    def keep(self, claim: Claim) -> None:
        """Store the ownership on disk. Raises OSError."""
        write_whole(self.state / OWNER, msgspec.json.encode(claim), 0o600)

    def codes(self) -> Codes:
        """Return the current codes."""
        return Codes(_line(self.card), _line(self.state / CODE))

    def code(self) -> str:
        """Return the code that claims an unowned table; "" if there is none."""
        claim = self.claim()
        return next(iter(open_codes(claim, self.codes())), "") if not claim.owner else ""

    def set_code(self, code: str) -> None:
        """Store the table's own claim code; the memory card's is separate. Raises OSError."""
        write_whole(self.state / CODE, f"{code}\n".encode(), 0o600)

    def furnish(self, drawn: int) -> None:
        """Make a claim code if an unowned table has none. drawn: `guests.BITS` random bits. Raises OSError."""
        if not self.claim().owner and not plain(_line(self.state / CODE)):
            self.set_code(code_of(drawn))


def _line(path: Path) -> str:
    try:
        return next(iter(read_text(path).splitlines()), "").strip()[:64]
    except BadFile:
        return ""
