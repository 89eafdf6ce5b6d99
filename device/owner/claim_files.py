"""Where it is kept whose the table is: two files of the state folder, and one that whoever holds the card puts there.

The daemon reads them anew whenever somebody wants in, so that `referee owner` needs no restart of it.
"""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from device.daemon.phone_seats import code_of
from device.owner.claim import UNREADABLE, Claim, Codes, open_codes, plain
from vision.files import BadFile, NoFile, read_json, read_text, write_whole

OWNER, CODE = "owner.json", "claim-code"
CARD = Path("/boot/firmware/table-referee-code.txt")
"""On the part of the card that every computer can write to: a line with a code, set while the card is flashed."""

_log = logging.getLogger(__name__)


class OwnerFiles(msgspec.Struct, frozen=True):
    """The files of one table. state: its state folder; card: see CARD."""

    state: Path
    card: Path = CARD

    def claim(self) -> Claim:
        """Return whose the table is. Nobody gets in while that cannot be read."""
        try:
            return read_json(self.state / OWNER, Claim)
        except NoFile:
            return Claim()
        except BadFile as error:
            _log.error("nobody can open the owner's page: %s; `referee owner forget` makes it nobody's", error)
            return Claim(UNREADABLE)

    def keep(self, claim: Claim) -> None:
        """Store a claim; it is on disk on return. Raises OSError."""
        write_whole(self.state / OWNER, msgspec.json.encode(claim), 0o600)

    def codes(self) -> Codes:
        """The codes that there are now."""
        return Codes(_line(self.card), _line(self.state / CODE))

    def code(self) -> str:
        """Return the code that makes its bearer the owner of an unowned table; "" if somebody owns it, or there is
        none."""
        claim = self.claim()
        return next(iter(open_codes(claim, self.codes())), "") if not claim.owner else ""

    def set_code(self, code: str) -> None:
        """The table's own code from now on. Raises OSError."""
        write_whole(self.state / CODE, f"{code}\n".encode(), 0o600)

    def furnish(self, drawn: int) -> None:
        """Makes a code if nobody owns the table and there is none. drawn: `guests.BITS` random bits. Raises OSError."""
        if not self.claim().owner and not plain(_line(self.state / CODE)):
            self.set_code(code_of(drawn))


def _line(path: Path) -> str:
    """The first line of a file; "" if it has none, or is not there."""
    try:
        return next(iter(read_text(path).splitlines()), "").strip()[:64]
    except BadFile:
        return ""
