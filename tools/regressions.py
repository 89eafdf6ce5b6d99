"""Matches in pictures that were told wrongly once (`regressions.toml`), played again with the code of today.

    python -m tools.regressions --folder regressions --jobs 2 --json      # goes on where it was broken off

What hands do next depends on what the referee tells, and pictures on how the simulator draws, so that a match may go
another way than when it was found. Exits with 1 if a verdict is wrong or somebody is accused wrongly.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from engine.game import OptionValue
from referee_simulator.harness.plan import Plan
from referee_simulator.harness.stored_results import OnProgress, StoredResults, carried_on, no_progress, total
from tools import longrun
from tools.bound import Played, Tally, play
from vision.files.reading import read_toml

TABLE = Path(__file__).with_name("regressions.toml")


class ToldWrongly(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A match. commit: of the code that told it wrongly. was: what happened, and why. bump: seconds from one bump of
    the camera to the next; None: it stays. The rest: as `referee simulate` takes it."""

    commit: str
    game: str
    seed: int
    only: int
    was: str
    scene: Literal["normal", "hard"] = "normal"
    seats: int | Literal["all"] = 2
    mode: str | None = None
    bump: float | None = None
    tremble: tuple[float, float, float] | None = None
    options: dict[str, OptionValue] = {}

    @property
    def plan(self) -> Plan:
        return Plan(
            game=self.game,
            matches=self.only + 1,
            seed=self.seed,
            cheat_rate=0.1,
            bump_s=self.bump,
            tremble=self.tremble,
            scene=self.scene,
            seats=None if self.seats == "all" else self.seats,
            jobs=1,
            options=self.options,
            mode=self.mode,
            only=self.only,
        )


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table of matches."""

    match: tuple[ToldWrongly, ...]


class Found(msgspec.Struct, frozen=True):
    """What came of them: together, and of each that is wrong, accuses somebody or is stuck, by what plays it again."""

    all: Tally
    not_right: dict[str, Tally]


def read_table(path: Path = TABLE) -> tuple[ToldWrongly, ...]:
    """The matches. Raises BadFile."""
    return read_toml(path, Table, remedy="see `tools/regressions.py` for what a match needs").match


def again(
    matches: Sequence[ToldWrongly],
    *,
    jobs: int = 1,
    folder: Path | None = None,
    progress: OnProgress = no_progress,
) -> Found:
    """Plays them. Raises OtherRun if the folder is of other matches or another state of the code."""
    plans = tuple(each.plan for each in matches)
    return _find_poor(carried_on(play, dict(enumerate(plans)), jobs, StoredResults(folder, plans, Played), progress))


def _find_poor(played: Mapping[int, Played]) -> Found:
    poor = (one for one in played.values() if one.tally.wrong or one.tally.accused or one.tally.stuck)
    whole = total((one.tally for one in played.values()), Tally())
    return Found(whole, {f"--game {one.game} {one.again}": one.tally for one in poor})


def main() -> int:
    parser = longrun.parser(__doc__, seed=None)
    given = parser.parse_args()
    with longrun.start_run("matches") as progress:
        found = again(read_table(), jobs=given.jobs, folder=given.folder, progress=progress)
    longrun.show(found, given.json)
    return int(found.all.wrong + found.all.accused > 0)


if __name__ == "__main__":
    sys.exit(main())
