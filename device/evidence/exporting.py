"""Exports matches as signed records."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from device.evidence.commitment import decode_salt
from device.evidence.public_entries import FORMAT
from device.evidence.public_match import begins
from device.evidence.record import SignedRecord
from device.evidence.stream import opening, sign_stream, utterances
from device.evidence.table_key import TableKey
from device.journal.match_info import About, Secret
from device.session.table import KnownGame
from engine.entry import Entry
from engine.errors import RefereeError


class Unrevealed(RefereeError, PermissionError):
    """A match's secrets may not be revealed; the message says why."""


def export(
    known: KnownGame, entries: Sequence[Entry], about: About, key: TableKey, program: str, *, reveal: bool
) -> SignedRecord:
    """Return a match's record. program: default version. Raises Unrevealed, UnknownFormat, Unsalted, Refusal."""
    if reveal:
        _refuse_unagreed(about)
    start = begins(entries)
    secret = about.secret or _late_secret(about, key, program)
    first = opening(start, about.id, about.table, secret, key.public)
    salt = decode_salt(secret.salt)
    bodies = [each.body for each in utterances(known, entries, first, salt) if each.body is not None]
    links = sign_stream(key, bodies)
    return SignedRecord(links, salt, tuple(entries)) if reveal else SignedRecord(links)


def _refuse_unagreed(about: About) -> None:
    """Require a finished match whose players all agreed."""
    if about.ended is None:
        raise Unrevealed("the match is not over: what is hidden in it stays hidden until its end")
    if refusing := sorted({*about.names, *about.forgotten} - set(about.agreed)):
        raise Unrevealed(f"not all who played let their names leave the table: {', '.join(refusing)}")


def _late_secret(about: About, key: TableKey, program: str) -> Secret:
    """Return the secret of an uncommitted match, derived with the table's key."""
    salt = sha256(key.sign(b"table-referee salt 1" + about.id.encode())).hexdigest()
    return Secret(salt, program, committed=False, format=FORMAT)
