"""Words to actions and back (docs/developers/notation/tellstones.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from device.games import specs
from engine import notation
from engine.errors import Invalid
from tests.engine.tellstones.tables import GAME, lying, parsed, refused

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize(
    ("line", "canonical"),
    [
        ("place Hammer LEFT", "place hammer left"),
        ("place left hammer", "place hammer left"),
        ("place hammer 4", "place hammer right"),
        ("place hammer 2", "place hammer 2"),
        ("hide 1", "hide crown"),
        ("hide 2", "hide 2"),
        ("hide sword", "hide sword"),
        ("swap flag 2", "swap 2 flag"),
        ("swap flag crown", "swap crown flag"),
        ("peek 2", "peek 2"),
        ("peek a 2", "peek 2"),
        ("challenge 2", "challenge 2"),
        ("challenge crown", "challenge crown"),
        ("swap hammer crown", "swap hammer crown"),
        ("boast", "boast"),
        ("names 2 hammer", "names 2 hammer"),
        ("names hammer", "names hammer"),
        ("stop", "stop"),
        ("believe", "believe"),
        ("prove", "prove"),
        ("takeover", "takeover"),
        ("first hammer", "first hammer"),
    ],
)
def test_actions_have_one_canonical_form(line: str, canonical: str) -> None:
    state = lying("crown sword* flag")
    action = GAME.read(state, "a", parsed(f"a: {line}")[1])
    assert " ".join(GAME.words(state, action)) == canonical
    assert GAME.read(state, "a", tuple(canonical.split())) == action


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("", "ambiguous"),
        ("jump", "invalid"),
        ("place", "ambiguous"),
        ("place left", "ambiguous"),
        ("place pebble left", "invalid"),
        ("place hammer knight left", "invalid"),
        ("place hammer left right", "invalid"),
        ("place hammer 0", "invalid"),
        ("hide", "ambiguous"),
        ("hide 0", "invalid"),
        ("hide 4", "invalid"),
        ("hide A1", "invalid"),
        ("hide -1", "invalid"),
        ("hide crown flag", "invalid"),
        ("swap 1", "ambiguous"),
        ("swap 1 2 3", "invalid"),
        ("swap sword crown", "ambiguous"),
        ("peek", "ambiguous"),
        ("peek sword", "ambiguous"),
        ("peek a b", "invalid"),
        ("peek a 2 3", "invalid"),
        ("challenge pebble", "invalid"),
        ("challenge 2 1", "invalid"),
        ("place a hammer left", "invalid"),
        ("place hammer left left", "invalid"),
        ("place hammer left 1", "invalid"),
        ("place b hammer", "invalid"),
        ("place 1 left", "invalid"),
        ("place left 1", "invalid"),
        ("swap pebble", "invalid"),
        ("names", "ambiguous"),
        ("names 2", "ambiguous"),
        ("names 1 2", "invalid"),
        ("names crown sword", "ambiguous"),
        ("names 2 crown sword", "invalid"),
        ("boast now", "invalid"),
        ("stop it", "invalid"),
    ],
)
def test_what_is_not_understood_and_what_is_not_enough(line: str, kind: str) -> None:
    assert refused(lying("crown sword* flag"), f"a: {line}") == kind


def test_a_place_where_a_stone_is_expected_is_told_what_is_expected() -> None:
    with pytest.raises(Invalid, match=r"There is no stone 1\. Stones: .*crown"):
        GAME.read(lying("crown sword*"), "a", ("place", "1", "left"))


@pytest.mark.parametrize("page", ["developers/notation/tellstones.md", "developers/notation.md"])
def test_the_examples_of_the_documentation_can_be_played(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    example = re.search(r"(?:^ *\[.*\]\n)+\n(?:^ *[ab]: .*\n)+", text, re.MULTILINE)
    assert example
    lines = "\n".join(line.strip() for line in example[0].splitlines())
    played = list(notation.play(GAME, notation.parse(lines, specs())))
    assert len(played) >= 5
    assert [str(each.error.text) for each in played if each.error] == []
