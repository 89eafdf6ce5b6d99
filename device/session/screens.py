"""Lays out all displays' screens: a pure function of the session. Private text stays on its display (law 5)."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from device.screens.screen import Called, Menu, Screen
from device.session import consent, ending, evening, maintenance, names, panels, phones, sentences, setup
from device.session.check import unseen
from device.session.match_start import check_page
from device.session.matches import (
    LiveMatch,
    acting,
    asked_seat,
    missing_steps,
    over,
    plays_alone,
    secret_menus,
    view_of,
)
from device.session.menu_state import history, items, standing
from device.session.state import OPEN, MenuState, PanelMode, Play, Session, Setup, SetupPage
from device.session.table import SHARED, Table
from device.session.times import clock_in_front, readings
from engine.arbiter import Question, doubt
from engine.clocks import ClockKind
from engine.evening import Evening
from engine.table import Seat
from engine.text import Text, say, who
from engine.view import Line, Panel

replace = msgspec.structs.replace

# Translators: BACK is the button.
TURNS = say("BACK turns pages")

BEGINNING = 6
"""Public messages after which the hints for beginners disappear."""

_WITHOUT_NAMES = frozenset({SetupPage.CARE, *names.NAME_PAGES})
"""Set-up pages that call players by number: a name page asks for the name."""

Read: TypeAlias = "tuple[object, ...]"
"""Everything a screen depends on."""


def screens(table: Table, session: Session) -> dict[str, Screen]:
    """Return every display's screen, by name."""
    return {name: screen(table, session, name) for name in table.displays}


def screen(table: Table, session: Session, name: str) -> Screen:
    stage = session.stage
    made = _setup(table, session, stage) if isinstance(stage, Setup) else _playing(LiveMatch(table, session), name)
    shown = replace(made, players=players(stage))
    if isinstance(stage, Play) and shown.clocks:
        seat = stage.shared.holder if name == SHARED else name
        shown = replace(shown, running=clock_in_front(stage.clocks, stage.match.start.seats, seat))
    return shown if session.unkept is None else replace(shown, alert=session.unkept)


def players(stage: Setup | Play) -> dict[str, Called]:
    """Return the players' names; none if they are called by seats."""
    if isinstance(stage, Setup):
        people = stage.people if stage.evening is None else names.players_now(stage)
        return names.people_by_number(people) if people and stage.page not in _WITHOUT_NAMES else {}
    return names.players(stage) if stage.people or stage.known.spec.sides else {}


def reads(table: Table, session: Session, name: str) -> Read:
    """Return all that a display's screen depends on: while it is equal, so is the screen."""
    stage = session.stage
    sees = session.health, session.instead, session.silence, session.starting, session.sighted
    sight = *sees, session.unkept, session.languages, session.language
    if isinstance(stage, Setup):
        guests = session.phones, session.invited, session.maintenance
        return (table, stage, session.seen, session.seed, session.unsaved, *guests, *sight)
    seat = stage.shared.holder if name == SHARED else name
    menu_state = stage.desks.get(seat) if seat is not None else None
    case = stage.case
    asked = case.question, case.waiting and case.waiting.text, case.overruled, _way_out(stage)
    pending = stage.match.pending and (stage.match.pending, stage.order, case.evidence, case.due)
    history = stage.told if menu_state is not None and menu_state.mode is PanelMode.HISTORY else None
    play = stage.match, stage.people, stage.epoch is None, stage.alert, stage.proposal, stage.cursor, stage.closing
    shared = (
        stage.shared,
        session.phones,
        session.invited if menu_state is not None and menu_state.mode is PanelMode.PHONE else None,
    )
    early, clocks = (_beginning(stage), _head(stage)), _clocks(LiveMatch(table, session))
    return (table, menu_state, case.disorder, asked, pending, shared, history, play, early, clocks, *sight)


def language_of(session: Session, display: str) -> str:
    return session.languages.get(display, session.language)


def _playing(live: LiveMatch, name: str) -> Screen:
    play = live.play
    seat = play.shared.holder if name == SHARED else name if name in play.match.start.seats else None
    if over(play) and (seat is None or (play.menu_state(seat).mode is PanelMode.VIEW and not play.asks(seat))):
        return ending.screen(live, name)
    if seat is None:
        return _watching(live, None)
    if name == SHARED and play.shared.dark:
        return _on_its_way(live, seat)
    return _seat(live, seat, private=name != SHARED or play.shared.held or plays_alone(play))


def _on_its_way(live: LiveMatch, seat: Seat) -> Screen:
    play = live.play
    alert = play.alert[0] if play.alert else None
    # Translators: the display goes from hand to hand; BACK is the button that {seat}, a player, then holds down.
    prompt = say("Pass to {seat}: hold BACK", seat=who(seat))
    heading = _heading(play, Text(play.known.spec.heading))
    return Screen(heading, _clocks(live), prompt=prompt, alert=alert, hints=_head(play))


def _setup(table: Table, session: Session, stage: Setup) -> Screen:
    title = setup.title(stage, table)
    if stage.page is SetupPage.CHECK:
        page = check_page(table, session, stage)
        unsaved = (Line(session.unsaved, strong=True),) if session.unsaved else ()
        moves = () if page.faults or page.waits else evening.arrival(stage)
        waits = () if page.waits is None else (page.waits,)
        texts = (*moves, *waits, *page.faults, *page.left, *phones.there(session))
        prompt = say("CHOOSE: {answer}", answer=page.answers[0]) if page.answers else None
        return Screen(title, panels=(*unsaved, *map(Line, texts)), prompt=prompt)
    if stage.page is SetupPage.CARE:
        return maintenance.screen(session, stage)
    if stage.page is SetupPage.PHONE and (code := phones.screen(session, stage.phone, stage.alert)) is not None:
        return code
    found = setup.items(table, session, stage)
    cursor = min(stage.cursor, max(0, len(found) - 1))
    menu = Menu(tuple(item.text for item in found), cursor)
    return Screen(title, menu=menu, prompt=setup.help_text(stage, table), alert=stage.alert)


def _seat(live: LiveMatch, seat: Seat, *, private: bool) -> Screen:
    play, menu_state = live.play, standing(live, seat)
    if menu_state.mode is PanelMode.VIEW and not play.asks(seat):
        return _viewing(live, seat, menu_state, private=private)
    if not private and secret_menus(play) and menu_state.mode not in OPEN and not play.asks(seat):
        return _watching(live, seat)
    base = Screen(_whose(live, seat), _clocks(live), alert=_refusal_text(play, seat, private=private))
    called = _called_up(live, seat, base)
    if called is not None:
        return called
    if menu_state.mode is PanelMode.DONE:
        base = replace(base, prompt=sentences.order_text(play, seat if private else None))
    return _list_lines(live, seat, base)


def _called_up(live: LiveMatch, seat: Seat, base: Screen) -> Screen | None:
    play, menu_state = live.play, live.play.menu_state(seat)
    stands = evening.stands(play)
    match menu_state.mode:
        case PanelMode.HELP:
            return _page_screen(base, play.known.game.reference(play.match.start.options), menu_state.cursor)
        case PanelMode.HISTORY:
            told = history(live, seat)
            return _page_screen(base, told.pages, menu_state.cursor + told.newer)
        case PanelMode.EVENING if stands is not None:
            return replace(base, panels=evening.results(stands))
        case PanelMode.PHONE:
            return phones.screen(live.session, menu_state.words[0], menu_state.alert)
        case _:
            return None


def _refusal_text(play: Play, seat: Seat, *, private: bool) -> Text | None:
    menu_state = play.menu_state(seat)
    if menu_state.alert is None or private or menu_state.plain or not secret_menus(play):
        return menu_state.alert
    return say("Refused. {seat}: hold BACK to read why.", seat=who(seat))


def _list_lines(live: LiveMatch, seat: Seat, base: Screen) -> Screen:
    play, menu_state, found = live.play, standing(live, seat), items(live, seat)
    menu = Menu(found, min(menu_state.cursor, max(0, len(found) - 1)), menu_state.path)
    if menu_state.mode is PanelMode.VIEW:
        asks = _what_happened(play.case.question) if play.case.question else consent_text(play)
        return replace(base, menu=menu, prompt=asks)
    if menu_state.mode is PanelMode.CONFIRM:
        what = sentences.action_text(play.known, play.match.state, seat, menu_state.words)
        return replace(base, menu=replace(menu, path=()), prompt=say("Sure? {action}", action=what))
    asked = view_of(play, seat).prompt if menu_state.mode is PanelMode.ACT else None
    if (
        menu_state.path and menu_state.before is None and asked is not None
    ):  # a word that left no choice: whose turn it is stays
        return replace(base, menu=replace(menu, path=()), prompt=asked)
    if menu_state.mode is PanelMode.ACT and not menu_state.path:
        # Translators: BACK and CHOOSE are buttons; the view is the page that shows the table.
        ways = (
            (say("BACK: the view. Hold CHOOSE: menu"),) if _beginning(play) and not play.menu_state(seat).words else ()
        )
        return replace(base, menu=menu, hints=(*((asked,) if asked is not None else ()), *ways, *_head(play)))
    return replace(base, menu=menu)


def _what_happened(question: Question) -> Text:
    if question.missing is None:
        return say("What happened?")
    return say("What happened? {missing}", missing=question.missing)


def consent_text(play: Play) -> Text | None:
    return None if play.proposal is None else consent.text(play, play.proposal)


def _viewing(live: LiveMatch, seat: Seat, menu_state: MenuState, *, private: bool) -> Screen:
    play, table = live.play, live.table
    refused = _refusal_text(play, seat, private=private)
    shown = _watching(live, seat if not private else None)
    shown = replace(shown, alert=shown.alert or refused)
    if not private:
        return shown
    view = view_of(play, seat)
    shown = replace(shown, status=_whose(live, seat))
    if play.alert:
        # Translators: NEXT is the button; it turns to the reason of a refusal.
        turns = say("NEXT: why") if len(play.alert) > 1 else TURNS
        return replace(shown, leaf=menu_state.leaf, turns=turns)
    following = panels.waits_for(live) if table.display_of(seat) == SHARED else None
    said = {panel.text for panel in view.panels if isinstance(panel, Line)}
    news = tuple(Line(text) for text in play.shared.news if following and text not in said)
    prompt = say("CHOOSE: pass to {seat}.", seat=who(following)) if following else view.prompt
    told = () if table.screen else _doubts(live, None)
    around = (*told, *_trouble(live), *news, *map(Line, missing_steps(play, seat)), *view.panels)
    shown = replace(shown, panels=around, prompt=_prompt(play, seat, prompt))
    pressed = table.display_of(seat) == SHARED and play.shared.held  # BACK is held down, so it cannot turn pages
    return replace(shown, leaf=menu_state.leaf, turns=None if pressed else TURNS, hints=_hints(play))


def _hints(play: Play) -> tuple[Text, ...]:
    # Translators: CHOOSE is the button.
    return (*_head(play), *((say("Hold CHOOSE: menu"),) if _beginning(play) else ()))


def _head(play: Play) -> tuple[Text, ...]:
    return (play.head,) if play.head is not None and _beginning(play) else ()


def _beginning(play: Play) -> bool:
    """Return True at the beginning; only public messages count, so private ones stay secret."""
    return sum(told.audience is None for told in play.told) < BEGINNING


def _watching(live: LiveMatch, holder: Seat | None) -> Screen:
    play, clocks = live.play, _clocks(live)
    status = _whose(live, holder) if holder else _heading(play, Text(play.known.spec.heading))
    if play.alert:
        steps = (*(Line(text) for text in play.alert[1:]), *_way_out(play))
        return Screen(status, clocks, steps, alert=play.alert[0])
    view = view_of(play, None)
    if holder and not secret_menus(play):
        view = replace(view, panels=view_of(play, holder).panels)  # the table as its menu names it, from its side
    prompt = _prompt(play, None, view.prompt, pressable=holder is not None)
    if holder and secret_menus(play) and prompt == view.prompt:
        prompt = say("{seat}: hold BACK to see your view.", seat=who(holder))
        if (following := panels.waits_for(live)) is not None:
            # Translators: {hold} is a whole sentence before it.
            prompt = say("{hold} CHOOSE: pass to {seat}.", hold=prompt, seat=who(following))
    around = (*_trouble(live), *map(Line, missing_steps(play, None)), *view.panels)
    return Screen(status, clocks, (*_doubts(live, holder), *around), prompt=prompt, hints=_head(play))


def _way_out(play: Play) -> tuple[Panel, ...]:
    return (Line(say("All back in place? Hold CHOOSE.")),) if play.case.still_wrong else ()


def _doubts(live: LiveMatch, holder: Seat | None) -> tuple[Panel, ...]:
    overruled = live.play.case.overruled
    if not overruled or (live.table.screen and holder is not None):
        return ()
    return (Line(doubt(overruled[0]), strong=True),)


def _prompt(play: Play, seat: Seat | None, otherwise: Text | None, *, pressable: bool = True) -> Text | None:
    if play.match.paused:
        return say("Paused. CHOOSE: go on.") if pressable else say("Paused.")
    if play.epoch is None and play.clocks.running:
        return say("Welcome back. The clock resumes at the first press.")
    if (by := asked_seat(play)) is not None:
        return say("{seat} is answering a question.", seat=who(by))
    if play.match.pending is None:
        return _both(play.case.waiting.text if play.case.waiting else None, otherwise)
    order = sentences.order_text(play, seat)
    return say("{order} CHOOSE: done.", order=order) if pressable else order


def _both(waiting: Text | None, otherwise: Text | None) -> Text | None:
    if waiting is None or otherwise is None:
        return waiting or otherwise
    return Text("{a} {b}", (("a", waiting), ("b", otherwise)))


def _heading(play: Play, status: Text, seat: Seat | None = None) -> Text:
    before = play.match.start.evening
    if not isinstance(before, Evening):
        return status
    return Text("{a} ({b})", (("a", status), ("b", evening.score(before, play.match.start.seats, seat))))


def _whose(live: LiveMatch, seat: Seat) -> Text:
    play = live.play
    actors = acting(play)
    if seat in actors:
        status = say("{seat}: your turn", seat=who(seat))
    elif len(actors) == 1:
        (actor,) = actors
        shared = live.table.display_of(seat) == SHARED
        # Translators: {seat} reads this, it is the turn of {acting}.
        turn = say("{seat}. Turn: {acting}", seat=who(seat), acting=who(actor))
        status = turn if shared else say("Turn: {acting}", acting=who(actor))
    else:
        status = say("{seat}: {title}", seat=who(seat), title=Text(play.known.spec.heading))
    return _heading(play, status, seat)


def _clocks(live: LiveMatch) -> tuple[Text, ...]:
    match = live.play.match
    if match.clocks.rules.kind is ClockKind.NONE:
        return ()
    return readings(live.play.clocks, match.start.seats, live.time)


def trouble(live: LiveMatch) -> Text | None:
    """Return why the camera can't help now; None if it can, or follows no match."""
    helps = live.session.camera_ok or not live.watched
    return None if helps else unseen(live.table, live.session, live.play.mat)


def _trouble(live: LiveMatch) -> tuple[Panel, ...]:
    blind, session = trouble(live), live.session
    return () if blind is None else (Line(blind, strong=session.sighted and not session.starting),)


def _page_screen(base: Screen, found: tuple[tuple[Text, ...], ...], cursor: int) -> Screen:
    place = cursor % max(1, len(found))
    lines = found[place] if found else ()
    return replace(base, panels=tuple(Line(text) for text in lines), page=(place + 1, max(1, len(found))))
