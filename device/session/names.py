"""Asks for, remembers and shows players' names. Public records need their owner's consent."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, product
from typing import get_args

import msgspec

from device.locale import ENGLISH, languages
from device.personal_names import same_name
from device.screens.screen import Called
from device.session.state import Item, People, Person, Play, Session, Setup, SetupPage
from device.session.table import Table
from engine.catalogue import Colour, Side
from engine.errors import Invalid
from engine.evening import Evening
from engine.table import SEATS, Seat
from engine.text import Text, player, say, seat_of, verbatim, who

replace = msgspec.structs.replace

LONGEST = 12
"""Characters as a reader counts them: accents and joined emoji don't add."""

_MARKS = 4
"""Most code points per character on average, enough for every script in use."""

REMEMBERED = 24
"""Number of names remembered, the latest players first."""

SETTING = "names"
"""The journal's setting for names."""

TOO_LONG = say("A name has {count} characters at most.", count=LONGEST)
A_SEAT = say("A single letter from A to D is a seat. Choose a longer name.")
TAKEN = say("Somebody at this table has this name already.")
COLOUR_TAKEN = say("Somebody at this table has this colour already.")
REFUSALS = frozenset({TOO_LONG, A_SEAT, TAKEN, COLOUR_TAKEN})
"""Reasons for refusing a name, which reveal something about it."""

_WHEEL = 5
"""Letters on one line of the letter wheel."""


# --- names


def clean_name(text: str) -> str:
    """Return a name normalised: NFC, single blanks, no invisible characters; "" for none. Raises Invalid if too long or
    a seat's letter."""
    plain = "".join(char for char in text if char.isspace() or char in _JOINERS or not _unseen(char))
    found = unicodedata.normalize("NFC", " ".join(plain.split()))
    length = _length(found)
    if length > LONGEST or len(found) > LONGEST * _MARKS:
        raise Invalid(TOO_LONG)
    if unicodedata.normalize("NFKC", found).lower() in SEATS:
        raise Invalid(A_SEAT)
    return found if length else ""


def _unseen(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs") or char in _BLANK


_JOINERS = "\u200c\u200d"
"""Joiners: invisible, but needed by Persian, Indian scripts and emoji."""

_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Invisible letters of Hangul and Braille."""


def _length(name: str) -> int:
    seen = re.sub("\u200d.|[\U0001f3fb-\U0001f3ff]", "", name)  # an emoji's joined parts and skin colour
    return sum(unicodedata.category(char) not in ("Mn", "Mc", "Me", "Cf") for char in seen)


def name_seat(
    table: Table,
    session: Session,
    seat: Seat,
    text: str,
    *,
    leaves: bool | None = None,
    colour: Colour | None = None,
    by_anyone: bool = False,
) -> Session:
    """Return the session with this name at a seat; "" removes it. Raises Invalid.

    leaves: consent to public records; None keeps it. colour: asked for; None keeps it.
    by_anyone: typed on the table's page; it gives no consent and is not remembered yet.
    """
    stage, name = session.stage, clean_name(text)
    seats = stage.match.start.seats if isinstance(stage, Play) else stage.seats or table.seats
    if seat not in seats:
        raise Invalid(say("There is no seat {seat} in this match.", seat=seat.upper()))
    place = place_of(stage, seat)
    people = {key: person for key, person in stage.people.items() if key != place}
    if name and name.casefold() in {person.name.casefold() for person in people.values()}:
        raise Invalid(TAKEN)
    if not name:
        return replace(session, stage=replace(stage, people=people))
    if colour is not None and colour in {person.colour for person in people.values()}:
        raise Invalid(COLOUR_TAKEN)
    known = next((each for each in session.people if each.name == name and not by_anyone), Person(name))
    person = replace(
        known, leaves=known.leaves if leaves is None else leaves, colour=known.colour if colour is None else colour
    )
    people[place] = person
    session = replace(session, stage=replace(stage, people=people))
    return session if by_anyone else replace(session, people=_remembering(session.people, person))


def _remembering(people: tuple[Person, ...], *played: Person) -> tuple[Person, ...]:
    names = {person.name for person in played}
    return (*dict.fromkeys(played), *(person for person in people if person.name not in names))[:REMEMBERED]


def others(people: tuple[Person, ...], name: str) -> tuple[Person, ...]:
    """Return the people of other names."""
    return tuple(each for each in people if not same_name(each.name, name))


def forget(session: Session, name: str) -> Session:
    """Return the session without this name, at seats and remembered."""

    def leave(people: People) -> People:
        return {key: each for key, each in people.items() if not same_name(each.name, name)}

    stage = session.stage
    if isinstance(stage, Setup):
        stage = replace(stage, trail=tuple(replace(each, people=leave(each.people)) for each in stage.trail))
    stage = replace(stage, people=leave(stage.people))
    return replace(session, stage=stage, people=others(session.people, name))


def encode(people: tuple[Person, ...]) -> str:
    return msgspec.json.encode(people).decode()


def decode(setting: str | None) -> tuple[Person, ...]:
    """Return the stored names; none if unreadable."""
    try:
        return msgspec.json.decode(setting or "[]", type=tuple[Person, ...])[:REMEMBERED]
    except ValueError:
        return ()


# --- colours


COLOURS: tuple[Colour, ...] = get_args(Colour)
"""All colours, in seat order for those who asked for none."""


def colours(seats: tuple[Seat, ...], people: People, sides: tuple[Side, ...] = ()) -> dict[Seat, Colour]:
    """Return the seats' colours: of the game's pieces, else as the player asked, else free ones."""
    pieces = ((seat, side.colour) for seat, side in zip(seats, sides, strict=False))
    asked = ((seat, people[seat].colour) for seat in seats if seat in people)
    own = ((seat, COLOURS[SEATS.index(seat)]) for seat in seats)
    found: dict[Seat, Colour] = {}
    for seat, colour in chain(pieces, asked, own, product(seats, COLOURS)):
        if colour and seat not in found and colour not in found.values():
            found[seat] = colour
    return found


def with_colours(people: People, remembered: tuple[Person, ...]) -> People:
    """Return the people with the colours that they asked for before."""
    asked = {person.name: person.colour for person in remembered}
    return {key: replace(person, colour=asked.get(person.name, "")) for key, person in people.items()}


def may_choose(sides: tuple[Side, ...]) -> tuple[Colour, ...]:
    """Return the colours to ask for; () if the game's pieces have colours."""
    return () if any(side.colour for side in sides) else COLOURS


# --- who sits where


def place(evening: Evening | None, seats: tuple[Seat, ...], seat: Seat) -> str:
    """Return a player's key in `people`: seat, or number from 1 in an evening."""
    if evening is None:
        return seat
    return str((evening.homes.index(seat) if seat in evening.homes else evening.seated[seats.index(seat)]) + 1)


def place_of(stage: Setup | Play, seat: Seat) -> str:
    """Return a seat's key in the stage's `people`."""
    if isinstance(stage, Play):
        start = stage.match.start
        return place(start.evening if isinstance(start.evening, Evening) else None, start.seats, seat)
    keeps = stage.evening is not None and seat in stage.evening.homes
    return place(stage.evening, stage.seats, seat) if keeps or seat in stage.seats else seat


def players_of_match(play: Play) -> People:
    """Return this match's named players, by seat."""
    found = {seat: play.people.get(place_of(play, seat)) for seat in play.match.start.seats}
    return {seat: person for seat, person in found.items() if person is not None}


def people_by_seat(setup: Setup) -> People:
    """Return the named people by seat, as for a single match."""
    found = {seat: setup.people.get(place_of(setup, seat), setup.people.get(seat)) for seat in SEATS}
    return {seat: person for seat, person in found.items() if person is not None}


def carry_people(play: Play, setup: Setup) -> People:
    """Return the next match's people, who follow a change of seats."""
    start = play.match.start
    if setup.evening is not None:
        return play.people if isinstance(start.evening, Evening) else players_of_match(play)
    before, seats = players_of_match(play), start.seats
    come = (seats[-1], *seats[:-1]) if setup.moved else seats
    return {seat: before[other] for seat, other in zip(seats, come, strict=True) if other in before}


def remember_players(session: Session, people: People) -> Session:
    """Return the session with these players remembered first."""
    return replace(session, people=_remembering(session.people, *people.values()))


def players_now(setup: Setup) -> People:
    """Return the named people who take part, by seat or evening number."""
    found = {key: _person(setup, key) for key in _asked_keys(setup)}
    return {key: person for key, person in found.items() if person is not None}


def players(play: Play) -> dict[str, Called]:
    """Return players' names by seat and, in an evening, also by number."""
    seats, people = play.match.start.seats, players_of_match(play)
    sides = dict(zip(seats, play.known.spec.sides, strict=False))
    letters = _initials(seats, people)
    found: dict[str, Called] = {}
    for seat in seats:
        letter = Text(sides[seat].letter) if seat in sides else None
        if seat in people:
            pieces = Text(sides[seat].name) if seat in sides else None
            found[seat] = Called(people[seat].name, letters.get(seat, letter), pieces)
        elif seat in sides:
            found[seat] = Called(Text(sides[seat].name), letter)
    return {**found, **people_by_number(play.people)}


def people_by_number(people: People) -> dict[str, Called]:
    return {key: Called(person.name) for key, person in people.items() if key.isdecimal()}


def _initials(seats: tuple[Seat, ...], people: People) -> dict[Seat, str]:
    found = {seat: person.name[0].upper()[0] for seat, person in people.items()}
    shown = [found.get(seat, seat.upper()) for seat in seats]
    return found if len(set(shown)) == len(shown) else {}


# --- pages about names


NAME_PAGES = frozenset(
    {SetupPage.NAMES, SetupPage.NAME, SetupPage.SPELL, SetupPage.LETTERS, SetupPage.CONSENT, SetupPage.FORGET}
)


def title(setup: Setup) -> Text:
    match setup.page:
        case SetupPage.NAMES:
            return say("Who is playing?")
        case SetupPage.NAME:
            return _label(setup.asked)
        case SetupPage.FORGET:
            return say("Remove a name")
        case _:
            return say("Name: {name}", name=setup.spelt + ("" if setup.page is SetupPage.CONSENT else "_"))


def prompt(setup: Setup) -> Text | None:
    match setup.page:
        case SetupPage.CONSENT:
            return say("Show this name in records that leave the table?")
        case SetupPage.SPELL if setup.spelt:
            return say("BACK deletes")
        case _:
            return None


def items(session: Session, setup: Setup) -> tuple[Item, ...]:
    match setup.page:
        case SetupPage.NAMES:
            ahead = Item(say("Continue"), replace(setup, page=SetupPage.CHECK, cursor=0))
            return (ahead, *(_asking(session, setup, key) for key in _asked_keys(setup)))
        case SetupPage.NAME:
            return _name_items(session, setup)
        case SetupPage.SPELL:
            return _spell_items(session, setup)
        case SetupPage.LETTERS:
            back = replace(setup, page=SetupPage.SPELL, letters="", cursor=0)
            return tuple(Item(letter(char), replace(back, spelt=setup.spelt + char)) for char in setup.letters)
        case SetupPage.CONSENT:
            person = Person(setup.spelt)
            no, yes = say("No: only {seat}", seat=_label(setup.asked)), say("Yes, the name")
            return (Item(no, _with(setup, person)), Item(yes, _with(setup, replace(person, leaves=True))))
        case _:
            back = replace(setup, page=SetupPage.NAME, cursor=0)
            return tuple(Item(verbatim(person.name), back) for person in session.people)


def follow_answer(session: Session, setup: Setup, place: int) -> Session:
    """Apply the answer at this place of `items`, which leads to a name page; stay, with an alert, if the name is
    refused."""
    then, people = items(session, setup)[place].then, session.people
    assert then is not None
    if setup.page is SetupPage.FORGET:
        gone = people[place]
        people = tuple(person for person in people if person != gone)
        still = {key: person for key, person in setup.people.items() if person.name != gone.name}
        then = replace(then, people=still)
    elif setup.page is SetupPage.SPELL and then.page is SetupPage.CONSENT:
        try:
            then = replace(then, spelt=_free(setup, setup.spelt))
        except Invalid as refusal:
            return replace(session, stage=replace(setup, alert=refusal.text))
    elif setup.page is SetupPage.CONSENT:
        people = _remembering(people, then.people[setup.asked])
    return replace(session, people=people, stage=replace(then, trail=_trail(setup, then), alert=None))


def back(setup: Setup) -> Setup:
    """Go back a letter while spelling, else a page, with all names kept."""
    if setup.page is SetupPage.SPELL and setup.spelt:
        return replace(setup, spelt=setup.spelt[:-1], cursor=0, alert=None)
    before = setup.trail[-1]
    return replace(before, people=setup.people if before.evening is not None else people_by_seat(setup))


def _trail(setup: Setup, then: Setup) -> tuple[Setup, ...]:
    for place, before in enumerate(setup.trail):
        if before.page is then.page:
            return setup.trail[:place]
    return setup.trail if setup.page is then.page else (*setup.trail, replace(setup, alert=None))


def _asked_keys(setup: Setup) -> tuple[str, ...]:
    if setup.evening is None:
        return setup.seats
    return tuple(str(number + 1) for number in range(setup.evening.players))


def _person(setup: Setup, key: str) -> Person | None:
    if setup.evening is None or key in setup.people:
        return setup.people.get(key)
    number = int(key) - 1
    if setup.evening.homes:
        return setup.people.get(setup.evening.homes[number])
    at = setup.seats[setup.evening.seated.index(number)] if number in setup.evening.seated else ""
    return setup.people.get(at)


def _label(key: str) -> Text:
    return player(int(key) - 1) if key.isdecimal() else seat_of(key)


def _asking(session: Session, setup: Setup, key: str) -> Item:
    person, free = _person(setup, key), _unseated_names(session, setup, key)
    label = Text(key) if key.isdecimal() else who(key)
    text = _label(key) if person is None else say("{seat}: {player}", seat=label, player=person.name)
    cursor = free.index(person) if person in free else len(free)
    return Item(text, replace(setup, page=SetupPage.NAME, asked=key, cursor=cursor))


def _unseated_names(session: Session, setup: Setup, key: str) -> tuple[Person, ...]:
    others = {_person(setup, other) for other in _asked_keys(setup) if other != key}
    taken = {person.name for person in others if person is not None}
    return tuple(person for person in session.people if person.name not in taken)


def _name_items(session: Session, setup: Setup) -> tuple[Item, ...]:
    free = _unseated_names(session, setup, setup.asked)
    known = tuple(Item(verbatim(each.name), _with(setup, each)) for each in free)
    new = Item(say("A new name"), replace(setup, page=SetupPage.SPELL, spelt="", cursor=0))
    forget = (Item(say("Remove a name"), replace(setup, page=SetupPage.FORGET, cursor=0)),) if session.people else ()
    return (*known, Item(_label(setup.asked), _with(setup, None)), new, *forget)


def _with(setup: Setup, person: Person | None) -> Setup:
    asked = _asked_keys(setup)
    following = asked.index(setup.asked) + 2
    found = {key: each for key in asked if (each := _person(setup, key)) is not None and key != setup.asked}
    people = found if person is None else {**found, setup.asked: person}
    cursor = following if following <= len(asked) else 0
    return replace(setup, page=SetupPage.NAMES, people=people, asked="", spelt="", cursor=cursor)


def _free(setup: Setup, name: str) -> str:
    found = clean_name(name)
    others = (_person(setup, key) for key in _asked_keys(setup) if key != setup.asked)
    if found.casefold() in {person.name.casefold() for person in others if person is not None}:
        raise Invalid(TAKEN)
    return found


# --- the letter wheel


def _spell_items(session: Session, setup: Setup) -> tuple[Item, ...]:
    done = (Item(say("Done"), replace(setup, page=SetupPage.CONSENT, cursor=0)),) if setup.spelt.strip() else ()
    if len(setup.spelt) >= LONGEST:
        return done
    wheel = (*alphabet(session.language, setup.spelt), *(("- ",) if setup.spelt else ()))
    lines = tuple(wheel[at] for at in range(len(wheel)))
    return (
        *done,
        *(Item(letters_line(each), replace(setup, page=SetupPage.LETTERS, letters=each, cursor=0)) for each in lines),
    )


def alphabet(language: str, spelt: str) -> tuple[str, ...]:
    """Return the alphabet in lines; capitals at a word's start."""
    letters = languages().get(language, ENGLISH).alphabet
    cased = letters if not spelt or spelt[-1] in " -" else letters.lower()
    return tuple(cased[at : at + _WHEEL] for at in range(0, len(cased), _WHEEL))


def letters_line(letters: str) -> Text:
    return say("- and space") if letters == "- " else verbatim(" ".join(letters))


def letter(char: str) -> Text:
    return say("Space") if char == " " else verbatim(char)
