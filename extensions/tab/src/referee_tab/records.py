"""Signs the tab's matches, and verifies signed records as `referee verify` does.

Matches are played without it. Ed25519 comes from the page (static/ed25519.js), with hexadecimal values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from device import games, resources
from device.locale import catalogue
from device.session.table import KnownGame
from device.version import version
from engine.errors import RefereeError
from referee_record import verification
from referee_record.public_entries import heads, note_text
from referee_record.public_key import Check
from referee_record.report import fault, report
from referee_record.signed_record import NoRecord, Unrevealed, encode_record, export, read, read_heads
from referee_tab.table import Tab

_ORDER = 2**252 + 27742317777372353535851937790883648493
"""Order of the base point (RFC 8032, 5.1). TweetNaCl accepts larger numbers in signatures; OpenSSL refuses them."""


def prepare() -> None:
    """Drop cached resources and translations: the findings' words came after Python had started."""
    resources.look_again()
    catalogue.cache_clear()


def verify(data: bytes, notes: str, language: str, has_signed: Callable[[str, str, str], bool]) -> str:
    """Return the finding about a file, or why there is none, as JSON for the page of `referee verify --page`.

    Args:
      data: The file.
      notes: Heads that others noted, a line each.
      language: Of the sentences.
      has_signed: Tells if a key signed a message: key, message, signature.
    """

    def check(key: bytes, message: bytes, signature: bytes) -> bool:
        reduced = int.from_bytes(signature[32:], "little") < _ORDER
        return reduced and has_signed(key.hex(), message.hex(), signature.hex())

    return msgspec.json.encode(_finding(bytes(data), notes, language, check)).decode()


def _finding(data: bytes, notes: str, language: str, check: Check) -> dict[str, Any]:
    try:
        record = read(data)
    except NoRecord as error:
        return fault(f"match, {error}", language)
    try:
        kept = read_heads(notes.encode())
    except NoRecord as error:
        return fault(f"notes, {error}", language)
    try:
        spec = games.spec(record.opening.game)
        found = verification.verify(record, KnownGame(spec, *games.build(spec)), version(), kept, check)
    except RefereeError as error:
        return fault(str(error), language)
    return {"is": "found", **report(found, spec.title, language)}


class Key:
    """The tab's key. public_of: returns a seed's public key. sign_by: signs a message under a seed."""

    def __init__(self, seed: str, public_of: Callable[[str], str], sign_by: Callable[[str, str], str]) -> None:
        self._seed, self._sign_by = seed, sign_by
        self.public = public_of(seed)

    def sign(self, message: bytes) -> bytes:
        return bytes.fromhex(self._sign_by(self._seed, message.hex()))


def save(tab: Tab, link: int, public_of: Callable[[str], str], sign_by: Callable[[str, str], str]) -> None:
    """Give a page the match's signed record, if it is over; hidden parts only if all who gave their names agreed."""
    finished = tab.last_match()
    if finished is None:
        return
    key = Key(tab.key_seed(), public_of, sign_by)
    try:
        record = export(*finished, key, version(), reveal=True)
    except Unrevealed:
        record = export(*finished, key, version(), reveal=False)
    tab.send_file(link, encode_record(record))


def note_heads(tab: Tab, public_of: Callable[[str], str], sign_by: Callable[[str, str], str]) -> None:
    """Show on the pages the heads that players write down, as a table shows them."""
    known, entries, about = tab.shown_match()
    if about.secret is None:
        tab.note_heads(None, None)
        return
    record = export(known, entries, about, Key(tab.key_seed(), public_of, sign_by), version(), reveal=False)
    first, *_, last = map(note_text, (*heads(record.links[:1]), *heads(record.links)))
    tab.note_heads(first, last)
