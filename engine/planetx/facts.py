"""Facts about a board: data, truth, and sentences.

Each form is arithmetic on masks: of one board in `holds`, of all legal boards in `truth`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce
from operator import and_
from typing import Any

import msgspec

from engine.planetx.boards import legal_boards
from engine.planetx.sky import (
    KINDS,
    NAMES,
    PLURALS,
    SkyMode,
    bands,
    beside,
    bit,
    board_masks,
    opposite,
    run,
    within,
    wrap,
)
from engine.text import Text, say


class Fact(msgspec.Struct, frozen=True, order=True):
    """A fact; `FORMS` determines the fields it uses.

    id: topic's letter, conference's name, or ""
    p, q: kinds
    n: range or number
    sector, last: a sector, or a clockwise run"""

    form: str
    p: str | None = None
    q: str | None = None
    n: int | None = None
    sector: int | None = None
    last: int | None = None
    id: str = ""


def _band(f: Fact, m: SkyMode, p: Any) -> Any:
    found = p & (m.full ^ bands(_number(f), m.sectors)[0]) == 0
    for band in bands(_number(f), m.sectors)[1:]:
        found = found | (p & (m.full ^ band) == 0)
    return found


def _consecutive(f: Fact, m: SkyMode, p: Any) -> Any:
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
    # about one sector: starting facts and reviewed theories
    "not_in_sector": lambda f, _m, p: p & bit(_sector(f)) == 0,
    "in_sector": lambda f, _m, p: p & bit(_sector(f)) != 0,
}
"""Each form's truth, given fact, mode and masks."""

TWO_KINDS = tuple(form for form in FORMS if form.split("_")[0] in ("some", "every", "none") and "self" not in form)
ABOUT_X = ("x_within", "x_not_within", "x_not_adjacent", "x_not_opposite")
WITH_N = ("every_within", "none_within", "none_within_self", "band", "x_within", "x_not_within")
OF_SECTOR = ("not_in_sector", "in_sector")


def kinds_of(fact: Fact) -> tuple[str, ...]:
    if fact.form in ABOUT_X:
        return ("X", fact.p or "")
    return (fact.p or "", fact.q or "") if fact.form in TWO_KINDS else (fact.p or "",)


def flaws(fact: Fact, mode: SkyMode) -> str | None:
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


def holds(fact: Fact, mode: SkyMode, board: str) -> bool:
    if fact.form == "survey":
        return survey_count(board, fact.p or "", _run(fact, mode)) == fact.n
    if fact.form == "target":
        return target_kind(board, _sector(fact)) == fact.p
    masks = board_masks(board)
    if fact.form in ("located", "not_located"):
        hit = all(masks[kind] & bit(sector) for kind, sector in _locate(fact, mode))
        return hit == (fact.form == "located")
    return bool(FORMS[fact.form](fact, mode, *(masks[kind] for kind in kinds_of(fact))))


def truth(fact: Fact, mode: SkyMode) -> int:
    """Return the legal boards on which a fact is true."""
    boards = legal_boards(mode)
    if fact.form == "survey":
        return boards.showing(fact.p or "", _run(fact, mode), fact.n or 0)
    if fact.form == "target":
        return boards.showing(fact.p or "", (_sector(fact),), 1)
    if fact.form in ("located", "not_located"):
        hit = reduce(and_, (boards.at[kind][sector - 1] for kind, sector in _locate(fact, mode)))
        return hit if fact.form == "located" else boards.members ^ hit
    found: int = FORMS[fact.form](fact, mode, *map(boards.masks, kinds_of(fact)))
    return found


def survey_count(board: str, kind: str, sectors: tuple[int, ...]) -> int:
    """Count sectors that show `kind`; Planet X counts as empty."""
    shown = ("E", "X") if kind == "E" else (kind,)
    return sum(board[sector - 1] in shown for sector in sectors)


def target_kind(board: str, sector: int) -> str:
    """Return the kind that a sector shows; Planet X as empty."""
    return "E" if board[sector - 1] == "X" else board[sector - 1]


def _locate(fact: Fact, mode: SkyMode) -> tuple[tuple[str, int], ...]:
    sector = _sector(fact)
    before, after = wrap(sector - 1, mode.sectors), wrap(sector + 1, mode.sectors)
    return (("X", sector), (fact.p or "", before), (fact.q or "", after))


def _run(fact: Fact, mode: SkyMode) -> tuple[int, ...]:
    return run(_sector(fact), fact.last or _sector(fact), mode.sectors)


def _sector(fact: Fact) -> int:
    if fact.sector is None:
        raise ValueError(f"fact without a sector: {fact}")
    return fact.sector


def _number(fact: Fact) -> int:
    if fact.n is None:
        raise ValueError(f"fact without a range: {fact}")
    return fact.n


# --- possible facts

KNOWN = "ACDG"


@cache
def research_facts(mode: SkyMode) -> tuple[Fact, ...]:
    """Return all possible topic facts, true or not (X43)."""
    pairs = [(p, q) for p in KNOWN for q in KNOWN if p != q]
    plain = ("some_adjacent", "some_opposite", "every_adjacent", "every_opposite", "none_adjacent", "none_opposite")
    reach = 4 if mode.sectors == 12 else 6
    two = [Fact(form, p, q) for p, q in pairs for form in plain]
    two += [Fact("every_within", p, q, n) for p, q in pairs for n in range(2, 5)]
    two += [Fact("none_within", p, q, n) for p, q in pairs for n in range(2, reach + 1)]
    several = [kind for kind in KNOWN if mode.count(kind) > 1]
    one = [Fact("band", p, n=n) for p in several for n in range(2, (6 if mode.sectors == 12 else 8) + 1)]
    one += [Fact("none_within_self", p, n=n) for p in several for n in range(2, reach + 1)]
    one += [Fact("consecutive", "A"), Fact("some_opposite_self", "A")]
    if mode.dwarf_band is not None:
        one.append(Fact("consecutive", "D", n=3))  # any two of the four always touch, and never all
    return tuple(two + one)


@cache
def conference_facts() -> tuple[Fact, ...]:
    """Return all possible conference facts, true or not (X44)."""
    facts = [Fact("x_within", p, n=n) for p in KNOWN for n in range(2, 6)]
    facts += [Fact("x_not_within", p, n=n) for p in KNOWN for n in (2, 3)]
    facts += [Fact(form, p) for p in KNOWN for form in ("x_not_adjacent", "x_not_opposite")]
    return tuple(facts)


# --- as sentences

TOPICS = {letter: f"R{number}" for number, letter in enumerate("ABCDEF", 1)}
"""Words of topics; bare letters would look like seats."""
TOPIC_OF_WORD = {word: topic for topic, word in TOPICS.items()}

_SOME = {
    "A": say("At least one asteroid"),
    "C": say("At least one comet"),
    "D": say("At least one dwarf planet"),
    "E": say("At least one truly empty sector"),
    "G": say("At least one gas cloud"),
    "X": say("Planet X"),
}
_EVERY = {
    "A": say("Every asteroid"),
    "C": say("Every comet"),
    "D": say("Every dwarf planet"),
    "E": say("Every truly empty sector"),
    "G": say("Every gas cloud"),
    "X": say("Planet X"),
}
_NO = {
    "A": say("No asteroid"),
    "C": say("No comet"),
    "D": say("No dwarf planet"),
    "E": say("No truly empty sector"),
    "G": say("No gas cloud"),
    "X": say("No Planet X"),
}
_ADJACENT = {
    "A": say("adjacent to an asteroid"),
    "C": say("adjacent to a comet"),
    "D": say("adjacent to a dwarf planet"),
    "E": say("adjacent to a truly empty sector"),
    "G": say("adjacent to a gas cloud"),
    "X": say("adjacent to Planet X"),
}
_OPPOSITE = {
    "A": say("opposite an asteroid"),
    "C": say("opposite a comet"),
    "D": say("opposite a dwarf planet"),
    "E": say("opposite a truly empty sector"),
    "G": say("opposite a gas cloud"),
    "X": say("opposite Planet X"),
}
_OF = {
    "A": say("of an asteroid"),
    "C": say("of a comet"),
    "D": say("of a dwarf planet"),
    "E": say("of a truly empty sector"),
    "G": say("of a gas cloud"),
    "X": say("of Planet X"),
}
_ALL = {
    "A": say("All asteroids"),
    "C": say("All comets"),
    "D": say("All dwarf planets"),
    "E": say("All truly empty sectors"),
    "G": say("All gas clouds"),
    "X": say("Planet X"),
}
_OTHER = {
    "A": say("of another asteroid"),
    "C": say("of another comet"),
    "D": say("of another dwarf planet"),
    "E": say("of another truly empty sector"),
    "G": say("of another gas cloud"),
    "X": say("of another Planet X"),
}


def title(fact: Fact) -> Text:
    kinds = sorted({*kinds_of(fact)})
    if len(kinds) == 1:
        return PLURALS[kinds[0]]
    return say("{first} and {second}", first=PLURALS[kinds[0]], second=PLURALS[kinds[1]])


def sentence(fact: Fact) -> Text:
    if fact.form in ABOUT_X:
        return _about_x(fact)
    if fact.form in ("not_in_sector", "in_sector"):
        return _of_sector(fact)
    return _of_one(fact) if fact.q is None else _of_two(fact)


def answer_text(fact: Fact) -> Text:
    if fact.form == "survey":
        count, first, last = fact.n or 0, fact.sector or 0, fact.last or 0
        objects = PLURALS[fact.p or ""]
        if first == last:
            return say("Sector {sector}, {objects}: {count}.", sector=first, objects=objects, count=count)
        return say(
            "Sectors {first} to {last}, {objects}: {count}.", first=first, last=last, objects=objects, count=count
        )
    if fact.form == "target":
        return say("Sector {sector} shows: {object}.", sector=fact.sector or 0, object=NAMES[fact.p or ""])
    if fact.form in ("located", "not_located"):
        before, after, sector = NAMES[fact.p or ""], NAMES[fact.q or ""], fact.sector or 0
        if fact.form == "located":
            return say("Right: {before}, Planet X in {sector}, {after}.", before=before, sector=sector, after=after)
        return say("Not right: {before}, Planet X in {sector}, {after}.", before=before, sector=sector, after=after)
    return say("{topic}: {fact}", topic=TOPICS.get(fact.id, fact.id), fact=sentence(fact))


def _of_two(fact: Fact) -> Text:
    quantity, _, relation = fact.form.partition("_")
    q = fact.q or ""
    place = {"adjacent": _ADJACENT[q], "opposite": _OPPOSITE[q], "within": _range(fact.n, _OF[q])}[relation]
    if quantity == "some":
        return say("{some} is {place}.", some=_SOME[fact.p or ""], place=place)
    if quantity == "every":
        return say("{every} is {place}.", every=_EVERY[fact.p or ""], place=place)
    return say("{none} is {place}.", none=_NO[fact.p or ""], place=place)


def _of_one(fact: Fact) -> Text:
    p = fact.p or ""
    if fact.form == "band":
        return say("{all} are in a band of {n} sectors or less.", all=_ALL[p], n=fact.n or 0)
    if fact.form == "consecutive" and fact.n is None:
        return say("{all} are in consecutive sectors.", all=_ALL[p])
    if fact.form == "consecutive":
        return say("{n} {objects} are in consecutive sectors.", n=fact.n or 0, objects=PLURALS[p])
    if fact.form == "none_within_self":
        return say("{none} is {place}.", none=_NO[p], place=_range(fact.n, _OTHER[p]))
    return say("{some} is opposite another of its kind.", some=_SOME[p])


def _about_x(fact: Fact) -> Text:
    p = fact.p or ""
    if fact.form == "x_within":
        return say("Planet X is {place}.", place=_range(fact.n, _OF[p]))
    not_there = {
        "x_not_within": _range(fact.n, _OF[p]),
        "x_not_adjacent": _ADJACENT[p],
        "x_not_opposite": _OPPOSITE[p],
    }[fact.form]
    return say("Planet X is not {place}.", place=not_there)


def _of_sector(fact: Fact) -> Text:
    sector = fact.sector or 0
    if fact.form == "in_sector":
        return say("Sector {sector} is: {object}.", sector=sector, object=NAMES[fact.p or ""])
    sentences = {
        "A": say("Sector {sector} is not an asteroid.", sector=sector),
        "C": say("Sector {sector} is not a comet.", sector=sector),
        "D": say("Sector {sector} is not a dwarf planet.", sector=sector),
        "E": say("Sector {sector} is not truly empty.", sector=sector),
        "G": say("Sector {sector} is not a gas cloud.", sector=sector),
        "X": say("Sector {sector} is not Planet X.", sector=sector),
    }
    return sentences[fact.p or ""]


def _range(n: int | None, of: Text) -> Text:
    return say("within {n} sectors {of}", n=n or 0, of=of)
