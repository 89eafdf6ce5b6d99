"""Plays matches at random and keeps their records: the same with this machine's Python and with a browser's."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from hashlib import sha256, sha512
from random import Random

from device import games
from device.journal import About
from device.journal.match_info import Ending, Secret
from device.session.match_start import fitting
from device.session.table import KnownGame
from engine.catalogue import complete
from engine.entry import Act, Entry, Start
from engine.errors import Invalid
from engine.game import OptionValue
from engine.grammar import wander
from engine.match import advance, begin, encode
from engine.notation import write
from engine.table import SEATS
from referee_record.public_entries import FORMAT, SALT
from referee_record.signed_record import encode_record, export

MOST_ACTIONS = 120
"""Actions after which a match is left; also its record is compared."""


class Key:
    """A key for comparing records: its signatures are hashes, which both Pythons have."""

    public = sha256(b"public").hexdigest()

    def sign(self, message: bytes) -> bytes:
        return sha512(message).digest()


def record(game: str, seed: int) -> tuple[int, str]:
    """Return the number of actions, and a digest of the match's notation, signed record and last state."""
    known, rng = _load_game(game), Random(seed)
    count, options = _draw_options(known, rng)
    start = Start(0.0, game, dict(complete(known.spec.options, options)), SEATS[:count], seed)
    match, entries = begin(known.game, start), list[Entry]([start])
    while known.game.outcome(match.state) is None and len(entries) <= MOST_ACTIONS:
        seat = rng.choice(sorted(known.game.actors(match.state)))
        entries.append(Act(float(len(entries)), seat, wander(known.game, match.state, seat, rng.randrange)))
        match, _ = advance(known.game, match, entries[-1])
    ended = Ending(0.0, clock_set=True, result="", winners=(), seconds=float(len(entries)))
    secret = Secret(rng.randbytes(SALT).hex(), "0", format=FORMAT)
    signed = export(known, entries, About(f"{seed:032x}", ended=ended, secret=secret), Key(), "0", reveal=True)
    kept = b"\n".join((write(tuple(entries)).encode(), encode_record(signed), encode(match)))
    return len(entries) - 1, sha256(kept).hexdigest()


def _draw_options(known: KnownGame, rng: Random) -> tuple[int, dict[str, OptionValue]]:
    """Draw a number of players and one option, until they fit."""
    counts = sorted({count for table in known.spec.tables for count in table.seats})
    while True:
        count, chosen = rng.choice(counts), rng.choice(known.spec.options)
        with suppress(Invalid):
            return count, fitting(known, {**known.spec.random_play, chosen.name: rng.choice(chosen.values)}, count)


@cache
def _load_game(game: str) -> KnownGame:
    spec = games.spec(game)
    return KnownGame(spec, *games.build(spec))
