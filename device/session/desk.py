"""A seat's panel during a match: the menus that walk `choices()` word by word, and what its keys do."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from device.keys import Button, Gesture, Key
from device.session import consent, pages, sentences, system
from device.session.alerts import cleared
from device.session.matches import known_of, match_time, plays_alone, record, secret_menus, watched
from device.session.messages import Append
from device.session.sentences import Group, Row
from device.session.sight import Result, answer, look_again
from device.session.state import Desk, Mode, Play, Session
from device.session.table import SHARED, Known, Table
from engine.catalogue import AnyGame
from engine.entry import Act, Entry, Pause, Settle, Source
from engine.game import Words
from engine.match import reveals
from engine.memo import per_state
from engine.table import Health, Seat
from engine.text import Text, say

replace = msgspec.structs.replace


def handle_key(table: Table, session: Session, play: Play, seat: Seat, key: Key) -> Result:
    """One gesture of `seat`. Raises Refusal, which concerns that seat alone."""
    if key.button is Button.CHOOSE and key.gesture is Gesture.LONG:
        return put(session, play, seat, Desk(Mode.MENU))
    if not key.steps and key.gesture is not Gesture.PRESS:
        return replace(session, stage=play), ()
    desk = replace(standing(table, play, seat), alert=None, plain=False)
    if desk.mode is Mode.VIEW:
        stays = play.asks(seat) or _to_reason(play, key)
        play = play if stays else cleared(play)  # only who reads an alert takes it away
        return _view_key(table, session, play, seat, key)
    if key.button is Button.BACK:
        return put(session, play, seat, _back(desk))
    if key.steps:
        return put(session, play, seat, replace(desk, cursor=_turned(table, session, play, seat, key.steps)))
    return _chosen(table, session, play, seat, desk)


def _turned(table: Table, session: Session, play: Play, seat: Seat, by: int) -> int:
    desk = standing(table, play, seat)
    if desk.mode is Mode.HISTORY:
        return history(table, play, seat).turned(desk.cursor, by)
    return (desk.cursor + by) % max(1, len(items(table, session, play, seat)))


def standing(table: Table, play: Play, seat: Seat) -> Desk:
    """What stands on a seat's panel. Where no camera follows the match, the menu of its turn opens by itself, unless
    its reader looks at the view, or something has to be read or answered first."""
    found, known = play.desk(seat), known_of(table, play)
    if found.mode is not Mode.VIEW or found.looks or watched(table, play) or not _in_hand(table, play, seat):
        return found
    waits = play.match.paused or play.match.owed is not None or play.case.question is not None
    told = play.alert or play.case.disorder or play.case.waiting is not None or play.proposal is not None
    if waits or told or play.resting or seat not in known.game.actors(play.match.state):
        return found
    opened = Desk(Mode.ACT, alert=found.alert, plain=found.plain, turn=found.turn)
    return _descended(known, play, seat, opened)


def _in_hand(table: Table, play: Play, seat: Seat) -> bool:
    """Whether a menu may open by itself where a seat presses: at its own panel, or on the one that goes round while
    that is in its hand. Where menus are secret, whoever takes it reads what is private first, and then acts."""
    if seat in table.panels:
        return True
    holds = table.desk_of(seat) == SHARED and play.shared.holder == seat
    return holds and (play.shared.acted or not secret_menus(known_of(table, play), play))


def opens_itself(table: Table, play: Play, seat: Seat) -> bool:
    """Whether nobody opened the menu that stands on a seat's panel."""
    return play.desk(seat).mode is Mode.VIEW and standing(table, play, seat).mode is Mode.ACT


def history(table: Table, play: Play, seat: Seat) -> pages.History:
    """What was told, for whoever sees the seat's display now: on a shared one others read along unless it is held."""
    unread = seat in table.panels or play.shared.held or plays_alone(play)
    return pages.history(play, seat if unread else None, play.desk(seat).begun)


def put(session: Session, play: Play, panel: str, desk: Desk) -> Result:
    """The session with this desk of a panel."""
    return replace(session, stage=play.put(panel, desk)), ()


def items(table: Table, session: Session, play: Play, seat: Seat) -> tuple[Text, ...]:
    """What the cursor of this seat's panel runs over; on a page of plain lines, one empty item a page."""
    desk, known = standing(table, play, seat), known_of(table, play)
    if desk.mode is Mode.VIEW:
        return asked(known, play, seat)
    if desk.mode is Mode.ACT:
        return tuple(row.said for row in rows(known, play, seat, desk))
    if desk.mode is Mode.CONFIRM:
        return (say("Yes"), say("No"))
    if desk.mode is Mode.HELP:
        return (Text(""),) * len(known.game.reference(play.match.start.options))
    if desk.mode is Mode.HISTORY:
        return (Text(""),) * len(history(table, play, seat).pages)
    return tuple(line.text for line in system.entries(table, session, play, seat, seat))


def asked(known: Known, play: Play, seat: Seat) -> tuple[Text, ...]:
    """The answers to what a seat is asked; () if it is asked nothing."""
    if not play.asks(seat):
        return ()
    if play.case.question is not None:
        return pages.reading_items(known, play, play.case.question)
    return (say("Refuse"), say("Agree"))  # what does no harm is first


def _to_reason(play: Play, key: Key) -> bool:
    """Whether a press turns from what is to be done to the reason of it; the alert stands."""
    return key.steps > 0 and len(play.alert) > 1


def _view_key(table: Table, session: Session, play: Play, seat: Seat, key: Key) -> Result:
    desk = replace(play.desk(seat), alert=None, plain=False)
    if key.button is Button.BACK or (_to_reason(play, key) and not play.asks(seat)):
        alerted = play.desk(seat).alert is not None
        return put(session, play, seat, replace(desk, leaf=desk.leaf + (not alerted)))
    if play.asks(seat):
        found = items(table, session, play, seat)
        if key.steps:
            return put(session, play, seat, replace(desk, cursor=(desk.cursor + key.steps) % len(found)))
        return answered(table, session, play, seat, seat, desk.cursor)
    if play.case.waiting is not None and play.match.owed is None:
        # Something was begun at the table: a press asks for the verdict instead of waiting on (law 3).
        session, effects = look_again(table, session, play, overdue=True)
        told = session.stage
        if effects or not isinstance(told, Play) or told.case.question is not None or told.alert != play.alert:
            return session, effects
        play = told
    return _free_key(table, session, play, seat, key)


def _free_key(table: Table, session: Session, play: Play, seat: Seat, key: Key) -> Result:
    """Nothing is asked: CHOOSE goes on after a pause, asks whether an order is done, or opens the menu on its turn.
    NEXT opens it with the cursor one line on; to whoever has no turn it opens the history."""
    known, desk = known_of(table, play), replace(play.desk(seat), alert=None, plain=False)
    if key.button is Button.CHOOSE and play.match.paused:
        return act(table, session, play, (Pause(match_time(session, play), False),))
    if key.button is Button.CHOOSE and play.match.owed is not None:
        return put(session, play, seat, Desk(Mode.DONE))
    if play.match.owed is None and not play.match.paused and seat in known.game.actors(play.match.state):
        opened = _descended(known, play, seat, Desk(Mode.ACT))
        place = key.steps % max(1, len(rows(known, play, seat, opened)))
        return put(session, play, seat, replace(opened, cursor=place))
    return put(session, play, seat, Desk(Mode.HISTORY, begun=len(play.told)) if key.steps else desk)


def answered(table: Table, session: Session, play: Play, seat: Seat, panel: str, place: int) -> Result:
    """The line of `asked` at this place is the seat's answer. panel: where it was given. Raises Refusal."""
    play = play.put(panel, Desk())
    if play.case.question is not None:
        shown = play.case.question.shown
        if place == len(shown) < len(play.case.question.readings):
            return put(session, replace(play, case=play.case.widen()), panel, Desk(cursor=place))
        return answer(table, session, play, shown[place] if place < len(shown) else None)
    return consent.answer(table, session, play, seat, agrees=place == 1)


def _chosen(table: Table, session: Session, play: Play, seat: Seat, desk: Desk) -> Result:
    match desk.mode:
        case Mode.ACT:
            return _word(table, session, play, seat, desk)
        case Mode.CONFIRM if desk.cursor == 0:
            return finished(table, session, play, seat, seat, desk.words)
        case Mode.CONFIRM:
            return put(session, play, seat, _back(desk))
        case Mode.HELP | Mode.HISTORY | Mode.EVENING:
            return put(session, play, seat, Desk())
        case _:
            return system.chosen(table, session, play, seat, desk)


def _word(table: Table, session: Session, play: Play, seat: Seat, desk: Desk) -> Result:
    known = known_of(table, play)
    found = rows(known, play, seat, desk)
    if not found:
        return put(session, play, seat, Desk())
    place = min(desk.cursor, len(found) - 1)
    row = found[place]
    chosen = system.led_to(desk, place, row)
    if isinstance(row, Group):
        return put(session, play, seat, chosen)
    if not row.final:
        return put(session, play, seat, _descended(known, play, seat, chosen))
    if row.costs:
        return put(session, play, seat, replace(chosen, mode=Mode.CONFIRM))
    return finished(table, session, play, seat, seat, row.words)


def finished(table: Table, session: Session, play: Play, seat: Seat, panel: str, words: Words) -> Result:
    """The words are an action of the seat, given at this panel. Raises Refusal."""
    fresh = Desk(turn=play.desk(panel).turn + 1)
    return act(table, session, play.put(panel, fresh), (Act(match_time(session, play), seat, words),))


def act(table: Table, session: Session, play: Play, entries: tuple[Entry, ...]) -> Result:
    """Entries given at the buttons; afterwards the table is judged by them.

    Without a camera that sees, nobody can check the hands, so what is ordered counts as done; only where it turns
    pieces up, somebody has to say that they show what was believed.
    """
    known = known_of(table, play)
    play = record(known, play, entries)
    owed = play.match.owed
    if owed is not None and not sees(table, session, play):
        if reveals(owed):
            return put(session, play, owed.seat, Desk(Mode.DONE))[0], (Append(entries),)
        settled = Settle(entries[-1].at, Source.BUTTONS)
        play, entries = record(known, play, (settled,)), (*entries, settled)
    session, more = look_again(table, session, play)
    return session, (Append(entries), *more)


def sees(table: Table, session: Session, play: Play) -> bool:
    """True if a camera follows this match and sees well just now."""
    return watched(table, play) and session.health is Health.OK and session.silence is None


def rows(known: Known, play: Play, seat: Seat, desk: Desk) -> tuple[Row, ...]:
    """The lines of a seat's menu: verbs, or what may follow the words chosen so far, in groups if they are many."""
    return sentences.opened(_rows(play.match.state, known.game, seat, desk.words), desk.within)


@per_state
def _rows(state: Any, game: AnyGame, seat: Seat, words: Words) -> tuple[Row, ...]:
    return sentences.rows(partial(game.choices, state, seat), words)


def _descended(known: Known, play: Play, seat: Seat, desk: Desk) -> Desk:
    """Past words that leave no choice, so that nobody presses for nothing."""
    while True:
        choices = known.game.choices(play.match.state, seat, desk.words)
        if len(choices) != 1 or choices[0].final:
            return desk
        desk = replace(desk, words=(*desk.words, choices[0].word), path=(*desk.path, choices[0].text))


def _back(desk: Desk) -> Desk:
    """One list back; from the first one of a turn to the view, from another one the menu closes."""
    if desk.before is not None:
        return desk.before
    if desk.mode is Mode.ACT:
        return Desk(looks=True, turn=desk.turn)
    return Desk(Mode.MENU) if desk.mode is Mode.CORRECT else Desk()
