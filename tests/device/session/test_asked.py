"""What happened? The likeliest answers come first, the others after a press; and what is not seen is named."""

from __future__ import annotations

import msgspec
import pytest

from device.session.messages import Tick
from engine.arbiter.verdict import FEW
from engine.entry import Act
from engine.table import Observation, Sight, Sighting, Touch
from tests.device.session.conftest import Mat, Seated

UNKNOWN = Sighting(77, None, None, Sight.UNKNOWN, 0.2, 900.0, 0.0, 0.0, "flag")


@pytest.fixture
def asked(begun: tuple[Seated, Mat]) -> tuple[Seated, Observation]:
    """A stone was laid that nobody can name; any of six may be it."""
    table, lying = begun
    seen = lying.observe(0.0, frozenset("ab"))
    line, pool, *rest = seen.zones
    line = msgspec.structs.replace(line, pieces=(*line.pieces, UNKNOWN))
    touched = tuple(Touch(p.track, True, 1.0, frozenset("ab")) for p in pool.pieces if p is not None)
    pool = msgspec.structs.replace(pool, pieces=())
    dim = msgspec.structs.replace(seen, zones=(line, pool, *rest), touched=touched)
    table.see(dim)
    table.now += 10.0
    table.give(Tick(table.now))
    assert table.play.case.question is not None
    return table, dim


def answers(table: Seated) -> list[str]:
    menu = table.screen(table.play.case.question.seat if table.play.case.question else "a").menu
    assert menu is not None
    return [str(item) for item in menu.items]


def test_of_many_answers_the_likeliest_are_offered_first(asked: tuple[Seated, Observation]) -> None:
    table, _ = asked
    question = table.play.case.question
    assert question is not None
    assert len(question.readings) > FEW + 1
    assert [*answers(table)[FEW:]] == ["Another one...", "Something else"]
    assert "Flag" in answers(table)[0]
    table.pick(question.seat, "Another one...")
    assert len(answers(table)) == len(question.readings) + 1
    assert answers(table)[-1] == "Something else"
    late = answers(table)[FEW + 1]
    table.pick(question.seat, late)
    assert isinstance(table.entries[-1], Act)


@pytest.mark.thorough
def test_what_is_not_seen_is_named_with_the_question(asked: tuple[Seated, Observation]) -> None:
    table, _ = asked
    question = table.play.case.question
    assert question is not None
    assert "What happened? Not clear: line." in table.text(question.seat)


@pytest.mark.thorough
def test_a_second_look_at_the_same_takes_no_question_back(asked: tuple[Seated, Observation]) -> None:
    table, dim = asked
    question = table.play.case.question
    table.see(msgspec.structs.replace(dim, serial=dim.serial + 1, touched=(), hands=frozenset()))
    assert table.play.case.question == question
    table.see(msgspec.structs.replace(dim, serial=dim.serial + 2, touched=(), hands=frozenset("a")))
    assert table.play.case.question is None, "a hand was there: it may be at work still"
