"""Shows alerts to the whole table until they are put right, dismissed or expired."""

from __future__ import annotations

import msgspec

from device.session.matches import LiveMatch
from engine.arbiter import Refuse
from engine.errors import Violation
from engine.table import Seat
from engine.text import Text, say

replace = msgspec.structs.replace
STANDS_S = 6.0
"""Seconds that an alert stays if nothing must be put right."""

_PASSING = frozenset({"unfinished", "unexplained"})
"""Refusals about the table's present state, which become outdated when it changes."""


def raise_alert(
    live: LiveMatch,
    alert: tuple[Text, ...],
    happened: tuple[Text, ...] = (),
    audience: frozenset[Seat] | None = None,
) -> LiveMatch:
    """Show an alert to all; () removes it. happened: texts for the history, if the alert is new.

    audience: seats whose history gets them, after a refused attempt; None: everybody's, no attempt.
    """
    play = live.play
    fresh = () if alert == play.alert else happened
    expires = None if play.case.disorder or not alert else live.session.now + STANDS_S
    desks = {
        panel: replace(menu_state, leaf=0) for panel, menu_state in play.desks.items()
    }  # it is read from its beginning
    play = replace(play, alert=alert, attempt=audience is not None, expires=expires, desks=desks)
    return live.with_play(play.announce(live.time, *fresh, audience=audience))


def clear_alert(live: LiveMatch) -> LiveMatch:
    """Remove an alert, unless the table must still be put right."""
    return live if live.play.case.disorder else live.replace(alert=(), expires=None)


def lasting_texts(verdict: Refuse) -> tuple[Text, ...]:
    """Return the refused action and broken clauses; () if the refusal passes by itself."""
    if verdict.kind in _PASSING:
        return ()
    return tuple(dict.fromkeys((*_done_texts(verdict), *_broken_clauses(verdict))))


def refusal(verdict: Refuse) -> tuple[Text, ...]:
    """Return a refusal's sentences: steps back, refused action, broken clauses; if the action can be completed: action,
    steps onward, clauses, steps back."""
    done, broken = _done_texts(verdict), _broken_clauses(verdict)
    back = (say("Or put it back:"),) if verdict.put_back else ()
    if verdict.go_on:
        return tuple(dict.fromkeys((*done, *verdict.go_on, *broken, *back, *verdict.put_back)))
    return tuple(dict.fromkeys((*verdict.put_back, *done, *broken)))


def _broken_clauses(verdict: Refuse) -> tuple[Text, ...]:
    return tuple(cite(violation) for violation in verdict.violations)


def cite(violation: Violation) -> Text:
    """Join a violation's clause and sentence."""
    return say("{clause}: {text}", clause=violation.clause, text=violation.text)


def _done_texts(verdict: Refuse) -> tuple[Text, ...]:
    return () if verdict.text in [b.text for b in verdict.violations] else (verdict.text,)
