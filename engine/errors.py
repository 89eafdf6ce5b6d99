"""What can be wrong with a request: three different errors, as in chess notation."""

from __future__ import annotations

import msgspec

from engine.text import Text


class Violation(msgspec.Struct, frozen=True, order=True):
    """One clause that an action breaks, and the sentence that says how.

    A hidden piece is named by its place, never by its kind (law 5).
    """

    clause: str
    text: Text


class RefereeError(Exception):
    """Base of every error that this project raises on purpose."""


class Refusal(RefereeError, ValueError):
    """A request that changes nothing: `text` says why, `clauses` which rules speak against it."""

    kind: str = "refused"

    def __init__(self, text: Text, clauses: tuple[str, ...] = ()) -> None:
        super().__init__(str(text))
        self.text = text
        self.clauses = clauses


class Invalid(Refusal):
    """Not understood: no such verb, piece or place."""

    kind = "invalid"


class Illegal(Refusal):
    """Understood, and against at least one clause."""

    kind = "illegal"

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(violations[0].text, tuple(dict.fromkeys(b.clause for b in violations)))
        self.violations = violations


class Ambiguous(Refusal):
    """Understood so far, but it fits several actions: the sentence says what is missing."""

    kind = "ambiguous"
