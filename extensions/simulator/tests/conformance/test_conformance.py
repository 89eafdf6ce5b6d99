"""`referee conformance`: what a game lacks is told in sentences, whatever the game does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from device import resources
from device.cli.tree import tree
from engine.game import ANYTHING, Choice, Prefilter, Words
from engine.table import Piece, Seat
from engine.tellstones.place import Place
from referee_simulator.conformance import Play, Way
from referee_simulator.conformance.checks import (
    menus_lead_to_what_is_played,
    what_a_camera_may_tell_is_what_menus_offer,
)
from referee_simulator.conformance.ladder import Quality
from referee_simulator.conformance.report import Report
from tests.device import guests

WAYS = """
from referee_simulator.conformance import Way
from engine.errors import Invalid
from engine.tellstones import Tellstones
from engine.text import say

def shuffled(rng, state, seat):
    from tests.engine.test_tellstones_conformance import shuffled
    from msgspec.structs import replace
    return replace(state, mats=tuple(shuffled(rng, mat) for mat in state.mats))

ways = (Way({"first_stone": "scales"}, matches=3, sampled=5, pairs=40, twin=shuffled),)

class Odd(Tellstones):
    name = "pebble"
"""
UNCORRECTED = """
    def corrections(self, state, prefix=()):
        return ()
    def correct(self, state, words):
        raise Invalid(say("Nothing can be corrected."))
"""
CHATTY = """
    def attempts(self, state, look=None):
        raise RuntimeError("the cup fell down")
    def view(self, state, seat):
        from msgspec.structs import replace
        return replace(super().view(state, seat), facts={"secret": str(state)})
"""
OLD = """
    def attempts(self, state):
        return ()
"""
HASTY = """
    def attempts(self, state, look=None):
        every = list(super().attempts(state))
        return every if look is None else every[:len(every) // 3]
"""
WHISPERING = """
    def correct(self, state, words):
        from engine.view import Event
        after, events = super().correct(state, words)
        return after, (*events, Event(say("{secret}", secret=str(state)), AUDIENCE, reveals=REVEALS))
"""
CREATE = "\ndef create(data):\n    return Odd()\n"


class Printed(msgspec.Struct):
    ways: list[Report]
    quality: Quality


def checked(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> tuple[int, Report, str]:
    tellstones = (resources.root() / "games" / "tellstones.toml").read_text(encoding="utf-8")
    data = guests.game(folder, "pebble", factory="guest.rules:create")
    named = tellstones.replace('"tellstones"', '"pebble"', 1).replace("engine.tellstones:create", "guest.rules:create")
    at = named.index("clause_letter")
    text = named[:at] + 'conformance = "guest.rules:ways"\n' + named[at:]
    (data / "games" / "pebble.toml").write_text(text, encoding="utf-8")
    (folder / "guest" / "rules.py").write_text(WAYS + body + CREATE, encoding="utf-8")
    with guests.installed(folder, monkeypatch):
        encoded = CliRunner().invoke(tree("conformance"), ["conformance", "pebble", "--json"])
        told = CliRunner().invoke(tree("conformance"), ["conformance", "pebble"])
    assert told.exit_code == encoded.exit_code
    (found,) = msgspec.json.decode(encoded.output, type=Printed).ways
    return encoded.exit_code, found, told.output


def test_a_game_with_a_secret_and_without_corrections_conforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It speaks English alone: no other language is asked for."""
    code, found, told = checked(tmp_path, monkeypatch, UNCORRECTED)
    assert (code, found.lacks) == (0, ())
    assert found.checks > 20
    assert found.unchecked == (
        "corrections: the game has none",
        "whether its clauses exist: there is no rules/pebble.md",
    )
    assert "not checked: corrections: the game has none" in told
    assert "grade: silver\n  for the next one: There is no rules/pebble.md with its clauses." in told


def test_what_a_game_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, found, told = checked(tmp_path, monkeypatch, CHATTY)
    assert code == 1
    said = {lack.said for lack in found.lacks}
    assert any("RuntimeError at rules.py" in each and "the cup fell down" in each for each in said)
    assert any("tells what it must not know" in each for each in said)
    assert "grade: none" in told
    assert "lacking: States that differ only in what a seat must not know give it the same bytes" in told


@pytest.mark.parametrize(("audience", "reveals"), [("frozenset('ab')", "True"), ("None", "False"), ("None", "True")])
def test_what_a_correction_draws_may_be_told_to_everybody_as_a_revelation_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, audience: str, reveals: str
) -> None:
    body = WHISPERING.replace("AUDIENCE", audience).replace("REVEALS", reveals)
    _, found, _ = checked(tmp_path, monkeypatch, body)
    leaks = [lack.said for lack in found.lacks if "the correction " in lack.said and "must not know" in lack.said]
    assert bool(leaks) is ((audience, reveals) != ("None", "True"))


@pytest.mark.parametrize(
    ("body", "lack"), [(OLD, "`attempts` takes no look: write it"), (HASTY, "with a look `attempts` leaves out ")]
)
def test_attempts_take_a_look_and_leave_out_only_what_that_rules_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, lack: str
) -> None:
    code, found, _ = checked(tmp_path, monkeypatch, body)
    assert code == 1
    assert {each.check for each in found.lacks if lack in each.said} == {
        "Attempts given a look leave out only what it rules out: the rest is the same, in the same order."
    }


@pytest.mark.parametrize(
    ("dead", "said"),
    [
        ((), "the first menu is empty"),
        (("place",), "the menu after 'place' is empty"),
        (None, "it was drawn at random, and no menu offers it"),
    ],
)
def test_a_menu_that_leads_nowhere_and_one_that_lacks_what_is_played_are_named(
    dead: Words | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """dead: after what there is nothing; None: a verb that can be drawn stands in no menu."""
    play = Play("tellstones", Way(matches=1, sampled=40))
    assert not list(menus_lead_to_what_is_played(play))
    usual = play.rules.choices

    def planted(state: Any, seat: str, prefix: Words = ()) -> tuple[Choice, ...]:
        found: tuple[Choice, ...] = usual(state, seat, prefix)
        if dead is None:
            return tuple(each for each in found if prefix or each.word != "place")
        return () if prefix == dead else found

    monkeypatch.setattr(play.rules, "choices", planted)
    assert any(each.endswith(f": {said}") for each in menus_lead_to_what_is_played(play))


def test_a_glance_knows_of_nothing_in_a_zone_that_the_layout_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def may_be_seen(action: Place, state: Any, seat: Seat, glance: Prefilter) -> bool:
        return glance is ANYTHING or not glance.lies("elsewhere", Piece("crown"))

    play = Play("tellstones", Way(matches=1, sampled=20))
    monkeypatch.setattr(Place, "may_be_seen", may_be_seen)
    assert not list(what_a_camera_may_tell_is_what_menus_offer(play))


def test_a_game_that_cannot_begin_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "    def setup(self, options, seats, seed):\n        return [][1]\n"
    code, found, _ = checked(tmp_path, monkeypatch, body)
    assert code == 1
    assert [lack.said.partition(":")[0] for lack in found.lacks] == ["IndexError at rules.py"]
