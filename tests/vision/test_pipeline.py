"""The pipeline on rendered frames: what lies where, what was touched, by whom, and what is not known."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import cv2
import msgspec
import numpy as np
import pytest

from engine.table import Arrangement, Face, Health, Observation, Sight
from tests.vision.scenes import KINDS, LINE_Y, Hand, Stone, View, World, seven
from tests.vision.tables import MAT, SIDES, STONES, Correlator, Table, enrolled, kinds, line
from vision.camera import Frame, Image, Pyramid
from vision.mat import Box, Mat, MatZone
from vision.overlay import hints
from vision.registration.markers import Locator


@pytest.fixture(scope="module")
def recogniser() -> Correlator:
    return enrolled()


VIEWS = {
    "plain": View(),
    "tilted": View(tilt=20.0, distance=560.0),
    "dim": View(exposure=0.6, noise=3.0),
    "bright": View(exposure=1.25),
    "warm": View(white=(0.65, 0.95, 1.2)),
    "bent": View(k1=-0.12, distance=500.0),
    "turned": View(roll=6.0, distance=580.0),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_the_first_frame_tells_the_line(recogniser: Correlator, view: View) -> None:
    stones = seven(MAT)
    stones[2].kind = None
    table = Table(recogniser, stones, view)
    first = table.step().observation
    assert first is not None
    told = line(first)
    assert [one.kind for one in told] == ["crown", "shield", None, "flag", "knight", "hammer", "scales"]
    assert [one.face for one in told] == [Face.UP, Face.UP, Face.DOWN, *[Face.UP] * 4]
    apart = [np.hypot(one.x_mm - stone.x, one.y_mm - stone.y) for one, stone in zip(told, stones, strict=True)]
    assert max(apart) < 2.0
    assert first.strays == ()
    assert first.touched == ()


def test_angles_are_told_clockwise(recogniser: Correlator) -> None:
    table = Table(recogniser, [Stone(150, LINE_Y, "crown", 30.0), Stone(260, LINE_Y, "hammer", 300.0)])
    table.step()
    first, second = line(table.seen[-1])
    assert first.angle_deg == pytest.approx(30, abs=7)
    assert second.angle_deg == pytest.approx(300, abs=7)


def test_touching_stones_are_two(recogniser: Correlator) -> None:
    stones = [Stone(120 + 34.3 * i, LINE_Y, kind, 40.0 * i) for i, kind in enumerate(KINDS)]
    table = Table(recogniser, stones)
    table.step()
    assert kinds(table.seen[-1]) == list(KINDS)


def test_pool_and_line_are_told_apart_and_the_pool_by_kind(recogniser: Correlator) -> None:
    stones = [Stone(100, 50, "sword"), Stone(200, 60, "crown"), Stone(300, 40, "flag"), Stone(210, LINE_Y, "knight")]
    table = Table(recogniser, stones)
    table.step()
    assert kinds(table.seen[-1], "pool") == ["crown", "flag", "sword"]
    assert kinds(table.seen[-1]) == ["knight"]


def test_a_stone_outside_the_zones_is_a_stray(recogniser: Correlator) -> None:
    table = Table(recogniser, [Stone(200, 230, "crown")])
    table.step()
    assert [(one.kind, one.sight) for one in table.seen[-1].strays] == [("crown", Sight.SEEN)]
    assert kinds(table.seen[-1]) == []


def test_a_foreign_object_is_unknown(recogniser: Correlator) -> None:
    coaster = Stone(300, LINE_Y + 5, None, diameter=60.0, thickness=4.0, colour=(40, 60, 190))
    table = Table(recogniser, [Stone(120, LINE_Y, "crown"), coaster])
    table.step()
    assert kinds(table.seen[-1]) == ["crown"]
    (stray,) = table.seen[-1].strays
    assert (stray.kind, stray.sight) == (None, Sight.UNKNOWN)


def test_a_face_that_was_never_enrolled_is_unknown() -> None:
    table = Table(None, [Stone(200, LINE_Y, "crown")])
    table.step()
    (only,) = line(table.seen[-1])
    assert (only.kind, only.face, only.sight) == (None, None, Sight.UNKNOWN)


def test_one_observation_a_rest_and_one_report_a_frame(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT))
    for _ in range(10):
        table.step(after=1.0)
    assert len(table.seen) == 1
    table.reach(210, LINE_Y)
    table.rest()
    assert [one.serial for one in table.seen] == [1, 2]
    assert [report.frame for report in table.reports] == list(range(1, len(table.reports) + 1))


def test_rest_is_told_half_a_second_after_the_hand_left(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT))
    table.rest()
    table.reach(210, LINE_Y)
    gone = table.now
    table.rest()
    assert table.seen[-1].at - gone <= 0.61


def test_what_is_laid_at_the_very_edge_is_told_as_soon(recogniser: Correlator) -> None:
    stones = seven(MAT)
    table = Table(recogniser, stones)
    table.rest()
    table.carry(stones[3], 150.0, MAT.size_mm[1] - 16.0)
    before = len(table.seen)
    table.rest()
    assert len(table.seen) == before + 1


@pytest.mark.thorough
def test_drift_noise_and_soft_shadow_are_no_motion(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT), View(noise=5.0))
    table.rest()
    for step in range(60):
        table.world.view.exposure = 1.0 - 0.004 * step
        table.world.view.white = (1.0 + 0.002 * step, 1.0, 1.0)
        table.world.view.gradient = 0.15 - 0.003 * step
        assert not table.step().moving
    assert len(table.seen) == 1


@pytest.mark.thorough
def test_a_hand_that_touched_nothing(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT, up=False))
    table.rest()
    table.reach(164, LINE_Y + 10, edge="top")
    after = table.rest()
    assert (after.touched, after.lost, after.hands) == ((), frozenset(), frozenset("b"))


@pytest.mark.thorough
def test_a_flip_in_place_is_a_touch_by_its_hand(recogniser: Correlator) -> None:
    stones = seven(MAT)
    table = Table(recogniser, stones)
    before = table.rest()
    table.reach(stones[3].x, LINE_Y, lambda: setattr(stones[3], "kind", None))
    after = table.rest()
    (touch,) = after.touched
    assert touch.track == line(before)[3].track == line(after)[3].track
    assert touch.hands == frozenset("a")
    assert line(after)[3].face is Face.DOWN


@pytest.mark.thorough
def test_a_stone_carried_to_the_pool_keeps_its_track(recogniser: Correlator) -> None:
    stones = seven(MAT, up=False)
    table = Table(recogniser, stones)
    before = table.rest()
    table.carry(stones[6], 200.0, 60.0)
    after = table.rest()
    (pooled,) = [one for one in after.zone("pool").pieces if one is not None]
    assert pooled.track == line(before)[6].track
    assert [touch.track for touch in after.touched] == [pooled.track]
    assert after.lost == frozenset()
    assert [one.track for one in line(after)] == [one.track for one in line(before)[:6]]


@pytest.mark.thorough
def test_a_stone_put_back_beside_its_place_was_touched(recogniser: Correlator) -> None:
    stones = seven(MAT, up=False)
    table = Table(recogniser, stones)
    before = table.rest()
    table.reach(stones[2].x, LINE_Y, lambda: setattr(stones[2], "x", stones[2].x + 3.0))
    after = table.rest()
    assert [touch.track for touch in after.touched] == [line(before)[2].track]
    assert after.lost == frozenset()


@pytest.mark.thorough
def test_a_turned_stone_was_touched(recogniser: Correlator) -> None:
    stones = seven(MAT)
    table = Table(recogniser, stones)
    before = table.rest()
    table.reach(stones[0].x, LINE_Y, lambda: setattr(stones[0], "angle", stones[0].angle + 8.0))
    assert [touch.track for touch in table.rest().touched] == [line(before)[0].track]


@pytest.mark.thorough
def test_an_exchange_by_way_of_a_free_place_is_followed(recogniser: Correlator) -> None:
    stones = seven(MAT, up=False)
    table = Table(recogniser, stones)
    before = [one.track for one in line(table.rest())]
    first, second = stones[1], stones[4]
    home, away = (first.x, first.y), (second.x, second.y)
    table.carry(first, first.x, 225.0)
    table.carry(second, *home)
    table.carry(first, *away)
    after = table.rest()
    expected = before.copy()
    expected[1], expected[4] = expected[4], expected[1]
    assert [one.track for one in line(after)] == expected
    assert after.lost == frozenset()
    assert {touch.track for touch in after.touched} == {before[1], before[4]}


@pytest.mark.thorough
def test_an_exchange_under_one_palm_is_lost_not_guessed(recogniser: Correlator) -> None:
    stones = seven(MAT, up=False)
    table = Table(recogniser, stones)
    before = [one.track for one in line(table.rest())]
    first, second = stones[2], stones[3]

    def shuffle() -> None:
        for _ in range(3):
            table.step(Hand(210 - 23, LINE_Y - 20, "bottom"))
        first.x, second.x = second.x + 1.8, first.x - 2.1
        for _ in range(3):
            table.step(Hand(210 - 23, LINE_Y - 20, "bottom"))

    table.reach(210 - 23, LINE_Y - 20, shuffle)
    after = table.rest()
    told = [one.track for one in line(after)]
    assert not {told[2], told[3]} & set(before)
    assert after.lost == {told[2], told[3]}
    assert told[:2] + told[4:] == before[:2] + before[4:]


@pytest.mark.thorough
def test_a_bumped_mat_is_found_again_without_touches(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT))
    before = table.rest()
    table.world.view.shift = (9.0, -6.0)
    table.rest(2.0)
    after = table.seen[-1]
    assert after.serial > before.serial
    assert Health.BUMPED in {report.health for report in table.reports}
    assert after.health is Health.OK
    assert (after.touched, after.lost) == ((), frozenset())
    assert [one.track for one in line(after)] == [one.track for one in line(before)]


def test_what_lies_face_down_is_lost_after_a_blind_gap(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT))
    before = table.rest()
    table.step(after=4.0)
    after = table.rest(1.0)
    hidden = [one for one in line(before) if one.face is Face.DOWN]
    assert {one.track for one in line(after) if one.face is Face.DOWN} == after.lost
    assert len(after.lost) == len(hidden)
    assert not after.lost & {one.track for one in line(before)}
    assert [one.track for one in line(after) if one.face is Face.UP] == [
        one.track for one in line(before) if one.face is Face.UP
    ]


@pytest.mark.thorough
def test_what_lay_under_a_coaster_for_a_while_was_not_lifted(recogniser: Correlator) -> None:
    stones = seven(MAT, up=False)
    table = Table(recogniser, stones)
    before = table.rest()
    coaster = Stone(stones[2].x + 4, LINE_Y + 5, None, diameter=64.0, thickness=4.0, colour=(40, 60, 190), lift_mm=9.0)
    table.reach(coaster.x, LINE_Y, lambda: table.world.stones.append(coaster))
    beneath = line(table.rest())[2]
    assert (beneath.sight, beneath.track) == (Sight.COVERED, line(before)[2].track)
    table.reach(coaster.x, LINE_Y, lambda: table.world.stones.remove(coaster))
    after = table.rest()
    assert [one.track for one in line(after)] == [one.track for one in line(before)]
    assert not any(touch.lifted for touch in after.touched)


@pytest.mark.thorough
def test_nothing_is_followed_where_no_marker_is_seen(recogniser: Correlator) -> None:
    """Something over the whole mat hides what is done there: no piece is told gone, and soon the mat is missed."""
    table = Table(recogniser, seven(MAT))
    before = table.rest()
    frame = table.world.shoot(0, 0.0)
    cloth = np.full(frame.image.shape, 90, np.uint8)
    told = []
    for n in range(1, 14):
        cover = Frame(
            100 + n, table.now + 0.2 * n, Pyramid(cloth + np.uint8(n % 2 * 40)), frame.small // 2 + 60 * (n % 2)
        )
        told.append(table.scene.feed(cover))
    assert not any(report.observation for report in told)
    assert [report.health for report in told[:8]] == [Health.OK] * 8
    assert told[-1].health is Health.NO_MAT
    table.now, table.serial = told[-1].at, told[-1].frame
    after = table.rest(2.0)
    assert after.serial > before.serial
    assert [one.kind for one in line(after)] == [one.kind for one in line(before)]
    assert not any(touch.lifted for touch in after.touched if touch.track not in after.lost)


def test_rebase_observes_anew_at_once(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT))
    table.rest()
    table.scene.rebase()
    report = table.step()
    assert report.observation is not None
    assert report.observation.touched == ()


@pytest.mark.thorough
def test_another_mat_that_lies_there_instead_is_told_by_its_name() -> None:
    def marked(name: str, first: int) -> Mat:
        markers = (msgspec.structs.replace(each, id=first + n) for n, each in enumerate(MAT.markers))
        return msgspec.structs.replace(MAT, name=name, markers=tuple(markers))

    table = Table(None, [])
    table.scene.setup(MAT, {"stones": STONES}, {}, SIDES, others=(MAT, marked("two", 20), marked("three", 24)))
    table.world = World(marked("two", 20))
    assert (table.step().health, table.reports[-1].instead) == (Health.NO_MAT, "two")
    said = hints(table.scene, table.reports[-1], table.world.shoot(1, 0.0))
    assert [str(text) for text in said] == [f"Wrong mat: {MAT.title}. Needed: {MAT.title}."]
    table.world = World(MAT)
    table.rest()
    assert (table.reports[-1].health, table.reports[-1].instead) == (Health.OK, "")
    table.world = World(marked("three", 24))  # while the first was looked at
    assert {table.step().instead for _ in range(14)} == {"", "three"}
    assert (table.reports[-1].health, table.reports[-1].instead) == (Health.NO_MAT, "three")


@pytest.mark.parametrize("axis", [0, 1])
def test_a_mirrored_picture_is_reported_as_one(axis: int) -> None:
    """As a camera gives it that mirrors what it sees, to left and right or upside down."""
    table = Table(None, seven(MAT))
    frame = table.world.shoot(1, 0.0)
    mirrored = Frame.of(1, 0.0, np.ascontiguousarray(np.flip(frame.image, axis)))
    report = table.scene.feed(mirrored)
    assert report.health is Health.MIRRORED
    assert [str(text) for text in hints(table.scene, report, mirrored)] == [
        "The camera's picture is mirrored. Turn mirroring off."
    ]
    assert table.scene.feed(Frame.of(2, 1.0, frame.image)).health is Health.OK
    upside_down = Table(None, seven(MAT))
    turned = Frame.of(1, 0.0, np.ascontiguousarray(frame.image[::-1, ::-1]))
    assert upside_down.scene.feed(turned).health is Health.OK, "turned, not mirrored"


def test_dark_frozen_and_empty_pictures_are_told(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT))
    table.rest()
    black = np.zeros((720, 1280, 3), np.uint8)
    assert table.scene.feed(Frame(100, 10.0, Pyramid(black), black[:180, :320, 0])).health is Health.DARK
    table = Table(recogniser, [])
    frame = table.world.shoot(1, 0.0)
    reports = [table.scene.feed(Frame(i, i * 1.0, frame.picture, frame.small)) for i in range(6)]
    assert reports[1].health is Health.OK
    assert reports[-1].health is Health.NO_FRAMES
    table = Table(recogniser, [])
    wood = np.full((720, 1280, 3), 90, np.uint8)
    assert table.scene.feed(Frame(1, 0.0, Pyramid(wood), wood[::4, ::4, 0].copy())).health is Health.NO_MAT


def test_a_stone_on_the_line_between_two_cells_is_told_in_one_of_them_for_good() -> None:
    box = next(zone.box for zone in MAT.zones if zone.name == "line")
    half, middle = box.width / 2, box.x + box.width / 2
    cells = Box(box.x, box.y, half, box.height), Box(middle, box.y, half, box.height)
    stone = Stone(middle - 0.8, LINE_Y, "crown")
    table = Table(None, [stone])
    zones = (MatZone("line", Arrangement.CELLS, box, "stones", cells=cells),)
    table.scene.setup(msgspec.structs.replace(MAT, zones=zones), {"stones": STONES}, {}, SIDES)
    for x in (middle - 0.8, middle + 0.8):
        table.reach(middle, LINE_Y, partial(setattr, stone, "x", x))
        one, other = table.rest().zone("line").pieces
        assert one is not None
        assert other is None
        assert one.x_mm == pytest.approx(x, abs=0.7)


def test_nothing_was_touched_where_covered_markers_come_into_sight() -> None:
    """The fit of two markers has what lies opposite millimetres beside its place; the next one carries it there."""
    places = (70, 60), (210, 60), (350, 60), (70, 160), (350, 160), (100, 235), (320, 235)
    stones = [Stone(x, y, kind) for (x, y), kind in zip(places, KINDS, strict=True)]
    table = Table(None, stones, View(960, 540, k1=-0.15))
    for _ in range(12):
        table.step(Hand(30, 240), Hand(395, 240))
    before = _places(table.seen[-1])
    told = table.rest(4.0)
    after = _places(told)
    assert max(np.hypot(*np.subtract(after[track], before[track])) for track in before.keys() & after.keys()) > 2.5
    assert (told.touched, told.lost) == ((), frozenset())


def _places(told: Observation) -> dict[int, tuple[float, float]]:
    pieces = [one for zone in told.zones for one in zone.pieces if one is not None]
    return {one.track: (one.x_mm, one.y_mm) for one in (*pieces, *told.strays)}


def test_smaller_pictures_in_which_more_markers_are_seen_move_no_stone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a place lies in a picture tells nothing of pictures of another size."""
    table, hidden = Table(None, [Stone(120, 150, None), Stone(260, 150, None)], View(1280, 720)), [True]

    def shoot(serial: int, at: float) -> Frame:
        image = table.world.render()
        if hidden[0]:
            fit, _ = Locator(MAT).look(image)
            assert fit is not None
            (x, y), side = (MAT.markers[0].x - 4.0, MAT.markers[0].y - 4.0), MAT.markers[0].side + 8.0
            there = fit.projection.pixels(np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]]))
            cv2.fillPoly(image, [np.rint(there).astype(np.int32)], (90, 90, 90))
        return Frame.of(serial, at, image)

    monkeypatch.setattr(table.world, "shoot", shoot)
    table.rest(2.0)
    world, before = table.world, len(table.seen)
    table.world = World(MAT, world.stones, view=replace(world.view, width=640, height=360))
    monkeypatch.setattr(table.world, "shoot", shoot)
    hidden[0] = False
    table.reach(330.0, 260.0)
    table.rest(4.0)
    assert len(table.seen) > before
    assert [touch for seen in table.seen[before:] for touch in seen.touched] == []


def shaken(picture: Image, pixels: float, rng: np.random.Generator) -> Image:
    """Return a picture moved anywhere, with that standard deviation."""
    x, y = rng.normal(0.0, pixels, 2)
    move = np.array([[1.0, 0.0, x], [0.0, 1.0, y]])
    return np.asarray(cv2.warpAffine(picture, move, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.quick(1)
@pytest.mark.parametrize("pixels", [16.0, 30.0])
def test_a_picture_that_keeps_moving_though_no_hand_is_there_is_reported(pixels: float, recogniser: Correlator) -> None:
    table, rng = Table(recogniser, seven(MAT)), np.random.default_rng(3)
    table.rest()
    still, healths = table.world.render(), list[Health]()
    for number in range(50):
        frame = Frame.of(100 + number, table.now + 0.2 * (number + 1), shaken(still, pixels, rng))
        healths.append(table.scene.feed(frame).health)
    assert Health.SHAKING not in healths[:20], "somebody may have moved the lamp"
    assert healths[-10:] == [Health.SHAKING] * 10
    table.now += 0.2 * len(healths)
    table.rest(3.0)
    assert table.reports[-1].health is Health.OK


def test_a_hand_that_stays_over_the_mat_is_no_shaking_camera(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT))
    table.rest()
    for number in range(50):
        table.step(Hand(90 + 20 * (number % 3), LINE_Y, "bottom"))
    assert {report.health for report in table.reports} == {Health.OK}
