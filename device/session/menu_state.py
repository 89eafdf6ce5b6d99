"""Handles a seat's keys and menus during a match."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from device.key_gestures import Button, Gesture, Key
from device.session import consent, sentences, system
from device.session.alerts import clear_alert
from device.session.matches import LiveMatch, Result, plays_alone, secret_menus
from device.session.messages import Append
from device.session.observing import answer, look_again
from device.session.sentences import LineGroup, Row
from device.session.state import MenuState, PanelMode, Play
from device.session.table import SHARED
from engine.catalogue import AnyGame
from engine.entry import Act, Entry, Pause, Settle, Source
from engine.game import Words, per_state
from engine.match import reveals
from engine.table import Seat
from engine.text import Text, say

replace = msgspec.structs.replace


def handle_key(live: LiveMatch, seat: Seat, key: Key) -> Result:
    """Handle one gesture of `seat`. Raises Refusal, for that seat alone."""
    if key.button is Button.CHOOSE and key.gesture is Gesture.LONG:
        return live.show(seat, MenuState(PanelMode.MENU))
    if not key.steps and key.gesture is not Gesture.PRESS:
        return live.session, ()
    menu_state = replace(standing(live, seat), alert=None, plain=False)
    if menu_state.mode is PanelMode.VIEW:
        stays = live.play.asks(seat) or _to_reason(live.play, key)
        return _view_key(live if stays else clear_alert(live), seat, key)  # only who reads an alert takes it away
    if key.button is Button.BACK:
        return live.show(seat, _back(menu_state))
    if key.steps:
        return live.show(seat, replace(menu_state, cursor=_turn_cursor(live, seat, key.steps)))
    return _choose(live, seat, menu_state)


def _turn_cursor(live: LiveMatch, seat: Seat, by: int) -> int:
    menu_state = standing(live, seat)
    if menu_state.mode is PanelMode.HISTORY:
        return history(live, seat).turn_cursor(menu_state.cursor, by)
    return (menu_state.cursor + by) % max(1, len(items(live, seat)))


def standing(live: LiveMatch, seat: Seat) -> MenuState:
    """Return a seat's menu state. Without a camera its turn's menu counts as open."""
    play, found = live.play, live.play.menu_state(seat)
    if found.mode is not PanelMode.VIEW or found.looks or live.watched or not _in_hand(live, seat):
        return found
    waits = play.match.paused or play.match.pending is not None or play.case.question is not None
    told = play.alert or play.case.disorder or play.case.waiting is not None or play.proposal is not None
    if waits or told or play.resting or seat not in play.known.game.actors(play.match.state):
        return found
    return _skip_forced(play, seat, MenuState(PanelMode.ACT, alert=found.alert, plain=found.plain, turn=found.turn))


def _in_hand(live: LiveMatch, seat: Seat) -> bool:
    if seat in live.table.panels:
        return True
    shared = live.play.shared
    holds = live.table.display_of(seat) == SHARED and shared.holder == seat
    return holds and (shared.acted or not secret_menus(live.play))


def opens_itself(live: LiveMatch, seat: Seat) -> bool:
    return live.play.menu_state(seat).mode is PanelMode.VIEW and standing(live, seat).mode is PanelMode.ACT


def history(live: LiveMatch, seat: Seat) -> sentences.History:
    """Return the moves so far; private ones only if nobody else can read the display."""
    play = live.play
    unread = seat in live.table.panels or play.shared.held or plays_alone(play)
    return sentences.history(play, seat if unread else None, play.menu_state(seat).begun)


def items(live: LiveMatch, seat: Seat) -> tuple[Text, ...]:
    """Return the cursor's lines; an empty one per page of plain text."""
    play, menu_state = live.play, standing(live, seat)
    match menu_state.mode:
        case PanelMode.VIEW:
            return question_of(play, seat)
        case PanelMode.ACT:
            return tuple(row.said for row in rows(play, seat, menu_state))
        case PanelMode.CONFIRM:
            return (say("Yes"), say("No"))
        case PanelMode.HELP:
            return (Text(""),) * len(play.known.game.reference(play.match.start.options))
        case PanelMode.HISTORY:
            return (Text(""),) * len(history(live, seat).pages)
        case _:
            return tuple(line.text for line in system.entries(live, seat, seat))


def question_of(play: Play, seat: Seat) -> tuple[Text, ...]:
    """Return the answers to the seat's question; () without one."""
    if not play.asks(seat):
        return ()
    if play.case.question is not None:
        return sentences.reading_items(play, play.case.question)
    return (say("Decline"), say("Agree"))  # the harmless one first


def _to_reason(play: Play, key: Key) -> bool:
    """Return True if a press turns from an alert to its reason."""
    return key.steps > 0 and len(play.alert) > 1


def _view_key(live: LiveMatch, seat: Seat, key: Key) -> Result:
    play, menu_state = live.play, live.play.menu_state(seat)
    alerted, menu_state = menu_state.alert is not None, replace(menu_state, alert=None, plain=False)
    if key.button is Button.BACK or (_to_reason(play, key) and not play.asks(seat)):
        return live.show(seat, replace(menu_state, leaf=menu_state.leaf + (not alerted)))
    if play.asks(seat):
        if key.steps:
            return live.show(seat, replace(menu_state, cursor=(menu_state.cursor + key.steps) % len(items(live, seat))))
        return take_answer(live, seat, seat, menu_state.cursor)
    if play.case.waiting is not None and play.match.pending is None:
        # Something was begun at the table: a press asks for the verdict at once (law 3).
        session, effects = look_again(live, overdue=True)
        live = LiveMatch(live.table, session)
        if effects or live.play.case.question is not None or live.play.alert != play.alert:
            return session, effects
    return _free_key(live, seat, key)


def _free_key(live: LiveMatch, seat: Seat, key: Key) -> Result:
    play, match = live.play, live.play.match
    if key.button is Button.CHOOSE and match.paused:
        return act(live, Pause(live.time, False))
    if key.button is Button.CHOOSE and match.pending is not None:
        return live.show(seat, MenuState(PanelMode.DONE))
    if match.pending is None and not match.paused and seat in play.known.game.actors(match.state):
        opened = _skip_forced(play, seat, MenuState(PanelMode.ACT))
        return live.show(seat, replace(opened, cursor=key.steps % max(1, len(rows(play, seat, opened)))))
    if key.steps:
        return live.show(seat, MenuState(PanelMode.HISTORY, begun=len(play.told)))
    return live.show(seat, replace(play.menu_state(seat), alert=None, plain=False))


def take_answer(live: LiveMatch, seat: Seat, panel: str, place: int) -> Result:
    """Answer the seat's question with this line of `question_of`; "Another one" extends the list. Raises Refusal."""
    live = live.put(panel, MenuState())
    case = live.play.case
    if case.question is None:
        return consent.answer(live, seat, agrees=place == 1)
    shown = case.question.shown
    if place == len(shown) < len(case.question.readings):
        return live.replace(case=case.extend()).show(panel, MenuState(cursor=place))
    return answer(live, shown[place] if place < len(shown) else None)


def _choose(live: LiveMatch, seat: Seat, menu_state: MenuState) -> Result:
    match menu_state.mode:
        case PanelMode.ACT:
            return _word(live, seat, menu_state)
        case PanelMode.CONFIRM if menu_state.cursor == 0:
            return finish_action(live, seat, seat, menu_state.words)
        case PanelMode.CONFIRM:
            return live.show(seat, _back(menu_state))
        case PanelMode.HELP | PanelMode.HISTORY | PanelMode.EVENING:
            return live.close(seat)
        case _:
            return system.choose(live, seat, menu_state)


def _word(live: LiveMatch, seat: Seat, menu_state: MenuState) -> Result:
    found = rows(live.play, seat, menu_state)
    if not found:
        return live.close(seat)
    place = min(menu_state.cursor, len(found) - 1)
    row = found[place]
    chosen = system.led_to(menu_state, place, row)
    if isinstance(row, LineGroup):
        return live.show(seat, chosen)
    if not row.final:
        return live.show(seat, _skip_forced(live.play, seat, chosen))
    if row.costs:
        return live.show(seat, replace(chosen, mode=PanelMode.CONFIRM))
    return finish_action(live, seat, seat, row.words)


def finish_action(live: LiveMatch, seat: Seat, panel: str, words: Words) -> Result:
    """Record these words, given at this panel, as the seat's action. Raises Refusal."""
    fresh = MenuState(turn=live.play.menu_state(panel).turn + 1)
    return act(live.put(panel, fresh), Act(live.time, seat, words))


def act(live: LiveMatch, entry: Entry) -> Result:
    """Record an entry from the buttons and judge the table. Raises Refusal.

    Without a working camera orders count as done, unless they turn pieces up.
    """
    entries: tuple[Entry, ...] = (entry,)
    live = live.record(entry)
    pending = live.play.match.pending
    if pending is not None and not (live.watched and live.session.camera_ok):
        if reveals(pending):
            return live.put(pending.seat, MenuState(PanelMode.DONE)).session, (Append(entries),)
        settled = Settle(entry.at, Source.BUTTONS)
        live, entries = live.record(settled), (*entries, settled)
    session, more = look_again(live)
    return session, (Append(entries), *more)


def rows(play: Play, seat: Seat, menu_state: MenuState) -> tuple[Row, ...]:
    """Return a seat's verbs, or the words after those chosen, grouped if many."""
    return sentences.open_groups(_rows(play.match.state, play.known.game, seat, menu_state.words), menu_state.within)


@per_state
def _rows(state: Any, game: AnyGame, seat: Seat, words: Words) -> tuple[Row, ...]:
    return sentences.rows(partial(game.choices, state, seat), words)


def _skip_forced(play: Play, seat: Seat, menu_state: MenuState) -> MenuState:
    while True:
        choices = play.known.game.choices(play.match.state, seat, menu_state.words)
        if len(choices) != 1 or choices[0].final:
            return menu_state
        menu_state = replace(
            menu_state, words=(*menu_state.words, choices[0].word), path=(*menu_state.path, choices[0].text)
        )


def _back(menu_state: MenuState) -> MenuState:
    if menu_state.before is not None:
        return menu_state.before
    if menu_state.mode is PanelMode.ACT:
        return MenuState(looks=True, turn=menu_state.turn)
    return MenuState(PanelMode.MENU) if menu_state.mode is PanelMode.CORRECT else MenuState()
