"""Green and Red are equal: a phrase that Red opens ends as the same phrase of Green does, from the other end."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.fence.bout import State
from engine.fence.table import LAST
from tests.engine.fence.bouts import bout, play, rules, scores, squares, stamina, step

ATTACK = "a: play straight-thrust 4"
PHRASES: list[tuple[int, str, tuple[str, ...]]] = [
    (1, "line line", (ATTACK, "b: accept")),
    (1, "line line", (ATTACK, "b: play stop-hit 5", "a: accept")),
    (1, "line line", (ATTACK, "b: play stop-hit 4")),
    (1, "line line", (ATTACK, "b: play stop-hit 5", "a: play counter-time", "b: accept")),
    (1, "line line", (ATTACK, "b: play parry-riposte 5", "a: play parry-riposte 4", "b: accept")),
    (1, "line line", (ATTACK, "b: play infighting 5", "a: accept")),
    (1, "line line", (ATTACK, "b: play infighting 5", "a: play infighting 4", "b: accept")),
    (1, "line line", (ATTACK, "b: distance ?", "a: play renewed-attack", "b: accept")),
    (1, "line line", (ATTACK, "b: distance ?", "a: accept")),
    (1, "line line", (ATTACK, "b: parry", "a: play feint straight-thrust 5", "b: accept")),
    (1, "line line", (ATTACK, "b: parry", "a: play feint end")),
    (1, "line line", (ATTACK, "b: play glide-attack 4 parry", "a: accept")),
    (1, "line line", ("a: play toe-touch 4", "b: play joker", "a: accept")),
    (1, "line engagement", ("a: play beat-thrust 4", "b: play disengage 4", "a: accept")),
    (1, "line line", ("a: play flanconade 4", "b: play ceding-parry 4", "a: accept")),
    (2, "line line", ("a: play fleche 5", "b: parry")),
    (2, "line line", ("a: play fleche 5", "b: play stop-hit 5")),
    (0, "line line", ("a: play infighting 4", "b: play infighting 5", "a: accept")),
    (3, "line invitation", ("a: move forward", "a: weapon invitation", "b: move back", "b: weapon line")),
    (3, "invitation line", ("a: retreat", "a: exchange straight-thrust 4", "b: move forward", "b: end")),
]


def mirrored(state: State) -> State:
    """The same table, seen from the other side."""
    green, red = state.fencers
    exchanged = (replace(red, square=LAST + 1 - red.square), replace(green, square=LAST + 1 - green.square))
    return replace(state, fencers=exchanged, active=1 - state.active)


def turned(line: str) -> str:
    """The line of the other seat."""
    return {"a": "b", "b": "a"}[line[0]] + line[1:]


def lines_of(state: State, lines: tuple[str, ...]) -> tuple[str, ...]:
    """The lines as far as somebody is still asked: what can only be accepted is not."""
    played: list[str] = []
    for line in lines:
        if line[0] in rules().actors(state) and not (line.endswith("accept") and not _may(state, line)):
            state = play(state, line)
            played.append(line)
    return tuple(played)


def _may(state: State, line: str) -> bool:
    return "accept" in {choice.word for choice in rules().choices(state, line[0])}


@pytest.mark.parametrize(("gap", "weapons", "lines"), PHRASES)
def test_red_is_green_from_the_other_end(gap: int, weapons: str, lines: tuple[str, ...]) -> None:
    green = bout(gap, weapons, mode="advanced")
    red = mirrored(green)
    assert squares(mirrored(red)) == squares(green)
    said = lines_of(green, lines)
    assert len(said) >= 2
    for line in said:
        green, told = step(green, line)
        red, also = step(red, turned(line))
        assert squares(red) == tuple(LAST + 1 - square for square in reversed(squares(green))), line
        assert scores(red) == scores(green)[::-1]
        assert stamina(red) == stamina(green)[::-1]
        assert rules().actors(red) == {turned(seat) for seat in rules().actors(green)}
        assert sorted(map(_swapped, also)) == sorted(told)  # of a double touch Green is told first


def _swapped(text: str) -> str:
    return text.replace("Green", "?").replace("Red", "Green").replace("?", "Red")
