"""A match of the journal as a signed record, with what was hidden in it if those who played let it be told."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from device.evidence.commitment import salted
from device.evidence.public_entries import FORMAT
from device.evidence.public_match import begins
from device.evidence.record import SignedRecord
from device.evidence.stream import opening, signed, utterances
from device.evidence.table_key import TableKey
from device.journal.match_info import About, Secret
from device.session.table import KnownGame
from engine.entry import Entry
from engine.errors import RefereeError


class Unrevealed(RefereeError, PermissionError):
    """What was hidden in a match may not be told; the message says why."""


def exported(
    known: KnownGame, entries: Sequence[Entry], about: About, key: TableKey, program: str, *, reveal: bool
) -> SignedRecord:
    """The record of a match. program: the version at hand, for a match whose own is not known. Raises Unrevealed,
    UnknownFormat, Unsalted, Refusal if the entries are no match of that game."""
    if reveal:
        _refuse_unagreed(about)
    start = begins(entries)
    secret = about.secret or _uncommitted(about, key, program)
    first = opening(start, about.id, about.table, secret, key.public)
    salt = salted(secret.salt)
    bodies = [each.body for each in utterances(known, entries, first, salt) if each.body is not None]
    links = signed(key, bodies)
    return SignedRecord(links, salt, tuple(entries)) if reveal else SignedRecord(links)


def _refuse_unagreed(about: About) -> None:
    """Everything may be told of a match that is over, if all who gave their names let those leave the table. To forget
    somebody who did not, is no consent."""
    if about.ended is None:
        raise Unrevealed("the match is not over: what is hidden in it stays hidden until its end")
    if refusing := sorted({*about.names, *about.forgotten} - set(about.agreed)):
        raise Unrevealed(f"not all who played let their names leave the table: {', '.join(refusing)}")


def _uncommitted(about: About, key: TableKey, program: str) -> Secret:
    """Return the secret of a match that began without a commitment: its salt can only be made by the key's owner."""
    salt = sha256(key.sign(b"table-referee salt 1" + about.id.encode())).hexdigest()
    return Secret(salt, program, committed=False, format=FORMAT)
