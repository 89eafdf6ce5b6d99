"""The screens of all displays: a pure function of the session. Private text stays on its own display (law 5)."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from device.screens.screen import Called, Menu, Screen
from device.session import care, consent, ending, evening, names, pages, panels, phones, setup
from device.session.check import unseen
from device.session.desk import history, items, standing
from device.session.matches import known_of, match_time, over, plays_alone, secret_menus, shown_state, watched
from device.session.opening import check_page
from device.session.state import OPEN, Desk, Mode, Page, Play, Session, Setup
from device.session.table import SHARED, Table
from device.session.times import readings, running
from engine.arbiter import Question, doubt
from engine.clocks import ClockKind
from engine.evening import Evening
from engine.match import reveals
from engine.table import Health, Seat
from engine.text import Text, say, who
from engine.view import Line, Panel

replace = msgspec.structs.replace

# Translators: BACK is the button.
TURNS = say("BACK turns pages")

BEGINNING = 6
"""Until everybody was told so many things, a match has just begun, and displays say how to get on."""

Read: TypeAlias = "tuple[object, ...]"
"""All that a screen was made from."""


def screens(table: Table, session: Session) -> dict[str, Screen]:
    """The screen of every display, by its name."""
    return {name: screen(table, session, name) for name in table.displays}


def screen(table: Table, session: Session, name: str) -> Screen:
    """The screen of one display."""
    shown = replace(_screen(table, session, session.stage, name), players=players(table, session.stage))
    if isinstance(session.stage, Play) and shown.clocks:
        shown = replace(shown, running=running(session.stage.clocks, session.stage.match.start.seats))
    return shown if session.unkept is None else replace(shown, alert=session.unkept)


def players(table: Table, stage: Setup | Play) -> dict[str, Called]:
    """What the players are called; nothing, at no cost, where they are called by their seats."""
    if isinstance(stage, Setup):
        people = stage.people if stage.evening is None else names.begun(stage)
        return names.numbered(people) if people and stage.page is not Page.CARE else {}
    return names.players(table, stage) if stage.people or known_of(table, stage).spec.sides else {}


def reads(table: Table, session: Session, name: str) -> Read:
    """All that the screen of a display is made from: as long as it is the same, so is the screen."""
    stage = session.stage
    sees = session.health, session.instead, session.silence, session.starting, session.sighted
    sight = *sees, session.unkept, session.languages, session.language
    if isinstance(stage, Setup):
        guests = session.phones, session.invited, session.care
        return (table, stage, session.seen, session.seed, session.unsaved, *guests, *sight)
    seat = stage.shared.holder if name == SHARED else name
    desk = stage.desks.get(seat) if seat is not None else None
    case = stage.case
    asked = case.question, case.waiting and case.waiting.text, case.overruled, _way_out(stage)
    owed = stage.match.owed and (stage.match.owed, stage.order, case.evidence, case.due)
    history = stage.told if desk is not None and desk.mode is Mode.HISTORY else None
    play = stage.match, stage.people, stage.epoch is None, stage.alert, stage.proposal, stage.cursor, stage.closing
    shared = stage.shared, session.phones, session.invited if desk is not None and desk.mode is Mode.PHONE else None
    early, clocks = (_beginning(stage), _head(stage)), _clocks(session, stage)
    return (table, desk, case.disorder, asked, owed, shared, history, play, early, clocks, *sight)


def language_of(session: Session, display: str) -> str:
    """The language of one display."""
    return session.languages.get(display, session.language)


def _screen(table: Table, session: Session, stage: Setup | Play, name: str) -> Screen:
    if isinstance(stage, Setup):
        return _setup(table, session, stage)
    seat = stage.shared.holder if name == SHARED else name if name in stage.match.start.seats else None
    if over(stage) and (seat is None or (stage.desk(seat).mode is Mode.VIEW and not stage.asks(seat))):
        return ending.screen(table, session, stage, name)
    if seat is None:
        return _watching(table, session, stage, None)
    if name == SHARED and stage.shared.dark:
        return _on_its_way(table, session, stage, seat)
    return _seat(table, session, stage, seat, private=name != SHARED or stage.shared.held or plays_alone(stage))


def _on_its_way(table: Table, session: Session, play: Play, seat: Seat) -> Screen:
    """The shared display while it changes hands."""
    alert = play.alert[0] if play.alert else None
    # Translators: the display goes from hand to hand; BACK is the button that {seat}, a player, then holds down.
    prompt = say("Hand to {seat}: hold BACK", seat=who(seat))
    heading = _heading(play, Text(known_of(table, play).spec.heading))
    return Screen(heading, _clocks(session, play), prompt=prompt, alert=alert, hints=_head(play))


def _setup(table: Table, session: Session, stage: Setup) -> Screen:
    title = setup.title(stage, table)
    if stage.page is Page.CHECK:
        page = check_page(table, session, stage)
        unsaved = (Line(session.unsaved, strong=True),) if session.unsaved else ()
        moves = () if page.faults or page.waits else evening.arrival(stage)
        waits = () if page.waits is None else (page.waits,)
        texts = (*moves, *waits, *page.faults, *page.left, *phones.there(session))
        prompt = say("CHOOSE: {answer}", answer=page.answers[0]) if page.answers else None
        return Screen(title, panels=(*unsaved, *map(Line, texts)), prompt=prompt)
    if stage.page is Page.CARE:
        return care.screen(session, stage)
    if stage.page is Page.PHONE and (code := phones.screen(session, stage.phone, stage.alert)) is not None:
        return code
    found = setup.items(table, session, stage)
    cursor = min(stage.cursor, max(0, len(found) - 1))
    menu = Menu(tuple(item.text for item in found), cursor)
    return Screen(title, menu=menu, prompt=setup.help_text(stage, table), alert=stage.alert)


def _seat(table: Table, session: Session, play: Play, seat: Seat, *, private: bool) -> Screen:
    """A panel's display. `private`: only the seat itself can read it now."""
    known = known_of(table, play)
    desk = standing(table, play, seat)
    if desk.mode is Mode.VIEW and not play.asks(seat):
        return _viewing(table, session, play, seat, desk, private=private)
    if not private and secret_menus(known, play) and desk.mode not in OPEN and not play.asks(seat):
        return _watching(table, session, play, seat)
    base = Screen(_whose(table, play, seat), _clocks(session, play), alert=_refused(table, play, seat, private=private))
    called = _called_up(table, session, play, seat, base)
    if called is not None:
        return called
    if desk.mode is Mode.DONE:
        base = replace(base, prompt=pages.order_text(play, seat if private else None))
    return _listed(table, session, play, seat, base)


def _called_up(table: Table, session: Session, play: Play, seat: Seat, base: Screen) -> Screen | None:
    """A page from the menu that is only read; None if no such page is open."""
    desk, stands = play.desk(seat), evening.stands(play)
    match desk.mode:
        case Mode.HELP:
            return _paged(base, known_of(table, play).game.reference(play.match.start.options), desk.cursor)
        case Mode.HISTORY:
            told = history(table, play, seat)
            return _paged(base, told.pages, desk.cursor + told.newer)
        case Mode.EVENING if stands is not None:
            return replace(base, panels=evening.results(stands))
        case Mode.PHONE:
            return phones.screen(session, desk.words[0], desk.alert)
        case _:
            return None


def _refused(table: Table, play: Play, seat: Seat, *, private: bool) -> Text | None:
    """Why the last press of a seat was refused, or, where others read along, how to read it."""
    desk = play.desk(seat)
    if desk.alert is None or private or desk.plain or not secret_menus(known_of(table, play), play):
        return desk.alert
    return say("Refused. {seat}: hold BACK to read why.", seat=who(seat))


def _listed(table: Table, session: Session, play: Play, seat: Seat, base: Screen) -> Screen:
    """A menu: of words, of the arbiter's readings, of consent, of the system."""
    desk, known = standing(table, play, seat), known_of(table, play)
    found = items(table, session, play, seat)
    menu = Menu(found, min(desk.cursor, max(0, len(found) - 1)), desk.path)
    if desk.mode is Mode.VIEW:
        asks = _what_happened(play.case.question) if play.case.question else consent_text(table, play)
        return replace(base, menu=menu, prompt=asks)
    if desk.mode is Mode.CONFIRM:
        what = pages.action_text(known, play.match.state, seat, desk.words)
        return replace(base, menu=replace(menu, path=()), prompt=say("Sure? {action}", action=what))
    asked = known.game.view(shown_state(play.match), seat).prompt if desk.mode is Mode.ACT else None
    if desk.path and desk.before is None and asked is not None:  # a word that left no choice: whose turn it is stays
        return replace(base, menu=replace(menu, path=()), prompt=asked)
    if desk.mode is Mode.ACT and not desk.path:
        # Translators: BACK and CHOOSE are buttons; the view is the page that shows the table.
        ways = (say("BACK: the view. Hold CHOOSE: menu"),) if _beginning(play) and not play.desk(seat).words else ()
        return replace(base, menu=menu, hints=(*((asked,) if asked is not None else ()), *ways, *_head(play)))
    return replace(base, menu=menu)


def _what_happened(question: Question) -> Text:
    if question.missing is None:
        return say("What happened?")
    return say("What happened? {missing}", missing=question.missing)


def consent_text(table: Table, play: Play) -> Text | None:
    """The proposal that waits for consent."""
    return None if play.proposal is None else consent.text(known_of(table, play), play, play.proposal)


def _viewing(table: Table, session: Session, play: Play, seat: Seat, desk: Desk, *, private: bool) -> Screen:
    refused = _refused(table, play, seat, private=private)
    shown = _watching(table, session, play, seat if not private else None)
    shown = replace(shown, alert=shown.alert or refused)
    if not private:
        return shown
    view = known_of(table, play).game.view(shown_state(play.match), seat)
    shown = replace(shown, status=_whose(table, play, seat))
    if play.alert:
        # Translators: NEXT is the button; it turns to the reason of a refusal.
        return replace(shown, leaf=desk.leaf, turns=say("NEXT: why"))
    following = panels.waits_for(table, session, play) if table.desk_of(seat) == SHARED else None
    said = {panel.text for panel in view.panels if isinstance(panel, Line)}
    news = tuple(Line(text) for text in play.shared.news if following and text not in said)
    prompt = say("CHOOSE: hand on to {seat}.", seat=who(following)) if following else view.prompt
    told = () if table.screen else _doubts(table, play, None)
    around = (
        *told,
        *_trouble(table, session, play),
        *news,
        *_steps(play, seat),
        *with_order(table, play, view.panels),
    )
    shown = replace(shown, panels=around, prompt=_prompt(play, seat, prompt))
    return replace(shown, leaf=desk.leaf, turns=TURNS, hints=_hints(play))


def _hints(play: Play) -> tuple[Text, ...]:
    """What newcomers have to know, on the first screens of a match."""
    # Translators: CHOOSE is the button.
    return (*_head(play), *((say("Hold CHOOSE: menu"),) if _beginning(play) else ()))


def _head(play: Play) -> tuple[Text, ...]:
    """What the match can be proved by, while it has just begun; later it stands in the history."""
    return (play.head,) if play.head is not None and _beginning(play) else ()


def _beginning(play: Play) -> bool:
    """By what everybody was told, so that nobody can count what was told to others."""
    return sum(told.audience is None for told in play.told) < BEGINNING


def _watching(table: Table, session: Session, play: Play, holder: Seat | None) -> Screen:
    """What everybody may read. `holder` is told how to read the rest on the shared display."""
    known = known_of(table, play)
    clocks = _clocks(session, play)
    status = _whose(table, play, holder) if holder else _heading(play, Text(known.spec.heading))
    if play.alert:
        steps = (*(Line(text) for text in play.alert[1:]), *_way_out(play))
        return Screen(status, clocks, steps, alert=play.alert[0])
    view = known.game.view(shown_state(play.match), None)
    prompt = _prompt(play, None, view.prompt)
    if holder and secret_menus(known, play) and prompt == view.prompt:
        prompt = say("{seat}: hold BACK to see yours.", seat=who(holder))
        if (following := panels.waits_for(table, session, play)) is not None:
            # Translators: {hold} is a whole sentence before it.
            prompt = say("{hold} CHOOSE: hand on to {seat}.", hold=prompt, seat=who(following))
    around = (*_trouble(table, session, play), *_steps(play, None), *with_order(table, play, view.panels))
    return Screen(status, clocks, (*_doubts(table, play, holder), *around), prompt=prompt, hints=_head(play))


def _way_out(play: Play) -> tuple[Panel, ...]:
    """What to press if all was put right."""
    return (Line(say("All put right? Hold CHOOSE.")),) if play.case.way_out else ()


def _doubts(table: Table, play: Play, holder: Seat | None) -> tuple[Panel, ...]:
    """What the camera plainly sees although a seat said that all was put right: one line, where everybody reads it."""
    if not play.case.overruled or (table.screen and holder is not None):
        return ()
    return (Line(doubt(play.case.overruled[0]), strong=True),)


def _prompt(play: Play, seat: Seat | None, otherwise: Text | None) -> Text | None:
    """What is wanted now, the most urgent first."""
    if play.match.paused:
        return say("Paused. CHOOSE: go on.")
    if play.epoch is None and play.clocks.running:
        return say("Welcome back. The clock goes on with the first press.")
    if play.proposal is not None or play.case.question is not None:
        by = play.case.question.seat if play.case.question else play.missing[0] if play.proposal else ""
        return say("Waiting for {seat}.", seat=who(by))
    if play.match.owed is None:
        return _both(play.case.waiting.text if play.case.waiting else None, otherwise)
    return say("{order} CHOOSE: done.", order=pages.order_text(play, seat))


def _both(waiting: Text | None, otherwise: Text | None) -> Text | None:
    """What the arbiter waits for, and after it what the game asks for: it tells how to go on."""
    if waiting is None or otherwise is None:
        return waiting or otherwise
    return Text("{a} {b}", (("a", waiting), ("b", otherwise)))


def _steps(play: Play, seat: Seat | None) -> tuple[Panel, ...]:
    """The steps of an order that a hand still has to do, for those who know what was ordered."""
    if play.match.owed is None or reveals(play.match.owed) or not pages.order_told(play, seat):
        return ()
    return tuple(Line(step) for step in play.case.still_owed(play.match))


def with_order(table: Table, play: Play, shown: tuple[Panel, ...]) -> tuple[Panel, ...]:
    """With the words of an order whose outcome is not told yet, where menus are no secret."""
    known, owed = known_of(table, play), play.match.owed
    if owed is None or not reveals(owed) or not known.spec.open_menus:
        return shown
    action = pages.action_text(known, owed.state, owed.seat, owed.words)
    return (*shown[:1], Line(say("{seat}: {action}", seat=who(owed.seat), action=action)), *shown[1:])


def _heading(play: Play, status: Text, seat: Seat | None = None) -> Text:
    """A status line with the evening's score."""
    before = play.match.start.evening
    if not isinstance(before, Evening):
        return status
    return Text("{a} ({b})", (("a", status), ("b", evening.score(before, play.match.start.seats, seat))))


def _whose(table: Table, play: Play, seat: Seat) -> Text:
    """The status line of a seat: whose turn it is, or the game's name while nobody's or that of several."""
    known = known_of(table, play)
    actors = known.game.actors(shown_state(play.match))
    if seat in actors:
        status = say("{seat}: your turn", seat=who(seat))
    elif len(actors) == 1:
        (acting,) = actors
        shared = table.desk_of(seat) == SHARED
        # Translators: {seat} reads this, it is the turn of {acting}.
        turn = say("{seat}. Turn: {acting}", seat=who(seat), acting=who(acting))
        status = turn if shared else say("Turn: {acting}", acting=who(acting))
    else:
        status = say("{seat}: {title}", seat=who(seat), title=Text(known.spec.heading))
    return _heading(play, status, seat)


def _clocks(session: Session, play: Play) -> tuple[Text, ...]:
    if play.match.clocks.rules.kind is ClockKind.NONE:
        return ()
    return readings(play.clocks, play.match.start.seats, match_time(session, play))


def trouble(table: Table, session: Session, play: Play) -> Text | None:
    """Why the camera does not help just now; None if it does."""
    if (session.health is Health.OK and session.silence is None) or not watched(table, play):
        return None
    start = play.match.start
    laid = known_of(table, play).spec.table(start.options, len(start.seats))
    return unseen(table, session, laid.mat if laid is not None else None)


def _trouble(table: Table, session: Session, play: Play) -> tuple[Panel, ...]:
    """The same as a line, so that the prompt stays."""
    blind = trouble(table, session, play)
    return () if blind is None else (Line(blind, strong=session.sighted and not session.starting),)


def _paged(base: Screen, found: tuple[tuple[Text, ...], ...], cursor: int) -> Screen:
    place = cursor % max(1, len(found))
    lines = found[place] if found else ()
    return replace(base, panels=tuple(Line(text) for text in lines), page=(place + 1, max(1, len(found))))
