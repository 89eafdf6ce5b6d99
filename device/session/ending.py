"""Shows how a match ended, the evening's score and what to play next."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Menu, Screen
from device.session import evening, names
from device.session.alerts import clear_alert
from device.session.match_start import again
from device.session.matches import LiveMatch, Result
from device.session.messages import Leave
from device.session.state import EndPage, MenuState, PanelMode, Play, Setup, SetupPage
from device.session.system import MenuLine
from device.session.table import TABLE
from engine.evening import EveningKind, champions
from engine.match import time_is_up
from engine.table import Seat
from engine.text import Text, say
from engine.view import Outcome

replace = msgspec.structs.replace


def lines(live: LiveMatch, seat: Seat | None, *, page: bool = False) -> tuple[MenuLine, ...]:
    """Return the choices after a match. seat: None for a non-player. page: omit what a phone shows anyway."""
    play = live.play

    def beside(text: Text, **changes: Any) -> tuple[MenuLine, ...]:
        return () if page else (MenuLine(text, lambda: (live.replace(**changes).session, ())),)

    def match(text: Text, *, moved: bool = False) -> MenuLine:
        return MenuLine(text, partial(again, live, moved=moved))

    def away(text: Text) -> MenuLine:
        setup = Setup(SetupPage.GAME, people=names.players_of_match(play))
        return MenuLine(text, lambda: (replace(live.session, stage=setup, seen=None), (Leave(),)))

    desks = {**play.desks, seat: MenuState(PanelMode.MENU)} if seat is not None else play.desks
    mend = beside(say("Undo or correct"), desks=desks, cursor=0) if _mendable(play) else ()
    look, several = beside(say("Look at the table"), closing=EndPage.TABLE), len(play.match.start.seats) > 1
    stands = evening.stands(play)
    if stands is None:
        moved = (match(say("Rematch, seats changed"), moved=True),) if several else ()
        return (*look, match(say("Rematch")), *moved, away(say("New match")), *mend)
    results = beside(say("Evening standings"), closing=EndPage.EVENING)
    if champions(stands):
        return (*look, *results, match(say("Another evening like this")), away(say("New match")), *mend)
    moved = (match(say("Next match, seats changed"), moved=True),) if stands.kind is EveningKind.SERIES else ()
    return (*look, match(say("Next match")), *moved, *results, *mend, away(say("End the evening")))


def _mendable(play: Play) -> bool:
    """Return True if an undo or correction can reopen the match; a draw by agreement stays."""
    game, match = play.known.game, play.match
    return game.outcome(match.state) is not None and bool(match.past or game.corrections(match.state, ()))


def answers(live: LiveMatch) -> tuple[Text, ...]:
    """Return the texts of a non-player's `lines`."""
    return tuple(line.text for line in lines(live, None))


def concerns_result(play: Play, seat: Seat, key: Key) -> bool:
    """Return True if this key is for the result page, not a menu or question."""
    to_menu = key.button is Button.CHOOSE and key.gesture is Gesture.LONG
    return play.menu_state(seat).mode is PanelMode.VIEW and not play.asks(seat) and not to_menu


def handle_key(live: LiveMatch, seat: Seat | None, key: Key) -> Result:
    """Handle one gesture. seat: None for a panel outside the match."""
    play = live.play
    if _has_message(play) and key.gesture is Gesture.PRESS:
        return clear_alert(live).session, ()
    found, listed = lines(live, seat), play.closing is EndPage.MENU
    if key.steps and listed:
        return live.replace(cursor=(play.cursor + key.steps) % len(found)).session, ()
    if key.gesture is not Gesture.PRESS or (key.button is Button.BACK and listed):
        return live.session, ()
    return found[play.cursor].does() if listed else (live.replace(closing=EndPage.MENU).session, ())


def _has_message(play: Play) -> bool:
    """Return True if a message waits to be read, such as a fault found at power-on; nothing need be put right."""
    return bool(play.alert) and not play.case.disorder


def _result_text(play: Play, result: Outcome) -> Text:
    """Return the result, after the clock that decided it, if one did."""
    flags = [time_is_up(seat) for seat in play.match.start.seats]
    late = next((text for text in play.decided if text in flags), None)
    return result.text if late is None else Text("{a} {b}", (("a", late), ("b", result.text)))


def screen(live: LiveMatch, name: str) -> Screen:
    """Return a display's result screen; only the table's own differs."""
    play, game = live.play, live.play.known.game
    result, stands = play.match.result, evening.stands(play)
    if _has_message(play):
        return Screen(Text(play.known.spec.heading), alert=play.alert[0])
    text = _result_text(play, result) if result else None
    status = Text(play.known.spec.heading) if stands is None else evening.verdict(stands)
    if stands is not None and (play.closing is EndPage.EVENING or (name == TABLE and play.closing is EndPage.MENU)):
        return Screen(status, panels=evening.results(stands), prompt=text if name == TABLE else None)
    if play.closing is EndPage.MENU:
        return Screen(status, menu=Menu(answers(live), play.cursor), prompt=text)
    return Screen(status, panels=game.view(play.match.state, None).panels, prompt=text)
