"""The verdicts of the arbiter, as data."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.errors import Violation
from engine.game import Words
from engine.table import Seat, Spot
from engine.text import Text


class ActionStep(msgspec.Struct, frozen=True):
    """One action of one seat, in notation."""

    seat: Seat
    words: Words


Readings: TypeAlias = "tuple[tuple[ActionStep, ...], ...]"
"""What may have been done, each reading some actions in a row."""


class Agree(msgspec.Struct, frozen=True, tag="agree"):
    """The table is as it should be; nothing was done."""


class Accept(msgspec.Struct, frozen=True, tag="accept"):
    """What was seen is exactly this. `settles`: first, what was ordered before has been carried out.

    The steps are journalled together or not at all.
    """

    steps: tuple[ActionStep, ...]
    settles: bool = False


class Wait(msgspec.Struct, frozen=True, tag="wait"):
    """The beginning of something, or an order not yet carried out: no verdict before `settle_s`."""

    text: Text


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """Several readings fit, or one fits without being positively seen. Nothing is assumed until somebody answers.

    An empty reading means "nothing was done". The likeliest come first.
    """

    readings: Readings
    settles: bool = False


class Refuse(msgspec.Struct, frozen=True, tag="refuse"):
    """Not legal, not finished, or not to be understood: what was done, every clause it breaks, and how to put it back.

    kind: the name of the attempt, "unfinished", "not as ordered" or "unexplained". by: who did it, if that can be told.
    go_on: what is still missing of an action that was begun.
    """

    kind: str
    text: Text
    violations: tuple[Violation, ...] = ()
    put_back: tuple[Text, ...] = ()
    by: Seat | None = None
    go_on: tuple[Text, ...] = ()


class Differs(msgspec.Struct, frozen=True, tag="differs"):
    """A piece that was turned up as ordered is another than the referee believed: everybody sees it.

    words: the correction that repairs the belief, to be journalled with `again` once all seats consent; None if the
    game has none.
    """

    spot: Spot
    kind: str
    words: Words | None
    text: Text


class Lost(msgspec.Struct, frozen=True, tag="lost"):
    """Hidden pieces may have changed places unseen. Said at once; an honest reveal or a correction repairs it."""

    text: Text


class Disorder(msgspec.Struct, frozen=True, tag="disorder"):
    """The table is not as the match says, before anything can be told from it: how to put it right."""

    put_back: tuple[Text, ...]


class PutBack(msgspec.Struct, frozen=True, tag="put_back"):
    """Put back as asked. What was handled to do so is no action. doubt: what may be wrong all the same."""

    doubt: Text | None = None


class Confirm(msgspec.Struct, frozen=True, tag="confirm"):
    """It looks put back, but which hidden piece is which only the players know: all of them are asked."""

    text: Text


Verdict: TypeAlias = "Agree | Accept | Wait | Ask | Refuse | Differs | Lost"
"""What one table at rest is judged to be."""

Ruling: TypeAlias = "Verdict | Disorder | PutBack | Confirm"
"""What a case comes to: a verdict, or what follows from the verdicts before."""
