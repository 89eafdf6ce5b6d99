"""Which facts a research topic or a conference may give in a mode (X40-X45)."""

from __future__ import annotations

from functools import cache

from engine.planetx.boards import legal_boards
from engine.planetx.facts import Fact, holds, kinds_of, truth
from engine.planetx.sky import Mode

KNOWN = "ACDG"
"""The kinds that facts are about: research never mentions Planet X (X40), and no fact is about emptiness."""


def titles(mode: Mode) -> tuple[tuple[str, ...], ...]:
    """The kinds that a topic may be about: one or two (X40)."""
    return tuple(sorted({title_kinds(fact) for fact in research_facts(mode)}))


def title_kinds(fact: Fact) -> tuple[str, ...]:
    """The kinds of a fact without regard to order: two facts with the same have the same title."""
    return tuple(sorted(set(kinds_of(fact))))


@cache
def research_facts(mode: Mode) -> tuple[Fact, ...]:
    """Every fact that a research topic may give, true or not (X41-X43)."""
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
        one.append(Fact("consecutive", "D", n=3))  # any two of the four always touch (X7), and never all
    return tuple(two + one)


@cache
def conference_facts() -> tuple[Fact, ...]:
    """Every fact that a conference may give, true or not (X44)."""
    facts = [Fact("x_within", p, n=n) for p in KNOWN for n in range(2, 6)]
    facts += [Fact("x_not_within", p, n=n) for p in KNOWN for n in (2, 3)]
    facts += [Fact(form, p) for p in KNOWN for form in ("x_not_adjacent", "x_not_opposite")]
    return tuple(facts)


@cache
def says_something(fact: Fact, mode: Mode) -> bool:
    """Whether some legal board belies the fact (X45)."""
    return not bool(truth(fact, legal_boards(mode)).all())


def open_sectors(conferences: tuple[Fact, ...], mode: Mode, board: str) -> tuple[int, ...]:
    """Where Planet X can be, by the conference facts alone, once every other object is known (X46)."""
    empty = [s for s, letter in enumerate(board, 1) if letter in "EX"]
    bare = board.replace("X", "E")
    return tuple(s for s in empty if all(holds(f, mode, bare[: s - 1] + "X" + bare[s:]) for f in conferences))
