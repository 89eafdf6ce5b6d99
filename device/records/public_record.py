"""Writes and reads public records of matches as text.

Matches that differ only in secrets have identical records (law 5). Public menus give replayable notation; others
sentences and the final board.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

import msgspec

from device.journal import About, Ending
from device.records.public_match import Moment, begins, course
from device.session.names import clean_name
from device.session.table import KnownGame
from engine import notation
from engine.entry import Entry, Start
from engine.errors import Invalid, Refusal
from engine.evening import Evening, with_plain_lots
from engine.notation import Record, RecordLine
from engine.table import SEATS, Seat
from engine.text import Names, Text, clean, say, with_names
from engine.view import Outcome

replace = msgspec.structs.replace

SEEDS = 256
"""Seeds tried for one with the same public draws."""

BOARD = "table: board "
"""Prefix of the final line of a record with secret actions: the final board as JSON."""


def write_record(known: KnownGame, entries: Sequence[Entry], about: About, last: Evening | None = None) -> str:
    """Return the record, or the one stored in `about`. last: the evening before the last exported match.

    Raises Refusal.
    """
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


def decode_public(record: Record) -> About:
    """Describe a record that can't be replayed, with its cleaned text. Raises Invalid."""
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
    outcome: _Outcome | None = None


def _board(line: RecordLine) -> tuple[str, tuple[str, ...]]:
    json = line.text.removeprefix(BOARD)
    with suppress(ValueError, RecursionError):
        outcome = msgspec.json.decode(json, type=_Board).outcome
        facts = msgspec.json.encode(msgspec.json.decode(json, type=dict[str, Any]), order="deterministic")
        return BOARD + _plain(facts.decode()), outcome.winners if outcome is not None else ()
    raise Invalid(say("Line {line}: the board can't be read. Export the record again.", line=line.number))


def _moment(told: str, last: float) -> float:
    with suppress(ValueError):
        found = float(told.partition(" ")[0])
        return found if 0 <= found < 1e9 else last
    return last


def _plain(json: str) -> str:
    return json.replace(";", "\\u003b")


def people(record: Record) -> About:
    """Return a record's players and day. Raises Invalid."""
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
"""Unambiguous day formats: ISO 8601, PGN, dotted day first."""

_NO_DAY = re.compile(r"[?.\-/ ]*")
"""An unknown day in PGN: ????.??.??"""


def _day(line: RecordLine) -> str:
    text = line.text.strip()
    if _NO_DAY.fullmatch(text):
        return ""
    for way in _DAYS:
        if found := way.fullmatch(text):
            with suppress(ValueError):
                return date(int(found["year"]), int(found["month"]), int(found["day"])).isoformat()
    raise Invalid(say("Line {line}: write the day as 2026-11-28.", line=line.number))


def _whole(about: About, start: Start, seed: int | None, lines: Sequence[str]) -> str:
    public = replace(start, seed=seed or 0)
    result = (f'[Result "{_quote_text(about.ended.result)}"]',) if about.ended else ()
    agreed = {key: about.names[key] for key in about.agreed if key in about.names}
    header = ('[Record "public"]', *day(about), *players(start, agreed), *result)
    return "\n".join([*header, notation.write((public,), secrets=seed is not None), *lines, ""])


def public_facts(facts: Mapping[str, Any], result: Outcome | None) -> dict[str, Any]:
    """Return the view's facts, and the outcome, None before the end."""
    outcome = None if result is None else {"winners": sorted(result.winners), "text": str(result.text)}
    return {**facts, "outcome": outcome}


def _last_board(moment: Moment) -> str:
    facts = public_facts(msgspec.json.decode(moment.view, type=dict[str, Any]), moment.result)
    return BOARD + _plain(msgspec.json.encode(facts, order="deterministic").decode())


def _seed(known: KnownGame, entries: Sequence[Entry], moments: tuple[Moment, ...]) -> int | None:
    """Return the smallest seed with the same public course, hiding the match's own; None if none is found."""
    return next((seed for seed in range(SEEDS) if _goes_so(known, entries, seed, moments)), None)


def _goes_so(known: KnownGame, entries: Sequence[Entry], seed: int, moments: tuple[Moment, ...]) -> bool:
    with suppress(Refusal):
        again = course(known, (replace(begins(entries), seed=seed), *entries[1:]))
        return all(one == other for one, other in zip(moments, again, strict=True))
    return False


def _names(known: KnownGame, start: Start, about: About) -> Names:
    sides = {seat: Text(side.name) for seat, side in zip(start.seats, known.spec.sides, strict=False)}
    return {**sides, **{key: about.names[key] for key in about.agreed if key in about.names}}


def day(about: About) -> tuple[str, ...]:
    """Return the day's header: the imported day, else the beginning's; () if neither is known."""
    local = datetime.fromtimestamp(about.begun or 0.0, UTC).astimezone()
    dated = local.date().isoformat() if about.clock_set and about.begun else ""
    return (f'[Date "{about.dated or dated}"]',) if about.dated or dated else ()


def players(start: Start, names: Mapping[Seat, str]) -> tuple[str, ...]:
    """Return the players' header, commas removed; () without names that are read again."""
    known = {key: name for key, name in names.items() if key in start.seats or isinstance(start.evening, Evening)}
    written = {key: _quote_text(name).replace(",", "").strip() for key, name in sorted(known.items())}
    told = ", ".join(f"{key}={name}" for key, name in written.items() if name and name.lower() not in SEATS)
    return (f'[Players "{told}"]',) if told else ()


def _quote_text(text: str) -> str:
    return text.replace("\\", "").replace('"', '\\"').replace(";", ",")


def _lines(entry: Entry, told: Sequence[str], *, written: bool) -> Iterator[str]:
    if written:
        yield notation.write_line(entry)
    yield from (f"; {entry.at} {' '.join(text.split())}" for text in told)
