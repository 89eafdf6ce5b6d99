"""A mutation run over a toy engine: what is killed, what survives, what no test reaches, and what is tried again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools.lab.mutation import run
from tools.lab.mutation.trial import DRAWN

pytestmark = pytest.mark.soak  # several processes, each with a pytest of its own

ENGINE = '''"""A toy."""

from __future__ import annotations


def bigger(number: int) -> int:
    while number < 10:
        number += 1
    return number


def never() -> int:
    return 3
'''
TEST = """from engine.toy import bigger


def test_bigger() -> None:
    assert bigger(9) == 10
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in ("engine", "tests/engine", "work"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "engine" / "__init__.py").write_text("", "utf-8")
    (tmp_path / "engine" / "toy.py").write_text(ENGINE, "utf-8")
    (tmp_path / "tests" / "engine" / "test_toy.py").write_text(TEST, "utf-8")
    head = (
        '[tool.pytest.ini_options]\npythonpath = ["."]\naddopts = "-q --import-mode=importlib"\nmarkers = ["soak: x"]\n'
    )
    (tmp_path / "pyproject.toml").write_text(head, "utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), str(run.ROOT))))
    monkeypatch.setattr(run, "ROOT", tmp_path)
    return tmp_path


def test_a_run_tells_what_the_tests_notice(root: Path) -> None:
    report = run.run(100, 1, "", root / "work")
    alive = (root / "work" / run.ALIVE).read_text("utf-8")
    assert report.mutants == report.sampled == report.killed + report.survived
    assert report.unreached == alive.count("return 4") == 1
    assert "number < 11" in (root / "work" / DRAWN).read_text("utf-8").replace("\\n", "\n")
    assert report.hung >= 1, "number -= 1 never ends"
    assert "number -= 1" not in alive
    (root / "tests" / "engine" / "test_toy.py").write_text(TEST.replace("9", "11").replace("10", "11"), "utf-8")
    again = run.run(100, 1, "", root / "work")
    assert again.killed < report.killed


def test_tests_that_fail_anyway_prove_nothing(root: Path) -> None:
    (root / "tests" / "engine" / "test_toy.py").write_text(TEST.replace("== 10", "== 9"), "utf-8")
    with pytest.raises(SystemExit, match="without any mutant"):
        run.run(100, 1, "", root / "work")
