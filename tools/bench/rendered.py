"""A set of rendered pieces as a folder that `tools.lab.evaluate` reads: `python -m tools.bench.rendered DIR`.

DIR/enrol/KIND/*, DIR/check/KIND/* and DIR/test/KIND/* are stones, each alone on the mat at a place, in a turn and in a
light of its own, cut out as enrolment does it; DIR/test/_unknown/* are pawns, which are no stones. Then for example

    python -m tools.lab.evaluate DIR --leave-out --check DIR/check --json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2

from device.enrolment import LayingArea, NothingThere, patch
from device.resources import load_shipped
from tools.bench.bench_sizes import Room
from vision.mat import Mat
from vision.recognition.enrolment import BACK, UNKNOWN
from vision.recognition.naming import PieceSet

TRIES = 4
"""How often a picture is taken that enrolment refuses, for a lamp's reflection or the dark."""

STONES, PAWNS = "stones", "pawns"


def photograph(room: Room, pieces: PieceSet, kind: str, folder: Path, shots: int) -> int:
    """Writes pictures of a kind, of so many those that enrolment takes; how many. pieces: the set that it is of."""
    folder.mkdir(parents=True, exist_ok=True)
    down = kind == BACK
    for shot in range(shots):
        for _ in range(TRIES):
            x, y = float(room.rng.uniform(110, 310)), float(room.rng.uniform(80, 210))
            body = room.body(0, pieces.kinds[0] if down else kind, x, y, down=down, of=pieces.name)
            try:
                taken = patch(room.picture([body]).image, LayingArea((room.mat,)), pieces)
            except NothingThere:
                continue
            cv2.imwrite(str(folder / f"{kind}-{shot}.png"), taken.image)
            break
    return len(list(folder.glob(f"{kind}-*.png")))


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", type=float, default=34.0, help="diameter in millimetres")
    parser.add_argument("--level", default="normal", help="of the virtual rooms: easy, normal, hard")
    parser.add_argument("--enrol", type=int, default=1, help="pictures of a kind to learn from")
    parser.add_argument("--check", type=int, default=2, help="pictures of a kind for the check round")
    parser.add_argument("--test", type=int, default=12, help="pictures of a kind to name")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(words)
    stones, pawns = (load_shipped(PieceSet, "sets", f"{name}.toml") for name in (STONES, PAWNS))
    room = Room(
        load_shipped(Mat, "mats", "tellstones.toml"), asked.level, asked.seed, (asked.size, stones.thickness_mm)
    )
    parts = {"enrol": asked.enrol, "check": asked.check, "test": asked.test}
    wanted = [(part, stones, kind, kind, shots) for part, shots in parts.items() for kind in (*stones.kinds, BACK)]
    wanted += [("test", pawns, kind, UNKNOWN, asked.test) for kind in pawns.kinds]
    for part, pieces, kind, named, shots in wanted:
        folder = asked.folder / part / named
        if photograph(room, pieces, kind, folder, shots) < shots:
            print(f"{folder}: fewer than {shots} of {kind}, enrolment refused the others", file=sys.stderr)


if __name__ == "__main__":
    main()
