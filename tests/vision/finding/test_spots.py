"""Discs in motion: what looks as it did keeps its place, what moved or was covered is looked at again."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import pytest

from tests.vision.scenes import World, seven
from tests.vision.tables import MAT, STONES
from vision.camera import Image, Pyramid
from vision.finding import discs
from vision.finding.discs import Disc, Edges, best_fit
from vision.finding.pieces import PieceFinder
from vision.finding.spots import SheetSpot, nearest, remember_spots, unchanged_spots
from vision.mat import Box
from vision.registration.markers import Locator


def window(x: float, *, seed: int, light: float = 1.0, noise: float = 3.0) -> Image:
    image = np.full((60, 60), 150, np.uint8)
    cv2.circle(image, (round(x * 16), 30 * 16), 20 * 16, 60, -1, cv2.LINE_AA, 4)
    lit = image * light + np.random.default_rng(seed).normal(0, noise, image.shape)
    return np.clip(lit, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("x", "light", "same"), [(30.0, 1.0, True), (30.0, 1.02, True), (30.4, 1.0, False)])
def test_noise_and_light_change_nothing_and_half_a_pixel_does(x: float, light: float, same: bool) -> None:
    before = SheetSpot((0.0, 0.0), window(30.0, seed=1), None)
    assert unchanged_spots([None, before], [window(x, seed=2), window(x, seed=3, light=light)]) == [
        None,
        before if same else None,
    ]


def test_the_nearest_spot_within_reach() -> None:
    spots = [SheetSpot((x, 0.0), window(30.0, seed=1), None) for x in (0.0, 5.0, 9.0)]
    places = np.array([[6.0, 1.0], [9.5, 0.0], [30.0, 0.0]])
    assert nearest(spots, places, 2.0) == [spots[1], spots[2], None]
    assert nearest(spots, places, 1.0) == [None, spots[2], None]
    assert nearest((), places, 1.0) == [None] * 3
    assert nearest(spots, np.zeros((0, 2)), 1.0) == []


def test_a_place_that_is_not_voted_for_once_is_remembered() -> None:
    old, same, new = (SheetSpot((x, 0.0), window(30.0, seed=1), None) for x in (0.0, 5.0, 9.0))
    assert [spot.place for spot in remember_spots([same, new], [old, same])] == [same.place, new.place, old.place]


def test_the_stone_that_moved_is_looked_at_anew_and_the_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(MAT, seven(MAT))
    image = world.render()
    fit, _ = Locator(MAT).look(image)
    assert fit is not None
    finder = PieceFinder(fit.projection, MAT, STONES)
    before = finder.find(Pyramid(image))
    fits = list[tuple[float, float]]()

    def counted(edges: Edges, x: float, y: float, radius: float, drop: tuple[float, float]) -> Disc | None:
        fits.append((x, y))
        return best_fit(edges, x, y, radius, drop)

    monkeypatch.setattr(discs, "best_fit", counted)
    world.stones[2].y += 6.0
    moved = finder.find(Pyramid(world.render()), again=True)
    assert 1 <= len(fits) <= 3
    places = sorted((one.x_mm, one.y_mm) for one in moved)
    expected = sorted((stone.x, stone.y) for stone in world.stones)
    assert np.abs(np.array(places) - np.array(expected)).max() < 1.0
    assert len({(one.x_mm, one.y_mm) for one in before} & set(places)) == 6


def test_discs_are_looked_for_about_some_parts_of_the_mat_alone() -> None:
    world = World(MAT, seven(MAT))
    image = world.render()
    fit, _ = Locator(MAT).look(image)
    assert fit is not None
    everywhere = PieceFinder(fit.projection, MAT, STONES).find(Pyramid(image))
    middle = sorted(one.x_mm for one in everywhere)[3]
    line = next(zone for zone in MAT.zones if zone.name == "line")
    part = msgspec.structs.replace(line, box=Box(0.0, 0.0, middle + 1.0, MAT.size_mm[1]))
    about = PieceFinder(fit.projection, MAT, STONES, [part], strays=False).find(Pyramid(image))
    places = sorted((one.x_mm, one.y_mm) for one in about if one.x_mm < middle + 1.0)
    expected = sorted((one.x_mm, one.y_mm) for one in everywhere if one.x_mm < middle + 1.0)
    assert len(expected) >= 4
    assert np.array(places) == pytest.approx(np.array(expected), abs=0.1)
    foreign = msgspec.structs.replace(part, set="cards")
    rest = PieceFinder(fit.projection, MAT, STONES, [foreign]).find(Pyramid(image))
    assert {one.x_mm > middle for one in rest if abs(one.x_mm - middle) > STONES.size_mm[0]} == {True}
    assert all(one.x_mm < part.box.width + STONES.size_mm[0] for one in about)
