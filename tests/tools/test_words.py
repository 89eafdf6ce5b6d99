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
