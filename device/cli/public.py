"""The public record of a match: what everybody at the table may know of it, as text that anybody can read.

It is made of what was told to everybody and of the view of everybody alone, so that two matches that differ only in
secrets have the same record, to the byte (law 5). Where a game's menus are known to all, its actions stand there in
notation, and the record can be played and imported again; otherwise there are only sentences, behind semicolons. A name
stands in it if its owner agreed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from device.evidence.course import Moment, begins, course
from device.journal import About
from device.session.table import Known
from engine import notation
from engine.entry import Entry, Start
from engine.errors import Refusal
from engine.table import Seat
from engine.text import Names, Text, called

replace = msgspec.structs.replace

SEEDS = 256
"""So many seeds are tried for one that draws what was drawn in public."""


def written(known: Known, entries: Sequence[Entry], about: About) -> str:
    """The record. known: the game of the match. Raises Refusal if the entries are no match of that game, and ValueError
    if the first is no `Start`."""
    start = begins(entries)
    moments = tuple(course(known, entries))
    open_to_all = known.spec.open_menus
    seed = _seed(known, entries, moments) if open_to_all else None
    head = notation.write((replace(start, seed=seed or 0),), secrets=seed is not None)
    names = _names(known, start, about)
    lines = (
        line
        for entry, moment in zip(entries[1:], moments[1:], strict=True)
        for line in _lines(entry, [str(called(text, names)) for text in moment.told], written=open_to_all)
    )
    return "\n".join(['[Record "public"]', *_header(about), head, *lines, ""])


def _seed(known: Known, entries: Sequence[Entry], moments: tuple[Moment, ...]) -> int | None:
    """The smallest seed with which the match goes the same way in public, so that it tells nothing of the match's own;
    None if there is none among those that are tried."""
    return next((seed for seed in range(SEEDS) if _goes_so(known, entries, seed, moments)), None)


def _goes_so(known: Known, entries: Sequence[Entry], seed: int, moments: tuple[Moment, ...]) -> bool:
    """Whether everybody sees the same with this seed. It ends with the first difference: most do at once."""
    with suppress(Refusal):
        again = course(known, (replace(begins(entries), seed=seed), *entries[1:]))
        return all(one == other for one, other in zip(moments, again, strict=True))
    return False


def _names(known: Known, start: Start, about: About) -> Names:
    """What players are called to whoever was not there."""
    sides = {seat: Text(side.name) for seat, side in zip(start.seats, known.spec.sides, strict=False)}
    return {**sides, **{key: about.names[key] for key in about.agreed if key in about.names}}


def _header(about: About) -> tuple[str, ...]:
    """Who played, when, and how it ended, as far as it may be told."""
    agreed = {key: about.names[key] for key in about.agreed if key in about.names and not key.isdecimal()}
    dated = datetime.fromtimestamp(about.begun, UTC).date().isoformat() if about.clock_set and about.begun else ""
    date = (f'[Date "{dated}"]',) if dated else ()
    result = (f'[Result "{_quoted(about.ended.result)}"]',) if about.ended else ()
    return (*date, *players(agreed), *result)


def players(names: Mapping[Seat, str]) -> tuple[str, ...]:
    """The header that says who played; () if nobody has a name. A comma ends a player, so no name has one there."""
    told = ", ".join(f"{seat}={_quoted(name).replace(',', '')}" for seat, name in sorted(names.items()))
    return (f'[Players "{told}"]',) if told else ()


def _quoted(text: str) -> str:
    return text.replace("\\", "").replace('"', '\\"').replace(";", ",")


def _lines(entry: Entry, told: Sequence[str], *, written: bool) -> Iterator[str]:
    """An entry in notation, if it is known to all, and what was told of it."""
    if written:
        yield notation.write_line(entry)
    yield from (f"; {entry.at} {' '.join(text.split())}" for text in told)
