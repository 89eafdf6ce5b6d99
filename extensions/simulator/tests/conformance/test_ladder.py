"""A game's grade is computed: each step of the ladder is taken, or the sentence says what is missing."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from device.cli.tree import tree
from engine.catalogue import Option
from referee_simulator.conformance import Play, Way
from referee_simulator.conformance.ladder import Grade, Oracle, quality
from referee_simulator.conformance.report import Lack, Report

WAY = Way({"orders": "seen"}, matches=2, sampled=5)
WHOLE = Report(str(WAY), 31, 2, 20, ())


def agree(dice: random.Random) -> None:
    dice.random()


def disagree(dice: random.Random) -> None:
    assert dice.random() < 0.9, "the stone lies elsewhere"


@pytest.fixture(scope="module")
def played() -> Play:
    return Play("tellstones", WAY)


@pytest.mark.parametrize(
    ("oracle", "grade", "missing"),
    [
        (None, Grade.GOLD, "No second implementation"),
        (disagree, Grade.GOLD, "The oracle disagrees in run"),
        (agree, Grade.PLATINUM, ""),
    ],
)
def test_only_a_second_implementation_that_agrees_makes_platinum(
    played: Play, oracle: Oracle | None, grade: Grade, missing: str
) -> None:
    found = quality([played], [WHOLE], oracle)
    assert (found.grade, missing in "".join(found.missing)) == (grade, True)


def test_without_a_check_that_passes_nothing_above_counts(played: Play) -> None:
    failed = replace(WHOLE, lacks=(Lack("A match ends.", "it goes on"),))
    found = quality([played], [WHOLE, failed], agree)
    assert (found.grade, found.missing) == (Grade.NONE, ("Checks fail in 1 of 2 ways to play it.",))


def test_a_game_that_no_camera_can_follow_is_bronze(played: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(played, "way", replace(WAY, seats=("a", "b", "c")))  # there is no mat for three
    found = quality([played], [WHOLE], agree)
    assert (found.grade, found.missing) == (Grade.BRONZE, ("It has no mat, so no camera can follow it.",))


def test_an_option_that_nobody_explains_keeps_a_game_from_gold(played: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = Option("luck", "Luck", (True, False), True, "T1", "assumed", basic=True)
    monkeypatch.setattr(played, "spec", replace(played.spec, options=(*played.spec.options, bare)))
    monkeypatch.setattr(played, "clauses", None)
    found = quality([played], [WHOLE], agree)
    assert found.grade is Grade.SILVER
    assert found.missing == ("There is no rules/tellstones.md with its clauses.", "Option luck has no help.")


@pytest.mark.parametrize("name", ["nowhere:play", "random:nothing", ""])
def test_an_oracle_that_is_not_there_is_named(name: str) -> None:
    told = CliRunner().invoke(tree("conformance"), ["conformance", "tellstones", "--oracle", name])
    assert told.exit_code == 2
    assert "cannot be imported" in told.output
