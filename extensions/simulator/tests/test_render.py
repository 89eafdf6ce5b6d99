"""The virtual camera: what it draws is where the truth is, and a scene keeps to its published ranges."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import pytest

from extensions.simulator.tests.tables import MAT, laid
from referee_simulator.render.camera import SIZE, Renderer
from referee_simulator.render.effects import gray_outside
from referee_simulator.render.hand import FROM, Hand, covers
from referee_simulator.render.light import Sensor, colour_of, decode
from referee_simulator.render.optics import look_at
from referee_simulator.table.ground_truth import Body, Shape, Truth, lift, move, turn
from referee_simulator.table.scenes import Scene, draw, load_scenes
from referee_simulator.table.virtual import Faults, VirtualTable
from vision.camera import Image

SEVEN = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")
PLAIN = Scene(1, noise=0.0, glare=0.0)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    """Of the plain scene."""
    return Renderer(MAT, PLAIN)


def markers(image: Image) -> set[int]:
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    _, ids, _ = detector.detectMarkers(image)
    return {int(found) for found in np.asarray(ids).ravel()} if ids is not None else set()


@pytest.mark.parametrize("count", [1, pytest.param(24, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", ["easy", "normal", "phone"])
def test_the_four_markers_can_be_read_in_every_scene(name: str, count: int) -> None:
    for seed in range(count):
        image = Renderer(MAT, draw(load_scenes()[name], seed)).picture(Truth(), (), 0.0, 1)
        assert markers(image) == {0, 1, 2, 3}, seed


def test_normal_scenes_reach_as_far_as_they_are_published() -> None:
    ranges = load_scenes()["normal"]
    assert ranges.stops[0] <= -1.0
    assert ranges.stops[1] >= 1.0
    assert ranges.kelvin == (2700.0, 6500.0)
    assert ranges.tilt_deg[1] >= 20.0
    assert ranges.jitter_mm >= 5.0
    assert ranges.hands >= 0.3
    drawn = [draw(ranges, seed) for seed in range(300)]
    assert min(scene.stops for scene in drawn) < -0.9
    assert max(scene.stops for scene in drawn) > 0.9
    assert all(2700.0 <= scene.kelvin <= 6500.0 and scene.tilt_deg <= 20.0 for scene in drawn)


def test_a_phone_is_aslant_nudged_and_sends_the_mat_alone() -> None:
    ranges = load_scenes()["phone"]
    drawn = [draw(ranges, seed) for seed in range(300)]
    assert max(scene.tilt_deg for scene in drawn) > 40.0
    assert all(scene.jpeg and scene.rolling and scene.answer and scene.nudge_s and scene.mat_only for scene in drawn)
    picture = Renderer(MAT, drawn[0]).picture(Truth(), (), 0.0, 1)
    sent = gray_outside(picture, (0.25, 0.25, 0.75, 0.25, 0.75, 0.75, 0.25, 0.75))
    assert np.array_equal(sent[190:530, 330:950], picture[190:530, 330:950])
    assert (sent[:170] == 128).all()
    assert (sent[:, 970:] == 128).all()


@pytest.mark.thorough
def test_one_seed_gives_the_same_frame_to_the_byte() -> None:
    scene, truth = draw(load_scenes()["hard"], 4), laid(SEVEN[:3], SEVEN[3:])
    hand = Hand("top", 200.0, 150.0)
    first, second = (Renderer(MAT, scene).picture(truth, (hand,), 1.5, 7) for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_projecting_and_projecting_back_give_the_same_point() -> None:
    optics = look_at(MAT.size_mm, (1280, 720), tilt_deg=18.0, tilt_to_deg=40.0, roll_deg=5.0, k1=0.04)
    points = np.array([[0.0, 0.0], [420.0, 297.0], [210.0, 100.0]])
    pixels = optics.project(np.column_stack([points, np.zeros(3)]))
    assert optics.back(pixels) == pytest.approx(points, abs=0.1)


def patch(image: Image, renderer: Renderer, x: float, y: float) -> Image:
    u, v = renderer.optics.project(np.array([[x, y, 8.0]]))[0]
    return image[int(v) - 20 : int(v) + 20, int(u) - 20 : int(u) + 20]


def test_the_lens_makes_a_piece_no_softer_among_others_than_alone() -> None:
    """Softened once for each piece around, a card on a pile was too blurred to be read."""
    soft = Renderer(MAT, msgspec.structs.replace(PLAIN, soften=1.2))
    among = laid(SEVEN[:3], SEVEN[3:])
    first = among.bodies[0]
    near = [move(among, body.id, first.x + 38.0, first.y).body(body.id) for body in among.bodies[1:2]]
    alone, beside = (soft.picture(Truth(bodies), (), 0.0, 1) for bodies in ((first,), (first, *near)))
    one, other = (patch(image, soft, first.x, first.y)[8:-8, 8:-8] for image in (alone, beside))
    assert one.tobytes() == other.tobytes()


def test_a_symbol_shows_only_while_it_is_up(renderer: Renderer) -> None:
    truth = laid(("crown",), SEVEN[1:])
    body = truth.bodies[0]
    up = patch(renderer.picture(truth, (), 0.0, 1), renderer, body.x, body.y)
    down = patch(renderer.picture(turn(truth, body.id), (), 0.0, 1), renderer, body.x, body.y)
    assert up.std() > 3 * down.std()


def test_a_piece_tipped_for_a_peek_shows_its_symbol_to_its_owner_and_not_to_the_camera(
    renderer: Renderer,
) -> None:
    truth = turn(laid(("crown",), SEVEN[1:]), 0)
    body = truth.body(0)
    tipped = lift(truth, body.id, 20.0, 60.0, 0.0)
    other = msgspec.structs.replace(tipped.body(0), kind="sword")
    image = renderer.picture(tipped, (), 0.0, 1)
    swapped = Truth((*(b for b in tipped.bodies if b.id != 0), other))
    assert image.tobytes() == renderer.picture(swapped, (), 0.0, 1).tobytes()


def test_light_is_warmer_the_lower_its_temperature() -> None:
    blue, green, red = colour_of(2700.0)
    assert blue < green < red
    assert colour_of(5000.0) == pytest.approx(1.0)


@pytest.mark.thorough
def test_a_stop_more_light_doubles_the_light_of_the_gray_patch() -> None:
    def gray(stops: float) -> float:
        renderer = Renderer(MAT, msgspec.structs.replace(PLAIN, stops=stops))
        box = MAT.gray
        u, v = renderer.optics.project(np.array([[box.x + box.width / 2, box.y + box.height / 2, 0.0]]))[0]
        level = renderer.picture(Truth(), (), 0.0, 1)[int(v), int(u), 1] / 255
        return float(((level + 0.055) / 1.055) ** 2.4)

    assert gray(1.0) / gray(0.0) == pytest.approx(2.0, rel=0.06)


def test_what_is_brighter_than_white_shows_once_exposure_is_turned_down() -> None:
    scene = Scene(1, noise=0.0, glare=140.0, stops=1.0, slope=0.0)
    sensor = Sensor(scene, (640, 360))
    paper = np.full((360, 640, 3), 230, np.uint8)
    paper[::2] = 150  # print
    x, y = (round(at) for at in sensor.mirrored_at)
    bright, darker = (sensor.expose(paper, 0.0, 1, 0.0, dimmed=stops)[y : y + 2, x, 1] for stops in (0.0, 2.0))
    assert bright.tolist() == [255, 255]
    assert darker.max() < 255
    assert abs(int(darker[0]) - int(darker[1])) > 10


@pytest.mark.parametrize("stops", [0.5, 1.0, 2.0])
def test_a_stop_less_halves_the_light(stops: float) -> None:
    gray = np.full((40, 60, 3), 150, np.uint8)
    before, after = (Sensor(Scene(1, noise=0.0), (60, 40)).expose(gray, 0.0, 1, 0.0, to) for to in (0.0, stops))
    light = [decode(np.array([picture[0, 0, 1] / 255.0]))[0] for picture in (before, after)]
    assert light[1] / light[0] == pytest.approx(2.0**-stops, rel=0.03)


def test_an_arm_hides_what_lies_between_the_hand_and_its_side() -> None:
    optics = look_at(MAT.size_mm, (1280, 720))
    hand = Hand("top", 210.0, 160.0)
    assert covers(hand, optics, 210.0, 60.0)
    assert not covers(hand, optics, 210.0, 230.0)
    assert not covers(hand, optics, 60.0, 60.0)


def test_a_camera_that_fails_delivers_black_or_old_or_no_frames() -> None:
    truth = laid(SEVEN[:3], SEVEN[3:])
    table = VirtualTable(MAT, truth, PLAIN, MAT.sides["2"], size=(320, 180))
    first = table.frame(0.0)
    table.faults = Faults(frozen=True)
    table.lay(Truth())
    again = table.frame(1.0)
    assert first is not None
    assert again is not None
    assert again.image.tobytes() == first.image.tobytes()
    table.faults = Faults(black=True)
    black = table.frame(2.0)
    assert black is not None
    assert black.image.max() == 0
    table.faults = Faults(gone=True)
    assert table.frame(3.0) is None


@pytest.mark.parametrize("side", ["top", "bottom", "left", "right"])
@pytest.mark.parametrize("towards", range(0, 360, 45))
@pytest.mark.parametrize("k1", [-0.04, 0.04])
def test_an_arm_that_reaches_past_the_lens_does_not_fill_the_picture(side: str, towards: int, k1: float) -> None:
    """A hand well outside the mat, under a camera that leans: nothing of the mat's middle is hidden."""
    width, height = 420.0, 297.0
    optics = look_at((width, height), SIZE, tilt_deg=20.0, tilt_to_deg=float(towards), k1=k1)
    outside = {
        "top": (width / 2, -190.0),
        "bottom": (width / 2, height + 190.0),
        "left": (-190.0, height / 2),
        "right": (width + 190.0, height / 2),
    }
    hand = Hand(side, *outside[side], 60.0)
    assert not covers(hand, optics, width / 2, height / 2)
    across, down = FROM[side]
    reaching = Hand(side, width / 2 - 80.0 * across, height / 2 - 80.0 * down, 20.0)
    assert covers(reaching, optics, width / 2, height / 2)


def test_a_pile_is_seen_from_the_side_and_its_uppermost_card_where_it_is_up_there() -> None:
    aslant = Renderer(MAT, Scene(1, noise=0.0, glare=0.0, tilt_deg=20.0))
    card = Body(1, "sea", "decktet", 110.0, 80.0, shape=Shape.CARD, width=63, height=88, thickness=0.3)
    alone = aslant.picture(Truth((card,)), (), 0.0, 1)
    deck = tuple(msgspec.structs.replace(card, id=number) for number in range(1, 36))
    piled = aslant.picture(Truth(deck), (), 0.0, 1)
    shown = [edges(aslant.picture(Truth(), (), 0.0, 1), picture) for picture in (alone, piled)]
    up = [aslant.optics.project(np.array([[110.0, 80.0 - 44.0, z]]))[0] for z in (0.3, 10.5)]
    assert float(np.hypot(*(up[1] - up[0]))) > 4
    for box, (_, top) in zip(shown, up, strict=True):
        assert abs(box[1] - top) < 3
    foot = aslant.optics.project(np.array([[110.0, 80.0 + 44.0, 0.0]]))[0][1]
    upper = aslant.optics.project(np.array([[110.0, 80.0 + 44.0, 10.5]]))[0][1]
    assert (foot - upper, shown[1][3] - foot) == (pytest.approx(8.6, abs=1.0), pytest.approx(0, abs=2.0))


def edges(bare: Image, picture: Image) -> tuple[int, int, int, int]:
    """Left, top, right and bottom pixel of what is another colour."""
    ys, xs = np.nonzero(np.abs(picture.astype(int) - bare).max(axis=2) > 60)
    return int(xs.min()), int(ys.min()), int(xs.max()), int(ys.max())


def test_a_card_taken_from_a_pile_is_held_above_it(renderer: Renderer) -> None:
    card = Body(1, "sea", "decktet", 110.0, 80.0, shape=Shape.CARD, width=63, height=88, thickness=0.3)
    low = tuple(msgspec.structs.replace(card, id=number) for number in range(2, 40))
    taken = Truth((*low, msgspec.structs.replace(card, lift_mm=1.0)))
    on_top = Truth((*low, msgspec.structs.replace(card, lift_mm=0.0)))
    far = np.abs(renderer.picture(taken, (), 0.0, 1).astype(int) - renderer.picture(on_top, (), 0.0, 1)).max(axis=2)
    assert np.count_nonzero(far > 60) < 1500
