"""Matches as plain text, one action per line, as PGN is for chess. Format: docs/developers/notation.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from engine import clocks
from engine import match as matches
from engine.catalogue import AnyGame, GameSpec, complete, of_earlier_match
from engine.entry import Act, Correct, Draw, Entry, Flag, Pause, Resign, Restored, Settle, Source, Start, Undo
from engine.errors import Invalid, Refusal
from engine.evening import EndedMatch, Evening, EveningKind
from engine.game import OptionValue, Words
from engine.match import Match
from engine.table import SEATS, Seat
from engine.text import Text, say

TABLE = "table"

SECRET = "secret"
"""Replaces the seed in records of unfinished matches and public records with secrets."""

LONGEST_LINE = 4000
"""Longest line in characters; Python refuses to convert very long numbers."""

_HEADER = re.compile(r'\[\s*([A-Za-z][\w.-]*)\s+"((?:[^"\\]|\\.)*)"\s*\]\Z')
_LINE = re.compile(r"(?P<who>[A-Za-z]+)\s*:\s*(?P<words>.*?)\s*(?:\{(?P<note>[^{}]*)\})?\Z")
_TIME = re.compile(r"[0-9]{1,17}(\.[0-9]+)?(e[-+]?[0-9]{1,2})?")
_NUMBER = re.compile(r"-?[0-9]{1,18}")
FOR_READERS = ("event", "site", "round", "annotator")
"""Headers of other programs that a journal does not store."""

_INFORMATION = frozenset({*FOR_READERS, "date", "result", "players", "version", "record"})
_FIRST = "record"


class RecordLine(msgspec.Struct, frozen=True):
    number: int
    text: str


class Record(msgspec.Struct, frozen=True):
    """A parsed record, not yet judged.

    told: comment lines from the first header on
    information: headers kept for readers, by name
    sealed: line that omits the seed; 0 if the seed is given
    line: of the first header"""

    start: Start
    lines: tuple[RecordLine, ...]
    told: tuple[RecordLine, ...] = ()
    information: dict[str, RecordLine] = {}
    sealed: int = 0
    line: int = 1

    @property
    def public(self) -> bool:
        return self.header_line(_FIRST).text == "public"

    def header_line(self, name: str) -> RecordLine:
        """Return a header for readers: line 0 and "" if absent."""
        return self.information.get(name, RecordLine(0, ""))


class Failure(msgspec.Struct, frozen=True):
    """A refusal of a line. kind: "invalid", "illegal" or "ambiguous"."""

    kind: str
    clauses: tuple[str, ...]
    text: Text


class PlayedLine(msgspec.Struct, frozen=True):
    """A played line: its entry and the match after it, or the failure and the match before."""

    line: RecordLine
    match: Match
    entry: Entry | None = None
    error: Failure | None = None


class _Read(msgspec.Struct):
    headers: dict[str, tuple[int, str]] = {}
    lines: list[RecordLine] = []
    told: list[RecordLine] = []


def parse(text: str, specs: Mapping[str, GameSpec]) -> Record:
    """Parse the record of one match. Raises Invalid for a bad header, with its line number, or a second match."""
    first, *more = parse_all(text, specs)
    if more:
        raise Invalid(say("This record holds several matches: give only one."))
    return first


def parse_all(text: str, specs: Mapping[str, GameSpec]) -> tuple[Record, ...]:
    """Parse the matches of a record, at least one. Raises Invalid for a bad header, with its line number."""
    return tuple(_record(each, specs) for each in _matches(text))


def _matches(text: str) -> Iterator[_Read]:
    """Split a text into matches. A header after an action, or a second [Record …], begins the next."""
    read = _Read()
    for number, raw in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        words, _, comment = raw.partition(";")
        stripped = words.strip()
        found = _HEADER.match(stripped)
        if found and (read.lines or (found[1].lower() == _FIRST and _FIRST in read.headers)):
            yield read
            read = _Read()
        if stripped.startswith("[") and not read.lines:
            if not found:
                raise Invalid(say('Line {line}: a header reads [Key "value"].', line=number))
            key = found[1].lower()
            if key in read.headers and key not in _INFORMATION:
                raise _twice(number, key)
            read.headers[key] = (number, found[2].replace('\\"', '"'))
        elif stripped:
            read.lines.append(RecordLine(number, stripped))
        elif comment and read.headers:
            read.told.append(RecordLine(number, comment.strip()))
    yield read


def _record(read: _Read, specs: Mapping[str, GameSpec]) -> Record:
    sealed, written = read.headers.get("seed", (0, ""))
    sealed = sealed if written == SECRET else 0
    if sealed:
        del read.headers["seed"]
    information = {key: RecordLine(*header) for key, header in read.headers.items() if key in _INFORMATION}
    first = min((line for line, _ in read.headers.values()), default=1)
    return Record(_start(read.headers, specs), tuple(read.lines), tuple(read.told), information, sealed, first)


def play(game: AnyGame, record: Record) -> Iterator[PlayedLine]:
    """Play a record line by line; refused lines change nothing. Raises Invalid if the seed is omitted or the headers
    allow no match."""
    if record.sealed:
        raise Invalid(say("Line {line}: the seed is left out: this record cannot be played again.", line=record.sealed))
    with _on(record.line):
        match = matches.begin(game, record.start)
    for line in record.lines:
        try:
            entry = read_line(line.text, match.at, match.start.seats)
            match, _ = matches.advance(game, match, entry)
        except Refusal as refusal:
            yield PlayedLine(line, match, error=Failure(refusal.kind, refusal.clauses, refusal.text))
        else:
            yield PlayedLine(line, match, entry)


def read_line(text: str, last: float, seats: tuple[Seat, ...]) -> Entry:
    """Read a line as an entry, at time `last` unless it gives its own. Raises Invalid."""
    found = _LINE.match(" ".join(text.split())) if len(text) <= LONGEST_LINE else None  # a run of blanks takes long
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
    """Write a journal as a record; the inverse of `parse` and `play`. Without `secrets`, seed and lots are omitted.

    Raises Invalid unless the first entry is a `Start`, ValueError if another is."""
    start, *rest = entries or (None,)
    if not isinstance(start, Start):
        raise Invalid(say("A match must begin with a start entry."))
    head = [
        f'[Game "{start.game}"]',
        f'[Seats "{" ".join(start.seats)}"]',
        f'[Seed "{start.seed if secrets else SECRET}"]',
        f'[Options "{_pairs(start.options)}"]',
        *([f'[Clock "{_pairs(start.clock)}"]'] if start.clock else []),
        *([f'[Deck "{" ".join(map("=".join, sorted(start.deck.items())))}"]'] if start.deck else []),
        *([f'[Data "{start.data}"]'] if start.data else []),
        *(_evening_headers(start.evening, secrets=secrets) if isinstance(start.evening, Evening) else ()),
        f'[Start "{start.at}"]',
    ]
    return "\n".join([*head, "", *(write_line(entry) for entry in rest), ""])


def write_line(entry: Entry) -> str:
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
    line, name = headers.pop("game", (1, ""))
    name = name.lower()
    with _on(line):
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
    evening = _evening(headers, seats) if "evening" in headers else msgspec.UNSET
    for key, (line, _) in headers.items():
        if key not in _INFORMATION:
            raise Invalid(say("Line {line}: no header or option is called {key}.", line=line, key=key))
    return Start(at, name, dict(options), seats, seed, clock, deck=deck, data=data, evening=evening)


def _options(headers: dict[str, tuple[int, str]], spec: GameSpec) -> Mapping[str, OptionValue]:
    """Return the options of `[Options "a=b c=d"]` and of headers named like options, completed by
    `of_earlier_match`."""
    where = headers.pop("options", (1, ""))
    given = {key: (where[0], value) for key, value in _split(*where).items()}
    for option in spec.options:
        if option.name.lower() in headers:
            if option.name in given:
                raise _twice(headers[option.name.lower()][0], option.name)
            given[option.name] = headers.pop(option.name.lower())
    typed = {key: _typed_value(spec, key, line, value) for key, (line, value) in given.items()}
    return of_earlier_match(spec.options, typed)


def _typed_value(spec: GameSpec, name: str, line: int, written: str) -> OptionValue:
    values = next((option.values for option in spec.options if option.name == name), ())
    value = next((known for known in values if str(known).lower() == written.lower()), written)
    with _on(line):
        complete(spec.options, {name: value})
    return value


def _clock(header: tuple[int, str]) -> dict[str, OptionValue]:
    line, text = header
    given: dict[str, OptionValue] = {
        key: int(value) if _NUMBER.fullmatch(value) else value for key, value in _split(line, text).items()
    }
    with _on(line):
        clocks.rules(given)
    return given


@contextmanager
def _on(line: int) -> Iterator[None]:
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
    found = dict[str, str]()
    for key, _, value in pairs:
        if key in found:
            raise _twice(line, key)
        found[key] = value
    return found


def _seats(header: tuple[int, str]) -> tuple[Seat, ...]:
    line, text = header
    if _NUMBER.fullmatch(text) and 1 <= int(text) <= len(SEATS):
        return SEATS[: int(text)]
    seats = tuple(part.lower() for part in re.split(r"[\s,]+", text) if part)
    if len({*seats}) < len(seats) or not {*seats} <= {*SEATS}:
        raise Invalid(say("Line {line}: seats are some of a, b, c and d, each once.", line=line))
    return seats


def _number(header: tuple[int, str]) -> int:
    line, text = header
    try:
        return int(text)
    except ValueError:
        raise Invalid(say("Line {line}: {text} is not a whole number.", line=line, text=text)) from None


def _seconds(header: tuple[int, str]) -> float:
    line, text = header
    if not _TIME.fullmatch(text):
        raise Invalid(say("Line {line}: {text} is not a number of seconds.", line=line, text=text))
    return float(text)


def _evening_headers(evening: Evening, *, secrets: bool) -> Iterator[str]:
    pairs = {
        "kind": evening.kind.value,
        "players": str(evening.players),
        "seated": _numbers(evening.seated),
        **({"to": str(evening.to)} if evening.to else {}),
        **({"lots": str(evening.lots)} if evening.lots and secrets else {}),
        **({"homes": "-".join(evening.homes)} if evening.homes else {}),
    }
    yield f'[Evening "{_pairs(pairs)}"]'
    if evening.played:
        yield f'[Played "{" ".join(map(_result_text, evening.played))}"]'


def _result_text(match: EndedMatch) -> str:
    return "/".join((_numbers(match.seated), _numbers(match.winners), "-".join(map(str, match.points))))


def _numbers(players: tuple[int, ...]) -> str:
    return "-".join(str(player + 1) for player in players)


def _evening(headers: dict[str, tuple[int, str]], seats: tuple[Seat, ...]) -> Evening:
    (line, text), played = headers.pop("evening"), headers.pop("played", (1, ""))
    given = _split(line, text)
    try:
        evening = Evening(
            EveningKind(given.pop("kind")),
            int(given.pop("players")),
            _players(given.pop("seated")),
            int(given.pop("to", "0")),
            int(given.pop("lots", "0")),
            tuple(home for home in given.pop("homes", "").split("-") if home),
        )
        if given or len(evening.seated) != len(seats) or not set(evening.homes) <= set(SEATS):
            raise ValueError
    except (ValueError, KeyError):
        wrong = say("Line {line}: the evening's headers don't fit together. Copy them unchanged.", line=line)
        raise Invalid(wrong) from None
    try:
        return msgspec.structs.replace(evening, played=tuple(map(_read_ended, played[1].split())))
    except ValueError:
        wrong = say("Line {line}: a match that was played reads players/winners/points: 1-2/1/5-3.", line=played[0])
        raise Invalid(wrong) from None


def _read_ended(text: str) -> EndedMatch:
    seated, winners, points = text.split("/")
    return EndedMatch(_players(seated), _players(winners), tuple(int(each) for each in points.split("-") if each))


def _players(text: str) -> tuple[int, ...]:
    return tuple(int(each) - 1 for each in text.split("-") if each)


def _note(note: str, last: float) -> tuple[float, Source]:
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
        raise Invalid(say("After “table:” write pause, resume, done, draw, correct … or again …"))
    entry: Entry = known[words]
    return entry


def _pairs(values: Mapping[str, OptionValue]) -> str:
    return " ".join(f"{key}={str(value).lower()}" for key, value in sorted(values.items()))
