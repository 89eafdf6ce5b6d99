"""A match as plain text, one line an action, as PGN is to chess. The format is described in docs/notation.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from engine import clocks
from engine import match as matches
from engine.catalogue import AnyGame, GameSpec
from engine.entry import Act, Correct, Draw, Entry, Flag, Pause, Resign, Restored, Settle, Source, Start, Undo
from engine.errors import Invalid, Refusal
from engine.game import OptionValue, Words
from engine.match import Match
from engine.options import complete
from engine.table import Seat
from engine.text import Text, say

SEATS: tuple[Seat, ...] = ("a", "b", "c", "d")
TABLE = "table"
"""Who speaks in lines that belong to nobody: pause, draw, correction."""

SECRET = "secret"
"""In place of the seed, in the record of a match that is not over."""

LONGEST_LINE = 4000
"""Letters of one action with its note; Python refuses to read numbers of thousands of digits."""

_HEADER = re.compile(r'\[\s*([A-Za-z][\w.-]*)\s+"((?:[^"\\]|\\.)*)"\s*\]\Z')
_LINE = re.compile(r"(?P<who>[A-Za-z]+)\s*:\s*(?P<words>.*?)\s*(?:\{(?P<note>[^{}]*)\})?\Z")
_TIME = re.compile(r"\d+(\.\d+)?(e[-+]?\d{1,2})?")
_INFORMATION = frozenset({"event", "site", "date", "round", "result", "players", "annotator", "version", "record"})


class RecordLine(msgspec.Struct, frozen=True):
    """One line after the header. number: 1-based line of the file."""

    number: int
    text: str


class Record(msgspec.Struct, frozen=True):
    """A record as read: how the match begins, and its lines, not yet judged. players: who played, as it stands there;
    public: it says that it is the public record."""

    start: Start
    lines: tuple[RecordLine, ...]
    players: str = ""
    public: bool = False


class Failure(msgspec.Struct, frozen=True):
    """Why a line was refused: "invalid", "illegal" or "ambiguous", the clauses against it, and the sentence."""

    kind: str
    clauses: tuple[str, ...]
    text: Text


class Played(msgspec.Struct, frozen=True):
    """One line of a record, played: the entry it became and the match after it, or the failure."""

    line: RecordLine
    match: Match
    entry: Entry | None = None
    error: Failure | None = None


def parse(text: str, specs: Mapping[str, GameSpec]) -> Record:
    """Reads a record. Raises Invalid, with the line number, if the header cannot be understood."""
    headers: dict[str, tuple[int, str]] = {}
    lines: list[RecordLine] = []
    for number, raw in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        stripped = raw.split(";")[0].strip()
        if not stripped:
            continue
        if stripped.startswith("[") and not lines:
            found = _HEADER.match(stripped)
            if not found:
                raise Invalid(say('Line {line}: a header reads [Key "value"].', line=number))
            key = found[1].lower()
            if key in headers and key not in _INFORMATION:
                raise _twice(number, key)
            headers[key] = (number, found[2].replace('\\"', '"'))
        else:
            lines.append(RecordLine(number, stripped))
    players, public = headers.get("players", (0, ""))[1], headers.get("record", (0, ""))[1] == "public"
    return Record(_start(headers, specs), tuple(lines), players, public)


def play(game: AnyGame, record: Record) -> Iterator[Played]:
    """Plays a record line by line. A refused line changes nothing, and the next one is tried."""
    match = matches.begin(game, record.start)
    for line in record.lines:
        try:
            entry = read_line(line.text, match.at, match.start.seats)
            match, _ = matches.advance(game, match, entry)
        except Refusal as refusal:
            yield Played(line, match, error=Failure(refusal.kind, refusal.clauses, refusal.text))
        else:
            yield Played(line, match, entry)


def read_line(text: str, last: float, seats: tuple[Seat, ...]) -> Entry:
    """The entry that a line stands for; without a time of its own it happens at `last`. Raises Invalid."""
    found = _LINE.match(text) if len(text) <= LONGEST_LINE else None
    if not found or not found["words"]:
        raise Invalid(say("A line reads “seat: verb arguments”, such as “a: place crown left”."))
    who, words = found["who"].lower(), tuple(found["words"].split())
    at, source = _note(found["note"] or "", last)
    if who == TABLE:
        return _table_line(words, at, source)
    if who not in seats:
        raise Invalid(say("There is no seat {seat} in this match.", seat=who.upper()))
    own = {entry.__name__.lower(): entry for entry in (Undo, Resign, Flag, Restored)}
    return own[words[0]](at, who) if len(words) == 1 and words[0] in own else Act(at, who, words, source)


def write(entries: tuple[Entry, ...], *, secrets: bool = True) -> str:
    """The record of a journal's entries; `parse` and `play` give the same match back. Without `secrets` the seed, from
    which everything hidden follows, is left out, and nobody can play it again. Raises ValueError if empty."""
    start, *rest = entries
    if not isinstance(start, Start):
        raise ValueError("a match begins with a start entry")
    head = [
        f'[Game "{start.game}"]',
        f'[Seats "{" ".join(start.seats)}"]',
        f'[Seed "{start.seed if secrets else SECRET}"]',
        f'[Options "{_pairs(start.options)}"]',
        *([f'[Clock "{_pairs(start.clock)}"]'] if start.clock else []),
        *([f'[Deck "{" ".join(map("=".join, start.deck.items()))}"]'] if start.deck else []),
        *([f'[Data "{start.data}"]'] if start.data else []),
        f'[Start "{start.at}"]',
    ]
    return "\n".join([*head, "", *(write_line(entry) for entry in rest), ""])


def write_line(entry: Entry) -> str:
    """One entry as a line, with its time and, for an action, who saw it."""
    seen = f" {entry.source.value}" if isinstance(entry, Act | Settle) else ""
    note = f" {{{entry.at}{seen}}}"
    match entry:
        case Act(seat=seat, words=words):
            return f"{seat}: {' '.join(words)}{note}"
        case Undo(seat=seat) | Resign(seat=seat) | Flag(seat=seat) | Restored(seat=seat):
            return f"{seat}: {type(entry).__name__.lower()}{note}"
        case Correct(words=words, again=again):
            return f"{TABLE}: {'again' if again else 'correct'} {' '.join(words)}{note}"
        case Pause(paused=paused):
            return f"{TABLE}: {'pause' if paused else 'resume'}{note}"
        case Settle():
            return f"{TABLE}: done{note}"
        case Draw():
            return f"{TABLE}: draw{note}"
    raise ValueError("a start entry is the header of a record, not a line")


def _start(headers: dict[str, tuple[int, str]], specs: Mapping[str, GameSpec]) -> Start:
    name = headers.pop("game", (1, ""))[1].lower()
    if name not in specs:
        raise Invalid(say('The header [Game "…"] must name one of: {games}.', games=", ".join(sorted(specs))))
    spec = specs[name]
    options = _options(headers, spec)
    table = spec.table(options)
    count = table.seats[0] if table else 2
    seats = _seats(headers.pop("seats", (1, ""))) or SEATS[:count]
    seed = _number(headers.pop("seed", (1, "0")))
    at = _seconds(headers.pop("start", (1, "0")))
    clock = _clock(headers.pop("clock", (1, "")))
    deck = _split(*headers.pop("deck", (1, "")))
    data = headers.pop("data", (1, ""))[1].strip().lower()
    for key, (line, _) in headers.items():
        if key not in _INFORMATION:
            raise Invalid(say("Line {line}: no header or option is called {key}.", line=line, key=key))
    return Start(at, name, dict(options), seats, seed, clock, deck=deck, data=data)


def _options(headers: dict[str, tuple[int, str]], spec: GameSpec) -> Mapping[str, OptionValue]:
    """Options from `[Options "a=b c=d"]` and from headers that are called like an option."""
    where = headers.pop("options", (1, ""))
    given = {key: (where[0], value) for key, value in _split(*where).items()}
    for option in spec.options:
        if option.name.lower() in headers:
            if option.name in given:
                raise _twice(headers[option.name.lower()][0], option.name)
            given[option.name] = headers.pop(option.name.lower())
    typed = {key: _typed(spec, key, line, value) for key, (line, value) in given.items()}
    return complete(spec.options, typed)


def _typed(spec: GameSpec, name: str, line: int, written: str) -> OptionValue:
    """An option's value as the game knows it. Raises Invalid, with the line."""
    values = next((option.values for option in spec.options if option.name == name), ())
    value = next((known for known in values if str(known).lower() == written.lower()), written)
    with _on(line):
        complete(spec.options, {name: value})
    return value


def _clock(header: tuple[int, str]) -> dict[str, OptionValue]:
    line, text = header
    given: dict[str, OptionValue] = {
        key: int(value) if re.fullmatch(r"-?\d+", value) else value for key, value in _split(line, text).items()
    }
    with _on(line):
        clocks.rules(given)
    return given


@contextmanager
def _on(line: int) -> Iterator[None]:
    """What is wrong inside is told with the line that it stands on."""
    try:
        yield
    except Invalid as wrong:
        raise Invalid(say("Line {line}: {why}", line=line, why=wrong.text)) from wrong


def _twice(line: int, key: str) -> Invalid:
    return Invalid(say("Line {line}: {key} is given twice.", line=line, key=key))


def _split(line: int, text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in re.split(r"[\s,]+", text) if part]
    if any(not equals for _, equals, _ in pairs):
        raise Invalid(say("Line {line}: options read name=value, separated by blanks.", line=line))
    names = [key for key, _, _ in pairs]
    for key in names:
        if names.count(key) > 1:
            raise _twice(line, key)
    return {key: value for key, _, value in pairs}


def _seats(header: tuple[int, str]) -> tuple[Seat, ...]:
    line, text = header
    if text.isdigit() and 1 <= int(text) <= len(SEATS):
        return SEATS[: int(text)]
    seats = tuple(part.lower() for part in re.split(r"[\s,]+", text) if part)
    if seats != SEATS[: len(seats)]:
        raise Invalid(say("Line {line}: seats are a, b, c, d, in this order.", line=line))
    return seats


def _number(header: tuple[int, str]) -> int:
    line, text = header
    if text == SECRET:
        raise Invalid(say("Line {line}: the seed is left out: this record cannot be played again.", line=line))
    try:
        return int(text)
    except ValueError:
        raise Invalid(say("Line {line}: {text} is not a whole number.", line=line, text=text)) from None


def _seconds(header: tuple[int, str]) -> float:
    line, text = header
    if not _TIME.fullmatch(text):
        raise Invalid(say("Line {line}: {text} is not a number of seconds.", line=line, text=text))
    return float(text)


def _note(note: str, last: float) -> tuple[float, Source]:
    """The time and source in braces: {12.5 camera}. What is not understood there is a comment."""
    at, source = last, Source.BUTTONS
    for part in note.split():
        if part in set(Source):
            source = Source(part)
        elif _TIME.fullmatch(part):
            at = float(part)
    return at, source


def _table_line(words: Words, at: float, source: Source) -> Entry:
    if words[0] in {"correct", "again"} and len(words) > 1:
        return Correct(at, words[1:], words[0] == "again")
    known: dict[Words, Any] = {
        ("pause",): Pause(at, True),
        ("resume",): Pause(at, False),
        ("done",): Settle(at, source),
        ("draw",): Draw(at),
    }
    if words not in known:
        raise Invalid(say("The table can say: pause, resume, done, draw, correct …, again …"))
    entry: Entry = known[words]
    return entry


def _pairs(values: Mapping[str, OptionValue]) -> str:
    return " ".join(f"{key}={str(value).lower()}" for key, value in values.items())
