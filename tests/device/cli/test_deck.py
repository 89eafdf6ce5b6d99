"""`referee deck`: the cards of Ready... Fence! shown, checked, corrected."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from device.resources import root
from engine.fence.cards import read_deck
from engine.fence.owner_deck import toml_of
from tests.commands import app


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["deck", *arguments])


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "fence.toml"
    path.write_bytes((root() / "decks" / "fence.toml").read_bytes())
    return path


@pytest.mark.clause("F1")
def test_show_lists_every_copy_with_its_sources() -> None:
    cards = json.loads(run("show", "fence", "--json").output)
    assert len(cards) == 54
    assert cards[0]["id"] == "RF01"
    assert cards[0]["mark_T_source"] == "assumed"
    assert "RF54" in run("show", "fence").output


@pytest.mark.clause("F1", "F62")
def test_check_proves_the_totals() -> None:
    result = run("check", "fence", "--json")
    assert result.exit_code == 0
    found = json.loads(result.output)
    assert found == {"cards": {"tutorial": 41, "basic": 35, "advanced": 54}, "faults": []}
    assert "basic: 35 cards" in run("check", "fence").output


def test_edit_corrects_one_copy_and_marks_it(own: Path) -> None:
    before = own.read_text()
    assert run("edit", "fence", "rf35", "--sp", "1", "--no-mark-T", "--file", str(own)).exit_code == 0
    cards = json.loads(run("show", "fence", "--json", "--file", str(own)).output)
    card = next(card for card in cards if card["id"] == "RF35")
    assert (card["sp"], card["sp_source"], card["mark_T"], card["mark_T_source"]) == (1, "owner", False, "owner")
    assert card["mark_B_source"] == "assumed"
    changed = [line for line in own.read_text().splitlines() if line not in before.splitlines()]
    assert changed == ['sp_source = "owner"', 'mark_T_source = "owner"']
    checked = run("check", "fence", "--file", str(own))
    assert checked.exit_code == 1
    assert "F1 tutorial: 40 cards instead of 41" in checked.output


def test_edit_without_a_file_corrects_the_cards_of_the_table(tmp_path: Path, given_away: list[Path]) -> None:
    table = tmp_path / "table.toml"
    shipped = (root() / "decks" / "fence.toml").read_bytes()
    example = (root() / "tables" / "two-seats.toml").read_text()
    table.write_text(f'state_dir = "{tmp_path}"\n' + example.replace("state_dir", "# state_dir"))
    assert run("edit", "fence", "RF35", "--speed=4", "--mark-T", "--table", str(table)).exit_code == 0
    cards = json.loads(run("show", "fence", "--json", "--table", str(table)).output)
    assert next(card["speed"] for card in cards if card["id"] == "RF35") == 4
    assert given_away == [tmp_path / "decks", tmp_path / "decks" / "fence.toml"]
    assert (root() / "decks" / "fence.toml").read_bytes() == shipped


def test_the_file_is_written_as_it_was_read() -> None:
    text = (root() / "decks" / "fence.toml").read_text()
    assert toml_of(read_deck(tomllib.loads(text))) == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "chess"), "fence"),
        (("edit", "fence", "RF99", "--sp", "1"), "RF99"),
        (("edit", "fence", "RF35"), "--speed"),
        (("edit", "fence", "RF35", "--sp", "9"), "0, 1, 2"),
        (("edit", "fence", "RF35", "--sp"), "0, 1, 2"),
        (("edit", "fence", "RF47", "--speed", "3"), "--sp"),
        (("edit", "fence", "RF35", "--sp", "1"), "--table"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFEREE_TABLE", str(tmp_path / "none.toml"))
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.output


def test_a_broken_file_is_named(own: Path) -> None:
    own.write_text("cards = [")
    result = run("check", "fence", "--file", str(own))
    assert result.exit_code != 0
    assert str(own) in str(result.exception)
