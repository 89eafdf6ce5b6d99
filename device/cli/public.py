"""The public record of a match: what everybody at the table may know of it, as text that anybody can read.

It is made of what was told to everybody and of the view of everybody alone, so that two matches that differ only in
secrets have the same record, to the byte (law 5). Where a game's menus are known to all, its actions stand there in
notation, and the record can be played again; otherwise there are only sentences, behind semicolons, and at the end the
board. Either is imported as what it is: what was hidden stays so. A name stands in it if its owner agreed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

import msgspec

from device.evidence.public_match import Moment, begins, course
from device.journal import About, Ending
from device.session.names import clean_name
from device.session.table import KnownGame
from engine import notation
from engine.entry import Entry, Start
from engine.errors import Invalid, Refusal
from engine.evening import Evening, with_plain_lots
from engine.notation import Record, RecordLine
from engine.table import Seat
from engine.text import Names, Text, clean, say, verbatim, with_names
from engine.view import Outcome

replace = msgspec.structs.replace

SEEDS = 256
"""So many seeds are tried for one that draws what was drawn in public."""

BOARD = "table: board "
"""What the last line of a record begins with whose actions are secret: what everybody may know at last, as JSON."""


def write_record(known: KnownGame, entries: Sequence[Entry], about: About, last: Evening | None = None) -> str:
    """The record. known: the game of the match. last: how the evening stood before the last of its matches that are
    written, so that all have the same lots; None: before this one. Raises Refusal if the entries are no match of that
    game."""
    if about.public:
        return about.public
    start = begins(entries)
    moments = tuple(course(known, entries))
    open_to_all = known.spec.open_menus
    seed = _seed(known, entries, moments) if open_to_all else None
    names = _names(known, start, about)
    lines = (
        line
        for entry, moment in zip(entries[1:], moments[1:], strict=True)
        for line in _lines(entry, [str(with_names(text, names)) for text in moment.told], written=open_to_all)
    )
    board = () if seed is not None else (_last_board(moments[-1]),)
    if isinstance(start.evening, Evening):
        start = replace(start, evening=replace(start.evening, lots=with_plain_lots(last or start.evening).lots))
    return _whole(about, start, seed, (*lines, *board))


def told_to_all(known: KnownGame, entries: Sequence[Entry], about: About) -> Iterator[Text]:
    """The sentences of the record, to be put into any language; those of an imported one as they stand there. Raises as
    `write_record`."""
    if about.public:
        for line in about.public.splitlines():
            if line.startswith("; "):
                yield verbatim(line.removeprefix("; ").partition(" ")[2])
        return
    names = _names(known, begins(entries), about)
    for moment in tuple(course(known, entries))[1:]:
        yield from (with_names(text, names) for text in moment.told)


def decode_public(record: Record) -> About:
    """Return what is known of a match by a public record, which cannot be replayed: its text as `write_record` does it,
    whatever was inserted since. Raises Invalid, with the line."""
    lines, last, won = list[str](), record.start.at, tuple[str, ...]()
    told = {line.number for line in record.told}
    for line in sorted((*record.lines, *record.told), key=lambda each: each.number):
        if line.number in told:
            text = clean(line.text)
            last = max(last, _moment(text, last))
            lines += [f"; {text}"] if text else []
        elif line.text.startswith(BOARD):
            board, won = _board(line)
            lines.append(board)
        else:
            lines.append(_line(record, line, last))
    winners = tuple(seat for seat in record.start.seats if seat in won)
    ending = Ending(None, False, clean(record.header_line("result").text), winners, last - record.start.at)
    about = msgspec.structs.replace(people(record), ended=ending if ending.result else None)
    return msgspec.structs.replace(about, public=_whole(about, record.start, None, lines))


def _line(record: Record, line: RecordLine, last: float) -> str:
    try:
        return notation.write_line(notation.read_line(line.text, last, record.start.seats))
    except Invalid as wrong:
        raise Invalid(say("Line {line}: {why}", line=line.number, why=wrong.text)) from wrong


class _Outcome(msgspec.Struct, frozen=True):
    winners: tuple[str, ...] = ()


class _Board(msgspec.Struct, frozen=True):
    """The part of a board that an import needs: the result of the match, if it had one; see `public_facts`."""

    outcome: _Outcome | None = None


def _board(line: RecordLine) -> tuple[str, tuple[str, ...]]:
    """The line of a board as `_last_board` writes it, and who won. Raises Invalid."""
    json = line.text.removeprefix(BOARD)
    with suppress(ValueError, RecursionError):
        outcome = msgspec.json.decode(json, type=_Board).outcome
        facts = msgspec.json.encode(msgspec.json.decode(json, type=dict[str, Any]), order="deterministic")
        return BOARD + _plain(facts.decode()), outcome.winners if outcome is not None else ()
    raise Invalid(say("Line {line}: this is no board. Export the record anew.", line=line.number))


def _moment(told: str, last: float) -> float:
    """The seconds that a sentence of a record begins with."""
    with suppress(ValueError):
        found = float(told.partition(" ")[0])
        return found if 0 <= found < 1e9 else last
    return last


def _plain(json: str) -> str:
    """JSON that stands in a record, where a semicolon begins a comment."""
    return json.replace(";", "\\u003b")


def people(record: Record) -> About:
    """Return who played, and on which day, as far as a record says it; those of a public record agreed to that.

    Raises Invalid, with the line, for a player or a day that cannot be kept.
    """
    found: dict[str, str] = {}
    evening = record.start.evening
    numbers = range(1, evening.players + 1) if isinstance(evening, Evening) else ()
    keys = {*record.start.seats, *map(str, numbers)}
    line = record.header_line("players")
    for part in filter(None, (each.strip() for each in line.text.split(","))):
        key, _, name = (each.strip() for each in part.partition("="))
        if key not in keys or not name:
            raise Invalid(say("Line {line}: write players as a=Anna, b=Bert.", line=line.number))
        try:
            found[key] = clean_name(name)
        except Refusal as refused:
            raise Invalid(say("Line {line}: {why}", line=line.number, why=refused.text)) from refused
    return About(
        names=found, agreed=tuple(sorted(found)) if record.public else (), dated=_day(record.header_line("date"))
    )


_DAYS = (
    re.compile(r"(?P<year>\d{4})(?P<mark>[-./])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"),
    re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})"),
)
"""Ways to write a day that leave no doubt: ISO 8601, PGN, and with dots the day first. 11/12/2026 is not one."""

_NO_DAY = re.compile(r"[?.\-/ ]*")
"""A day that nobody knows, as PGN writes it: ????.??.??"""


def _day(line: RecordLine) -> str:
    """Return the day of a header, ISO 8601; "" if nobody knows it. Raises Invalid, with the line."""
    text = line.text.strip()
    if _NO_DAY.fullmatch(text):
        return ""
    for way in _DAYS:
        if found := way.fullmatch(text):
            with suppress(ValueError):
                return date(int(found["year"]), int(found["month"]), int(found["day"])).isoformat()
    raise Invalid(say("Line {line}: write the day as 2026-11-28.", line=line.number))


def _whole(about: About, start: Start, seed: int | None, lines: Sequence[str]) -> str:
    """The text of a record; seed None: nobody plays it again."""
    public = replace(start, seed=seed or 0)
    result = (f'[Result "{_quote_text(about.ended.result)}"]',) if about.ended else ()
    agreed = {key: about.names[key] for key in about.agreed if key in about.names}
    header = ('[Record "public"]', *day(about), *players(start, agreed), *result)
    return "\n".join([*header, notation.write((public,), secrets=seed is not None), *lines, ""])


def public_facts(facts: Mapping[str, Any], result: Outcome | None) -> dict[str, Any]:
    """Return what everybody may know: the facts of the view, and how the match ended."""
    outcome = None if result is None else {"winners": sorted(result.winners), "text": str(result.text)}
    return {**facts, "outcome": outcome}


def _last_board(moment: Moment) -> str:
    facts = public_facts(msgspec.json.decode(moment.view, type=dict[str, Any]), moment.result)
    return BOARD + _plain(msgspec.json.encode(facts, order="deterministic").decode())


def _seed(known: KnownGame, entries: Sequence[Entry], moments: tuple[Moment, ...]) -> int | None:
    """The smallest seed with which the match goes the same way in public, so that it tells nothing of the match's own;
    None if there is none among those that are tried."""
    return next((seed for seed in range(SEEDS) if _goes_so(known, entries, seed, moments)), None)


def _goes_so(known: KnownGame, entries: Sequence[Entry], seed: int, moments: tuple[Moment, ...]) -> bool:
    """Return True if everybody sees the same with this seed. It stops at the first difference, mostly at once."""
    with suppress(Refusal):
        again = course(known, (replace(begins(entries), seed=seed), *entries[1:]))
        return all(one == other for one, other in zip(moments, again, strict=True))
    return False


def _names(known: KnownGame, start: Start, about: About) -> Names:
    """Return the players' names for whoever was not there."""
    sides = {seat: Text(side.name) for seat, side in zip(start.seats, known.spec.sides, strict=False)}
    return {**sides, **{key: about.names[key] for key in about.agreed if key in about.names}}


def day(about: About) -> tuple[str, ...]:
    """The header that says on which day it was; () if no clock was right then."""
    dated = datetime.fromtimestamp(about.begun, UTC).date().isoformat() if about.clock_set and about.begun else ""
    return (f'[Date "{about.dated or dated}"]',) if about.dated or dated else ()


def players(start: Start, names: Mapping[Seat, str]) -> tuple[str, ...]:
    """The header that says who played, in an evening also by number; () if nobody has a name. A comma ends a player, so
    no name has one there."""
    known = {key: name for key, name in names.items() if key in start.seats or isinstance(start.evening, Evening)}
    told = ", ".join(f"{key}={_quote_text(name).replace(',', '')}" for key, name in sorted(known.items()))
    return (f'[Players "{told}"]',) if told else ()


def _quote_text(text: str) -> str:
    return text.replace("\\", "").replace('"', '\\"').replace(";", ",")


def _lines(entry: Entry, told: Sequence[str], *, written: bool) -> Iterator[str]:
    """An entry in notation, if it is known to all, and what was told of it."""
    if written:
        yield notation.write_line(entry)
    yield from (f"; {entry.at} {' '.join(text.split())}" for text in told)
