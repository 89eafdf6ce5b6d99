"""Law 5 on the public socket: matches that differ only in secrets are said in frames of the same bytes and order.

What is salted, and what is made of it, cannot be the same: the commitment, the seal, hashes and signatures. They are
compared by their length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from random import Random
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from device.bus.framing import LONGEST_OUT, Unpacker
from device.journal.match_info import About, Secret
from device.records.public_match import Follower, Moment, begins
from device.session.table import KnownGame
from engine import notation
from engine.entry import Act, Entry
from extensions.record.tests.daemon.test_listener import Public
from referee_record import stream
from referee_record.daemon.listener import Signing
from referee_record.public_entries import FORMAT
from referee_record.table_key import TableKey
from tests.device.daemon.test_twins import GAMES
from tests.device.records.test_public_record import compared

KEY = TableKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
SALTED = ("commitment", "sealed", "signature", "before")
PAIRS = 12


def said(game: KnownGame, entries: Sequence[Entry]) -> object:
    """What goes over the socket, frame by frame, and to who comes late after each."""
    public = Public()
    salt = Random(f"{begins(entries).seed}/{len(entries)}").randbytes(32).hex()
    signing = Signing(lambda: KEY, public)
    sent = list[bytes]()
    signing.begin(game, entries[:1], About("7" * 32, table="Table", secret=Secret(salt, "1.0", format=FORMAT)))
    for entry in entries[1:]:
        signing.add((entry,))
        signing.sign()
        sent.append(public.later)
    sent += [frame for _, frame in public.said]
    return [unsalted(frame) for data in sent for frame in Unpacker(LONGEST_OUT).feed(data) if frame]


def unsalted(frame: bytes) -> bytes:
    """With blanks in place of what is salted, as long as it was."""

    def blank(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: blank(each, key) for key, each in value.items()}
        return "0" * len(value) if name in SALTED else value

    return msgspec.json.encode(blank(msgspec.json.decode(frame)))


@pytest.mark.quick(1)
@pytest.mark.parametrize("pairs", [PAIRS, pytest.param(400, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", sorted(GAMES))
def test_matches_that_differ_only_in_secrets_are_said_in_the_same_frames(name: str, pairs: int) -> None:
    rng = Random(f"stream/{name}")
    results = [compared(name, rng, said) for _ in range(pairs)]
    assert sum(count for count, _, _ in results) > pairs // 2
    assert sum(differ for _, differ, _ in results) > pairs // 2, "twins that do not differ prove nothing"


# --- leaks that are planted, each of which the comparison has to find

Planted = Callable[[pytest.MonkeyPatch], None]
now, say = Follower.now, stream.Speaker.say


def _moment(change: Callable[[Follower, Moment], Moment]) -> Planted:
    return lambda patch: patch.setattr(Follower, "now", lambda self: change(self, now(self)))


def everything_told(follower: Follower, moment: Moment) -> Moment:
    return msgspec.structs.replace(moment, told=tuple(told.text for told in follower._play.told))


def view_of_a_seat(follower: Follower, moment: Moment) -> Moment:
    view = follower._play.known.game.view(follower._play.match.state, "a").facts
    return msgspec.structs.replace(moment, view=msgspec.json.encode(view, order="deterministic"))


def state_of_the_match(follower: Follower, moment: Moment) -> Moment:
    return msgspec.structs.replace(moment, view=msgspec.json.encode(follower._play.match.state))


def count_of_all_told(follower: Follower, moment: Moment) -> Moment:
    return msgspec.structs.replace(moment, told=moment.told[: len(follower._play.told)][-1:] * len(follower._play.told))


def _speaker(change: Callable[[stream.Speaker, Entry, stream.Utterance], stream.Utterance]) -> Planted:
    return lambda patch: patch.setattr(stream.Speaker, "say", lambda self, entry: change(self, entry, say(self, entry)))


def line_of_a_secret(_speaker: stream.Speaker, entry: Entry, found: stream.Utterance) -> stream.Utterance:
    if found.body is None:
        return found
    return msgspec.structs.replace(found, body=msgspec.structs.replace(found.body, line=notation.write_line(entry)))


def words_as_clauses(_speaker: stream.Speaker, entry: Entry, found: stream.Utterance) -> stream.Utterance:
    if found.body is None or not isinstance(entry, Act):
        return found
    return msgspec.structs.replace(found, body=msgspec.structs.replace(found.body, clauses=entry.words))


def clauses_of_the_state(speaker: stream.Speaker, _entry: Entry, found: stream.Utterance) -> stream.Utterance:
    """As if what is hidden decided which kind of action a verb means."""
    if found.body is None:
        return found
    state = msgspec.json.encode(speaker._follower._play.match.state, order="deterministic")
    clauses = (f"T{sha256(state).digest()[0]:03}",)
    return msgspec.structs.replace(found, body=msgspec.structs.replace(found.body, clauses=clauses))


def seal_of_another_length(_speaker: stream.Speaker, entry: Entry, found: stream.Utterance) -> stream.Utterance:
    if found.body is None:
        return found
    sealed = "0" * len(notation.write_line(entry))
    return msgspec.structs.replace(found, body=msgspec.structs.replace(found.body, sealed=sealed))


LEAKS: dict[str, tuple[str, Planted]] = {
    "everything told": ("planetx", _moment(everything_told)),
    "view of a seat": ("planetx", _moment(view_of_a_seat)),
    "state of the match": ("tellstones", _moment(state_of_the_match)),
    "cards in the state": ("runes", _moment(state_of_the_match)),
    "view of a hand": ("fence", _moment(state_of_the_match)),
    "line of a secret": ("planetx", _speaker(line_of_a_secret)),
    "words as clauses": ("planetx", _speaker(words_as_clauses)),
    "clauses of the state": ("tellstones", _speaker(clauses_of_the_state)),
    "length of a seal": ("planetx", _speaker(seal_of_another_length)),
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_found(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, planted = LEAKS[leak]
    planted(monkeypatch)
    with pytest.raises(AssertionError, match=name):
        _compare_all(name, Random(f"stream/{name}"), 4 * PAIRS)


def _compare_all(name: str, rng: Random, pairs: int) -> None:
    for _ in range(pairs):
        compared(name, rng, said)
