"""The reference card, as help screens: pages of short lines."""

from __future__ import annotations

from engine.fence.rules import rules_of
from engine.game import Options
from engine.text import Text, say


def reference(options: Options) -> tuple[tuple[Text, ...], ...]:
    """The turn, distances, weapons, answers, and what the mode adds."""
    rules = rules_of(options)
    return (
        (
            say("Goal: {points} points.", points=rules.goal),
            say("A turn: two actions,"),
            say("or one and a card."),
            say("Move, weapon, card.") if rules.tutorial else say("Move, weapon, exchange."),
        ),
        *(() if rules.tutorial else (_pauses(rules.advanced),)),
        _distances(rules.tutorial),
        (
            say("Line beats Invitation,"),
            say("Invitation Engagement,"),
            say("Engagement Line."),
            say("Invitation: defence +1."),
            say("Engagement: rival's attack -1."),
        ),
        (
            say("Cyan must be faster;"),
            say("equal: double touch."),
            say("Blue parries if not slower."),
            say("Two cards each a phrase."),
        ),
        *(() if rules.basic else (_bonuses(),)),
        _card_less(rules.tutorial),
    )


def _pauses(advanced: bool) -> tuple[Text, ...]:
    stall = (say("Stall: all turn, +2 SP."), say("It costs a timer card."))
    return (*stall, say("Retreat: 2 back, 1 action.")) if advanced else stall


def _bonuses() -> tuple[Text, ...]:
    """F147, F169: the basic deck has no Angulations."""
    return (
        say("Angulations: speed +2."),
        say("Glide on a parry: riposte 4."),
        say("Both may join one card."),
    )


def _distances(tutorial: bool) -> tuple[Text, ...]:
    if tutorial:
        return (say("Attack with one square"), say("between the fencers."))
    return (say("Gap 0: Infighting."), say("Gap 1: all other attacks."), say("Gap 2: Fleche."))


def _card_less(tutorial: bool) -> tuple[Text, ...]:
    distance = (say("Distance: 1 SP, 2 back,"), say("lose a card and draw."))
    if tutorial:
        return distance
    return (say("Parry: 1 SP for 2 speed."), *distance, say("Not above speed 5."))
