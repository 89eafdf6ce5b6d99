"""Words that readers stumble over are found, and nothing else."""

from __future__ import annotations

from pathlib import Path

from tools import words

SOURCE = '''
def sides():
    """What lies on each side."""

class Table:
    def rest(self):
        """Return when the table rests."""

    async def run(self):
        """Until cancelled."""
'''


def test_a_docstring_that_begins_with_a_question_or_preposition_is_named(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "table.py").write_text(SOURCE)
    assert list(words.strays(tmp_path)) == ["engine/table.py:2: sides: What", "engine/table.py:9: run: Until"]


NAMES = """
class Table:
    def told(self): ...
    def told_text(self): ...
    def speed(self): ...
    @property
    def closed(self): ...

class _Row: ...
class State: ...
"""


def test_a_participle_alone_names_no_function_but_an_attribute(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "table.py").write_text(NAMES)
    (found,) = words.participles(tmp_path)
    assert found.startswith("engine/table.py:3: told: a participle alone")


def test_one_name_is_one_class_but_for_roles_that_each_game_fills(tmp_path: Path) -> None:
    for folder in ("engine", "device"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "table.py").write_text(NAMES)
    assert list(words.doubles(tmp_path)) == ["Table: the name of 2 classes: device/table.py:2, engine/table.py:2"]


def test_a_retired_name_is_refused_with_the_one_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "vision").mkdir()
    (tmp_path / "vision" / "picture_checks.py").write_text("class Breach: ...\nclass Violation: ...\n")
    assert list(words.retired_names(tmp_path)) == ["vision/picture_checks.py:1: Breach: say Violation"]
