"""Lists every deviation of a match from a plain one.

A plain match has default options and cards, plausible times, and nothing repaired, undone or agreed on. Deviations
are not wrong, but a reader of "verified" must see them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import msgspec

from device.session.step import LATE_S
from device.session.table import KnownGame
from device.version import KNOWN
from engine.catalogue import Option, cards, value_text
from engine.clocks import ClockKind, due, rules
from engine.entry import VERSION, Act, Correct, Draw, Entry, Flag, Pause, Resign, Restored, Settle, Source, Start, Undo
from engine.errors import Refusal
from engine.evening import Evening
from engine.game import OptionValue
from engine.match import advance, replay
from engine.table import SEATS
from engine.text import Text, list_texts, many, player, say, verbatim
from referee_record.public_entries import FORMAT, Link, Opening
from referee_record.signed_record import SignedRecord

LONG_S = 24 * 3600.0
"""Seconds of one sitting; clocks stand still between two."""

FAST_S = 0.25
"""Average seconds for an ordered entry, at least two presses."""

_KINDS: Mapping[str, Text] = {
    "correct": say("Corrections to the referee, by consent"),
    "undo": say("Undone actions"),
    "restored": say("Corrected on a player's word, against the camera"),
    "draw": say("A draw by consent, with no other proof"),
    "flag": say("A clock that ran out"),
    "pause": say("Pauses"),
    "resign": say("Resignations"),
}
"""Deviating entries, by the kind of their link."""

_TYPES: Mapping[type[msgspec.Struct], str] = {
    Correct: "correct",
    Undo: "undo",
    Restored: "restored",
    Draw: "draw",
    Flag: "flag",
    Resign: "resign",
}


class _Moment(msgspec.Struct, frozen=True):
    """An entry, or a link if nothing is revealed. number: in the match, from 0. at: seconds."""

    number: int
    at: float
    kind: str


def noteworthy(record: SignedRecord, known: KnownGame, program: str) -> Iterator[Text]:
    """Yield the deviations as sentences. known: the record's game. program: the verifying version."""
    first = record.opening
    yield from _versions(first, program)
    if record.entries:
        start, *rest = record.entries
        assert isinstance(start, Start)
        yield from _start_deviations(start)
        moments = [_Moment(n, entry.at, _kind(entry)) for n, entry in enumerate(rest, start=1)]
    else:
        links = [link.body for link in record.links if isinstance(link.body, Link)]
        moments = [_Moment(link.n, link.at, link.kind) for link in links]
        if first.cards and first.cards != cards(first.data, {}):
            yield say("The table's owner corrected some of the cards.")
    yield from _set_up(first, known)
    yield from _times(moments)
    for kind, name in _KINDS.items():
        yield from _list_entries(name, [moment.number for moment in moments if moment.kind == kind])
    yield from _list_entries(say("Confirmed by a button, not seen by the camera"), list(_unseen(record.entries)))
    yield from _list_entries(say("Played on after the player's time was up"), list(_overdue(record.entries, known)))


def _versions(first: Opening, program: str) -> Iterator[Text]:
    if first.format < FORMAT:
        yield say(
            "Format {format}: an earlier version began the match and did not publish the digest of the cards.",
            format=first.format,
        )
    if first.program != program and first.program not in KNOWN:
        yield say(
            "The record names version {program}, which is unknown here. If that version exists, verify the "
            "record with it, too.",
            program=first.program,
        )
    if not re.fullmatch("[0-9a-f]{32}", first.match):
        yield say("The record lacks the id that a table gives each match.")
    if not first.data:
        yield say("The record does not say which version of the game's data the match used.")


def _start_deviations(start: Start) -> Iterator[Text]:
    if start.version < VERSION:
        yield say("The first entry is from an earlier version: {version}.", version=start.version)
    if start.deck:
        corrected = ", ".join(f"{place} = {word}" for place, word in sorted(start.deck.items()))
        yield say("The table's owner corrected these cards: {cards}", cards=corrected)
    if isinstance(start.evening, Evening):
        yield _evening(start.evening)
    if start.at != 0:
        yield say("The record begins at {at} s instead of 0.", at=str(start.at))
    if not 0 <= start.seed < 1 << 62:
        yield say("No table draws a seed like this.")


def _evening(evening: Evening) -> Text:
    if not evening.played:
        return say("The record says that this is the first match of an evening.")
    won = [sum(number in match.winners for match in evening.played) for number in range(evening.players)]
    wins = (say("{player}: {wins}", player=player(number), wins=wins) for number, wins in enumerate(won))
    return many(
        "The record says that {count} match of an evening came before this one ({wins} won), but does not prove it.",
        "The record says that {count} matches of an evening came before this one ({wins} won), but does not prove it.",
        len(evening.played),
        wins=list_texts(wins),
    )


def _set_up(first: Opening, known: KnownGame) -> Iterator[Text]:
    for option in known.spec.options:
        yield from _option(option, first.options)
    if unnamed := [Text(option.title) for option in known.spec.options if option.name not in first.options]:
        yield say("The record does not say what was chosen for: {options}", options=list_texts(unnamed))
    if first.clock.get("kind", "none") != "none" or len(first.clock) > 1:
        yield say("Clock: {clock}", clock=", ".join(f"{name} {value}" for name, value in sorted(first.clock.items())))
    if first.seats != SEATS[: len(first.seats)]:
        yield say("Seats: {seats}", seats=", ".join(first.seats))


def _option(option: Option, chosen: Mapping[str, OptionValue]) -> Iterator[Text]:
    earlier = option.default if option.earlier is None else option.earlier
    value = chosen.get(option.name, earlier)
    if (type(value), value) == (type(option.default), option.default):
        return
    allowed = (type(value), value) in [(type(each), each) for each in option.values]
    yield say(
        "{title}: {value} (usual: {usual})",
        title=Text(option.title),
        value=value_text(option, value) if allowed else verbatim(str(value)),
        usual=value_text(option, option.default),
    )


def _times(moments: Sequence[_Moment]) -> Iterator[Text]:
    """Yield deviations: too long or too fast for people, or too precise times."""
    if not moments:
        return
    last, ordered = moments[-1].at, sum(moment.kind in ("act", *_KINDS) for moment in moments)
    if last < FAST_S * ordered:
        yield say("The match lasted {seconds} s, faster than people play.", seconds=str(last))
    if last > LONG_S:
        yield say("The match lasted {hours} hours.", hours=str(round(last / 3600)))
    fine = [moment.number for moment in moments if round(moment.at, 3) != moment.at]
    yield from _list_entries(say("Times more precise than a table writes"), fine)


def _list_entries(name: Text, numbers: Sequence[int]) -> Iterator[Text]:
    if numbers:
        yield many(
            "{name}: entry {entries}",
            "{name}: entries {entries}",
            len(numbers),
            name=name,
            entries=", ".join(map(str, numbers)),
        )


def _kind(entry: Entry) -> str:
    if isinstance(entry, Pause):
        return "pause" if entry.paused else "resume"
    return "act" if isinstance(entry, Act) else _TYPES.get(type(entry), "")


def _unseen(entries: Sequence[Entry]) -> Iterator[int]:
    """Yield the numbers of orders that no camera saw carried out, if it saw others."""
    seen = any(isinstance(entry, Act | Settle) and entry.source is Source.CAMERA for entry in entries)
    for number, entry in enumerate(entries if seen else ()):
        if isinstance(entry, Settle) and entry.source is Source.BUTTONS:
            yield number


def _overdue(entries: Sequence[Entry], known: KnownGame) -> Iterator[int]:
    """Yield the numbers of actions by seats whose time was up, of which no flag tells. A table waits `LATE_S` for the
    camera, and until orders are carried out."""
    if not entries or rules(dict(entries[0].clock) if isinstance(entries[0], Start) else {}).kind is ClockKind.NONE:
        return
    with suppress(Refusal):
        match = replay(known.game, entries[:1])
        for number, entry in enumerate(entries[1:], start=1):
            if isinstance(entry, Act) and match.pending is None and entry.seat in due(match.clocks, entry.at - LATE_S):
                yield number
            match, _ = advance(known.game, match, entry)
