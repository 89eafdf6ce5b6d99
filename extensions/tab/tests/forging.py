"""Records of matches that were tampered with, and what players noted of the true ones."""

from __future__ import annotations

from random import Random

from referee_record.public_entries import FORMAT, heads
from referee_record.signed_record import encode_record
from tools.tampering import CHANGES, GAMES, NOTED, Kind, load_game, make_honest


def forged(kind: Kind) -> tuple[bytes, str]:
    """Return the file of a record in which this was changed, and lines of notes."""
    rng = Random(f"forged: {kind}")
    for turn in range(40):
        honest = make_honest(load_game(GAMES[turn % len(GAMES)]), rng, FORMAT if kind in NOTED else 1 + turn % FORMAT)
        if (changed := CHANGES[kind](honest, rng)) is not None:
            break
    else:
        raise RuntimeError(f"no match can be changed so: {kind}")
    own = tuple(heads((changed if kind in NOTED else honest).record.links))
    return encode_record(changed.record), "".join(f"{each.n} {each.short}\n" for each in (own[0], own[-1]))
