"""Random play: every legal action as likely as by a walk through the menus, and nothing that is not legal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from engine.catalogue import AnyGame
from engine.game import OptionValue, Words
from engine.rules import Rules, grammar
from engine.table import Seat
from referee_simulator.conformance.playouts import load, playout
from referee_simulator.players.random_play import draw, sentence

WAYS: tuple[tuple[str, str, dict[str, OptionValue]], ...] = (
    ("tellstones", "ab", {}),
    ("tellstones", "abcd", {}),
    ("tellstones", "ab", {"mode": "two-line", "fixed_spots": True}),
    ("fence", "ab", {}),
    ("runes", "abc", {}),
    ("planetx", "ab", {"camera": True, "app_only": False, "years": 5}),
)

Odds = dict[Words, Fraction]

MOST = 400
"""Ways of drawing that are gone through in one state; where there are more, the next state is taken."""


def by_menus(game: AnyGame, state: Any, seat: Seat, words: Words = (), share: Fraction = Fraction(1)) -> Odds:
    """Return the probability of each action if every menu is a fair choice."""
    choices, found = game.choices(state, seat, words), Odds()
    for choice in choices:
        path, part = (*words, choice.word), share / len(choices)
        found |= {path: part} if choice.final else by_menus(game, state, seat, path, part)
    return found


def by_drawing(game: AnyGame, state: Any, seat: Seat) -> Odds | None:
    """Return the probability with which each action is drawn, over all that dice can give; None if that is too much."""
    found: Odds = defaultdict(Fraction)
    given: list[int] = []
    for _ in range(MOST):
        faces: list[int] = []

        def pick(count: int, faces: list[int] = faces) -> int:
            faces.append(count)
            if len(faces) > len(given):
                given.append(0)
            return given[len(faces) - 1]

        share = Fraction(1)
        words = sentence(game, state, seat, pick)
        for count in faces:
            share /= count
        found[words] += share
        while given and given[-1] + 1 == faces[len(given) - 1]:
            given.pop()
        if not given:
            return dict(found)
        given[-1] += 1
    return None


def positions(name: str, seats: str, options: dict[str, OptionValue]) -> Iterator[tuple[AnyGame, Any, Seat]]:
    """Some of random matches, with one who may act."""
    game, complete = load(name, options)
    steps = [step for seed in range(4) for step in playout(game, complete, tuple(seats), seed, 60).steps]
    for step in Random(1).sample(steps, min(12, len(steps))):
        yield game, step.state, step.seat


@pytest.mark.parametrize(("name", "seats", "options"), WAYS, ids=lambda each: str(each)[:40])
def test_an_action_is_as_likely_as_by_the_menus(name: str, seats: str, options: dict[str, OptionValue]) -> None:
    """To the last digit; of long menus with much that is illegal, only a part of the states is gone through."""
    compared = [(by_drawing(*each), by_menus(*each)) for each in positions(name, seats, options)]
    known = [(drawn, walked) for drawn, walked in compared if drawn is not None]
    assert len(known) > 1
    for drawn, walked in known:
        assert drawn == walked


@pytest.mark.parametrize(("name", "seats", "options"), WAYS, ids=lambda each: str(each)[:40])
def test_what_is_drawn_is_legal(name: str, seats: str, options: dict[str, OptionValue]) -> None:
    dice = Random(2)
    for game, state, seat in positions(name, seats, options):
        for _ in range(5):
            action = draw(game, state, seat, dice.randrange)
            assert game.judge(state, seat, action) == ()
            assert game.read(state, seat, game.words(state, action)) == action


@pytest.mark.parametrize(("name", "seats", "options"), WAYS, ids=lambda each: str(each)[:40])
def test_words_say_how_many_they_are(name: str, seats: str, options: dict[str, OptionValue]) -> None:
    """A word that claims to be one word is: on that the odds of a draw rest."""

    for game, state, seat in positions(name, seats, options):
        assert isinstance(game, Rules)
        for kind in game.actions:
            for action in (each for each in kind.candidates(state, seat) if isinstance(each, kind)):
                before: tuple[Any, ...] = ()
                for field, word in zip(grammar(kind).names, grammar(kind).words, strict=True):
                    value = getattr(action, field)
                    count = len(word.write(state, value, before))
                    assert count == 1 or (word.optional if count == 0 else word.several), (kind, field)
                    before = (*before, value)
