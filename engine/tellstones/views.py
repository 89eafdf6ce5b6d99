"""What may be shown: the same for everybody, for the referee tells nobody what is face down (T54).

Only the direction differs: the player opposite sees the Line turned round, under the same numbers (T16).
"""

from __future__ import annotations

from engine.table import Seat
from engine.tellstones.actions import At
from engine.tellstones.choices import opposite
from engine.tellstones.places import line_zone, place_word, pool_zone
from engine.tellstones.prompts import prompt
from engine.tellstones.sentences import side_name, task
from engine.tellstones.state import (
    GOAL,
    Challenged,
    Mat,
    Ordering,
    Peeking,
    State,
    actors,
    hidden,
    peeks_left,
)
from engine.tellstones.stones import DOWN, KINDS
from engine.view import Glyphs, Json, Line, Panel, Score, View


def view(state: State, seat: Seat | None) -> View:
    """What `seat` may know; None: everybody at the table."""
    return View(facts=_facts(state), panels=_panels(state, seat), prompt=prompt(state, seat))


def shown_line(mat: Mat) -> tuple[str, ...]:
    """A Line from seat a's left: names, and "down" for what is hidden."""
    return tuple(DOWN if stone.down else stone.kind for stone in mat.line)


def _facts(state: State) -> dict[str, Json]:
    facts: dict[str, Json] = {}
    for number, mat in enumerate(state.mats):
        facts[line_zone(state, number)] = shown_line(mat)
        facts[pool_zone(state, number)] = mat.pool
    peeks = peeks_left(state) if isinstance(state.phase, Ordering | Peeking) else 0
    return facts | {
        "score": dict(zip(_sides(state), state.score, strict=True)),
        "goal": GOAL,
        "turn": state.turn,
        "active": state.active,
        "phase": str(state.phase.__struct_config__.tag),
        "asked": tuple(sorted(actors(state))),
        "hidden": len(hidden(state)),
        "peeks": peeks,
        "challenged": place_word(state, state.phase.stone) if isinstance(state.phase, Challenged) else None,
        "peeked": tuple(place_word(state, at) for at in state.phase.seen) if isinstance(state.phase, Peeking) else (),
    }


def _sides(state: State) -> tuple[str, ...]:
    return tuple(side_name(state, side).lower() for side in range(2))


def _panels(state: State, seat: Seat | None) -> tuple[Panel, ...]:
    turned_round = opposite(state, seat)
    panels: list[Panel] = [_line(state, number, turned_round) for number in range(len(state.mats))]
    panels.append(Score(tuple((side_name(state, side), points) for side, points in enumerate(state.score)), GOAL))
    if state.last is not None:
        panels.append(Line(task(state, state.last.seat, state.last.action, turned_round)))
    panels += [_pool(state, number) for number, mat in enumerate(state.mats) if mat.pool]
    return tuple(panels)


def _line(state: State, number: int, turned_round: bool) -> Glyphs:
    """A Line as the viewer sees it, each stone over its number; what is asked about is marked."""
    mat = state.mats[number]
    marked = _marked(state)
    order = list(range(len(mat.line)))[:: -1 if turned_round else 1]
    names = shown_line(mat)
    return Glyphs(
        names=tuple(names[index] for index in order),
        captions=tuple(place_word(state, At(number, index)) for index in order),
        marked=frozenset(shown for shown, index in enumerate(order) if At(number, index) in marked),
    )


def _marked(state: State) -> tuple[At, ...]:
    match state.phase:
        case Challenged(stone):
            return (stone,)
        case Peeking(seen):
            return seen
        case _:
            return ()


def _pool(state: State, number: int) -> Glyphs:
    pool = state.mats[number].pool
    return Glyphs(names=tuple(kind for kind in KINDS if kind in pool))
