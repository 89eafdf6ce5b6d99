"""Alerts to everybody at the table: each stays until it is put right, dismissed, or has been shown long enough."""

from __future__ import annotations

import msgspec

from device.session.matches import LiveMatch
from engine.arbiter import Refuse
from engine.table import Seat
from engine.text import Text, say

replace = msgspec.structs.replace
STANDS_S = 6.0
"""How long an alert stands after which nothing has to be put right."""

_PASSING = frozenset({"unfinished", "unexplained"})
"""Refusals that only say how the table lies: once it lies otherwise, they are out of date."""


def raise_alert(
    live: LiveMatch,
    alert: tuple[Text, ...],
    happened: tuple[Text, ...] = (),
    audience: frozenset[Seat] | None = None,
) -> LiveMatch:
    """Show an alert: until the table is put right, if something has to be. happened: what of it stays true, and
    stands in the history for good; what has to be done does not. audience: of an attempt that was refused, whose
    history it is; None: everybody's."""
    play = live.play
    fresh = () if alert == play.alert else happened
    expires = None if play.case.disorder or not alert else live.session.now + STANDS_S
    desks = {
        panel: replace(menu_state, leaf=0) for panel, menu_state in play.desks.items()
    }  # it is read from its beginning
    play = replace(play, alert=alert, attempt=audience is not None, expires=expires, desks=desks)
    return live.with_play(play.announce(live.time, *fresh, audience=audience))


def clear_alert(live: LiveMatch) -> LiveMatch:
    """Take away an alert after which nothing has to be put right, as a press or time does."""
    return live if live.play.case.disorder else live.replace(alert=(), expires=None)


def lasting_texts(verdict: Refuse) -> tuple[Text, ...]:
    """Return what stays true of a refusal: what was done, and every clause that it broke."""
    if verdict.kind in _PASSING:
        return ()
    return tuple(dict.fromkeys((*_done_texts(verdict), *_broken_clauses(verdict))))


def refusal(verdict: Refuse) -> tuple[Text, ...]:
    """Return what to do first: how to put it back, then what was done and every clause that it broke. If play can go
    on: that it is not finished, what is missing, and how to put it back instead."""
    done, broken = _done_texts(verdict), _broken_clauses(verdict)
    back = (say("Or put it back:"),) if verdict.put_back else ()
    if verdict.go_on:
        return tuple(dict.fromkeys((*done, *verdict.go_on, *broken, *back, *verdict.put_back)))
    return tuple(dict.fromkeys((*verdict.put_back, *done, *broken)))


def _broken_clauses(verdict: Refuse) -> tuple[Text, ...]:
    return tuple(say("{clause}: {text}", clause=b.clause, text=b.text) for b in verdict.violations)


def _done_texts(verdict: Refuse) -> tuple[Text, ...]:
    return () if verdict.text in [b.text for b in verdict.violations] else (verdict.text,)
