"""The sky and its games as data, open to checking from outside (X8, X12, X45)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.errors import Invalid
from engine.planetx.draw import draw_game
from engine.planetx.facts import Fact, holds
from engine.planetx.inspection import boards_data, check, game_data, read_games
from engine.planetx.sky import STANDARD

FIELDS = {"id", "title", "form", "p", "q", "n", "sector", "text"}


def english(text: object) -> dict[str, str]:
    return {"en": str(text)}


def game(code: str = "AKTWE") -> dict[str, Any]:
    return game_data(draw_game(STANDARD, code), english)


def given(**changes: Any) -> list[dict[str, Any]]:
    """One game of a file, with changes."""
    data = game()
    facts = [*data["topics"], *data["conferences"], *data["starting_facts"]["winter"]["youth"]]
    return [{"mode": data["mode"], "board": data["board"], "facts": facts} | changes]


def checked(games: list[dict[str, Any]]) -> dict[str, Any]:
    return check(read_games(json.dumps(games).encode()))


@pytest.mark.clause("X8")
def test_boards_as_data() -> None:
    data = boards_data(STANDARD, listed=True)
    assert data["count"] == len(data["boards"]) == len(set(data["boards"])) == 4446
    assert data["per_sector"][3] == sum(board[3] == "X" for board in data["boards"])
    assert "boards" not in boards_data(STANDARD)


@pytest.mark.clause("X12", "X13")
def test_a_game_as_data() -> None:
    data = game()
    assert {season: [len(data["starting_facts"][season][level]) for level in LEVELS] for season in SEASONS} == {
        season: [12, 8, 4, 0] for season in SEASONS
    }
    facts = [*data["topics"], *data["conferences"], *data["starting_facts"]["spring"]["youth"]]
    assert all(set(fact) == FIELDS for fact in facts)
    assert [fact["id"] for fact in data["topics"]] == list("ABCDEF")
    assert len({fact["title"] for fact in data["topics"]}) == 6
    assert [fact["id"] for fact in data["conferences"]] == ["X1"]
    for fact in facts:
        rebuilt = Fact(fact["form"], fact["p"], fact["q"], fact["n"], fact["sector"])
        assert holds(rebuilt, STANDARD, data["board"])


SEASONS = ("spring", "summer", "autumn", "winter")
LEVELS = ("youth", "beginner", "experienced", "genius")


@pytest.mark.clause("X45")
def test_a_good_game_passes_the_check() -> None:
    assert checked(given()) == {"games": 1, "facts": 19, "illegal_boards": [], "false_facts": []}


@pytest.mark.clause("X45")
def test_illegal_boards_and_false_facts_are_named() -> None:
    found = checked([*given(), *given(board="EGCXAAEGAACA", facts=[])])
    assert [(b["game"], b["reasons"][0]["clause"]) for b in found["illegal_boards"]] == [(1, "X2")]
    lie = {"id": "A", "form": "band", "p": "A", "n": 2}
    found = checked([{"mode": "standard", "board": "EGCXAAEGAACD", "facts": [lie, {"form": "what"}]}])
    assert [fact["fact"] for fact in found["false_facts"]] == [0, 1]
    assert "unknown form" in found["false_facts"][1]["reason"]
    found = checked([{"mode": "huge", "board": "X", "facts": [lie]}])
    assert found["illegal_boards"]
    assert found["false_facts"]


@pytest.mark.clause("X44")
@pytest.mark.parametrize("fact", [{"p": "A", "q": None}, {"p": "X", "q": "A"}, {"p": None, "q": "A"}])
def test_the_object_of_a_conference_fact_may_be_named_either_way(fact: dict[str, Any]) -> None:
    facts = [{"form": "x_within", "n": 2, **fact}, {"form": "x_not_adjacent", **fact}]
    found = checked([{"mode": "standard", "board": "EGCXAAEGAACD", "facts": facts}])
    assert [f["fact"] for f in found["false_facts"]] == [1]


@pytest.mark.clause("X45")
def test_a_whole_game_is_checked_as_it_is_printed() -> None:
    found = check(read_games(json.dumps(game()).encode()))
    assert found == {"games": 1, "facts": 6 + 1 + 4 * 12, "illegal_boards": [], "false_facts": []}
    data = game()
    data["topics"][1] |= {"form": "band", "p": "A", "q": None, "n": 2, "sector": None}
    for level in ("youth", "beginner"):
        data["starting_facts"]["autumn"][level][3] |= {"form": "what"}
    found = checked([data])
    assert [(fact["where"], fact["fact"]) for fact in found["false_facts"]] == [
        ("topics", 1),
        ("starting_facts.autumn.youth", 3),
    ]


@pytest.mark.clause("X45")
@pytest.mark.parametrize(
    ("more", "told"),
    [({"research": []}, "`research`"), ({"facts": [{"form": "band", "p": "A", "num": 2}]}, "`num`.*facts")],
)
def test_what_would_not_be_checked_is_refused(more: dict[str, Any], told: str) -> None:
    with pytest.raises(Invalid, match=told):
        checked([{"mode": "standard", "board": "EGCXAAEGAACD", **more}])


@pytest.mark.parametrize("data", [b"", b"{}", b'[{"mode": "standard"}]', b"\xff", b'[{"mode": 1, "board": ""}]'])
def test_what_is_no_list_of_games_is_refused(data: bytes) -> None:
    with pytest.raises(Invalid, match="not a list of games"):
        read_games(data)
