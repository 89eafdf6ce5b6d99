"""Dozens of whole matches with ideal eyes: whatever goes wrong is the fault of arbiter, session or players."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.sim.judge.tally import Tally
from engine.game import OptionValue
from tests.device.sim.tables import match

TABLES: dict[str, tuple[tuple[str, ...], dict[str, OptionValue]]] = {
    "seen": (("a", "b"), {"orders": "seen"}),
    "declared": (("a", "b"), {"orders": "declared"}),
    "teams": (("a", "b", "c", "d"), {}),
    "two lines": (("a", "b"), {"mode": "two-line"}),
}


def played(folder: Path, table: str, seeds: range) -> Tally:
    seats, options = TABLES[table]
    total = Tally()
    for seed in seeds:
        players, _ = match(folder, seed, 0.15, options, seats)
        total.merge(players.tally)
    return total


@pytest.mark.parametrize("table", TABLES)
def test_nothing_honest_is_doubted_and_no_visible_cheat_passes(tmp_path: Path, table: str) -> None:
    total = played(tmp_path, table, range(100, 103))
    cheats = total.cheats()
    assert (total.worth["wrong"], total.worth["asked"], total.accusations, total.stuck) == (0, 0, 0, 0), total.notes
    assert cheats.visible == cheats.caught >= 5
    assert total.actions > 40


def test_cheats_that_nobody_listed_are_caught_as_well(tmp_path: Path) -> None:
    kinds = played(tmp_path, "seen", range(210, 220)).cheats().by_kind
    whims = {name: kind for name, kind in kinds.items() if name.startswith("improvised: ")}
    assert len(whims) >= 4
    assert all(kind.missed == 0 for kind in whims.values())
    assert sum(kind.visible for kind in whims.values()) >= 5
