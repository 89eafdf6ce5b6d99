"""Leaks that are planted into what pages are given, one at a time: a comparison of twins has to find each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from device.screens.page_view import AnswerList, ClockView, Invitation, PageView, PieceView, Wire, wire
from device.session import sentences, tapping
from device.session.matches import shown_state
from device.session.page_views import sheet
from device.session.state import PanelMode, Play, Session, page_of
from engine import clocks
from engine.match import reveals
from engine.table import Seat
from engine.text import Text
from engine.view import Line
from tests.device.session.stages import SEATS, table

replace = msgspec.structs.replace
Leak = Callable[[PageView, Session, Play, "Seat | None"], PageView]
Shown = Callable[[Session, "Seat | None", str], Wire]


def planted(leak: Leak) -> Shown:
    """What pages are given with this leak in it."""

    def shown(session: Session, audience: Seat | None, language: str) -> Wire:
        assert isinstance(session.stage, Play)
        return wire(leak(sheet(table(), session, audience), session, session.stage, audience), language)

    return shown


def _others(audience: Seat | None) -> tuple[Seat, ...]:
    return tuple(seat for seat in SEATS if seat != audience)


def _text(value: object) -> Text:
    return Text("{value}", (("value", str(value)),))


def _private(texts: tuple[Text | None, ...]) -> tuple[Text, ...]:
    return tuple(text for text in texts if text is not None)


# --- what was told


def everything_told(shown: PageView, _session: Session, play: Play, _audience: Seat | None) -> PageView:
    return replace(shown, told=tuple(told.text for told in play.told))


def count_of_all_told(shown: PageView, _session: Session, play: Play, _audience: Seat | None) -> PageView:
    return replace(shown, told=shown.told[-len(play.told) // 2 :] if len(play.told) % 2 else shown.told)


def undo_counted_among_all(shown: PageView, _session: Session, play: Play, _audience: Seat | None) -> PageView:
    return replace(shown, undo=play.points)


def sealed_told_early(shown: PageView, _session: Session, play: Play, _audience: Seat | None) -> PageView:
    state: Any = play.match.state
    early = play.known.game.view(state, None).panels if reveals(play.match.pending) else ()
    return replace(shown, panels=(*shown.panels, *early), told=(*shown.told, *(told.text for told in play.sealed)))


# --- what a seat alone may know


def view_of_another(shown: PageView, _session: Session, play: Play, audience: Seat | None) -> PageView:
    game = play.known.game
    return replace(shown, panels=game.view(shown_state(play.match), _others(audience)[-1]).panels)


def facts_of_another(shown: PageView, _session: Session, play: Play, audience: Seat | None) -> PageView:
    facts = play.known.game.view(shown_state(play.match), _others(audience)[-1]).facts
    return replace(shown, panels=(*shown.panels, Line(_text(facts))))


def refusals_of_others(shown: PageView, _session: Session, play: Play, audience: Seat | None) -> PageView:
    alerts = tuple(play.menu_state(page_of(seat)).alert for seat in _others(audience))
    return replace(shown, alert=(*shown.alert, *_private(alerts)))


def refusals_at_buttons(shown: PageView, _session: Session, play: Play, audience: Seat | None) -> PageView:
    return replace(
        shown, alert=(*shown.alert, *_private(tuple(play.menu_state(seat).alert for seat in _others(audience))))
    )


def way_of_another(shown: PageView, _session: Session, play: Play, audience: Seat | None) -> PageView:
    path = play.menu_state(page_of(_others(audience)[0])).path
    return replace(shown, answers=replace(shown.answers, path=path))


def busy_elsewhere(shown: PageView, _session: Session, play: Play, audience: Seat | None) -> PageView:
    busy = any(play.menu_state(page_of(seat)).mode is not PanelMode.VIEW for seat in _others(audience))
    return replace(shown, status=_text("somebody is choosing") if busy else shown.status)


def list_of_another(shown: PageView, session: Session, _play: Play, audience: Seat | None) -> PageView:
    found = tapping.answers(table(), session, _others(audience)[0])
    return replace(shown, answers=AnswerList(shown.answers.serial, found.asks, found.path, found.texts))


def touches_of_another(shown: PageView, session: Session, _play: Play, audience: Seat | None) -> PageView:
    found = sheet(table(), session, _others(audience)[0]).answers
    return replace(shown, answers=replace(shown.answers, touch=found.touch))


def news_of_the_shared_panel(shown: PageView, _session: Session, play: Play, _audience: Seat | None) -> PageView:
    return replace(shown, panels=(*shown.panels, *(Line(text) for text in play.shared.news)))


# --- what is asked and ordered


def missing_told_to_all(shown: PageView, _session: Session, play: Play, _audience: Seat | None) -> PageView:
    question = play.case.question
    return replace(shown, lacks=() if question is None else _private((question.missing,)))


def order_told_to_all(shown: PageView, _session: Session, play: Play, _audience: Seat | None) -> PageView:
    return replace(shown, wanted=sentences.order_text(play, None) if not play.order else play.order[-1].text)


def belief_before_the_hand(shown: PageView, _session: Session, play: Play, _audience: Seat | None) -> PageView:
    """The board as an order is believed to leave it."""
    if shown.board is None:
        return shown
    state: Any = play.match.state
    layout = play.known.game.layout(state)
    pieces = tuple(
        PieceView(zone.zone, index, piece.kind or "")
        for zone in layout.zones
        for index, piece in enumerate(zone.pieces)
        if piece is not None
    )
    return replace(shown, board=replace(shown.board, pieces=pieces))


# --- counters, clocks, seeds


def serials_of_all(shown: PageView, session: Session, _play: Play, _audience: Seat | None) -> PageView:
    total = sum(lists.answers.serial for lists in session.lists.values())
    return replace(shown, answers=replace(shown.answers, serial=total))


def menu_serial_of_another(shown: PageView, session: Session, _play: Play, audience: Seat | None) -> PageView:
    return replace(shown, menu=replace(shown.menu, serial=session.lists[_others(audience)[0]].menu.serial))


def clocks_read_at_each_step(shown: PageView, session: Session, play: Play, _audience: Seat | None) -> PageView:
    at = play.time(session.now)
    hands = tuple(
        ClockView(hand.seat, hand.of, hand.short_s, clocks.seconds_left(play.match.clocks, hand.seat, at))
        for hand in shown.clocks
    )
    return replace(shown, clocks=hands)


def time_of_the_last_step(shown: PageView, session: Session, _play: Play, _audience: Seat | None) -> PageView:
    return replace(shown, heading=_text(session.now))


def seed_in_the_code(shown: PageView, session: Session, _play: Play, audience: Seat | None) -> PageView:
    return shown if audience is not None else replace(shown, codes=(Invitation("d", _text("D"), str(session.seed)),))


def state_in_the_rules(shown: PageView, _session: Session, play: Play, _audience: Seat | None) -> PageView:
    return replace(shown, rules=(*shown.rules, (_text(hash(msgspec.json.encode(play.match.state))),)))


def secrets_in_the_names(shown: PageView, session: Session, _play: Play, _audience: Seat | None) -> PageView:
    count = sum(len(str(aim.offer)) for aim in session.aims.values())
    return replace(shown, players=tuple(replace(player, side=_text(count % 3)) for player in shown.players))


LEAKS: dict[str, Leak] = {
    leak.__name__: leak
    for leak in (
        everything_told,
        count_of_all_told,
        undo_counted_among_all,
        sealed_told_early,
        view_of_another,
        facts_of_another,
        refusals_of_others,
        refusals_at_buttons,
        way_of_another,
        busy_elsewhere,
        list_of_another,
        touches_of_another,
        news_of_the_shared_panel,
        missing_told_to_all,
        order_told_to_all,
        belief_before_the_hand,
        serials_of_all,
        menu_serial_of_another,
        clocks_read_at_each_step,
        time_of_the_last_step,
        seed_in_the_code,
        state_in_the_rules,
        secrets_in_the_names,
    )
}
