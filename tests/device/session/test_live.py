"""The match under way is one object, and its game is found once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from device import games
from device.session.messages import Joined, Tap
from device.session.page_views import sheet
from device.session.screens import screens
from device.session.table import KnownGame
from engine.catalogue import complete
from engine.entry import Start
from tests.device.session.conftest import Seated

ROOT = Path(__file__).resolve().parents[3]
APART = {"Table", "Session", "Play"}


def taking_apart(source: str) -> Iterator[str]:
    """The functions that take a table, its session and the play of a match each by itself."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            notes = [part for each in given if each.annotation for part in ast.walk(each.annotation)]
            if {part.id for part in notes if isinstance(part, ast.Name)} >= APART:
                yield node.name


def test_no_function_takes_the_parts_of_a_live_match() -> None:
    assert [*taking_apart("def taken(table: Table, session: Session, *, play: Setup | Play) -> None: ...")] == ["taken"]
    paths = [path for folder in ("device", "extensions") for path in (ROOT / folder).rglob("*.py")]
    found = {path: [*taking_apart(path.read_text("utf-8"))] for path in paths}
    assert len(found) > 200
    assert not {path: functions for path, functions in found.items() if functions}


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Start]:
    """The first entry of a match, each time that its game is found."""
    starts: list[Start] = []
    playing = KnownGame.playing

    def counted(known: KnownGame, start: Start) -> KnownGame:
        starts.append(start)
        return playing(known, start)

    monkeypatch.setattr(KnownGame, "playing", counted)
    return starts


def test_the_game_of_a_match_is_found_once(found: list[Start], seated: Callable[..., Seated]) -> None:
    spec = games.spec("tellstones")
    start = Start(0.0, "tellstones", dict(complete(spec.options, {"starter": "a"})), ("a", "b"), 5)
    table = seated([start])
    table.press("a", "choose", "choose", "choose", "choose")
    table.give(Joined("b", table.now))
    table.give(Tap("b", table.session.lists["b"].menu.serial, 0, menu=True, at=table.now + 9.0))
    assert len(table.entries) > 1
    assert screens(table.table, table.session)
    assert sheet(table.table, table.session, "b").heading
    assert found == [start]
