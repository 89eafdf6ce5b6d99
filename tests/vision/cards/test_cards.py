"""Cards before the camera: found side by side and one on another, named, remembered while others hide them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import cv2
import msgspec
import numpy as np
import pytest

from device.games import mats
from device.sim.harness.enrol import enrol
from device.sim.players.improvised import COASTER
from device.sim.render.camera import Renderer
from device.sim.table.scenes import Scene, draw, published
from device.sim.table.setting import made, piece_set
from device.sim.table.truth import Body, Truth
from engine.arbiter.compare import SURE
from engine.table import Face, Observation, Sight
from vision.camera import Frame, Image
from vision.cards import strips
from vision.cards.arrivals import Arrivals
from vision.cards.cardsheet import CardSheet
from vision.cards.draws import UNSURE
from vision.cards.tracks import Cards
from vision.finding.pieces import Found, PieceFinder
from vision.finding.quad import Quad
from vision.finding.quads import Blob, quads_in
from vision.mat import Mat
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.naming import PartRecogniser
from vision.recognition.prints import printed
from vision.recognition.prints.seeking import sought
from vision.recognition.prints.telling import told
from vision.registration.markers import Locator
from vision.registration.rectify import Projection
from vision.scene import Scene as Eyes
from vision.survey import FOREIGN_TRACKS
from vision.tracking.tracker import Look

CARDS = ("excuse", "author", "huntress", "sea", "pact", "end")
ZONES = ("card-a", "sequence-a", "card-b", "sequence-b", "pile", "discards")
OFF = (340.0, 148.0)
"""A place on the mat in none of these zones."""

SCENE = draw(published()["normal"], 5)


@cache
def recogniser() -> printed.PrintedRecogniser:
    """Of six cards, so that a test need not enrol all."""
    mat = mats(["runes"])["runes"]
    return printed.PrintedRecogniser(enrol(mat, "decktet", 3, Path(mkdtemp()) / "decktet", kinds=CARDS))


class Watched:
    """A table of Dueling Runes under one camera."""

    def __init__(self, scene: Scene = SCENE) -> None:
        self.mat: Mat = mats(["runes"])["runes"]
        self._renderer = Renderer(self.mat, scene)
        self._eyes = Eyes()
        sets = {name: piece_set(name) for name in ("decktet", "counters")}
        self._eyes.setup(self.mat, sets, {"decktet": recogniser()}, {"a": "bottom", "b": "top"}, ZONES)
        self._serial = 0

    def see(self, *bodies: Body) -> Observation:
        """What is seen of a table at rest, after something moved."""
        self._serial += 1
        frame = self._renderer.frame(Truth(bodies), (), self._serial, self._serial)
        seen = self._eyes.still(Frame(frame.serial, frame.at, frame.image, frame.small))
        assert seen is not None
        return seen


def card(kind: str, x: float, y: float, angle: float = 0.0, face: Face = Face.UP) -> Body:
    (body,) = made((kind,), piece_set("decktet"), 10 + CARDS.index(kind))
    return msgspec.structs.replace(body, x=x, y=y, angle=angle, face=face)


def shown(observation: Observation, zone: str) -> list[str | None]:
    return [None if one is None else one.kind for one in observation.zone(zone).pieces]


def tracks(observation: Observation, zone: str) -> list[int]:
    return [one.track for one in observation.zone(zone).pieces if one is not None]


@pytest.mark.parametrize("angle", [0.0, 6.0, 174.0])
def test_a_card_is_found_where_it_lies_and_named(angle: float) -> None:
    (seen,) = Watched().see(card("huntress", 272, 246, angle)).zone("card-a").pieces
    assert seen is not None
    assert (seen.kind, seen.face, seen.sight) == ("huntress", Face.UP, Sight.SEEN)
    assert math.hypot(seen.x_mm - 272, seen.y_mm - 246) < 2.0
    assert abs((seen.angle_deg - angle + 90) % 180 - 90) < 3.0


def test_a_back_has_no_name() -> None:
    (seen,) = Watched().see(card("sea", 272, 246, 3.0, Face.DOWN)).zone("card-a").pieces
    assert seen is not None
    assert (seen.kind, seen.face) == (None, Face.DOWN)


def test_printed_outlines_of_a_cards_size_are_no_cards() -> None:
    seen = Watched().see()
    assert all(not any(zone.pieces) for zone in seen.zones)


def test_a_splay_laid_card_by_card_keeps_its_names_and_tracks() -> None:
    table = Watched()
    splay = [card("author", 147, 246, 2.0), card("sea", 165, 244, -3.0), card("pact", 183, 247, 4.0)]
    table.see()
    first = table.see(splay[0])
    second = table.see(*splay[:2])
    third = table.see(*splay)
    assert shown(third, "sequence-a") == ["author", "sea", "pact"]
    assert tracks(third, "sequence-a")[:2] == tracks(second, "sequence-a")
    assert tracks(second, "sequence-a")[:1] == tracks(first, "sequence-a")
    assert [touch.track for touch in third.touched] == tracks(third, "sequence-a")[2:]


def test_who_takes_a_card_from_a_splay_is_seen_to_take_it() -> None:
    table = Watched()
    one, other = card("author", 147, 246, 2.0), card("sea", 165, 244, -3.0)
    table.see(one)
    before = table.see(one, other)
    after = table.see(one)
    assert shown(after, "sequence-a") == ["author"]
    assert [(touch.track, touch.lifted) for touch in after.touched] == [(tracks(before, "sequence-a")[1], True)]


def test_a_card_that_is_put_back_below_others_is_the_one_that_was_taken() -> None:
    table = Watched()
    splay = [card("author", 147, 246, 6.0), card("sea", 162, 247, -5.0), card("pact", 181, 246, 6.0)]
    for count in range(1, 4):
        before = table.see(*splay[:count])
    table.see(splay[0], splay[2])
    seen = table.see(*splay)
    assert shown(seen, "sequence-a") == ["author", "sea", "pact"]
    assert tracks(seen, "sequence-a") == tracks(before, "sequence-a")
    assert [(touch.track, touch.lifted) for touch in seen.touched] == [(tracks(before, "sequence-a")[1], True)]


@pytest.mark.parametrize(("x", "y"), [(150.0, 256.0), (190.0, 238.0), (167.0, 246.0)])
def test_an_object_over_cards_is_no_card_and_changes_none(x: float, y: float) -> None:
    table = Watched()
    splay = [card("author", 147, 246, 2.0), card("sea", 165, 244, -3.0), card("pact", 183, 247, 4.0)]
    for count in range(1, 4):
        before = table.see(*splay[:count])
    covered = table.see(*splay, msgspec.structs.replace(COASTER, x=x, y=y, angle=25.0))
    freed = table.see(*splay)
    assert shown(freed, "sequence-a") == shown(covered, "sequence-a") == ["author", "sea", "pact"]
    assert tracks(freed, "sequence-a") == tracks(covered, "sequence-a") == tracks(before, "sequence-a")
    assert all(touch.certainty < SURE for touch in covered.touched)
    assert not freed.touched
    assert [one.sight for one in freed.zone("sequence-a").pieces if one is not None] == [Sight.SEEN] * 3


def test_cards_of_a_splay_that_are_turned_over_together_are_all_seen_so_under_a_warm_lamp() -> None:
    table = Watched(Scene(seed=3, kelvin=2900.0))
    splay = [card("author", 147, 246, 2.0), card("sea", 165, 247, 4.0), card("pact", 183, 247, -2.0)]
    for count in range(1, 4):
        before = table.see(*splay[:count])
    turned = [msgspec.structs.replace(one, face=Face.DOWN, angle=one.angle + 180, y=one.y - 1) for one in splay[1:]]
    seen = table.see(splay[0], *turned)
    assert [one.face for one in seen.zone("sequence-a").pieces if one is not None] == [Face.UP, Face.DOWN, Face.DOWN]
    assert tracks(seen, "sequence-a") == tracks(before, "sequence-a")
    assert sorted(touch.track for touch in seen.touched) == sorted(tracks(before, "sequence-a")[1:])


def test_of_two_backs_that_were_both_moved_on_the_spot_nobody_knows_which_is_which() -> None:
    table = Watched()
    one, other = card("sea", 272, 246, 3.0, Face.DOWN), card("pact", 147, 50, -2.0, Face.DOWN)
    before = table.see(one, other)
    alone = table.see(msgspec.structs.replace(one, angle=-8.0), other)
    assert tracks(alone, "card-a") == tracks(before, "card-a")
    assert alone.lost == frozenset()
    places = [(other.x + 2, other.y, 5.0), (one.x, one.y - 1, 8.0)]
    moved = [msgspec.structs.replace(b, x=x, y=y, angle=a) for b, (x, y, a) in zip((one, other), places, strict=True)]
    seen = table.see(*moved)
    now = {*tracks(seen, "card-a"), *tracks(seen, "card-b")}
    assert now == seen.lost
    assert not now & {*tracks(before, "card-a"), *tracks(before, "card-b")}


def test_of_a_pile_the_top_is_seen() -> None:
    table = Watched()
    table.see()
    table.see(card("end", 255, 148, 93.0))
    seen = table.see(card("end", 255, 148, 93.0), card("excuse", 258, 146, 86.0))
    assert shown(seen, "discards") == ["excuse"]


def test_a_card_whose_edges_nobody_finds_on_a_pile_is_read_where_the_last_one_lay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Watched()
    table.see(card("end", 255, 148, 93.0))
    monkeypatch.setattr("vision.cards.arrivals.quads_in", lambda *_: [])
    assert shown(table.see(card("end", 255, 148, 93.0), card("excuse", 258, 146, 88.0)), "discards") == ["excuse"]
    assert shown(table.see(), "discards") == []


def test_where_a_card_was_seen_and_something_is_not_found_now_it_is_covered_and_not_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Silence is no empty zone."""
    table = Watched()
    before = table.see(card("sea", 147, 246, 3.0))
    monkeypatch.setattr("vision.cards.arrivals.quads_in", lambda *_: [])
    seen = table.see(card("sea", 147, 246, 3.0), card("end", 150, 246, 0.0))
    (piece,) = seen.zone("sequence-a").pieces
    assert piece is not None
    assert (piece.track, piece.sight) == (*tracks(before, "sequence-a"), Sight.COVERED)
    assert [(touch.track, touch.lifted, touch.certainty) for touch in seen.touched] == [(piece.track, True, UNSURE)]
    assert shown(table.see(), "sequence-a") == []


def test_a_card_on_a_pile_of_which_only_rims_of_those_below_are_found_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def rim(arrivals: Arrivals) -> list[Quad]:
        below = arrivals.work.on.quad(Look(261.0, 151.0, 88.0, None, None, Sight.UNKNOWN, 0.0))
        return [msgspec.structs.replace(below, shown=0.0)]

    table = Watched()
    table.see(card("end", 255, 148, 93.0))
    monkeypatch.setattr(Arrivals, "quads", rim)
    assert shown(table.see(card("end", 255, 148, 93.0), card("excuse", 257, 147, 88.0)), "discards") == ["excuse"]


def test_a_card_drawn_from_a_pile_leaves_another_on_top() -> None:
    table = Watched()
    under, top = card("pact", 164, 148.5, 90.6, Face.DOWN), card("sea", 164.5, 148, 89.9, Face.DOWN)
    before = table.see(under, top)
    assert tracks(table.see(under, top), "pile") == tracks(before, "pile")
    after = table.see(under)
    assert tracks(after, "pile") != tracks(before, "pile")
    assert [touch.track for touch in after.touched] == tracks(before, "pile")


def test_a_projection_fitted_anew_draws_no_card() -> None:
    mat, zones = mats(["runes"])["runes"], [zone for zone in mats(["runes"])["runes"].zones if zone.name == "pile"]
    image = Renderer(mat, SCENE).picture(Truth((card("pact", 164, 148.5, 90.6, Face.DOWN),)), (), 1.0, 1)
    fit, _ = Locator(mat).look(image)
    assert fit is not None
    off = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, -0.5], [0.0, 0.0, 1.0]])  # of the picture's pixels
    again = Projection(off @ fit.projection.homography, fit.projection.lens)
    cards = Cards()

    def backs(found: Sequence[Found]) -> list[Look]:
        return [Look(at.x_mm, at.y_mm, at.angle_deg, None, Face.DOWN, Sight.SEEN, 0.99) for at in found]

    first, second = (
        cards.settle(image, PieceFinder(projection, mat, piece_set("decktet")), zones, backs, None)
        for projection in (fit.projection, again)
    )
    assert len(first.tracks) == 1
    assert [track.number for track in second.tracks] == [track.number for track in first.tracks]
    assert second.touched == ()


def test_a_card_that_could_not_be_read_is_read_at_the_next_look() -> None:
    mat, zones = mats(["runes"])["runes"], [zone for zone in mats(["runes"])["runes"].zones if zone.name == "discards"]
    image = Renderer(mat, SCENE).picture(Truth((card("pact", 255, 148, 90.6),)), (), 1.0, 1)
    fit, _ = Locator(mat).look(image)
    assert fit is not None
    finder, cards, names = PieceFinder(fit.projection, mat, piece_set("decktet")), Cards(), [None, None, "pact"]

    def read(found: Sequence[Found]) -> list[Look]:
        sights = {None: (None, Sight.UNKNOWN), "pact": (Face.UP, Sight.SEEN)}
        return [Look(at.x_mm, at.y_mm, at.angle_deg, kind, *sights[kind], 0.9) for at in found for kind in names[:1]]

    looks = []
    for _ in range(3):
        looks.append(cards.settle(image, finder, zones, read, None))
        names = names[1:]
    assert [[track.look.kind for track in look.tracks] for look in looks] == [[None], [None], ["pact"]]
    assert len({track.number for look in looks for track in look.tracks}) == 1
    assert [look.touched for look in looks] == [(), (), ()]


def test_a_card_turned_over_keeps_its_track() -> None:
    table = Watched()
    before = table.see(card("pact", 272, 246, 3.0, Face.DOWN))
    after = table.see(card("pact", 274, 245, 1.0))
    assert tracks(after, "card-a") == tracks(before, "card-a")
    assert shown(after, "card-a") == ["pact"]
    assert [touch.lifted for touch in after.touched] == [True]


def test_cards_that_touch_are_two() -> None:
    seen = Watched().see(card("end", 145, 52, 1.0), card("author", 211, 53, -2.0))
    assert shown(seen, "card-b") == ["end"]
    assert shown(seen, "sequence-b") == ["author"]


def test_nothing_is_named_that_was_not_enrolled() -> None:
    (body,) = made(("windfall",), piece_set("decktet"), 40)
    (seen,) = Watched().see(msgspec.structs.replace(body, x=272.0, y=246.0)).zone("card-a").pieces
    assert seen is not None
    assert (seen.kind, seen.sight) == (None, Sight.UNKNOWN)


class Stuck(Blob):
    """Whatever rectangle is laid over its edges comes to lie at the same place."""

    def _laid(self, quad: Quad) -> Quad:
        return msgspec.structs.replace(quad, x=40.0, y=50.0, angle_deg=0.0, support=1.0)


def test_no_rectangle_is_found_for_ever() -> None:
    solid = np.zeros((100, 160), np.uint8)
    solid[15:86, 15:66], solid[15:86, 75:126] = 1, 1
    sheet = np.asarray(np.dstack([40 + 200 * solid] * 3), np.uint8)
    assert len(list(islice(Stuck(sheet, solid, (50.0, 70.0)).peeled(), 5))) == 1


def test_what_has_a_cards_shape_but_no_name_and_lies_in_no_zone_is_some_object() -> None:
    (body,) = made(("windfall",), piece_set("decktet"), 40)
    table = Watched()
    table.see()
    seen = table.see(msgspec.structs.replace(body, x=OFF[0], y=OFF[1]))
    assert [stray.track >= FOREIGN_TRACKS for stray in seen.strays] == [True]
    table.see()
    named = table.see(card("sea", *OFF))
    assert [stray.kind for stray in named.strays] == ["sea"]


@pytest.mark.parametrize("kind", ["author", "end"])
def test_a_part_of_a_card_is_named_by_what_shows_of_it(kind: str) -> None:
    reader = recogniser()
    picture = enrolled_picture(kind)
    mask = np.zeros(picture.shape[:2], np.uint8)
    mask[:, : picture.shape[1] // 3] = 1
    hidden = picture.copy()
    hidden[mask == 0] = 240
    assert reader.name_part(hidden, mask).kind == kind


@pytest.mark.parametrize(("dx", "dy", "turn"), [(3.0, -2.0, 2.0), (-9.0, 7.0, -4.0)])
def test_a_card_is_read_though_its_place_is_only_roughly_known(dx: float, dy: float, turn: float) -> None:
    mat = mats(["runes"])["runes"]
    image = Renderer(mat, SCENE).picture(Truth((card("author", 272, 246, 3.0),)), (), 1.0, 1)
    fit, _ = Locator(mat).look(image)
    assert fit is not None
    finder = PieceFinder(fit.projection, mat, piece_set("decktet"))
    reading, place = sought(
        recogniser(), lambda at: finder.crop(image, Found(*at, 1.0)), (272 + dx, 246 + dy, 3.0 + turn), 88.0
    )
    assert reading.kind == "author"
    assert reading.sure
    assert math.hypot(place[0] - 272, place[1] - 246) < 2.0


def print_of(figure: str, *, upside_down: bool) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A card with the same arrow as others of its kind, and a figure in two corners, as in a crop."""
    ink = (20, 20, 20)
    half = np.full((67, 96, 3), 235, np.uint8)
    cv2.putText(half, figure, (14, 34), cv2.FONT_HERSHEY_SIMPLEX, 0.5, ink, 1)
    card = np.vstack([half, np.rot90(half, 2)])
    cv2.line(card, (18, 67), (78, 67), ink, 8)
    cv2.fillPoly(card, [np.array([[84, 67], [74, 57], [74, 77]])], ink)
    crop = np.asarray(cv2.GaussianBlur(card, (0, 0), 0.8), np.uint8)
    crop[:6], crop[-6:], crop[:, :5], crop[:, -5:] = 60, 60, 60, 60
    return np.asarray(np.rot90(crop, 2) if upside_down else crop, np.uint8)


@pytest.mark.parametrize("upside_down", [False, True])
def test_prints_that_hardly_show_their_turn_are_told_apart_whichever_way_they_were_enrolled(upside_down: bool) -> None:
    pictures = {name: (print_of(name, upside_down=name == "6"),) for name in "3456789"}
    reader = printed.PrintedRecogniser(EnrolledSet("figures", 2, pictures))
    for name in "46":
        for off in ((0, 0), (2, 1), (-3, 2), (1, -3)):
            moved = np.array([[1, 0, off[0]], [0, 1, off[1]]], np.float32)
            seen = print_of(name, upside_down=upside_down)
            reading = reader.read(np.asarray(cv2.warpAffine(seen, moved, (96, 134), borderMode=cv2.BORDER_REPLICATE)))
            assert (reading.kind, reading.clear > 0.4) == (name, True)


def test_a_print_enrolled_a_little_beside_its_place_is_told_from_the_others() -> None:
    pictures = {name: print_of(name, upside_down=False) for name in "3456789"}
    pictures["6"][-12:] = 60  # the mat
    reader = printed.PrintedRecogniser(EnrolledSet("figures", 2, {name: (one,) for name, one in pictures.items()}))
    for name in "56":
        reading = reader.read(print_of(name, upside_down=False))
        assert (reading.kind, reading.clear > 0.25) == (name, True)


@pytest.mark.parametrize(("shown", "least", "most"), [("5", 0.3, 0.5), ("6", -0.5, -0.3), ("", -0.2, 0.2)])
def test_faint_ink_still_tells_which_of_two_figures_it_is(shown: str, least: float, most: float) -> None:
    prints = (print_of(name, upside_down=False) for name in ("5", "6", shown))
    five, six, seen = (np.asarray(one / 235.0, np.float32) for one in prints)
    faint = np.asarray(cv2.GaussianBlur(1.0 - 0.5 * (1.0 - seen), (0, 0), 1.0), np.float32)
    assert least <= told(five, six, faint, np.ones(five.shape[:2], np.bool_)) <= most


@cache
def enrolled_picture(kind: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    mat = mats(["runes"])["runes"]
    return enrol(mat, "decktet", 4, Path(mkdtemp()) / "decktet", kinds=(kind,)).pictures[kind][0]


def test_cards_that_hid_another_and_go_with_it_leave_nothing_behind() -> None:
    eyes = Watched()
    lowest, left, right = card("sea", 150, 245), card("pact", 130, 245), card("end", 170, 245)
    eyes.see(lowest)
    eyes.see(lowest, left, right)
    assert eyes.see().zone("sequence-a").pieces == ()


def test_an_older_card_turned_over_below_the_newest_takes_nothing_from_it() -> None:
    eyes = Watched()
    older, newest = card("sea", 147, 245, 2.0), card("pact", 165, 244, -1.0)
    eyes.see(older)
    before = eyes.see(older, newest)
    seen = eyes.see(card("sea", 145, 244, -2.0, Face.DOWN), newest)
    (under, over) = seen.zone("sequence-a").pieces
    assert over == before.zone("sequence-a").pieces[1]
    assert under is not None
    assert (under.kind, under.face) in ((None, Face.DOWN), (None, None))


def test_a_card_drawn_that_lay_just_so_leaves_its_pile() -> None:
    eyes = Watched()
    eyes.see(card("pact", 164, 148, 90.0, Face.DOWN), card("end", 164.5, 148.4, 90.3, Face.DOWN))
    seen = eyes.see(card("pact", 164, 148, 90.0, Face.DOWN), card("sea", 274, 52))
    assert shown(seen, "pile") == [None]
    assert shown(seen, "sequence-b") == ["sea"]


def test_cards_of_a_splay_that_close_up_under_the_next_one_are_found_again_by_their_strips() -> None:
    eyes = Watched()
    oldest, *others = (
        card(kind, 146 + 18 * n, 245 - n, 2.0 - n) for n, kind in enumerate(("sea", "pact", "author", "end"))
    )
    for number in range(4):
        before = eyes.see(oldest, *others[:number])
    pushed = [msgspec.structs.replace(body, x=body.x - 18) for body in others]
    seen = eyes.see(*pushed, card("huntress", 200, 245, 3.0))
    assert shown(seen, "sequence-a") == ["pact", "author", "end", "huntress"]
    assert tracks(seen, "sequence-a")[:3] == tracks(before, "sequence-a")[1:]
    assert {touch.track for touch in seen.touched if not touch.lifted} == set(tracks(seen, "sequence-a")[:3])


def test_a_back_drawn_from_a_pile_is_seen_to_be_taken_though_the_next_one_lies_askew() -> None:
    eyes = Watched()
    below = card("end", 163, 147, 90.0, Face.DOWN)
    before = eyes.see(below, card("pact", 166, 150, 90.0, Face.DOWN))
    seen = eyes.see(below)
    assert shown(seen, "pile") == [None]
    assert tracks(seen, "pile") != tracks(before, "pile")
    assert (tracks(before, "pile")[0], True) in [(touch.track, touch.lifted) for touch in seen.touched]


def test_two_backs_that_come_at_once_are_both_seen_face_down() -> None:
    eyes = Watched()
    seen = eyes.see(card("end", 274, 245, 0.0, Face.DOWN), card("sea", 146, 52, 0.0, Face.DOWN))
    for zone in ("card-a", "card-b"):
        (piece,) = seen.zone(zone).pieces
        assert piece is not None
        assert (piece.kind, piece.face, piece.sight) == (None, Face.DOWN, Sight.SEEN)


def test_a_card_laid_beside_a_pile_and_a_little_over_it_draws_nothing() -> None:
    eyes = Watched()
    pile = card("end", 164, 148, 91.0, Face.DOWN)
    before = eyes.see(pile)
    seen = eyes.see(pile, card("pact", 251, 149, 86.0))
    assert tracks(seen, "pile") == tracks(before, "pile")
    assert [touch.track for touch in seen.touched] == tracks(seen, "discards")


@pytest.mark.parametrize(("x", "y"), [(195.0, 122.0), (164.0, 140.0)])
def test_an_object_over_a_pile_draws_nothing_neither_when_it_comes_nor_when_it_goes(x: float, y: float) -> None:
    eyes = Watched()
    pile = card("end", 164, 148, 91.0, Face.DOWN)
    before = eyes.see(pile)
    for seen in (eyes.see(pile, msgspec.structs.replace(COASTER, x=x, y=y, angle=10.0)), eyes.see(pile)):
        assert tracks(seen, "pile") == tracks(before, "pile")
        assert not seen.touched
        assert not seen.lost


def test_who_draws_while_an_object_lies_over_the_pile_is_seen_to_draw() -> None:
    eyes = Watched()
    below, coaster = card("end", 163, 147, 90.0, Face.DOWN), msgspec.structs.replace(COASTER, x=195.0, y=122.0)
    eyes.see(below, card("pact", 164, 148, 91.0, Face.DOWN))
    before = eyes.see(below, card("pact", 164, 148, 91.0, Face.DOWN), coaster)
    seen = eyes.see(below, coaster)
    assert tracks(seen, "pile") != tracks(before, "pile")
    assert (tracks(before, "pile")[0], 1.0) in [(touch.track, touch.certainty) for touch in seen.touched]


def test_ground_that_was_bare_and_looks_the_same_is_no_strip_of_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a lamp's reflection the ground may stand out as a card does."""

    def more(*given: Any) -> list[Quad]:
        (one,) = quads_in(*given)
        beside = msgspec.structs.replace(one, x=one.x + 4, y=one.y + 4)  # so that a part of the card is left
        return [beside, msgspec.structs.replace(one, y=one.y - 30, shown=0.2)]

    eyes = Watched()
    eyes.see()
    monkeypatch.setattr("vision.cards.arrivals.quads_in", more)
    assert shown(eyes.see(card("sea", 147, 246, 3.0)), "sequence-a") == ["sea"]


def test_a_card_that_is_not_found_at_once_is_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    eyes = Watched()
    eyes.see()
    with monkeypatch.context() as blind:
        blind.setattr("vision.cards.arrivals.quads_in", lambda *_: [])
        assert shown(eyes.see(card("end", 274, 245, 3.0)), "card-a") == [None]
    assert shown(eyes.see(card("end", 274, 245, 3.0)), "card-a") == ["end"]


def test_a_card_turned_over_between_two_of_a_splay_is_seen_so_though_it_lies_otherwise_then() -> None:
    eyes = Watched()
    splay = [card("author", 147, 246, 2.0), card("sea", 165, 244, 5.0), card("pact", 185, 247, 0.0)]
    for count in range(1, 4):
        before = eyes.see(*splay[:count])
    seen = eyes.see(splay[0], msgspec.structs.replace(splay[1], face=Face.DOWN, angle=174.0, y=247.0), splay[2])
    assert shown(seen, "sequence-a") == ["author", None, "pact"]
    assert tracks(seen, "sequence-a") == tracks(before, "sequence-a")


def test_a_card_turned_over_under_one_that_came_later_stays_below_it() -> None:
    """It is known again as it lay when nothing lay on it yet."""
    eyes = Watched()
    lowest, up, top = card("sea", 275.5, 49.5, 183), card("pact", 254.6, 49.7, 180), card("author", 243, 47.2, 3)
    down = card("pact", 253, 47.6, 2.5, Face.DOWN)
    for before in ((lowest,), (lowest, up), (lowest, down), (lowest, down, top)):
        eyes.see(*before)
    again = eyes.see(lowest, up, top)
    assert shown(again, "sequence-b") == ["sea", "pact", "author"]
    assert [touch.track for touch in again.touched] == tracks(again, "sequence-b")[1:2]
    seen = eyes.see(lowest, msgspec.structs.replace(down, x=256, y=51, angle=6), top)
    assert shown(seen, "sequence-b") == ["sea", None, "author"]
    assert tracks(seen, "sequence-b") == tracks(again, "sequence-b")


def test_a_card_taken_from_between_is_gone_though_what_it_hid_is_too_little_to_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it hid and what showed before of the card below are read together."""

    def strip(on: CardSheet, sheet: Image, quad: Quad, seen: Image, parts: PartRecogniser | None) -> Look:
        return strips.strip(on, sheet, quad, seen, parts if np.count_nonzero(seen) > 0.35 * on.area else None)

    eyes = Watched()
    splay = [card("author", 143, 249, -6.0), card("sea", 160, 249.6, -4.0), card("end", 178, 250.1, -5.0)]
    for count in range(1, 4):
        before = eyes.see(*splay[:count])
    monkeypatch.setattr("vision.cards.reader.strip", strip)
    seen = eyes.see(splay[0], splay[2])
    assert shown(seen, "sequence-a") == ["author", "end"]
    assert [touch.track for touch in seen.touched] == tracks(before, "sequence-a")[1:2]


def test_a_card_put_back_over_the_one_that_was_laid_in_its_place_takes_its_place_again() -> None:
    """One that nearly hides another may be all that there is."""
    eyes = Watched()
    below, own = card("sea", 240.3, 47.0, 184.1), card("huntress", 220.8, 47.0, 183.9)
    eyes.see(below)
    before = eyes.see(below, own)
    eyes.see(below, card("pact", 223.3, 47.0, 183.9))
    seen = eyes.see(below, own)
    assert shown(seen, "sequence-b") == ["sea", "huntress"]
    assert tracks(seen, "sequence-b") == tracks(before, "sequence-b")


def test_a_card_put_back_over_the_strip_of_another_lies_on_it() -> None:
    """The other was seen beside a card that lay a little further away."""
    eyes = Watched()
    below, own = card("end", 284.4, 51.1, 174.3), card("author", 265.2, 51.2, 176.6)
    for before in ((below,), (below, own), (below, card("pact", 262.0, 50.0, 178.0)), (below, own)):
        eyes.see(*before)
    assert shown(eyes.see(own), "sequence-b") == ["author"]


def test_a_card_of_which_more_is_seen_when_one_that_nobody_found_goes_lies_there_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    eyes = Watched()
    low, unfound, top = card("author", 160.8, 249.9, -1.0), card("sea", 168, 250, 6.0), card("end", 192, 251, -3.0)
    before = eyes.see(low)
    with monkeypatch.context() as forgetful:
        forgetful.setattr("vision.cards.tracks._topmost", lambda lying, _: [t for t in lying if t.look.kind != "sea"])
        assert shown(eyes.see(low, unfound), "sequence-a") == ["author"]
    assert shown(eyes.see(low, unfound, top), "sequence-a") == ["author", "end"]
    monkeypatch.setattr("vision.cards.arrivals.quads_in", lambda *_: [])
    seen = eyes.see(low, top)
    assert [(piece.kind, piece.sight) for piece in seen.zone("sequence-a").pieces if piece is not None] == [
        ("author", Sight.SEEN),
        ("end", Sight.SEEN),
    ]
    assert tracks(seen, "sequence-a")[:1] == tracks(before, "sequence-a")
    assert not seen.touched
