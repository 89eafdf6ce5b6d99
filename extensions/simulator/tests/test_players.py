"""Whole matches with ideal eyes: the judge of the simulation is the virtual table's own truth."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from device.journal import Journal
from engine.entry import encode
from engine.match import replay
from engine.table import Arrangement, Sight
from extensions.simulator.tests.tables import KNOWN, SPEC, match
from referee_simulator.harness.ideal_eyes import Ideal
from referee_simulator.judge.evidence import Evidence, evidence, legal_traces
from referee_simulator.players.decisions import cheat, honest
from referee_simulator.table.virtual import VirtualTable
from vision.messages import Report


@pytest.mark.quick(1)
@pytest.mark.parametrize("orders", ["seen", "declared"])
def test_honest_matches_are_followed_without_a_question(tmp_path: Path, orders: str) -> None:
    players, _ = match(tmp_path, 2, options={"orders": orders})
    tally = players.tally
    assert tally.notes == []
    assert tally.worth["right"] == tally.actions > 8
    assert tally.presses / tally.actions > (1.0 if orders == "seen" else 3.0)


@pytest.mark.thorough
def test_one_seed_gives_the_same_journal_to_the_byte(tmp_path: Path) -> None:
    journals = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        match(tmp_path / name, 5, 0.2)
        with Journal(tmp_path / name / "5" / "journal.db") as journal:
            journals.append([encode(entry) for entry in journal.entries(journal.matches()[-1])])
    assert journals[0] == journals[1]
    assert len(journals[0]) > 5


@pytest.mark.thorough
def test_the_journal_replays_to_the_result_that_was_played(tmp_path: Path) -> None:
    match(tmp_path, 6)
    with Journal(tmp_path / "6" / "journal.db") as journal:
        assert replay(KNOWN.game, journal.entries(journal.matches()[-1])).result is not None


class Blind(Ideal):
    """Takes no stone of the line for what it is: the judge must notice."""

    def look(self, table: VirtualTable, at: float) -> Report:
        report = super().look(table, at)
        if report.observation is None:
            return report
        zones = tuple(
            msgspec.structs.replace(
                zone,
                pieces=tuple(
                    msgspec.structs.replace(p, kind=None, sight=Sight.UNKNOWN) if p is not None else None
                    for p in zone.pieces
                ),
            )
            if zone.order is Arrangement.ROW
            else zone
            for zone in report.observation.zones
        )
        return msgspec.structs.replace(report, observation=msgspec.structs.replace(report.observation, zones=zones))


def test_the_judge_notices_a_referee_that_sees_nothing_of_the_line(tmp_path: Path) -> None:
    players, _ = match(tmp_path, 3, eyes=Blind)
    assert players.tally.worth["right"] < players.tally.actions or players.tally.stuck


@pytest.mark.thorough
def test_every_cheat_says_what_reveals_it() -> None:
    import random

    rng = random.Random(1)
    game, seats = KNOWN.game, ("a", "b")
    options = {option.name: option.default for option in SPEC.options}
    state = game.setup(options, seats, 3)
    found = set()
    for _ in range(150):
        planned = honest(game, state, rng, 0.3)
        intent = cheat(game, state, planned, rng)
        if intent is not None:
            found.add(intent.evidence)
            assert not intent.honest
        if not game.actors(state) or rng.random() < 0.05:
            state = game.setup(options, seats, rng.randrange(99))
            continue
        state = game.apply(state, planned.by, game.read(state, planned.by, planned.words))[0]
        if game.outcome(state):
            state = game.setup(options, seats, rng.randrange(99))
    assert found >= {Evidence.LAYOUT, Evidence.TRACKS, Evidence.LIFTED, Evidence.HANDS}


def test_what_looks_like_a_legal_action_is_no_visible_cheat() -> None:
    game, seats = KNOWN.game, ("a", "b")
    options = {option.name: option.default for option in SPEC.options}
    state = game.setup(options, seats, 3)
    legal = legal_traces(game, state)
    assert evidence(legal[0], game.layout(state), legal, frozenset(seats)) is Evidence.NONE
