"""Counts what depends on how a processor rounds: matches in pictures and tests, repeated under other arithmetic.

    python -m tools.rounding --matches 20 --tests tests/vision --json

Each match and test runs as this machine does by itself ("plain"), and once more in each of these ways:

    processor   OpenCV, numpy and OpenBLAS without the instructions that not every processor has
    blas        OpenBLAS alone with the code for its oldest processor
    grain       noise of one gray level on every picture

Games take turns. Two matches are the same if the journal holds the same entries, apart from their times, and the
referee asked as often. Exits with 1 if anything differs.
"""

from __future__ import annotations

import os
import platform
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

import cv2
import msgspec
import numpy as np

from device.journal.reading import Archive
from referee_simulator.harness.plan import Plan
from referee_simulator.harness.run import simulate
from referee_simulator.harness.stored_results import OnProgress, StoredResults, carried_on
from referee_simulator.judge.tally import Details
from tools import longrun
from tools.bound import on_mats
from tools.grain import SEED, grain

PLAIN = "plain"

OLDEST = {"x86_64": "Prescott", "aarch64": "ARMV8"}
"""OpenBLAS' names of the code that runs on every processor of an architecture."""


class Match(msgspec.Struct, frozen=True):
    """A match to play: its game and seed."""

    game: str
    seed: int


class Outcome(msgspec.Struct, frozen=True):
    """How a match went. entries: of the journal, as JSON without their times."""

    actions: int
    right: int
    wrong: int
    asked: int
    entries: tuple[str, ...]


class Way(msgspec.Struct, frozen=True):
    """What one way of rounding changed. differences: the first in each match, and each test with another result."""

    matches: int
    actions: int
    tests: int
    differences: tuple[str, ...]


class Rounding(msgspec.Struct, frozen=True):
    """All ways, by name, and how many verdicts and tests differ in any of them."""

    seed: int
    different: int
    ways: dict[str, Way]


def ways(seed: int) -> dict[str, dict[str, str]]:
    """Return the environment variables of each way."""
    dispatched = next((line for line in cv2.getBuildInformation().splitlines() if "Dispatched code" in line), ":")
    blas = {"OPENBLAS_CORETYPE": OLDEST[platform.machine()]} if platform.machine() in OLDEST else {}
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    processor = {
        "OPENCV_CPU_DISABLE": ",".join(map(_as_opencv_reads, dispatched.split(":")[1].split())),
        "NPY_DISABLE_CPU_FEATURES": " ".join(simd.get("found", ())),
    }
    return {PLAIN: {}, "processor": processor | blas, "blas": blas, "grain": {SEED: str(seed)}}


def _as_opencv_reads(feature: str) -> str:
    """Return a feature as OPENCV_CPU_DISABLE names it: the build information writes it otherwise."""
    return feature.replace("AVX512_", "AVX512-").replace("SSE4_", "SSE4.")


def matches(count: int, seed: int, names: Sequence[str]) -> list[Match]:
    """Return the matches to play, games by turns, each with a seed of its own."""
    dice = random.Random(f"{seed}/rounding")
    return [Match(names[number % len(names)], dice.getrandbits(24)) for number in range(count)]


def play(match: Match) -> Outcome:
    """Play one match in pictures, in this process' way of rounding."""
    with tempfile.TemporaryDirectory() as folder, grain(int(os.environ[SEED]) if SEED in os.environ else None):
        found = simulate(Plan(match.game, seed=match.seed, cheat_rate=0.1, jobs=1, journals=folder))
        (path,) = Path(folder).glob("*.db")
        with Archive(path) as archive:
            rows = [row for number in archive.matches() for row in archive.rows(number)]
    assert isinstance(found.details, Details)
    entries = tuple(msgspec.json.encode(_timeless(msgspec.json.decode(row.data))).decode() for row in rows)
    verdicts = found.verdicts
    return Outcome(found.actions, verdicts.right, verdicts.wrong, verdicts.asked, entries)


def _timeless(entry: dict[str, object]) -> dict[str, object]:
    """Return an entry without its time: a picture later or earlier is no other verdict."""
    return {name: value for name, value in entry.items() if name != "at"}


def difference(one: Outcome, other: Outcome) -> str | None:
    """Return the first difference of two matches in a line; None if they are the same."""
    for number, (mine, theirs) in enumerate(zip_longest(one.entries, other.entries, fillvalue="nothing")):
        if mine != theirs:
            return f"entry {number} is {theirs}, not {mine}"
    if (one.asked, one.right, one.wrong) != (other.asked, other.right, other.wrong):
        return f"{other.asked} asked and {other.wrong} wrong, not {one.asked} and {one.wrong}"
    return None


def _in_way(task: tuple[Mapping[str, str], Match]) -> Outcome:
    environment, match = task
    command = [sys.executable, "-m", "tools.rounding", "--play", msgspec.json.encode(match).decode()]
    # OpenCV and numpy say on standard error which features they do not know.
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{match.game}, seed {match.seed}:\n{done.stderr}")
    return msgspec.json.decode(done.stdout, type=Outcome)


def _run_tests(environment: Mapping[str, str], paths: Sequence[str], jobs: int) -> dict[str, bool]:
    """Return which tests pass, by name."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        options = [
            "-p",
            "tools.grain",
            "-p",
            "no:cacheprovider",
            "-n",
            str(jobs),
            "-m",
            "not soak",
            f"--junitxml={report}",
        ]
        command = [sys.executable, "-m", "pytest", *options, *paths]
        subprocess.run(command, env=os.environ | environment, stdout=sys.stderr, check=False)
        cases = ET.parse(report).iter("testcase")
        return {
            f"{case.get('classname')}::{case.get('name')}": case.find("failure") is None and case.find("error") is None
            for case in cases
        }


def rounding(
    count: int,
    tests: Sequence[str],
    seed: int,
    chosen: Sequence[str],
    names: Sequence[str],
    jobs: int,
    folder: Path | None,
    progress: OnProgress,
) -> Rounding:
    """Play and test in the plain way and in the chosen ones, and compare."""
    planned, each = matches(count, seed, names), ways(seed)
    tasks = [(way, match) for match in planned for way in (PLAIN, *chosen)]
    stored = StoredResults(folder, tasks, Outcome)
    played = carried_on(
        _in_way, {n: (each[way], match) for n, (way, match) in enumerate(tasks)}, jobs, stored, progress
    )
    outcomes = {task: played[number] for number, task in enumerate(tasks)}
    passed = {way: _run_tests(each[way], tests, jobs) for way in (PLAIN, *chosen)} if tests else {}
    found = dict[str, Way]()
    for way in chosen:
        differences = [
            f"{match.game}, seed {match.seed}: {line}"
            for match in planned
            if (line := difference(outcomes[PLAIN, match], outcomes[way, match])) is not None
        ]
        mine, theirs = passed.get(PLAIN, {}), passed.get(way, {})
        differences += [
            f"{name} {'passes' if theirs.get(name) else 'fails'}" for name in mine if mine[name] != theirs.get(name)
        ]
        actions = sum(outcomes[way, match].actions for match in planned)
        found[way] = Way(len(planned), actions, len(theirs), tuple(differences))
    return Rounding(seed, sum(len(way.differences) for way in found.values()), found)


def main() -> int:
    parser = longrun.parser(__doc__, seed=0)
    others = [way for way in ways(0) if way != PLAIN]
    parser.add_argument("--matches", type=int, default=20, help="matches in pictures (20)")
    parser.add_argument("--tests", nargs="*", default=[], help="files and folders of tests (none)")
    parser.add_argument("--way", action="append", choices=others, help="in these ways alone (all)")
    parser.add_argument("--game", action="append", choices=on_mats(), help="of these games alone (all)")
    parser.add_argument("--play", help="play one match, given as JSON, and print how it went")
    given = parser.parse_args()
    if given.play is not None:
        print(msgspec.json.encode(play(msgspec.json.decode(given.play, type=Match))).decode())
        return 0
    seed = given.seed or random.SystemRandom().getrandbits(24)
    with longrun.start_run("matches") as progress:
        found = rounding(
            given.matches,
            given.tests,
            seed,
            given.way or others,
            given.game or on_mats(),
            given.jobs,
            given.folder,
            progress,
        )
    longrun.show(found, given.json)
    return int(found.different > 0)


if __name__ == "__main__":
    sys.exit(main())
