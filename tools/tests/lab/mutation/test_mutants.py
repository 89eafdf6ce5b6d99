"""Mutants: where each stands, what it is held against, and that it takes the place of the original everywhere."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from tools.lab.mutation.mutants import Mutant, draw_mutants, install
from tools.lab.mutation.run import BUDGET, tasks

TOY = '''"""A toy."""

from __future__ import annotations


def size(number: int, most: int = 7) -> str:
    if number > most:
        return "large"
    match number:
        case 1 | 2:
            return "small"
        case _ if number < 0:
            return "none"
    return (
        "middling"
    )


class Base:
    def name(self) -> str:
        return "base"


class Sums(Base):
    FIRST = 1

    def name(self) -> str:
        return super().name() + "!"

    @staticmethod
    def more(number: int) -> int:
        return number + 1


SAME = size


def over(least: int):
    def check(number: int) -> bool:
        return number > least

    return check


OVER_TWO = over(2)
'''


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    folder = tmp_path / "engine"
    folder.mkdir()
    (folder / "toy.py").write_text(TOY, "utf-8")
    return tmp_path


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "toy_of_mutants.py").write_text(TOY, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.reload(importlib.import_module("toy_of_mutants"))


def _mutant(owner: str, function: str, line: int, old: str, new: str) -> Mutant:
    assert TOY.count(old) == 1
    return Mutant("toy", "toy_of_mutants.py", owner, function, line, TOY.replace(old, new), [])


@pytest.mark.thorough
def test_every_mutant_changes_one_statement(engine: Path) -> None:
    total, every = draw_mutants(engine, 1000, 1)
    assert total == len(every) == len({mutant.source for mutant in every})
    for mutant in every:
        assert mutant.name.startswith("engine.toy.")
        changed = _first_change(mutant)
        assert changed in mutant.lines or changed == mutant.line == 6


@pytest.mark.thorough
def test_a_statement_ends_where_its_body_begins(engine: Path) -> None:
    _, every = draw_mutants(engine, 1000, 1, r"toy\.size:")
    spans = {(mutant.lines[0], mutant.lines[-1]) for mutant in every}
    assert spans == {(7, 16), (7, 7), (8, 8), (10, 10), (11, 11), (12, 12), (13, 13), (14, 16)}


def _first_change(mutant: Mutant) -> int:
    pairs = zip(TOY.splitlines(), mutant.source.splitlines(), strict=False)
    return next(number for number, (old, new) in enumerate(pairs, 1) if old != new)


@pytest.mark.thorough
def test_a_seed_draws_the_same_mutants_and_a_pattern_limits_them(engine: Path) -> None:
    total, some = draw_mutants(engine, 5, 3)
    assert len(some) == 5 < total
    assert draw_mutants(engine, 5, 3) == (total, some)
    assert draw_mutants(engine, 5, 4)[1] != some
    assert {mutant.function for mutant in draw_mutants(engine, 99, 3, r"Sums\.")[1]} == {"name", "more"}


def test_a_mutant_stands_wherever_the_function_is_referred_to(toy: ModuleType) -> None:
    install(_mutant("", "size", 6, "number > most", "number >= most"))
    assert (toy.size(7), toy.SAME(7), toy.size(6)) == ("large", "large", "middling")


@pytest.mark.thorough
def test_what_was_made_at_import_is_changed_as_well(toy: ModuleType) -> None:
    install(_mutant("", "over", 38, "number > least", "number >= least"))
    assert (toy.OVER_TWO(2), toy.over(3)(3), toy.over(3)(2)) == (True, True, False)


def test_a_default_value_is_part_of_the_mutant(toy: ModuleType) -> None:
    install(_mutant("", "size", 6, "most: int = 7", "most: int = 8"))
    assert (toy.size(8), toy.size(9)) == ("middling", "large")


def test_methods_keep_their_class(toy: ModuleType) -> None:
    install(_mutant("Sums", "name", 27, '+ "!"', '+ "?"'))
    install(_mutant("Sums", "more", 30, "number + 1", "number - 1"))
    assert (toy.Sums().name(), toy.Base().name(), toy.Sums.more(3)) == ("base?", "base", 2)


def test_another_engine_than_the_mutant_was_drawn_from_is_noticed(toy: ModuleType) -> None:
    with pytest.raises(AssertionError, match="drawn from"):
        install(_mutant("", "size", 5, "number > most", "number >= most"))


def test_the_quickest_tests_come_first_within_the_budget() -> None:
    lines = {"engine/toy.py": [7]}
    found = {
        "t.py::slow": {"seconds": 0.6 * BUDGET, "lines": lines},
        "t.py::middling": {"seconds": 0.5 * BUDGET, "lines": lines},
        "t.py::quick": {"seconds": 0.1 * BUDGET, "lines": lines},
        "t.py::elsewhere": {"seconds": 0.0, "lines": {"engine/toy.py": [8], "engine/other.py": [7]}},
    }
    mutant = Mutant("toy", "engine/toy.py", "", "size", 6, "", [7, 9])
    (task,) = tasks([mutant], {"t.py": {"key": "1", "tests": found}})
    assert (task.tests, task.left) == (["t.py::quick", "t.py::middling"], 1)
    assert task.seconds == pytest.approx(0.6 * BUDGET)
    (again,) = tasks([mutant], {"t.py": {"key": "2", "tests": found}})
    assert again.key != task.key, "tests that were changed are tried again"
