"""Offers the last game again after power-on, from a journal setting that must still fit the table."""

from __future__ import annotations

import msgspec

from device.session import evening as evenings
from device.session.match_start import UNFIT, start_of
from device.session.matches import begin_match
from device.session.state import Item, People, Person, Play, Session, Setup, SetupPage
from device.session.table import LANGUAGES, KnownGame, Table
from engine.evening import Evening, EveningKind
from engine.game import OptionValue
from engine.table import Seat
from engine.text import Text, list_texts, say

replace = msgspec.structs.replace

SETTING = "last"
"""The journal's setting for the last match."""


class LastMatch(msgspec.Struct, frozen=True):
    """The last match, its evening from the beginning, and players' names by seat or number."""

    game: str
    seats: tuple[Seat, ...]
    options: dict[str, OptionValue] = {}
    clock: dict[str, OptionValue] = {}
    evening: Evening | None = None
    names: dict[str, str] = {}


def encode_play(play: Play) -> str:
    """Return the match's settings for the journal, without anything from its seed."""
    start = play.match.start
    evening, seats = None, start.seats
    if isinstance(start.evening, Evening):
        evening = replace(evenings.anew(start.evening), lots=0)
        seats = evenings.seats_of(evening, seats)
    names = {key: person.name for key, person in play.people.items()}
    last = LastMatch(start.game, seats, dict(start.options), dict(start.clock or {"kind": "none"}), evening, names)
    return encode(last)


def encode(last: LastMatch) -> str:
    return msgspec.json.encode(last, order="deterministic").decode()


def decode(table: Table, setting: str | None, people: tuple[Person, ...]) -> Setup | None:
    """Return the page with the stored match; None if it can't be played here."""
    try:
        last = msgspec.json.decode(setting or "", type=LastMatch)
        known = table.games[last.game]
        setup = Setup(SetupPage.LAST, last.game, last.seats, last.options, last.clock, evening=last.evening)
        start = begin_match(known, start_of(known, setup, 0), None).match.start
        fits = _fits_seats(table, known, setup) and known.spec.table(start.options, len(start.seats)) is not None
    except UNFIT:
        return None
    remembered = {person.name: person for person in people}
    there: People = {key: remembered[name] for key, name in last.names.items() if name in remembered}
    return replace(setup, options=dict(start.options), people=there) if fits else None


def _fits_seats(table: Table, known: KnownGame, setup: Setup) -> bool:
    evening = setup.evening
    taken = {*setup.seats, *(evening.homes if evening is not None else ())}
    if not taken <= set(table.seats) or setup.seats != tuple(seat for seat in table.seats if seat in setup.seats):
        return False
    return evening is None or evening.kind is EveningKind.SERIES or known.spec.pool is not None


def items(session: Session, setup: Setup) -> tuple[Item, ...]:
    """Return the answers: the same again, or from the first question."""
    again = replace(setup, page=SetupPage.CHECK, cursor=0)
    codes = [code for code, _ in LANGUAGES]
    anew = Setup(cursor=codes.index(session.language) if session.language in codes else 0)
    return (Item(say("As last time"), again), Item(say("Something else"), anew))


def prompt(table: Table, setup: Setup) -> Text:
    """Return the last game and its players."""
    game = Text(table.games[setup.game].spec.heading)
    keys = setup.seats if setup.evening is None else tuple(map(str, range(1, setup.evening.players + 1)))
    named = [setup.people[key].name for key in keys if key in setup.people]
    seated = Text("{a}: {b}", (("a", game), ("b", list_texts(named) if named else " ".join(setup.seats).upper())))
    if setup.evening is None:
        return seated
    return Text("{a} ({b})", (("a", seated), ("b", evenings.title(setup.evening))))
