"""Two sets of the same stones on one mat: no stone is doubted because its like lies there as well."""

from __future__ import annotations

import msgspec

from tests.vision.scenes import Stone, View, World, load_mat, load_set
from tests.vision.tables import SIDES, Correlator, enrolled
from vision.mat import Mat
from vision.pipeline import Scene

TWO = load_mat("tellstones-two")


def named(mat: Mat, stones: list[Stone], recogniser: Correlator) -> list[str | None]:
    """The kinds seen in the upper line."""
    scene = Scene()
    scene.setup(mat, {"stones": load_set()}, {"stones": recogniser}, SIDES)
    world = World(mat, stones, view=View(distance=720.0))
    observation = None
    for serial in range(1, 6):
        observation = scene.feed(world.shoot(serial, 0.2 * serial)).observation or observation
    assert observation is not None
    return [None if piece is None else piece.kind for piece in observation.zone("line-b").pieces]


def test_each_line_of_two_has_stones_of_its_own() -> None:
    recogniser = enrolled()
    stones = [Stone(150, 172, "crown"), Stone(240, 172, "sword"), Stone(150, 248, "crown"), Stone(240, 248, "sword")]
    assert TWO.copies == 2
    assert named(TWO, stones, recogniser) == ["crown", "sword"]
    alone = msgspec.structs.replace(TWO, copies=1)
    assert named(alone, stones, recogniser) != ["crown", "sword"], "of one set, one of two crowns is not what it seems"
