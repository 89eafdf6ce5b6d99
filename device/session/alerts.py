"""Alerts to everybody at the table: each stays until it is put right, dismissed, or has been shown long enough."""

from __future__ import annotations

import msgspec

from device.session.matches import match_time
from device.session.state import Play, Session, Told
from engine.arbiter import Refuse
from engine.text import Text, say

replace = msgspec.structs.replace
STANDS_S = 6.0
"""How long an alert stands after which nothing has to be put right."""


def raised(session: Session, play: Play, alert: tuple[Text, ...]) -> Play:
    """The alert stands, and in the history: until the table is put right, if something has to be."""
    at = match_time(session, play)
    fresh = () if alert == play.alert else tuple(Told(at, text, None) for text in alert)
    expires = None if play.case.disorder or not alert else session.now + STANDS_S
    return replace(play, alert=alert, expires=expires, told=(*play.told, *fresh))


def cleared(play: Play) -> Play:
    """A press, or time, takes away an alert after which nothing has to be put right."""
    return play if play.case.disorder else replace(play, alert=(), expires=None)


def refusal(verdict: Refuse) -> tuple[Text, ...]:
    """What was done, what is still missing of it, every clause that it broke, and how to put it back."""
    broken = tuple(say("{clause}: {text}", clause=b.clause, text=b.text) for b in verdict.breaches)
    done = () if verdict.text in [b.text for b in verdict.breaches] else (verdict.text,)
    back = (say("Or put it back:"),) if verdict.go_on and verdict.put_back else ()
    return tuple(dict.fromkeys((*done, *verdict.go_on, *broken, *back, *verdict.put_back)))
