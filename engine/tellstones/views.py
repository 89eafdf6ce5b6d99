"""Views, the same for all because face-down stones stay secret (T54). The player opposite sees the Line turned round,
with the same numbers."""

from __future__ import annotations

from engine.game import Options
from engine.table import Seat
from engine.tellstones.challenge import Challenged
from engine.tellstones.line import KINDS, LETTERS, At, hidden_spots, line_zone, place_word, pool_zone
from engine.tellstones.match import GOAL, Ordering, State, opposite, side_name
from engine.tellstones.peek import looked_at, peeks_left
from engine.text import Text, in_row, say, who
from engine.view import Glyphs, Json, Line, Panel, Score, View


def view(state: State, seat: Seat | None) -> View:
    return View(facts=_facts(state), panels=_panels(state, seat), prompt=_prompt(state, seat))


def _prompt(state: State, seat: Seat | None) -> Text:
    asked = state.phase.actors(state)
    if seat not in asked:
        return state.phase.waiting(state, in_row(map(who, sorted(asked)), " / "))
    if isinstance(state.phase, Ordering) and (left := peeks_left(state)) > 1:
        return say("Choose a move. You may peek at {count}.", count=left)
    return state.phase.question(state)


def _facts(state: State) -> dict[str, Json]:
    facts: dict[str, Json] = {}
    for number, mat in enumerate(state.mats):
        facts[line_zone(state.mats, number)] = mat.shown
        facts[pool_zone(state.mats, number)] = mat.pool
    challenged = state.phase.stone if isinstance(state.phase, Challenged) else None
    return facts | {
        "score": dict(zip(_sides(state), state.score, strict=True)),
        "goal": GOAL,
        "turn": state.turn,
        "active": state.active,
        "phase": str(state.phase.__struct_config__.tag),
        "asked": tuple(sorted(state.phase.actors(state))),
        "hidden": len(hidden_spots(state.mats)),
        "peeks": peeks_left(state),
        "challenged": place_word(state.mats, challenged) if challenged else None,
        "peeked": tuple(place_word(state.mats, at) for at in looked_at(state)),
    }


def _sides(state: State) -> tuple[str, ...]:
    return tuple(str(side_name(state, side)).lower() for side in range(2))


def _panels(state: State, seat: Seat | None) -> tuple[Panel, ...]:
    turned_round = opposite(state, seat)
    panels: list[Panel] = [_line(state, number, turned_round) for number in range(len(state.mats))]
    scores = tuple((side_name(state, side), points) for side, points in enumerate(state.score))
    panels.append(Score(say("Points"), scores, GOAL))
    if state.last is not None:
        panels.append(Line(state.last.action.task(state, state.last.seat, turned_round)))
    labels = (say("Pool"),) if len(state.mats) == 1 else tuple(say("Pool {mat}", mat=mat) for mat in LETTERS)
    panels += [_pool(label, mat.pool) for label, mat in zip(labels, state.mats, strict=True) if mat.pool]
    return tuple(panels)


def _line(state: State, number: int, turned_round: bool) -> Glyphs:
    names, marked = state.mats[number].shown, state.phase.marked_spots()
    order = list(range(len(names)))[:: -1 if turned_round else 1]
    return Glyphs(
        say("Line") if len(state.mats) == 1 else say("Line {letter}", letter=LETTERS[number]),
        names=tuple(names[index] for index in order),
        captions=tuple(place_word(state.mats, At(number, index)) for index in order),
        marked=frozenset(shown for shown, index in enumerate(order) if At(number, index) in marked),
    )


def _pool(label: Text, pool: tuple[str, ...]) -> Glyphs:
    return Glyphs(label, names=tuple(kind for kind in KINDS if kind in pool))


def reference(options: Options) -> tuple[tuple[Text, ...], ...]:
    peek = {
        "two-turns": say("After a rival's point: up to three."),
        "previous-turn": say("Rival scored last turn: up to three."),
    }.get(str(options["peek_three"]))
    minimum = (say("At least 2 face down."),) if options["boast_minimum"] == 2 else ()
    lines = (say("Two Lines: never mix."),) if options["mode"] == "two-line" else ()
    return (
        (
            say("Goal: 3 points."),
            say("Choose one move each turn."),
            say("Your rival moves the stones."),
            *lines,
        ),
        (
            say("Place: from the Pool to an end."),
            say("Hide: turn one down."),
            say("Swap: two change places."),
            say("Peek: look at one."),
            *((peek,) if peek else ()),
        ),
        (
            say("Challenge: rival names one."),
            say("Right: their point. Wrong: yours."),
            say("Boast: you know all."),
            *minimum,
        ),
        (
            say("Answers to a boast:"),
            say("Believe: 1 point."),
            say("Ask for proof: all right wins, one error loses."),
            say("Take over: the boast is yours."),
        ),
    )
