"""The small units of the pipeline, each on its own."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import pytest

from engine.table import Face, Health, Order, Sight, Sighting
from tests.vision.scenes import KINDS, Hand, View, World, face, load_mat, seven
from tests.vision.tables import MAT
from vision.camera import Frame, Image
from vision.care import Watch, measure
from vision.finding.faces import look
from vision.finding.pieces import Found, relief
from vision.finding.zones import arrange, zone_of
from vision.following.gate import Gate
from vision.following.handlog import HandLog
from vision.following.hands import HandSight
from vision.following.reach import Reach, reach_of
from vision.following.turns import likeness, turn_between, unrolled
from vision.mat import Box, MatZone
from vision.recognition.naming import Naming, PieceSet
from vision.registration.markers import Locator


def scene_small(seed: int, level: float = 120.0, shift: int = 0, noise: float = 2.0) -> Image:
    rng = np.random.default_rng(seed)
    image = np.full((180, 320), float(level))
    image[40:90, 60 + shift : 100 + shift] *= 0.6
    return np.clip(image + rng.normal(0, noise, image.shape), 0, 255).astype(np.uint8)


def test_noise_and_exposure_are_no_motion() -> None:
    gate = Gate()
    for step in range(50):
        assert not gate.feed(scene_small(step, 120 + step, noise=4.0), step * 0.2)


def test_one_pixel_of_an_edge_is_motion_and_rest_follows_in_time() -> None:
    gate = Gate()
    for step in range(5):
        gate.feed(scene_small(step), step * 0.2)
    assert gate.feed(scene_small(9, shift=1), 1.0)
    states = []
    for step in range(6, 10):
        gate.feed(scene_small(step + 20, shift=1), step * 0.2)
        states.append(gate.moving)
    assert states == [True, False, False, False]


def test_creeping_is_seen_at_rest() -> None:
    gate = Gate()
    rng = np.random.default_rng(1)
    seen = False
    for step in range(30):
        image = np.full((180, 320), 120.0)
        image[40:90, 60:100] = 120 - step * 2
        seen |= gate.feed(np.clip(image + rng.normal(0, 1, image.shape), 0, 255).astype(np.uint8), step * 0.2)
    assert seen


def sight(side: str | None, box: tuple[int, int, int, int]) -> HandSight:
    mask = np.zeros((160, 220), np.uint8)
    top, bottom, left, right = box
    mask[top:bottom, left:right] = 1
    crossed = {"bottom": 50, "left": 50} if side is None else {side: 50}
    return HandSight(mask, mask, mask, mask, (side,), 15.0, (Reach(crossed),))


def test_hands_are_told_by_side_and_by_place() -> None:
    sides = {"a": "bottom", "b": "top"}
    log = HandLog()
    assert log.seats(sides, touched=False) == frozenset()
    assert log.seats(sides, touched=True) is None
    for _ in range(5):
        log.note(sight("bottom", (100, 160, 0, 60)))
        log.note(sight("top", (0, 60, 120, 200)))
    assert log.seats(sides, touched=True) == {"a", "b"}
    assert log.seats_at(sides, [(50, 250)]) == {"a"}
    assert log.seats_at(sides, [(320, 40)]) == {"b"}
    assert log.seats_at(sides, [(200, 140)]) is None
    alone = HandLog()
    alone.note(sight("bottom", (100, 160, 0, 60)))
    assert alone.seats_at(sides, [(200, 140)]) == {"a"}


def test_of_two_hands_at_a_place_the_one_counts_that_was_there_when_it_changed() -> None:
    sides, place, card = {"a": "bottom", "b": "top"}, (100.0, 100.0), (40, 75, 40, 75)
    nobody = (0, 0, 0, 0)
    log = HandLog()
    for side, hand, changed in (
        ("bottom", (50, 160, 50, 65), nobody),  # points at it
        ("top", nobody, nobody),
        ("top", (0, 65, 50, 65), card),  # lays a card
        ("top", nobody, card),
        ("bottom", (50, 160, 50, 65), card),  # points at it again
    ):
        log.note(msgspec.structs.replace(sight(side, hand), changed=sight(side, changed).mask))
    assert log.seats_at(sides, [place]) == {"a", "b"}
    assert log.seats_at(sides, [place], sight("top", card)) == {"b"}


def test_a_card_that_reaches_over_an_edge_is_nobodys_hand() -> None:
    sides, place, card = {"a": "bottom", "b": "top"}, (110.0, 250.0), (120, 156, 50, 75)
    log = HandLog()
    log.note(sight("top", (0, 140, 55, 70)))
    for _ in range(8):  # nobody's hand is there any more
        log.note(sight("bottom", card))
    assert log.seats_at(sides, [place], sight("bottom", card)) == {"a"}
    log.settled(sight("bottom", card))
    assert log.seats_at(sides, [place], sight("bottom", card)) == {"b"}
    assert log.seats(sides, touched=True) == {"b"}


def test_a_hand_that_comes_where_another_has_just_been_is_another() -> None:
    log = HandLog()
    log.note(sight("bottom", (60, 160, 50, 75)))
    log.note(sight("top", (0, 70, 50, 75)))
    assert log.seats({"a": "bottom", "b": "top"}, touched=True) == {"a", "b"}


def test_a_hand_from_nobodys_side_or_from_a_corner_is_nobodys() -> None:
    for side in ("right", None):
        log = HandLog()
        log.note(sight(side, (0, 60, 0, 60)))
        assert log.seats({"a": "bottom", "b": "left"}, touched=True) is None


def arm(box: tuple[int, int, int, int], crossed: dict[str, int]) -> HandSight:
    """An arm on an A3 mat, rows and columns of the coarse sheet."""
    seen = sight("left", box)
    return msgspec.structs.replace(seen, sides=(None,), reaches=(reach_of(seen.mask > 0, crossed),))


def test_an_arm_beside_an_edge_came_over_the_edge_at_its_end() -> None:
    four = {"a": "bottom", "b": "left", "c": "top", "d": "right"}
    log = HandLog()
    log.note(arm((0, 30, 0, 40), {"left": 90, "top": 110}))  # both edges, as broad as long: it may be either's
    assert log.seats(four, touched=True) is None
    for reach in (90, 130, 90):
        log.note(arm((0, 30, 0, reach), {"left": 90, "top": 3 * reach}))
    log.note(arm((0, 30, 0, 30), {"left": 90, "top": 90}))
    assert log.seats(four, touched=True) == {"b"}
    assert log.seats_at(four, [(100.0, 20.0)]) == {"b"}


def test_a_finger_over_the_far_edge_is_no_hand_from_there() -> None:
    log = HandLog()
    log.note(arm((0, 160, 90, 120), {"bottom": 120, "top": 40}))
    assert log.seats({"a": "bottom", "b": "top"}, touched=True) == {"a"}


def test_hands_that_meet_are_told_apart_before_and_after() -> None:
    sides = {"a": "bottom", "b": "top"}
    log = HandLog()
    above = (0, 70, 90, 120)
    both = arm((90, 160, 90, 120), {"bottom": 120})
    mask = both.mask + 2 * arm(above, {}).mask
    log.note(msgspec.structs.replace(both, mask=mask, reaches=(*both.reaches, *arm(above, {"top": 120}).reaches)))
    log.note(arm((0, 160, 90, 120), {"bottom": 110, "top": 120}))
    for _ in range(3):
        log.note(arm(above, {"top": 120}))
    assert log.seats(sides, touched=True) == {"a", "b"}
    assert log.seats_at(sides, [(180.0, 20.0)]) == {"b"}


def test_patches_undo_the_lamp() -> None:
    for white in ((1.0, 1.0, 1.0), (0.6, 0.9, 1.05), (1.05, 0.95, 0.7)):
        world = World(MAT, view=View(white=white, gradient=0.0))
        image = world.render()
        fit, _ = Locator(MAT).look(image)
        assert fit is not None
        correction = measure(image, fit.projection, MAT)
        assert correction is not None
        place = np.rint(fit.projection.pixels(np.array([[210.0, 215.0]]))[0]).astype(int)
        patch = image[place[1] - 4 : place[1] + 4, place[0] - 4 : place[0] + 4]
        assert correction.apply(patch).mean(axis=(0, 1)) == pytest.approx(world.paper, abs=9)


def test_a_reflection_on_the_gray_patch_brightens_nothing_else() -> None:
    image = World(MAT, view=View(exposure=0.7, gradient=0.0)).render()
    fit, _ = Locator(MAT).look(image)
    assert fit is not None
    right = measure(image, fit.projection, MAT)
    corners = np.array([[MAT.gray.x, MAT.gray.y], [MAT.gray.x + MAT.gray.width, MAT.gray.y + MAT.gray.height]])
    (left, top), (beyond, below) = np.rint(fit.projection.pixels(corners)).astype(int)
    for lamp in (30, 50):
        lit = image.copy()
        lit[top:below, left:beyond] = np.minimum(255, lit[top:below, left:beyond].astype(int) + lamp)
        told = measure(lit, fit.projection, MAT)
        assert right is not None
        assert told is not None
        assert told.gain == pytest.approx(right.gain, rel=0.25)


def test_a_covered_patch_corrects_nothing() -> None:
    world = World(MAT, hands=[Hand(60, 240)])
    fit, _ = Locator(MAT).look(World(MAT).render())
    assert fit is not None
    assert measure(world.render(), fit.projection, MAT) is None


def test_glare_and_darkness() -> None:
    bright = np.full((180, 320), 255, np.uint8)
    dark = np.full((180, 320), 5, np.uint8)
    image = np.zeros((2, 2, 3), np.uint8)
    assert Watch().judge(Frame(1, 0.0, image, bright)) is Health.GLARE
    assert Watch().judge(Frame(1, 0.0, image, dark)) is Health.DARK


def test_markers_under_a_hand_leave_the_fit_as_it_was() -> None:
    world = World(MAT, seven(MAT))
    locator = Locator(MAT)
    fit, jumped = locator.look(world.render())
    assert fit is not None
    assert (fit.ids, jumped) == ({0, 1, 2, 3}, False)
    world.hands = [Hand(30, 240), Hand(395, 240)]
    again, jumped = locator.look(world.render())
    assert (again, jumped) == (fit, False)


def test_a_jump_is_told_and_fitted() -> None:
    world = World(MAT)
    locator = Locator(MAT)
    locator.look(world.render())
    world.view.shift = (12.0, 4.0)
    fit, jumped = locator.look(world.render())
    assert jumped
    assert fit is not None
    assert fit.error_px < 1.0


def test_markers_that_are_small_in_the_picture_are_held_where_they_are_detected() -> None:
    """The print beside a corner must not draw it away: every later picture would be fitted anew."""
    mat = load_mat("fence")
    image = World(mat, view=View(distance=760.0, tilt=12.0)).render()
    locator = Locator(mat)
    fit, _ = locator.look(image)
    detected = dict(locator.seen)
    again, _ = locator.look(image)
    assert len(detected) == 4
    assert again is fit
    apart = [np.abs(locator.seen[number] - corners).max() for number, corners in detected.items()]
    assert max(apart) < 0.15


def test_turns_are_measured() -> None:
    for angle in (-40.0, -5.0, 4.0, 90.0):
        before = face("hammer")
        matrix = cv2.getRotationMatrix2D((79.5, 79.5), -angle, 1.0)
        after = np.asarray(cv2.warpAffine(before, matrix, (160, 160), borderMode=cv2.BORDER_REPLICATE), np.uint8)
        assert turn_between(*unrolled(np.stack([before, after]))) == pytest.approx(angle, abs=1.0)
    crown, hammer = unrolled(np.stack([face("crown"), face("hammer")]))
    assert turn_between(crown, crown) == pytest.approx(0, abs=0.2)
    assert likeness(crown, crown) == pytest.approx(1)
    assert likeness(crown, hammer) < 0.8


def test_relief_tells_backs_from_faces() -> None:
    rng = np.random.default_rng(2)
    for noise in (0, 6):
        backs = np.clip(face(None) + rng.normal(0, noise, (160, 160, 3)), 0, 255).astype(np.uint8)
        assert relief(backs) < 0.06
        for kind in KINDS:
            assert relief(np.clip(face(kind) + rng.normal(0, noise, (160, 160, 3)), 0, 255).astype(np.uint8)) > 0.5


def piece(x: float, y: float, kind: str | None = None) -> Sighting:
    return Sighting(1, kind, None, Sight.SEEN, 1.0, x, y, 0.0)


def test_zones_number_their_pieces() -> None:
    box = Box(0, 0, 100, 50)
    row = MatZone("row", Order.ROW, box, "s")
    assert [p.x_mm for p in arrange(row, [piece(60, 9), piece(5, 3)]).pieces if p] == [5, 60]
    back = MatZone("back", Order.ROW, box, "s", direction=180.0)
    assert [p.x_mm for p in arrange(back, [piece(5, 3), piece(60, 9)]).pieces if p] == [60, 5]
    area = MatZone("area", Order.AREA, box, "s")
    assert [p.kind for p in arrange(area, [piece(1, 1), piece(9, 9, "b"), piece(2, 2, "a")]).pieces if p] == [
        "a", "b", None,
    ]  # fmt: skip
    cells = MatZone("cells", Order.CELLS, box, "s", cells=(Box(0, 0, 50, 50), Box(50, 0, 50, 50)))
    assert [p is not None for p in arrange(cells, [piece(80, 20)]).pieces] == [False, True]
    assert zone_of(102, 10, [row]) is row
    assert zone_of(110, 10, [row]) is None


@pytest.mark.parametrize(
    ("relief", "name", "face"), [(0.08, None, Face.DOWN), (0.3, None, None), (0.08, "red", Face.UP)]
)
def test_a_printed_piece_without_a_back_of_its_own_lies_face_down_if_it_is_even(
    relief: float, name: str | None, face: Face | None
) -> None:
    pieces = PieceSet("figures", ("green", "red"), "disc", (30.0, 30.0), 4.0, backs=False, printed=True)
    seen = look(Found(1.0, 2.0, 0.0, 1.0), None, (relief, False), Naming(name, 0.95, 0.0, "red"), pieces)
    assert seen.face is face
