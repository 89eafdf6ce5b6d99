"""Words to actions and back (docs/games/tellstones.md)."""

from __future__ import annotations

import pytest

from tests.engine.tellstones.tables import GAME, lying, parsed, play, refused


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


def test_a_record_is_one_line_an_action() -> None:
    state = play(
        lying("scales"),
        "a: place crown left",
        "b: hide crown",
        "a: swap 1 scales",
        "b: challenge 2",
        "a: names crown",
        "a: hide scales",
    )
    assert GAME.view(state, None).facts["line"] == ("down", "crown")
