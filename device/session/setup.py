"""Asks the questions before a match: language, game, seats, options, clock, names. Every panel may answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from device.key_gestures import Button, Gesture, Key
from device.session import card_corrections, evening, last_time, maintenance, names, phones
from device.session.check import begin_look
from device.session.match_start import check_page, enter_check, fitting, objection, open_match, seatings
from device.session.messages import Effect, Keep, Tend
from device.session.names import NAME_PAGES
from device.session.state import CARD_PAGES, PHONE_PAGES, Item, Session, Setup, SetupPage
from device.session.table import LANGUAGES, KnownGame, Table
from device.session.times import clock_choices, clock_text
from engine.catalogue import Option, absent_options, complete, offered_values, value_text
from engine.errors import Refusal
from engine.game import OptionValue
from engine.table import SEATS, Seat
from engine.text import Text, many, say

replace = msgspec.structs.replace


def help_text(setup: Setup, table: Table) -> Text | None:
    if setup.page in CARD_PAGES:
        return card_corrections.prompt(table, setup)
    if setup.page in NAME_PAGES:
        return names.prompt(setup)
    if setup.page is SetupPage.LAST:
        return last_time.prompt(table, setup)
    if setup.page is not SetupPage.VALUE:
        return None
    option = _option(_find_game(table, setup), setup.option)
    return Text(option.help) if option.help else None


def title(setup: Setup, table: Table) -> Text:
    if setup.page in CARD_PAGES:
        return card_corrections.title(table, setup)
    if setup.page in PHONE_PAGES:
        return phones.title(setup)
    if setup.page is SetupPage.CARE:
        return maintenance.TITLE
    if setup.page in NAME_PAGES:
        return names.title(setup)
    if setup.page is SetupPage.VALUE:
        return Text(_option(_find_game(table, setup), setup.option).title)
    return {
        SetupPage.LAST: say("Play again?"),
        SetupPage.LANGUAGE: say("Language"),
        SetupPage.GAME: say("Game"),
        SetupPage.SEATS: say("Players"),
        SetupPage.PLACES: say("Seats"),
        SetupPage.OPTIONS: say("Rules"),
        SetupPage.MORE: say("More rules"),
        SetupPage.EVENING: say("Evening"),
        SetupPage.CLOCK: say("Clock"),
        SetupPage.CHECK: say("Set-up"),
    }[setup.page]


def items(table: Table, session: Session, setup: Setup) -> tuple[Item, ...]:
    if setup.page is SetupPage.CHECK:
        return tuple(Item(text, None) for text in check_page(table, session, setup).answers)
    if setup.page in CARD_PAGES:
        return card_corrections.items(table, session, setup)
    if setup.page in PHONE_PAGES:
        return phones.items(table, session, setup)
    if setup.page in _ASKED_PAGES:
        return _ASKED_PAGES[setup.page](session, setup)
    if setup.page is SetupPage.PLACES:
        return _place_items(table, session, setup)
    return _PAGES[setup.page](table, setup)


def handle_key(table: Table, session: Session, setup: Setup, key: Key) -> tuple[Session, tuple[Effect, ...]]:
    found = items(table, session, setup)
    if key.steps:
        return _turn(session, replace(setup, cursor=(setup.cursor + key.steps) % max(1, len(found)), alert=None)), ()
    if key.gesture is not Gesture.PRESS:
        return session, ()
    if key.button is Button.BACK:
        return back(session, setup)
    if not found:
        return session, ()
    return choose(table, session, setup, min(setup.cursor, len(found) - 1))


def back(session: Session, setup: Setup) -> tuple[Session, tuple[Effect, ...]]:
    """Go to the previous page, else the language page; while spelling delete a letter instead."""
    if setup.trail:
        return _turn(session, names.back(setup)), ()
    spoken = [code for code, _ in LANGUAGES].index(session.language)
    return _turn(session, replace(setup, page=SetupPage.LANGUAGE, cursor=spoken)), ()


def choose(table: Table, session: Session, setup: Setup, place: int) -> tuple[Session, tuple[Effect, ...]]:
    """Choose the answer at this place of `items`: carry it out, go to its page, or begin the match."""
    item = items(table, session, setup)[place]
    if item.then is None:
        return open_match(table, session, setup)
    if (answered := _apply_answer(table, session, setup, item, place)) is not None:
        return answered
    effects: tuple[Effect, ...] = ()
    if setup.page is SetupPage.LANGUAGE:
        code = LANGUAGES[place][0]
        session, effects = replace(session, language=code, languages={}), (Keep("language", code),)
    trail = (*setup.trail, replace(setup, alert=None))
    if setup.page in (SetupPage.VALUE, SetupPage.EVENING):
        trail = setup.trail[:-1]  # the answer stands among the rules, where BACK leads on
    if setup.page is SetupPage.LAST and item.then.page is SetupPage.CHECK:
        trail = (
            *trail,
            replace(item.then, page=SetupPage.OPTIONS, trail=trail),
        )  # BACK leads to the rules, to change them
    following = _skip_empty_pages(table, session, replace(item.then, trail=trail, alert=None))
    if setup.page is SetupPage.VALUE:
        following = replace(following, cursor=_next_option(table, session, following, setup.option))
    if following.page is SetupPage.CHECK:
        entered, looks = enter_check(table, session, following)
        return entered, (*effects, *looks)
    if following.page is SetupPage.CARE:
        return _turn(session, following), (Tend(None),)
    if following.page is SetupPage.CARDS:
        return begin_look(_turn(session, following)), card_corrections.looks(table, following)
    return _turn(session, following), effects


def _next_option(table: Table, session: Session, setup: Setup, option: str) -> int:
    found = items(table, session, setup)
    place = next((place for place, item in enumerate(found) if item.then and item.then.option == option), -1)
    return (place + 1) % len(found)


def _apply_answer(
    table: Table, session: Session, setup: Setup, item: Item, place: int
) -> tuple[Session, tuple[Effect, ...]] | None:
    if setup.page is SetupPage.NUMBER:
        return card_corrections.correct(table, session, setup, place)
    if setup.page is SetupPage.PHONE:
        return phones.wish(session, setup.phone, place)
    if setup.page is SetupPage.CARE:
        return session, (Tend(place, session.maintenance),)
    if setup.page in NAME_PAGES and item.then is not None and item.then.page in NAME_PAGES:
        return names.follow_answer(session, setup, place), ()
    if item.then is not None and item.then.page is SetupPage.CLOCK:
        wrong = objection(table, session, item.then)
        return None if wrong is None else (_turn(session, replace(setup, alert=wrong)), ())
    return None


def _skip_empty_pages(table: Table, session: Session, setup: Setup) -> Setup:
    while setup.page in (SetupPage.GAME, SetupPage.SEATS, SetupPage.PLACES):
        found = items(table, session, setup)
        if len(found) != 1 or found[0].then is None:
            break
        setup = replace(found[0].then, trail=setup.trail)
    if setup.page is SetupPage.CLOCK:
        return replace(setup, cursor=0)
    return setup


def _turn(session: Session, setup: Setup) -> Session:
    return replace(session, stage=setup)


def _find_game(table: Table, setup: Setup) -> KnownGame:
    return table.games[setup.game]


def _with_game(setup: Setup, name: str, table: Table) -> Setup:
    options = dict(complete(table.games[name].spec.options, {}))
    chosen = replace(setup, page=SetupPage.SEATS, game=name, options=options, evening=None, moved=False)
    usual = min(len(table.panels), max(_counts(table, chosen), default=0))
    return replace(chosen, cursor=_place(usual, _counts(table, chosen)))


def _language_items(table: Table, setup: Setup) -> tuple[Item, ...]:
    following = replace(setup, page=SetupPage.GAME, cursor=_place(table.game, table.games))
    return tuple(Item(Text(name), following) for _, name in LANGUAGES)


def _game_items(table: Table, setup: Setup) -> tuple[Item, ...]:
    games = (Item(Text(known.spec.title), _with_game(setup, name, table)) for name, known in table.games.items())
    return (*games, *maintenance.entrance(table, setup))


def _clock_items(table: Table, setup: Setup) -> tuple[Item, ...]:
    choices = clock_choices(table.clock)
    return tuple(
        Item(clock_text(clock), replace(setup, page=SetupPage.NAMES, clock=clock, cursor=0)) for clock in choices
    )


def _seat_items(table: Table, setup: Setup) -> tuple[Item, ...]:
    return tuple(
        Item(
            many("1 player", "{count} players", count),
            replace(setup, page=SetupPage.PLACES, seats=table.seats[:count], cursor=0),
        )
        for count in _counts(table, setup)
    )


def _counts(table: Table, setup: Setup) -> list[int]:
    counts = sorted({count for laid in _find_game(table, setup).spec.tables for count in laid.seats})
    return [count for count in counts if count <= len(table.seats)]


def _place(wanted: str | int, among: Iterable[str | int]) -> int:
    return next((place for place, each in enumerate(among) if each == wanted), 0)


def _place_items(table: Table, session: Session, setup: Setup) -> tuple[Item, ...]:
    """Return the seatings. A shared panel is wired to no place, but phones have one."""
    taken = bool(table.panels or session.phones)
    seated = seatings(table, len(setup.seats), session.phones) if taken else (setup.seats,)
    options = _usual(_find_game(table, setup), len(setup.seats))
    ahead = replace(setup, page=SetupPage.OPTIONS, options=options, evening=None, moved=False, cursor=0)
    return tuple(Item(_seats_text(found), replace(ahead, seats=found)) for found in seated)


def _usual(known: KnownGame, count: int) -> dict[str, OptionValue]:
    try:
        changed = fitting(known, {}, count)
    except Refusal:
        changed = {}  # going on with the rules says why
    return dict(complete(known.spec.options, changed))


def _seats_text(seats: tuple[Seat, ...]) -> Text:
    letters = " ".join(seats).upper()
    return say("Seat {seat}", seat=letters) if len(seats) == 1 else say("Seats {seats}", seats=letters)


def _option_items(table: Table, setup: Setup) -> tuple[Item, ...]:
    more = setup.page is SetupPage.MORE
    known = _find_game(table, setup)
    settled = evening.rules(known.spec, setup.evening)
    hidden = absent_options(known.spec, setup.seats, SEATS).union(settled)
    offered = [option for option in known.spec.options if table.camera or not option.camera]
    options = [option for option in offered if option.basic is not more and option.name not in hidden]
    ahead = replace(setup, page=SetupPage.CLOCK, cursor=0)
    listed = [Item(say("Continue"), ahead)]
    for option in options:
        label = say(
            "{option}: {value}", option=Text(option.title), value=value_text(option, setup.options[option.name])
        )
        listed.append(
            Item(label, replace(setup, page=SetupPage.VALUE, option=option.name, cursor=_standing(option, setup)))
        )
    if not more and evening.offered_evenings(known.spec, setup.seats, table.seats):
        listed.append(
            Item(
                say("Evening: {what}", what=evening.title(setup.evening)),
                replace(setup, page=SetupPage.EVENING, cursor=0),
            )
        )
    if not more and any(not option.basic for option in offered):
        listed.append(Item(say("More rules"), replace(setup, page=SetupPage.MORE, cursor=0)))
    return (*listed, *(card_corrections.entrance(table, setup) if more else phones.entrance(table, setup)))


def _evening_items(table: Table, setup: Setup) -> tuple[Item, ...]:
    back = replace(setup, page=SetupPage.OPTIONS, moved=False, cursor=0)
    seats = tuple(seat for seat in table.seats if seat in setup.seats)
    found = evening.offered_evenings(_find_game(table, setup).spec, seats, table.seats)
    return tuple(
        Item(
            evening.title(each),
            replace(
                back,
                evening=each,
                seats=evening.seats_of(each, seats),
                people=names.people_by_seat(setup) if each is None else setup.people,
            ),
        )
        for each in found
    )


def _value_items(table: Table, setup: Setup) -> tuple[Item, ...]:
    option = _option(_find_game(table, setup), setup.option)
    back = SetupPage.OPTIONS if option.basic else SetupPage.MORE
    return tuple(
        Item(
            value_text(option, value),
            replace(setup, page=back, options={**setup.options, option.name: value}, option="", cursor=0),
        )
        for value in offered_values(option, setup.seats, SEATS)
    )


def _option(known: KnownGame, name: str) -> Option:
    return next(option for option in known.spec.options if option.name == name)


def _standing(option: Option, setup: Setup) -> int:
    return _place(str(setup.options[option.name]), map(str, offered_values(option, setup.seats, SEATS)))


_PAGES: dict[SetupPage, Callable[[Table, Setup], tuple[Item, ...]]] = {
    SetupPage.LANGUAGE: _language_items,
    SetupPage.GAME: _game_items,
    SetupPage.SEATS: _seat_items,
    SetupPage.OPTIONS: _option_items,
    SetupPage.MORE: _option_items,
    SetupPage.VALUE: _value_items,
    SetupPage.EVENING: _evening_items,
    SetupPage.CLOCK: _clock_items,
}
_ASKED_PAGES: dict[SetupPage, Callable[[Session, Setup], tuple[Item, ...]]] = {
    **dict.fromkeys(NAME_PAGES, names.items),
    SetupPage.CARE: maintenance.items,
    SetupPage.LAST: last_time.items,
}
"""Pages whose answers depend on the session, not the table."""
