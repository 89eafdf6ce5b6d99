"""Nights of mixed faults find nothing wrong with the shipped code, would find it if there were, and can be repeated."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest

from referee_simulator.fault_runs.faults import ENDS, LEAST, MOST, Kind, schedule
from referee_simulator.fault_runs.run import FaultRuns
from referee_simulator.harness.plan import Eyes, Plan, matches_of
from tests.device.cli.refusing import refused
from tests.shimmed import shimmed

PLAY = """
import logging, sys
import msgspec
{harm}
from referee_simulator.harness.plan import Plan
from referee_simulator.fault_runs.run import simulate
logging.disable(logging.ERROR)
plan = Plan(game="tellstones", matches=1, seed={seed}, seats=None, jobs=1, faults=True)
sys.stdout.write(msgspec.json.encode(simulate(plan)).decode())
"""


def play(seed: int, harm: str = "") -> FaultRuns:
    return shimmed(FaultRuns, "-c", PLAY.format(seed=seed, harm=harm))


def headless(*words: str) -> FaultRuns:
    code = "from device.cli import main; main()"
    return shimmed(FaultRuns, "-c", code, "simulate", "--headless", "--json", "--jobs", "1", *words)


@pytest.fixture(scope="module")
def found() -> FaultRuns:
    """Two nights that the command plays."""
    return headless("--faults", "5", "--matches", "2", "--game", "tellstones")


@pytest.mark.thorough
@pytest.mark.timeout(240)
def test_nights_lose_double_leak_and_jam_nothing(found: FaultRuns) -> None:
    assert (found.matches, found.wrong) == (2, 0), found.notes
    assert sum(found.faults.values()) >= 2 * LEAST
    assert found.entries > 10


@pytest.mark.soak
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "only",
    [111, 126, 210],
    ids=["an order left behind a menu", "two faults at one display", "worn buttons begin another game"],
)
def test_nights_that_once_went_wrong(only: int) -> None:
    found = headless("--faults", "7", "--matches", "1000", "--pictures", "100", "--only", str(only))
    assert (found.matches, found.wrong) == (1, 0), found.notes


@pytest.mark.soak
@pytest.mark.timeout(240)
def test_one_seed_gives_one_night_to_the_byte(found: FaultRuns) -> None:
    one, other = (msgspec.structs.replace(play(8), seconds=0.0) for _ in range(2))
    assert one == other
    assert one.digest != found.digest


# Of each the seed of a night that brings it to light: not every one cuts the power after something was written.
HARMS = {
    "a journal that is not synced": (
        1,
        "from device.journal import Journal\n"
        "def prepare(self, before=Journal._prepare): before(self); self._db.execute('PRAGMA synchronous=OFF')\n"
        "Journal._prepare = prepare",
        "lost",
    ),
    "a journal that writes later": (
        5,
        "from device.journal import Journal\n"
        "write = Journal.write\n"
        "late = []\n"
        "def later(self, *given, **named):\n"
        "    late.append((given, named))\n"
        "    if len(late) > 1: write(self, *late.pop(0)[0], **named)\n"
        "Journal.write = later",
        "stuck",
    ),
    "displays that miss screens": (
        5,
        "from device.daemon.displays import Pane\n"
        "show, asked = Pane.show, []\n"
        "def missing(self, *given):\n"
        "    asked.append(1)\n"
        "    if len(asked) % 3: show(self, *given)\n"
        "Pane.show = missing",
        "leaked",
    ),
}


@pytest.mark.thorough
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "harm",
    [harm if harm == "a journal that is not synced" else pytest.param(harm, marks=pytest.mark.soak) for harm in HARMS],
)
def test_what_goes_wrong_is_found_out(harm: str) -> None:
    seed, code, counted = HARMS[harm]
    assert getattr(play(seed, harm=code), counted) > 0


@pytest.mark.parametrize("seed", range(20))
def test_every_night_has_its_faults(seed: int) -> None:
    faults = schedule(random.Random(seed), seen=bool(seed % 2), in_pictures=False)
    assert LEAST <= len(faults) <= MOST
    assert any(fault.kind in ENDS for fault in faults)
    assert seed % 2 or not any(fault.kind in (Kind.FROZEN, Kind.WORKER) for fault in faults)


@pytest.mark.parametrize("in_pictures", [True, False])
def test_only_a_camera_that_takes_pictures_is_bumped(in_pictures: bool) -> None:
    runs = [schedule(random.Random(seed), seen=True, in_pictures=in_pictures) for seed in range(50)]
    drawn = {fault.kind for each in runs for fault in each}
    assert (Kind.BUMPED in drawn, Kind.BLIND in drawn) == (in_pictures, not in_pictures)


@pytest.mark.thorough
def test_everything_that_a_table_may_choose_is_drawn(tmp_path: Path) -> None:
    drawn = list(matches_of(Plan(game="", matches=40, seed=3, seats=None, faults=True), tmp_path))
    for what in ("seats", "panels", "language"):
        assert len({getattr(planned, what) for planned in drawn}) > 1
    assert {planned.plan.eyes for planned in drawn} == {Eyes.IDEAL, Eyes.NONE}
    assert len({planned.plan.game for planned in drawn}) == 4
    assert len({planned.plan.scene for planned in drawn}) == 3
    alone = matches_of(Plan(game="", matches=40, seed=3, seats=None, faults=True, only=7), tmp_path)
    assert [each.faults for each in alone] == [drawn[7].faults]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--faults", "1"), "needs --headless"),
        (("--headless", "--faults", "1", "--no-camera"), "the seed draws it"),
        (("--headless", "--faults", "1", "--scene", "hard"), "the seed draws it"),
        (("--headless", "--faults", "1", "--panels", "phone"), "the seed draws it"),
        (("--no-camera", "--cheat-rate", "0.5"), "it needs a camera"),
        (("--no-camera", "--mode", "all"), "it needs a camera"),
        (("--headless", "--pictures", "1"), "--faults"),
        (("--headless", "--folder", "kept"), "--faults"),
    ],
)
def test_what_does_not_go_together_is_refused(words: tuple[str, ...], said: str) -> None:
    assert said in refused("simulate", *words)
