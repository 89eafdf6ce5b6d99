"""One phrase driven from data: where a test, or an oracle that knows nothing of the engine, compares results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.errors import Refusal
from engine.fence.bout import Over, State
from engine.fence.phrase import Clearing, Phrase
from engine.game import OptionValue
from tests.engine.fence.bouts import bout, having, rules

SEATS = ("a", "b")


@dataclass(frozen=True)
class PhraseResult:
    """touches, stamina, squares: (opener, other). end: "touch", "double", "none" or "open" (somebody is still asked).

    touches are those that were given: a double touch that does not count is (0, 0) and its end "none". stamina: after
    the phrase, recovery included. refused: the first illegal line, and `clauses` what it breaks; nothing after it was
    played.
    """

    touches: tuple[int, int]
    stamina: tuple[int, int]
    end: str
    squares: tuple[int, int]
    refused: int | None = None
    clauses: tuple[str, ...] = ()


def phrase_from(
    options: Mapping[str, OptionValue],
    gap: int,
    weapons: tuple[str, str],
    stamina: tuple[int, int],
    squares: tuple[int, int] | None = None,
) -> State:
    """The turn of the opener, who is green, before the first card; all else as at the beginning of a match."""
    state = bout(gap, " ".join(weapons), stamina, **options)
    if squares is None:
        return state
    return having(having(state, 0, square=squares[0]), 1, square=squares[1])


def run(state: State, lines: Iterable[tuple[int, str]]) -> PhraseResult:
    """What comes of some lines: (side, words), side 0 the opener. "accept" after the end is ignored."""
    before = (state.fencers[0].score, state.fencers[1].score)
    for number, (side, text) in enumerate(lines):
        if isinstance(state.phase, Clearing | Over):
            if text != "accept":
                return _result(before, state, number, ("F27",))
            continue
        words = tuple(text.split())
        try:
            action = rules().read(state, SEATS[side], words)
        except Refusal as refusal:
            return _result(before, state, number, refusal.clauses)
        violations = rules().judge(state, SEATS[side], action)
        if violations and not _already_accepted(state, side, text):
            return _result(before, state, number, tuple(breach.clause for breach in violations))
        if not violations:
            state, _ = rules().apply(state, SEATS[side], action)
    return _result(before, state, None, ())


def _already_accepted(state: State, side: int, text: str) -> bool:
    """True for an "accept" that the engine has made by itself, because nothing else was possible."""
    return text == "accept" and not isinstance(state.phase, Phrase)


def _result(before: tuple[int, int], state: State, refused: int | None, clauses: tuple[str, ...]) -> PhraseResult:
    after = (state.fencers[0].score, state.fencers[1].score)
    touches = (after[0] - before[0], after[1] - before[1])
    end = "open" if isinstance(state.phase, Phrase) else {0: "none", 1: "touch", 2: "double"}[sum(touches)]
    if isinstance(state.phase, Clearing):
        state, _ = rules().apply(state, SEATS[state.active], rules().read(state, SEATS[state.active], ("clear",)))
    green, red = state.fencers
    stamina, squares = (green.stamina, red.stamina), (green.square, red.square)
    return PhraseResult(touches, stamina, end, squares, refused, clauses)


def rehearse(
    gap: int, weapons: str, *lines: str, points: tuple[int, int] = (6, 6), **options: OptionValue
) -> PhraseResult:
    """A phrase written down: lines "A words" for the opener and "D words" for the other, in the advanced mode."""
    given: dict[str, OptionValue] = {"mode": "advanced", **options}
    first, second = weapons.split()
    state = phrase_from(given, gap, (first, second), points)
    return run(state, (("AD".index(line[0]), line[2:]) for line in lines))
