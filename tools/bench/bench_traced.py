"""A full update of the table on pictures of another renderer, against OpenCV's ArUco detection in the same picture.

    python -m tools.bench.bench_traced [FOLDER] [--groups GROUP...] [--json]

FOLDER as of `tools.bench.traced`; without it the kept pictures. Processor time of one thread. `update`: the dearest
picture until the table is told, `whole`: all of them together, once everything has been loaded; of each the median over
a group's pictures and the worst, in ArUco passes. Aim: at most 2 (`update`).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2

from device.resources import load_shipped
from tools.bench.spent import processor_seconds
from tools.bench.traced import KEPT, Eye, picture, stills
from vision.camera import Frame, Image
from vision.mat import Mat
from vision.pipeline import Scene
from vision.registration.lens import dictionary

ROUNDS = 7
MOST = 30
"""Pictures in which an update is told; more is a fault."""


def passes(image: Image, mat: Mat, scene: Scene) -> tuple[float, float]:
    """What an update costs in a picture: its dearest part, and all of it, in ArUco passes."""
    detector = cv2.aruco.ArucoDetector(dictionary(mat.dictionary))
    dearest, whole, aruco = list[float](), list[float](), list[float]()
    serial = 0
    other = image.copy()
    other[:8, :8] = 255 - other[:8, :8]  # a camera that takes the same picture over and over is said to be frozen
    for _ in range(ROUNDS + 1):
        scene.rebase()
        before, each = scene.observation, list[float]()
        while scene.observation is before:
            serial += 1
            each.append(processor_seconds(partial(_feed, scene, serial, other if serial % 2 else image)))
            if len(each) > MOST:
                raise RuntimeError("nothing is told of this picture")
        dearest.append(max(each))
        whole.append(sum(each))
        aruco.append(processor_seconds(partial(detector.detectMarkers, image)))
    unit = statistics.median(aruco)
    return statistics.median(dearest[1:]) / unit, statistics.median(whole[1:]) / unit


def _feed(scene: Scene, serial: int, image: Image) -> None:
    scene.feed(Frame.of(serial, serial * 0.5, image))


def figures(folder: Path = KEPT, groups: Sequence[str] = ()) -> dict[str, dict[str, float]]:
    """By group of pictures: how many, and the medians and worst of `passes`."""
    cv2.setNumThreads(1)
    found = {}
    for group in sorted(path for path in folder.iterdir() if (path / "enrol").is_dir()):
        if groups and group.name not in groups:
            continue
        with TemporaryDirectory() as enrolled:
            eye = Eye(group, Path(enrolled))
            costs = []
            for still, file in stills(group):
                mat = load_shipped(Mat, "mats", f"{still.mat}.toml")
                costs.append(passes(picture(file), mat, eye.scene(mat)))
        if costs:
            updates, wholes = zip(*costs, strict=True)
            found[group.name] = {
                "pictures": len(costs),
                "update": round(statistics.median(updates), 2),
                "update_worst": round(max(updates), 2),
                "whole": round(statistics.median(wholes), 2),
                "whole_worst": round(max(wholes), 2),
            }
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=KEPT)
    parser.add_argument("--groups", nargs="+", default=(), help="folders of FOLDER; all if not given")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = figures(given.folder, given.groups)
    if given.json:
        print(json.dumps(found))
        return 0
    for group, each in found.items():
        print(group, *(f"{name} {value}" for name, value in each.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
