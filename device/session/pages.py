"""Puts actions, readings and the history into words for a panel."""

from __future__ import annotations

from typing import Any

import msgspec

from device.session.state import Play
from device.session.table import KnownGame
from engine.arbiter import ActionStep, Question
from engine.game import Words
from engine.grammar import in_words
from engine.match import reveals
from engine.table import Seat
from engine.text import Text, say, who
from engine.view import heard_by

LINES = 4
"""Lines on one page of the history."""


def action_text(known: KnownGame, state: Any, seat: Seat, words: Words) -> Text:
    """Return an action in its menu's words."""
    return in_words(lambda prefix: known.game.choices(state, seat, prefix), words)


def correction_text(known: KnownGame, state: Any, words: Words) -> Text:
    """Return a correction in its menu's words."""
    return in_words(lambda prefix: known.game.corrections(state, prefix), words)


def order_text(play: Play, seat: Seat | None) -> Text:
    """Return the pending order as this audience may know it."""
    pending = play.match.pending
    turns = (
        []
        if pending is None
        else [
            say("Turn up {place}.", place=pending.before.zone(spot.zone).place(spot.index)) for spot in reveals(pending)
        ]
    )
    found = turns or order_messages(play, seat)[-1:] or [say("the move")]
    return found[0] if len(found) == 1 else Text("{a} {b}", (("a", found[0]), ("b", found[1])))


def order_messages(play: Play, seat: Seat | None) -> list[Text]:
    """Return the pending order's messages to this audience."""
    return [t.text for t in play.order if heard_by(t.audience, seat)]


def reading_items(play: Play, question: Question) -> tuple[Text, ...]:
    """Return the readings to choose from, then "another one" and "something else"."""
    nothing = say("Done") if question.settles else say("No move was made")
    shown = question.shown
    readings = tuple(_reading(play, steps) if steps else nothing for steps in shown)
    more = () if shown == question.readings else (say("Another one..."),)
    return (*readings, *more, say("Something else"))


class History(msgspec.Struct, frozen=True):
    """An audience's history, newest page first. newer: pages added while it was open."""

    pages: tuple[tuple[Text, ...], ...]
    newer: int = 0

    def turn_cursor(self, cursor: int, by: int) -> int:
        """Return the cursor moved by some pages, wrapping round. 0 is the newest page at opening; newer pages are
        negative."""
        return (cursor + self.newer + by) % len(self.pages) - self.newer


def history(play: Play, seat: Seat | None, begun: int) -> History:
    """Return this audience's history. begun: messages at opening; later ones get own pages."""
    heard = [heard_by(t.audience, seat) for t in play.told]
    told = [t.text for t, mine in zip(play.told, heard, strict=True) if mine]
    known = max(sum(heard[:begun]), min(LINES, len(told)))
    older = [tuple(told[max(0, end - LINES) : end]) for end in range(known, 0, -LINES)]
    newer = [tuple(told[start : start + LINES]) for start in range(known, len(told), LINES)]
    return History((*reversed(newer), *older) or ((say("No moves yet."),),), len(newer))


def _reading(play: Play, steps: tuple[ActionStep, ...]) -> Text:
    known, state, read = play.known, play.match.state, Text("")
    for number, (seat, words) in enumerate((step.seat, step.words) for step in steps):
        action = action_text(known, state, seat, words)
        if number == 0:
            read = say("{seat}: {action}", seat=who(seat), action=action)
        else:
            read = say("{first}, then {seat}: {action}", first=read, seat=who(seat), action=action)
        state, _ = known.game.apply(state, seat, known.game.read(state, seat, words))
    return read
