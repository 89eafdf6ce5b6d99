"""The reference card, as help screens: pages of short lines."""

from __future__ import annotations

from engine.game import Options
from engine.text import Text, say


def reference(options: Options) -> tuple[tuple[Text, ...], ...]:
    """Four pages: the goal, moving stones, scoring, answers; with what the options change."""
    peek = {
        "two-turns": say("After a rival's point: up to three."),
        "previous-turn": say("Rival scored last turn: up to three."),
    }.get(str(options["peek_three"]))
    minimum = (say("At least 2 face down."),) if options["boast_minimum"] == 2 else ()
    lines = (say("Two Lines: never mix."),) if options["mode"] == "two-line" else ()
    return (
        (
            say("Goal: 3 points."),
            say("Each turn order one action."),
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
