"""A set whose pieces are of several sizes: each is found as large as it is, and named."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.enrolment import LayingArea, patch
from engine.table import Face
from tests.vision.scenes import Stone, View, World, load_mat, load_set
from vision.finding.pieces import FoundPiece, best_sizes, of_other_sizes
from vision.pipeline import Scene, least_apart_mm
from vision.recognition import recogniser
from vision.recognition.enrolment import retake
from vision.recognition.index import Index
from vision.recognition.naming import Naming
from vision.recognition.piece_sizes import with_measurements
from vision.survey import as_large

MAT, STONES = load_mat(), load_set()
SIZES = {"crown": 45.0, "flag": 34.0, "sword": 34.0, "hammer": 26.0, "shield": 34.0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each stone enrolled as it is."""
    there, index = tmp_path_factory.mktemp("pebbles"), Index("stones", "any", ())
    for kind, size in SIZES.items():
        image = World(MAT, [Stone(170.0, 140.0, kind, diameter=size)], view=View(tilt=6.0)).render()
        taken = patch(image, LayingArea((MAT,)), STONES)
        index = retake(there, index, {kind: [taken.image]}, {kind: [taken.measured]})
    return there


@pytest.mark.thorough
def test_each_is_found_as_large_as_it_is_and_named(folder: Path) -> None:
    pieces = with_measurements(STONES, folder)
    assert pieces.size_mm[0] == pytest.approx(34.0, abs=1.8)
    assert {kind: round(size / 5) for kind, size in pieces.sizes_mm.items()} == {"crown": 9, "hammer": 5}
    kinds = ["hammer", "flag", "crown", "sword", None]
    stones = [
        Stone(60.0 + 70 * n, 160.0, kind, 40.0 * n, diameter=SIZES.get(kind or "", 45.0))
        for n, kind in enumerate(kinds)
    ]
    scene = Scene()
    scene.setup(MAT, {"stones": pieces}, {"stones": recogniser.load(folder)}, {})
    seen = scene.still(World(MAT, stones).shoot(1, 0.0))
    assert seen is not None
    line = [one for one in seen.zone("line").pieces if one is not None]
    assert [(one.kind, one.face) for one in line] == [(kind, Face.UP if kind else Face.DOWN) for kind in kinds]
    assert seen.strays == ()


def test_what_is_printed_on_a_piece_is_no_smaller_piece() -> None:
    outer, ring = FoundPiece(100.0, 100.0, 0.0, 0.9, 45.0), FoundPiece(101.0, 100.0, 0.0, 1.0, 26.0)
    beside = FoundPiece(140.0, 100.0, 0.0, 0.8, 26.0)
    assert best_sizes([ring, outer, beside]) == [outer, beside]
    half_seen = FoundPiece(100.0, 100.0, 0.0, 0.6, 45.0)
    assert best_sizes([ring, half_seen]) == [ring]


def test_sizes_that_are_nearly_one_are_looked_for_once(folder: Path) -> None:
    pieces = with_measurements(STONES, folder)
    assert len(of_other_sizes(pieces)) == 2
    assert of_other_sizes(STONES) == []
    assert least_apart_mm([pieces]) < least_apart_mm([STONES])


def test_a_name_of_another_size_is_none(folder: Path) -> None:
    pieces = with_measurements(STONES, folder)
    crown = Naming("crown", 0.99, 0.0, "crown")
    assert as_large(crown, FoundPiece(0.0, 0.0, 0.0, 1.0, 45.0), pieces) is crown
    assert as_large(crown, FoundPiece(0.0, 0.0, 0.0, 1.0, 34.0), pieces).kind is None
    assert as_large(crown, FoundPiece(0.0, 0.0, 0.0, 1.0), pieces) is crown
