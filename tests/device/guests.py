"""Distributions that bring a game, as pip would leave them on the path."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from device import extensions, locale, resources

GAME = """
name = "{name}"
title = "{title}"
factory = "{factory}"
clause_letter = "P"
{more}
[[tables]]
seats = [2]
"""


def game(
    folder: Path, name: str, *, package: str = "guest", title: str = "A guest", factory: str = "", more: str = ""
) -> Path:
    """A package below `folder` with one game, and what pip writes beside it. Returns its data."""
    data = folder / package / "config"
    (data / "games").mkdir(parents=True, exist_ok=True)
    (folder / package / "__init__.py").touch()
    text = GAME.format(name=name, title=title, factory=factory or "engine.tellstones:create", more=more)
    (data / "games" / f"{name}.toml").write_text(text, encoding="utf-8")
    declare(folder, package, name)
    return data


def declare(folder: Path, package: str, name: str, *, group: str = resources.GROUP, value: str = "") -> None:
    """Write the notes of pip: a distribution called like its package brings the game, or what `group` is for."""
    notes = folder / f"{package}-1.dist-info"
    notes.mkdir(parents=True)
    (notes / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n", encoding="utf-8")
    (notes / "entry_points.txt").write_text(f"[{group}]\n{name} = {value or package}\n", encoding="utf-8")


@contextmanager
def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Inside, what lies in the folder is installed."""
    known = set(sys.modules)
    try:
        with monkeypatch.context() as path:
            path.syspath_prepend(str(folder))
            _forget()
            yield
    finally:
        _forget()
        for name in {name for name in sys.modules if name.partition(".")[0] == "guest"} - known:
            del sys.modules[name]


def _forget() -> None:
    resources.look_again()
    for each in (extensions.extensions, locale.languages, locale.catalogue):
        each.cache_clear()
