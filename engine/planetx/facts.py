"""Facts about a board as data, and when they are true: on one board and on all boards at once (X14, X40-X44).

Each form is written once, as arithmetic on masks; `holds` feeds it integers, `truth` feeds it arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from engine.planetx.boards import Boards, Counts, Truths
from engine.planetx.sky import KINDS, Masks, Mode, bands, beside, bit, mask_of, opposite, run, within, wrap


class Fact(msgspec.Struct, frozen=True, order=True):
    """One fact. Which fields a form uses is told by `FORMS`; the others are None.

    id: a topic's letter, a conference's name, or empty. p, q: kinds of object. n: a range, or a number.
    sector, last: a sector, or the first and last of a run, clockwise.
    """

    form: str
    p: str | None = None
    q: str | None = None
    n: int | None = None
    sector: int | None = None
    last: int | None = None
    id: str = ""


def _band(f: Fact, m: Mode, p: Any) -> Any:
    found = p & (m.full ^ bands(_number(f), m.sectors)[0]) == 0
    for band in bands(_number(f), m.sectors)[1:]:
        found = found | (p & (m.full ^ band) == 0)
    return found


def _consecutive(f: Fact, m: Mode, p: Any) -> Any:
    length = m.count(f.p or "") if f.n is None else f.n
    found = p & bands(length, m.sectors)[0] == bands(length, m.sectors)[0]
    for band in bands(length, m.sectors)[1:]:
        found = found | (p & band == band)
    return found


FORMS: dict[str, Callable[..., Any]] = {
    # over two kinds (X41)
    "some_adjacent": lambda _f, m, p, q: p & beside(q, m.sectors) != 0,
    "some_opposite": lambda _f, m, p, q: p & opposite(q, m.sectors) != 0,
    "every_adjacent": lambda _f, m, p, q: p & (m.full ^ beside(q, m.sectors)) == 0,
    "every_opposite": lambda _f, m, p, q: p & (m.full ^ opposite(q, m.sectors)) == 0,
    "every_within": lambda f, m, p, q: p & (m.full ^ within(q, _number(f), m.sectors)) == 0,
    "none_adjacent": lambda _f, m, p, q: p & beside(q, m.sectors) == 0,
    "none_opposite": lambda _f, m, p, q: p & opposite(q, m.sectors) == 0,
    "none_within": lambda f, m, p, q: p & within(q, _number(f), m.sectors) == 0,
    # over one kind (X42)
    "none_within_self": lambda f, m, p: p & within(p, _number(f), m.sectors) == 0,
    "some_opposite_self": lambda _f, m, p: p & opposite(p, m.sectors) != 0,
    "band": _band,
    "consecutive": _consecutive,
    # about Planet X (X44)
    "x_within": lambda f, m, x, p: x & within(p, _number(f), m.sectors) != 0,
    "x_not_within": lambda f, m, x, p: x & within(p, _number(f), m.sectors) == 0,
    "x_not_adjacent": lambda _f, m, x, p: x & beside(p, m.sectors) == 0,
    "x_not_opposite": lambda _f, m, x, p: x & opposite(p, m.sectors) == 0,
    # about one sector: starting facts (X14) and reviewed theories (X54, X55)
    "not_in_sector": lambda f, _m, p: p & bit(_sector(f)) == 0,
    "in_sector": lambda f, _m, p: p & bit(_sector(f)) != 0,
}
"""The truth of each form, given the fact, the mode and the masks of its kinds."""

TWO_KINDS = tuple(form for form in FORMS if form.split("_")[0] in ("some", "every", "none") and "self" not in form)
ABOUT_X = ("x_within", "x_not_within", "x_not_adjacent", "x_not_opposite")
WITH_N = ("every_within", "none_within", "none_within_self", "band", "x_within", "x_not_within")
OF_SECTOR = ("not_in_sector", "in_sector")
ANSWERS = ("survey", "target", "located", "not_located")
"""Forms that only answers have: a survey's number (X31), a target (X33), a Locate's success or failure (X35)."""


def kinds_of(fact: Fact) -> tuple[str, ...]:
    """The kinds whose masks the form takes, in its order."""
    if fact.form in ABOUT_X:
        return ("X", fact.p or "")
    return (fact.p or "", fact.q or "") if fact.form in TWO_KINDS else (fact.p or "",)


def flaws(fact: Fact, mode: Mode) -> str | None:
    """Why this is no fact of the mode: an unknown form, a missing or senseless field. None if it is one."""
    if fact.form not in FORMS:
        return f"unknown form {fact.form!r}; known: {', '.join(FORMS)}"
    if any(kind not in KINDS or len(kind) != 1 for kind in kinds_of(fact)):
        return f"form {fact.form} needs kinds among {KINDS}, not p={fact.p!r}, q={fact.q!r}"
    limit = mode.sectors if fact.form in ("band", "consecutive") else mode.half
    if (fact.form in WITH_N or fact.n is not None) and not 1 <= (fact.n or 0) <= limit:
        return f"form {fact.form} needs n from 1 to {limit}, not {fact.n!r}"
    if fact.form in OF_SECTOR and not 1 <= (fact.sector or 0) <= mode.sectors:
        return f"form {fact.form} needs a sector from 1 to {mode.sectors}, not {fact.sector!r}"
    return None


@lru_cache(maxsize=64)
def board_masks(board: str) -> Mapping[str, int]:
    """The mask of every kind on one board, given as letters in sector order."""
    return {kind: mask_of(tuple(s for s, letter in enumerate(board, 1) if letter == kind)) for kind in KINDS}


def holds(fact: Fact, mode: Mode, board: str) -> bool:
    """Whether a fact is true on one board."""
    if fact.form == "survey":
        return surveyed(board, fact.p or "", _run(fact, mode)) == fact.n
    if fact.form == "target":
        return targeted(board, _sector(fact)) == fact.p
    masks = board_masks(board)
    if fact.form in ("located", "not_located"):
        hit = all(masks[kind] & bit(sector) for kind, sector in _located(fact, mode))
        return hit == (fact.form == "located")
    return bool(FORMS[fact.form](fact, mode, *(masks[kind] for kind in kinds_of(fact))))


def truth(fact: Fact, boards: Boards) -> Truths:
    """Whether a fact is true, one truth value a board."""
    mode = boards.mode
    if fact.form == "survey":
        return np.asarray(counts(boards, fact.p or "", _run(fact, mode)) == fact.n)
    if fact.form == "target":
        return np.asarray(counts(boards, fact.p or "", (_sector(fact),)) == 1)
    if fact.form in ("located", "not_located"):
        hits = [truth(Fact("in_sector", kind, sector=sector), boards) for kind, sector in _located(fact, mode)]
        hit = hits[0] & hits[1] & hits[2]
        return hit if fact.form == "located" else ~hit
    judge = FORMS[fact.form]
    kinds = kinds_of(fact)
    if len(kinds) == 1 or kinds[0] == kinds[1]:
        return np.asarray(boards.of_one(kinds[0], lambda p: judge(fact, mode, *([p] * len(kinds)))))
    return boards.of_two(kinds[0], kinds[1], lambda p, q: judge(fact, mode, p, q))


def surveyed(board: str, kind: str, sectors: tuple[int, ...]) -> int:
    """How many of the sectors show `kind`: Planet X counts as empty (X31)."""
    shown = ("E", "X") if kind == "E" else (kind,)
    return sum(board[sector - 1] in shown for sector in sectors)


def targeted(board: str, sector: int) -> str:
    """What a sector shows: Planet X is shown as empty (X33)."""
    return "E" if board[sector - 1] == "X" else board[sector - 1]


def counts(boards: Boards, kind: str, sectors: tuple[int, ...]) -> Counts:
    """How many of the sectors show `kind`, one number a board: `surveyed` on all boards."""

    def number(masks: Masks) -> Counts:
        shown = [((masks >> np.uint32(sector - 1)) & np.uint32(1)).astype(np.uint8) for sector in sectors]
        return np.asarray(np.sum(shown, axis=0, dtype=np.uint8))

    if kind != "E":
        return np.asarray(boards.of_one(kind, number), np.uint8)
    total = np.full(len(boards), len(sectors), np.uint8)
    for other in "ACDG":
        total -= np.asarray(boards.of_one(other, number), np.uint8)
    return total


def _located(fact: Fact, mode: Mode) -> tuple[tuple[str, int], ...]:
    """What a Locate claims: Planet X in its sector, p before it, q after it."""
    sector = _sector(fact)
    before, after = wrap(sector - 1, mode.sectors), wrap(sector + 1, mode.sectors)
    return (("X", sector), (fact.p or "", before), (fact.q or "", after))


def _run(fact: Fact, mode: Mode) -> tuple[int, ...]:
    return run(_sector(fact), fact.last or _sector(fact), mode.sectors)


def _sector(fact: Fact) -> int:
    if fact.sector is None:
        raise ValueError(f"fact without a sector: {fact}")
    return fact.sector


def _number(fact: Fact) -> int:
    if fact.n is None:
        raise ValueError(f"fact without a range: {fact}")
    return fact.n
