"""The shell game: hidden stones exchanged by simulated hands, ordered and not; does every one keep its number?

`python -m tools.bench.shell_game [--exchanges N] [--seed S] [--scene normal] --json`
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import msgspec

from device import games
from engine.table import Arrangement, Face, Layout, Move, Observation, Piece, Spot, Trace, ZoneLayout
from referee_simulator.hands.acts import Doer, carry_out
from referee_simulator.harness.enrol import enrol
from referee_simulator.harness.sights import FAST_S
from referee_simulator.table.ground_truth import layout, members, turn
from referee_simulator.table.places import care_in
from referee_simulator.table.scenes import draw, load_scenes
from referee_simulator.table.setting import piece_set, set_out
from referee_simulator.table.virtual import VirtualTable
from vision.mat import Mat
from vision.pipeline import Scene
from vision.recognition import enrolment
from vision.recognition.naming import PieceSet
from vision.recognition.recogniser import EnrolledRecogniser

ROUNDS = 5
"""Exchanges one after the other on each table."""

RESTS_S = 2.0


class Figures(msgspec.Struct, frozen=True):
    """Exchanges of two hidden stones, and the hidden stones looked at after them.

    right: keep the number that vision gave them before. lost: vision says that it does not know. silent: a wrong
    number without a word. unseen: exchanges after which the row was not wholly seen.
    """

    exchanges: int
    stones: int
    right: int
    lost: int
    silent: int
    unseen: int

    @property
    def share_right(self) -> float:
        return self.right / max(1, self.stones)


class _Eyes:
    """The shipped pipeline before a virtual table, in simulated time."""

    def __init__(self, table: VirtualTable, mat: Mat, pieces: PieceSet, recogniser: EnrolledRecogniser) -> None:
        self.table, self.now = table, 0.0
        self.seen: Observation | None = None
        self._scene = Scene()
        self._scene.setup(mat, {"stones": pieces}, {"stones": recogniser}, mat.sides["2"], ("line", "pool"))

    def watch(self, until: float) -> None:
        while self.now < until:
            frame = self.table.frame(self.now)
            if frame is not None:
                self.seen = self._scene.feed(frame).observation or self.seen
            self.now = round(self.now + FAST_S, 3)


def play(exchanges: int, seed: int, scene: str = "normal") -> Figures:
    """Exchanges hidden stones on tables drawn from a scene's ranges."""
    cv2.setNumThreads(1)
    mat = games.mats(["tellstones"])["tellstones"]
    pieces = piece_set("stones")
    with tempfile.TemporaryDirectory() as folder:
        enrol(mat, "stones", seed, Path(folder))
        recogniser = EnrolledRecogniser(enrolment.load(Path(folder)))
    counted = {"exchanges": 0, "stones": 0, "right": 0, "lost": 0, "silent": 0, "unseen": 0}
    number = 0
    while counted["exchanges"] < exchanges:
        number += 1
        for outcome in _table(mat, pieces, recogniser, random.Random(f"{seed}/shell/{number}"), scene):
            counted["exchanges"] += 1
            for stone in outcome or ("unseen",):
                counted[stone] += 1
                counted["stones"] += stone != "unseen"
            if counted["exchanges"] >= exchanges:
                break
    return Figures(**counted)


def _table(
    mat: Mat, pieces: PieceSet, recogniser: EnrolledRecogniser, rng: random.Random, name: str
) -> Iterator[tuple[str, ...]]:
    """What became of each hidden stone, exchange by exchange; nothing if the row was not wholly seen."""
    scene = draw(load_scenes()[name], rng.getrandbits(30))
    maintenance = care_in(scene)
    zone = next(one for one in mat.zones if one.name == "line")
    truth = set_out(_lay_out(pieces, rng), mat, rng, maintenance)
    row = [body for body in members(truth, zone) if body is not None]
    for body in rng.sample(row, rng.randint(2, len(row))):
        truth = turn(truth, body.id)
    eyes = _Eyes(VirtualTable(mat, truth, scene, mat.sides["2"]), mat, pieces, recogniser)
    eyes.watch(1.2)
    for _ in range(ROUNDS):
        known = _numbers(eyes, mat)
        if known is None:
            return
        before = layout(eyes.table.settle(eyes.now), mat, ["line", "pool"])
        hidden = [n for n, piece in enumerate(before.zone("line").pieces) if piece and piece.face is Face.DOWN]
        one, other = (Spot("line", n) for n in rng.sample(hidden, 2))
        side, seat = rng.choice((("bottom", "a"), ("top", "b")))
        doer = Doer(seat, side, maintenance, rng.randrange(30), rng.uniform(0.8, 1.3))
        trace = Trace(before, moves=(Move(one, other), Move(other, one)))
        lying = eyes.table.settle(eyes.now)
        eyes.table.act(carry_out(trace, before, lying, mat=mat, doer=doer, rng=rng, begins=eyes.now))
        eyes.watch(eyes.table.busy_until() + RESTS_S)
        yield _outcome(known, _numbers(eyes, mat), eyes)


def _lay_out(pieces: PieceSet, rng: random.Random) -> Layout:
    kinds = rng.sample(pieces.kinds, len(pieces.kinds))
    count = rng.randint(3, 6)
    line = tuple(Piece(kind) for kind in kinds[:count])
    pool = tuple(sorted(Piece(kind) for kind in kinds[count:]))
    return Layout((ZoneLayout("line", Arrangement.ROW, line), ZoneLayout("pool", Arrangement.AREA, pool)))


def _numbers(eyes: _Eyes, mat: Mat) -> dict[int, int] | None:
    """Vision's number of every hidden stone in the row, by its true identity; None if the row is not wholly seen."""
    zone = next(one for one in mat.zones if one.name == "line")
    row = [body for body in members(eyes.table.settle(eyes.now), zone) if body is not None]
    seen = [] if eyes.seen is None else list(eyes.seen.zone("line").pieces)
    if len(row) != len(seen):
        return None
    return {b.id: s.track for b, s in zip(row, seen, strict=True) if s is not None and b.face is Face.DOWN}


def _outcome(before: dict[int, int], after: dict[int, int] | None, eyes: _Eyes) -> tuple[str, ...]:
    if after is None or eyes.seen is None:
        return ()
    lost = eyes.seen.lost
    return tuple(
        "right" if after[ident] == number else "lost" if after[ident] in lost else "silent"
        for ident, number in before.items()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exchanges", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scene", default="normal")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = play(given.exchanges, given.seed, given.scene)
    told = {**msgspec.structs.asdict(figures), "share_right": round(figures.share_right, 4)}
    if given.json:
        print(msgspec.json.encode(told).decode())
    else:
        for name, value in told.items():
            print(f"{name:12} {value}")


if __name__ == "__main__":
    main()
