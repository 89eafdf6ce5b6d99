"""A newcomer who follows a lesson's data alone ends a legal match; every clause that a lesson names exists."""

from __future__ import annotations

import random

import pytest

from device import games
from device.locale import LANGUAGES, translate
from device.resources import clauses_of
from device.session.opening import fitting as fitting_options
from device.session.table import KnownGame
from engine.entry import Act, Source
from engine.options import complete
from engine.random_play import sentence
from engine.text import Text
from referee_phones.rulebook import read
from referee_simulator.players.lessons import fitting, lessons, refusals, reply

LESSONS = lessons()
MOST = 300
"""Actions after which a newcomer who has learnt everything resigns."""


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("seed", range(3))
def test_a_newcomer_who_follows_the_lesson_ends_a_legal_match(name: str, seed: int) -> None:
    """Every action of the lesson is possible when its turn comes, and the referee refuses what it calls illegal."""
    lesson, spec = LESSONS[name], games.spec(name)
    known = KnownGame(spec, *games.build(spec))
    game, rng, at, refused = known.game, random.Random(seed), 0, 0
    state = game.setup(complete(spec.options, fitting_options(known, {}, 2)), ("a", "b"), seed)
    for _ in range(MOST):
        step, seat = lesson.steps[at], min(game.actors(state), default="")
        if game.outcome(state) is not None:
            break
        if lesson.waits(at):
            at += 1
            continue
        if lesson.is_read(at) and seat == "a":
            assert step.clause in {each.clause for each in refusals(game, state, seat, step)}
            at, refused = at + 1, refused + 1
            continue
        if seat == "a":
            found = fitting(game, state, seat, step)
            words = rng.choice(found) if found else sentence(game, state, seat, rng.randrange)
        else:
            words = reply(game, state, seat, step, rng, lambda _: True)
        action = game.read(state, seat, words)
        assert game.judge(state, seat, action) == ()
        state, _ = game.apply(state, seat, action)
        at = lesson.follow(at, "a", [Act(0.0, seat, words, Source.BUTTONS)])
    else:
        state, _ = game.resign(state, "a")
    assert game.outcome(state) is not None
    assert (at, refused) == (len(lesson.steps) - 1, 1)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_names_clauses_that_exist(name: str) -> None:
    path = clauses_of(name)
    assert path is not None
    assert {step.clause for step in LESSONS[name].steps} <= set(read(path).clauses())


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_every_step_is_said_in_every_language(language: str) -> None:
    texts = [step.text for lesson in LESSONS.values() for step in lesson.steps]
    assert [text for text in texts if translate(Text(text), language) == text] == []


def test_every_lesson_shows_an_action_and_a_refusal() -> None:
    for name, lesson in LESSONS.items():
        assert any(step.action for step in lesson.steps), name
        assert any(step.illegal for step in lesson.steps), name


def test_an_action_of_another_seat_ends_no_step() -> None:
    lesson = LESSONS["tellstones"]
    at = next(number for number, step in enumerate(lesson.steps) if step.action)
    words = (*lesson.steps[at].words, "crown", "left")
    assert lesson.follow(at, "a", [Act(0.0, "b", words, Source.BUTTONS)]) == at
    assert lesson.follow(at, "a", [Act(0.0, "a", words, Source.BUTTONS)]) == at + 1
