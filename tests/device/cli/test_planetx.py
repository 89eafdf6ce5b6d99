"""`referee planetx`: the sky, games, and the check of games, from the command line (X8, X12, X45)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.commands import app
from vision.files import BadFile

LANGUAGES = {"en", "zh-Hant", "zh-Hans", "ru"}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["planetx", *arguments])


def answer(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.mark.clause("X8")
def test_boards() -> None:
    data = answer("boards", "--mode", "standard", "--list")
    assert data["count"] == len(data["boards"]) == 4446
    assert data["sha256"].startswith("d76a3c26")
    assert "count: 4446" in run("boards").output


@pytest.mark.clause("X12")
@pytest.mark.parametrize("mode", ["standard", pytest.param("expert", marks=pytest.mark.soak)])
def test_new(mode: str) -> None:
    data = answer("new", "--mode", mode, "--code", "AKTWE", "--reveal")
    facts = [*data["topics"], *data["conferences"], *data["starting_facts"]["autumn"]["youth"]]
    assert all(set(fact["text"]) == LANGUAGES and all(fact["text"].values()) for fact in facts)
    assert any(fact["text"]["ru"] != fact["text"]["en"] for fact in facts)
    assert answer("new", "--mode", mode, "--code", "aktwe", "--reveal") == data
    assert answer("new", "--mode", mode, "--code", "AKTWE") == {"mode": mode, "code": "AKTWE"}
    assert set(answer("new", "--mode", mode)) == {"mode", "code"}


@pytest.mark.thorough
@pytest.mark.clause("X45")
def test_check(tmp_path: Path) -> None:
    data = answer("new", "--mode", "expert", "--code", "AKTWE", "--reveal")
    file = tmp_path / "games.json"
    file.write_text(json.dumps([{"mode": "expert", "board": data["board"], "facts": data["topics"]}]))
    assert answer("check", str(file)) == {"games": 1, "facts": 6, "illegal_boards": [], "false_facts": []}
    file.write_text(json.dumps([{"mode": "expert", "board": data["board"][::-1], "facts": data["topics"]}]))
    assert answer("check", str(file))["illegal_boards"]


def test_a_thousand_games_as_they_are_printed_are_checked(tmp_path: Path) -> None:
    file, game = tmp_path / "own.json", {"mode": "standard", "board": "?", "code": "x" * 30_000}
    file.write_text(json.dumps([game] * 1000))
    assert answer("check", str(file))["games"] == 1000


@pytest.mark.parametrize("end", [b"\x1a", b"\r\n\x1a\x1a"])
def test_the_end_mark_of_dos_ends_a_list_of_games(tmp_path: Path, end: bytes) -> None:
    file = tmp_path / "own.json"
    file.write_bytes(b"\xef\xbb\xbf[]" + end)
    assert answer("check", str(file))["games"] == 0


@pytest.mark.clause("X47")
def test_gates() -> None:
    assert answer("gates", "--games", "5")["broken"] == {}


@pytest.mark.parametrize(
    "arguments",
    [
        ("new", "--code", "nonsense"),
        ("boards", "--mode", "huge"),
    ],
)
def test_what_cannot_be_done_says_so(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Invalid value" in result.output


def test_a_file_of_games_that_is_not_there_is_named() -> None:
    with pytest.raises(BadFile, match=r"nowhere\.json: is not there"):
        app(["planetx", "check", "nowhere.json"], standalone_mode=False)
