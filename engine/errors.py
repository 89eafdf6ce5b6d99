"""The errors of a request, in three kinds as in chess notation: invalid, illegal and ambiguous."""

from __future__ import annotations

import msgspec

from engine.text import Text


class Violation(msgspec.Struct, frozen=True, order=True):
    """A clause that an action breaks, with a sentence. A hidden piece is named by its place only (law 5)."""

    clause: str
    text: Text


class RefereeError(Exception):
    """Base of the project's own errors."""


class Refusal(RefereeError, ValueError):
    """A request that changes nothing: `text` says why, `clauses` the rules against it."""

    kind: str = "refused"

    def __init__(self, text: Text, clauses: tuple[str, ...] = ()) -> None:
        super().__init__(str(text))
        self.text = text
        self.clauses = clauses


class Invalid(Refusal):
    """A request that is not understood or does not fit now: an unknown piece, a move while the match is paused."""

    kind = "invalid"


class Illegal(Refusal):
    """A request that breaks at least one clause."""

    kind = "illegal"

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(violations[0].text, tuple(dict.fromkeys(b.clause for b in violations)))
        self.violations = violations


class Ambiguous(Refusal):
    """An incomplete request, which fits several actions; the text says what is missing."""

    kind = "ambiguous"
