"""The verdicts of the arbiter, as data."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.errors import Violation
from engine.game import Words
from engine.table import Seat, Spot
from engine.text import Text


class ActionStep(msgspec.Struct, frozen=True):
    seat: Seat
    words: Words


Readings: TypeAlias = "tuple[tuple[ActionStep, ...], ...]"


class Agree(msgspec.Struct, frozen=True, tag="agree"):
    """The table is right; nothing was done."""


class Accept(msgspec.Struct, frozen=True, tag="accept"):
    """Exactly these actions were seen; journal all or none. settles: the pending order was carried out first."""

    steps: tuple[ActionStep, ...]
    settles: bool = False


class Wait(msgspec.Struct, frozen=True, tag="wait"):
    """Something is unfinished; no verdict before `settle_s`."""

    text: Text


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """Several readings fit, or one fits uncertainly. An empty reading means that nothing was done. Likeliest first."""

    readings: Readings
    settles: bool = False


class Refuse(msgspec.Struct, frozen=True, tag="refuse"):
    """An illegal, unfinished or unexplained change.

    kind: name of the attempt, "unfinished", "not as ordered" or "unexplained"
    put_back: steps that undo it
    by: the responsible seat, if known
    go_on: missing steps of a begun action"""

    kind: str
    text: Text
    violations: tuple[Violation, ...] = ()
    put_back: tuple[Text, ...] = ()
    by: Seat | None = None
    go_on: tuple[Text, ...] = ()


class Differs(msgspec.Struct, frozen=True, tag="differs"):
    """A piece turned up as ordered has an unexpected kind. words: the correction to journal with `again` once all
    consent; None if there is none."""

    spot: Spot
    kind: str
    words: Words | None
    text: Text


class Lost(msgspec.Struct, frozen=True, tag="lost"):
    """Hidden pieces may have been swapped unseen; an honest reveal or a correction repairs it."""

    text: Text


class Disorder(msgspec.Struct, frozen=True, tag="disorder"):
    """The table does not match, and nothing can be judged yet. put_back: steps that repair it."""

    put_back: tuple[Text, ...]


class PutBack(msgspec.Struct, frozen=True, tag="put_back"):
    """The table was put back; this handling is no action. doubt: a remaining uncertainty."""

    doubt: Text | None = None


class Confirm(msgspec.Struct, frozen=True, tag="confirm"):
    """The table looks put back, but only the players can identify hidden pieces: ask all."""

    text: Text


Verdict: TypeAlias = "Agree | Accept | Wait | Ask | Refuse | Differs | Lost"

Ruling: TypeAlias = "Verdict | Disorder | PutBack | Confirm"
"""The result of a case: a verdict, or a consequence of earlier ones."""
