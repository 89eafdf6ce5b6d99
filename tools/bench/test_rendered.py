"""Pictures of rendered stones for `tools.lab.evaluate`."""

from __future__ import annotations

from pathlib import Path

import cv2

from device.resources import load_shipped
from tools.bench.bench_sizes import Room
from tools.bench.rendered import photograph
from vision.mat import Mat
from vision.recognition.enrolment import BACK
from vision.recognition.naming import PieceSet


def test_a_stone_alone_on_the_mat_becomes_a_picture_of_it(tmp_path: Path) -> None:
    stones = load_shipped(PieceSet, "sets", "stones.toml")
    room = Room(load_shipped(Mat, "mats", "tellstones.toml"), "easy", 1, (34.0, 8.0))
    assert [photograph(room, stones, kind, tmp_path / kind, 1) for kind in ("crown", BACK)] == [1, 1]
    face, back = (cv2.imread(str(tmp_path / kind / f"{kind}-0.png")) for kind in ("crown", BACK))
    assert face is not None
    assert back is not None
    assert face.shape == back.shape
    assert face[20:-20, 20:-20].std() > 1.5 * back[20:-20, 20:-20].std()  # a symbol, and none
