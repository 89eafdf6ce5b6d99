"""Dozens of whole matches with ideal eyes: whatever goes wrong is the fault of arbiter, session or players."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.game import OptionValue
from extensions.simulator.tests.tables import match
from referee_simulator.judge.tally import Tally

TABLES: dict[str, tuple[tuple[str, ...], dict[str, OptionValue]]] = {
    "seen": (("a", "b"), {"orders": "seen"}),
    "declared": (("a", "b"), {"orders": "declared"}),
    "teams": (("a", "b", "c", "d"), {}),
    "two lines": (("a", "b"), {"mode": "two-line"}),
}


def played(folder: Path, table: str, seeds: range, cheat_rate: float = 0.15) -> Tally:
    seats, options = TABLES[table]
    total = Tally()
    for seed in seeds:
        players, _ = match(folder, seed, cheat_rate, options, seats)
        total.merge(players.tally)
    return total


@pytest.mark.quick(1)
@pytest.mark.parametrize("table", TABLES)
def test_nothing_honest_is_doubted_and_no_visible_cheat_passes(tmp_path: Path, table: str) -> None:
    total = played(tmp_path, table, range(107, 108), 0.3)
    cheats = total.cheats()
    assert (total.worth["wrong"], total.worth["asked"], total.accusations, total.stuck) == (0, 0, 0, 0), total.notes
    assert cheats.visible == cheats.caught >= 3
    assert total.actions >= 15


@pytest.mark.soak
@pytest.mark.parametrize("cheat_rate", [0.15, 0.3])
@pytest.mark.parametrize("table", TABLES)
def test_nor_in_twelve_matches(tmp_path: Path, table: str, cheat_rate: float) -> None:
    total = played(tmp_path, table, range(120, 132), cheat_rate)
    assert (total.worth["wrong"], total.worth["asked"], total.accusations, total.stuck) == (0, 0, 0, 0), total.notes
    assert total.cheats().missed == 0


@pytest.mark.soak
def test_cheats_that_nobody_listed_are_caught_as_well(tmp_path: Path) -> None:
    kinds = played(tmp_path, "seen", range(210, 220)).cheats().by_kind
    whims = {name: kind for name, kind in kinds.items() if name.startswith("improvised: ")}
    assert len(whims) >= 4
    assert all(kind.missed == 0 for kind in whims.values())
    assert sum(kind.visible for kind in whims.values()) >= 5
