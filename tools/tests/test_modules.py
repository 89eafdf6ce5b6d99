"""The page of modules lists each with its first sentence, and every module has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import modules


def test_the_page_lists_every_module_with_its_first_sentence(tmp_path: Path) -> None:
    (tmp_path / "engine" / "chess").mkdir(parents=True)
    (tmp_path / "engine" / "__init__.py").write_text('"""Rules."""\n')
    (tmp_path / "engine" / "chess" / "moves.py").write_text('"""Moves, and\nwhat | stops them.\n\nMore."""\n')
    found = modules.page(tmp_path)
    assert "## engine/\n\nRules.\n" in found
    assert "| `moves.py` | Moves, and what \\| stops them. |" in found
    assert "More" not in found


@pytest.mark.thorough
def test_every_module_of_this_project_says_what_it_is() -> None:
    silent = [
        path.relative_to(modules.ROOT).as_posix()
        for package in modules.PACKAGES
        for path in modules.ROOT.glob(f"{package}/**/*.py")
        if not modules.sentence(path)
    ]
    assert silent == []
