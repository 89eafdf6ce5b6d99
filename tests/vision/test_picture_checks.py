"""Care for the picture: blurred and burnt-out frames are skipped, a slow drift is followed, a bump is noticed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.table import Face, Health
from tests.vision.scenes import LINE_Y, Hand, Stone, View, World, developed, face, seven
from tests.vision.tables import MAT, Correlator, Table, enrolled, line
from vision.camera import Frame, Image
from vision.finding.pieces import relief
from vision.hands.hands import HandFinder
from vision.picture_checks import ColourCorrection
from vision.registration.markers import Locator
from vision.registration.sharpness import LASTING_S, Focus


@pytest.fixture(scope="module")
def recogniser() -> Correlator:
    return enrolled()


def shaken(image: Image, length: int = 9) -> Image:
    """Moved sideways while it was taken."""
    kernel = np.zeros((length, length), np.float32)
    kernel[length // 2] = 1 / length
    return np.asarray(cv2.filter2D(image, -1, kernel), np.uint8)


def feed(table: Table, image: Image, after: float = 0.2) -> Health:
    """A picture of the test's own making; its observation joins the table's."""
    table.now += after
    table.serial += 1
    report = table.scene.feed(Frame.of(table.serial, table.now, image))
    if report.observation is not None:
        table.seen.append(report.observation)
    return report.health


@pytest.mark.parametrize("spoil", [shaken, lambda image: cv2.GaussianBlur(image, (0, 0), 2.0)], ids=["shaken", "soft"])
def test_a_blurred_picture_is_told_by_its_markers(spoil: object) -> None:
    assert callable(spoil)
    world = World(MAT, seven(MAT))
    locator, focus = Locator(MAT), Focus()
    for at in range(4):
        image = world.render()
        world.view.exposure = 1.0 - 0.1 * at  # a lamp that is dimmed blurs nothing
        locator.look(image)
        gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
        assert not focus.is_blurred(gray, locator.seen, float(at))
    gray = np.asarray(cv2.cvtColor(spoil(world.render()), cv2.COLOR_BGR2GRAY), np.uint8)
    locator.look(gray)
    assert locator.seen
    assert focus.is_blurred(gray, locator.seen, 4.0)
    assert focus.is_blurred(gray, locator.seen, 4.0 + LASTING_S - 0.1)
    assert not focus.is_blurred(gray, locator.seen, 4.0 + LASTING_S)  # so this camera sees from now on
    assert not focus.is_blurred(gray, locator.seen, 4.2 + LASTING_S)


@pytest.mark.thorough
def test_nothing_settles_in_a_blurred_picture(recogniser: Correlator) -> None:
    stones = seven(MAT)
    table = Table(recogniser, stones)
    table.rest()
    table.reach(stones[3].x, LINE_Y, lambda: setattr(stones[3], "kind", None))
    count = len(table.seen)
    table.world.hands = []
    for _ in range(8):
        feed(table, shaken(table.world.render()))
    assert len(table.seen) == count
    assert table.scene.blurred
    after = table.rest(0.8)
    assert len(table.seen) == count + 1
    assert line(after)[3].face is Face.DOWN
    assert not table.scene.blurred


@pytest.mark.thorough
def test_nothing_settles_in_a_burnt_out_picture(recogniser: Correlator) -> None:
    stones = seven(MAT)
    table = Table(recogniser, stones)
    table.rest()
    table.reach(stones[3].x, LINE_Y, lambda: setattr(stones[3], "kind", None))
    count = len(table.seen)
    table.world.hands = []
    burnt = np.maximum(table.world.render(), 150)
    burnt[:, 300:] = np.maximum(burnt[:, 300:], 254)
    told = {feed(table, np.asarray(burnt, np.uint8)) for _ in range(6)}
    assert told == {Health.GLARE}
    assert len(table.seen) == count
    assert line(table.rest(1.0))[3].face is Face.DOWN


@pytest.mark.thorough
def test_what_lies_face_down_is_lost_after_a_long_blur_with_hands(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT, up=False))
    before = {one.track for one in line(table.rest())}
    table.step()
    for step in range(16):
        table.world.stones[0].x = 72.0 + 12.0 * (step % 2)  # somebody is at work, and nothing of it can be seen
        feed(table, shaken(table.world.render(), 13))
    after = table.rest(2.0)
    assert not before & {one.track for one in line(after)}
    assert after.lost == {one.track for one in line(after)}


def drifting(still: Image, pixels: tuple[float, float], serial: int, noise: float = 2.0) -> Image:
    """The same picture from a camera that has sunk by so many pixels, with noise of its own."""
    matrix = np.array([[1, 0, pixels[0]], [0, 1, pixels[1]]], np.float64)
    moved = cv2.warpAffine(still, matrix, still.shape[1::-1], flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return developed(moved.astype(np.float32), noise, np.random.default_rng(serial))


@pytest.mark.thorough
def test_a_slow_drift_of_the_camera_moves_no_piece(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT), View(noise=0.0))
    still = table.world.render()
    feed(table, drifting(still, (0.0, 0.0), 0))
    for step in range(1, 31):  # a tenth of a pixel every second: 6 pixels, 3 mm in all
        assert feed(table, drifting(still, (0.2 * step, -0.1 * step), step), after=2.0) is Health.OK
    table.scene.rebase()
    feed(table, drifting(still, (6.0, -3.0), 200))
    first, *later = table.seen
    for seen in later:
        apart = [np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) for a, b in zip(line(first), line(seen), strict=True)]
        assert max(apart) < 0.35
        assert (seen.touched, seen.lost, seen.strays) == ((), frozenset(), ())
        assert [one.track for one in line(first)] == [one.track for one in line(seen)]


@pytest.mark.thorough
def test_the_noise_of_one_picture_moves_no_fit() -> None:
    still = World(MAT, seven(MAT), view=View(noise=0.0)).render()
    locator = Locator(MAT)
    fit, _ = locator.look(drifting(still, (0.0, 0.0), 0))
    assert all(locator.look(drifting(still, (0.0, 0.0), serial))[0] is fit for serial in range(1, 20))


@pytest.mark.thorough
def test_a_drift_is_followed_before_it_grows() -> None:
    still = World(MAT, seven(MAT), view=View(noise=0.0)).render()
    locator = Locator(MAT)
    for step in range(30):
        image = drifting(still, (0.05 * step, 0.02 * step), step)
        fit, jumped = locator.look(image)
        assert not jumped
        assert fit is not None
        seen = locator.detect(np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8))
        off = [np.abs(fit.projection.pixels(locator.corners_mm[number]) - seen[number]).mean() for number in seen]
        assert max(off) < 0.6


@pytest.mark.thorough
def test_a_marker_that_is_covered_meanwhile_goes_where_the_others_go() -> None:
    still = World(MAT, seven(MAT), view=View(noise=0.0, exposure=0.4)).render()
    locator = Locator(MAT)
    fit, _ = locator.look(drifting(still, (0.0, 0.0), 0))
    assert fit is not None
    hidden = fit.projection.pixels(locator.corners_mm[3])
    (left, top), (right, bottom) = (hidden.min(axis=0) - 6).astype(int), (hidden.max(axis=0) + 6).astype(int)
    for step in range(1, 40):
        image = drifting(still, (0.05 * step, 0.02 * step), step, 8.0)
        image[top:bottom, left : right + 4] = 150
        fit, _ = locator.look(image)
    assert fit is not None
    moved = hidden + np.array([0.05 * 39, 0.02 * 39])
    assert np.abs(fit.projection.pixels(locator.corners_mm[3]) - moved).max() < 0.4


def test_a_picture_that_is_a_little_off_shows_no_hand() -> None:
    finder = HandFinder(MAT.size_mm, 15.0)
    rows, columns = round((MAT.size_mm[1] + 30) / 2), round((MAT.size_mm[0] + 30) / 2)
    sheet = np.full((rows, columns, 3), 60, np.uint8)
    sheet[rows - 30 : rows - 6, 12:36][::4] = 20  # fine print over the mat's edge
    finder.rest(sheet)
    off = np.roll(sheet, 1, axis=0)
    assert not finder.look(off).present
    off[rows - 60 :, 100:109] = 140
    assert finder.look(off).sides == ("bottom",)


def mirrored(image: Image, x: int, y: int, peak: float, wide: float = 60.0) -> Image:
    """A lamp's reflection over a place of the picture."""
    rows, columns = np.indices(image.shape[:2])
    glow = peak * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * wide**2))
    return np.asarray(np.clip(image + glow[..., None], 0, 255), np.uint8)


def test_a_patch_under_a_reflection_keeps_what_it_shows() -> None:
    glared = mirrored(np.asarray(face("crown"), np.uint8), 80, 80, 110.0)
    gain = ColourCorrection((2.0, 2.0, 2.0))
    dark = np.asarray(face("crown") // 3, np.uint8)
    plain, kept = gain.apply(np.stack([glared, dark])), gain.unclip(np.stack([glared, dark]))
    assert relief(plain[0]) < 0.12
    assert relief(kept[0]) > 0.3
    assert np.array_equal(plain[1], kept[1]), "what does not burn is corrected like all else"


@pytest.mark.quick(2)
@pytest.mark.parametrize("peak", [60.0, 110.0, 150.0])
def test_a_washed_out_symbol_is_never_taken_for_a_blank_back(recogniser: Correlator, peak: float) -> None:
    table = Table(recogniser, [Stone(210, LINE_Y, "flag"), Stone(300, LINE_Y, None)], View(exposure=0.7))
    image = table.world.render()
    middle = table.world.view.width // 2, table.world.view.height // 2
    feed(table, mirrored(image, *middle, peak))
    flag, back = line(table.seen[-1])
    assert flag.face is not Face.DOWN
    assert flag.kind in ("flag", None)
    assert back.face is Face.DOWN


@pytest.mark.quick(1)
@pytest.mark.parametrize("shift", [(3.0, 0.0), (0.0, -4.0), (2.5, 2.5)])
def test_a_bump_of_a_few_millimetres_is_noticed(recogniser: Correlator, shift: tuple[float, float]) -> None:
    table = Table(recogniser, seven(MAT))
    before = table.rest()
    table.world.view.shift = shift
    after = table.rest(2.0)
    assert Health.BUMPED in {report.health for report in table.reports}
    assert after.serial > before.serial
    assert (after.health, after.touched, after.lost) == (Health.OK, (), frozenset())
    apart = [np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) for a, b in zip(line(before), line(after), strict=True)]
    assert max(apart) < 0.6


def test_after_a_moment_in_the_dark_what_lies_there_is_told_anew(recogniser: Correlator) -> None:
    table = Table(recogniser, seven(MAT))
    before = table.rest()
    assert feed(table, np.zeros_like(table.world.render())) is Health.DARK
    after = table.rest()
    assert after.serial > before.serial
    assert (after.health, after.touched, after.lost) == (Health.OK, (), frozenset())


@pytest.mark.quick(1)
@pytest.mark.parametrize("trouble", ["bumped", "dark"])
def test_what_a_hand_did_before_a_bad_picture_is_told_after_it(recogniser: Correlator, trouble: str) -> None:
    stones = seven(MAT)
    table = Table(recogniser, stones)
    before = {one.kind: one.track for one in line(table.rest())}
    stone = next(one for one in stones if one.kind == "crown")
    table.carry(stone, stone.x, 60.0)
    if trouble == "bumped":
        table.world.view.shift = (9.0, -6.0)
    else:
        assert feed(table, np.zeros_like(table.world.render())) is Health.DARK
    after = table.rest(2.0)
    assert (Health.BUMPED in {report.health for report in table.reports}) == (trouble == "bumped")
    (touch,) = after.touched
    assert (touch.track, touch.hands) == (before["crown"], frozenset("a"))


@pytest.mark.parametrize("bumped", [True, False])
def test_what_looks_like_a_hand_after_a_bump_is_believed_for_a_second(recogniser: Correlator, bumped: bool) -> None:
    """The table around a mat that was moved is another: told after three seconds, what was done would wait for it."""
    table = Table(recogniser, seven(MAT))
    before, edge = table.rest(), Hand(20.0, 240.0, "bottom")
    table.world.view.shift = (9.0, -6.0) if bumped else (0.0, 0.0)
    began = table.now
    while table.seen[-1].serial == before.serial:
        table.step(edge)
        assert table.now < began + 5.0
    assert (table.now - began < 2.0) is bumped


def test_what_hides_a_part_of_a_card_may_burn_out_and_the_part_in_sight_stays_as_it_is() -> None:
    correction = ColourCorrection(gain=(1.3, 1.3, 1.3))
    crop = np.full((90, 60, 3), 150, np.uint8)
    crop[20:30, 10:50] = 40
    crop[45:] = 240
    seen = np.zeros(crop.shape[:2], np.uint8)
    seen[:45] = 1
    assert (correction.legible(crop, seen) == correction.apply(crop)).all()
    assert not (correction.legible(crop) == correction.apply(crop)).all()
