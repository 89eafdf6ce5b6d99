"""The picture of the mat at rest: cut at its rim, short, and never of a hand, what it lifts or a strange thing."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from engine.table import Observation
from tests.vision.scenes import LINE_Y, Hand, Stone, View, seven
from tests.vision.tables import MAT, Table
from vision.camera import Frame, Image
from vision.mat_picture import LONGEST, WIDEST_PX, kept_picture, mat_picture
from vision.messages import Picture, Report
from vision.pipeline import STILL_HAND_S

PER_MM = WIDEST_PX / MAT.size_mm[0]


class Pictured(Table):
    """A table that keeps each picture, with its report."""

    def __init__(self, stones: list[Stone], view: View | None = None) -> None:
        super().__init__(None, stones, view)
        self.pictures: list[tuple[Picture, Report]] = []

    def step(self, *hands: Hand, after: float = 0.2) -> Report:
        report = super().step(*hands, after=after)
        if (found := mat_picture(self.scene, report)) is not None:
            self.pictures.append((found, report))
        return report


def decoded(picture: Picture) -> Image:
    image = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image, np.uint8)


def seen(observation: Observation) -> Iterator[int]:
    yield from (one.track for zone in observation.zones for one in zone.pieces if one is not None)


@pytest.mark.parametrize("view", [View(tilt=20.0, distance=560.0), View(roll=6.0, distance=580.0, noise=6.0)])
def test_the_mat_is_shown_from_rim_to_rim_and_each_piece_where_it_is_said_to_be(view: View) -> None:
    table = Pictured(seven(MAT, up=False), view)
    table.rest()
    ((picture, report),) = table.pictures
    assert report.observation is not None
    assert picture.at == report.observation.at
    assert len(picture.jpeg) <= LONGEST
    image = decoded(picture)
    assert image.shape[:2] == (round(MAT.size_mm[1] * PER_MM), WIDEST_PX)
    rim = np.concatenate([image[:4].reshape(-1, 3), image[-4:].reshape(-1, 3), image[:, :4].reshape(-1, 3)])
    assert np.median(rim.max(axis=1)) > 150  # paper; the table under it is dark
    assert set(picture.places) == set(seen(report.observation))
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    for x, y in np.array(list(picture.places.values())) * PER_MM:
        left, top, reach = round(x - 60), round(y - 60), 121
        rows, columns = np.nonzero(gray[top : top + reach, left : left + reach] < 110)
        assert abs(columns.mean() - 60) < 2.0 * PER_MM
        assert abs(rows.mean() - 60) < 2.0 * PER_MM


def test_none_is_taken_from_when_a_hand_comes_until_it_has_put_the_stone_down_and_gone() -> None:
    stones = seven(MAT, up=False)
    table = Pictured(stones)
    table.rest()
    held, over = stones[3], Hand(stones[3].x, LINE_Y + 10)
    before = len(table.pictures)

    def holds_up() -> None:
        held.lift_mm, held.kind = 60.0, "flag"
        for _ in range(round((STILL_HAND_S + 8.0) / 0.2)):
            table.step(over)
        held.lift_mm, held.kind = 0.0, None

    table.reach(over.x, over.y, holds_up)
    assert len(table.pictures) == before
    assert any(report.observation is not None for report in table.reports[10:]), "it was told as a rest, and not shown"
    table.rest(STILL_HAND_S + 1.0)
    for _ in range(2):  # a hand that stayed so long is in what hands are told by, for a rest
        table.reach(over.x, over.y)
        table.rest(2.0)
    assert len(table.pictures) == before + 1


def test_none_is_taken_with_a_strange_thing_on_the_mat() -> None:
    thing = Stone(60.0, 150.0, diameter=50.0, colour=(40, 60, 200))
    table = Pictured([*seven(MAT, up=False), thing])
    assert table.rest().strays
    assert table.pictures == []


def test_a_rest_that_ends_while_it_is_looked_at_gives_none() -> None:
    table = Pictured(seven(MAT, up=False))
    report = Table.step(table)
    assert mat_picture(table.scene, report) is not None
    moved = Report(report.frame, report.at, True, report.health, report.observation)
    assert mat_picture(table.scene, moved) is None


def test_a_kept_frame_is_gray_beyond_the_mat_and_its_pieces_are_recognised_again() -> None:
    table = Table(None, seven(MAT, up=True), View(tilt=20.0, distance=560.0))
    report = table.step()
    kept = kept_picture(table.scene, report)
    assert kept is not None
    assert kept.seen == report.observation
    image = cv2.imdecode(np.frombuffer(kept.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    assert abs(image[0].astype(int) - 128).max() < 3
    again = Table(None, seven(MAT, up=True)).scene.still(Frame.of(1, 1.0, np.asarray(image, np.uint8)))
    assert again is not None
    assert list(named(again)) == list(named(kept.seen))


def named(observation: Observation) -> Iterator[tuple[str | None, int, int]]:
    for zone in observation.zones:
        yield from ((one.kind, round(one.x_mm), round(one.y_mm)) for one in zone.pieces if one is not None)


def test_no_frame_is_kept_with_a_strange_thing_on_the_mat() -> None:
    table = Table(None, [*seven(MAT, up=False), Stone(60.0, 150.0, diameter=50.0, colour=(40, 60, 200))])
    assert kept_picture(table.scene, table.step()) is None
