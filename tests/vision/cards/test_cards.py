"""Cards before the camera: found side by side, named, remembered."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import cv2
import msgspec
import numpy as np
import pytest

from device.games import mats
from engine.table import Face, Observation, Sight
from referee_simulator.table.ground_truth import Body, Truth
from referee_simulator.table.setting import make_bodies, piece_set
from tests.vision.cards.watched import OFF, SCENE, Watched, card, recogniser, renderer, shown, something, tracks
from vision.camera import Image, Pyramid
from vision.cards.arrivals import Arrivals
from vision.cards.changes import share
from vision.cards.comparing import RestComparison
from vision.cards.draws import UNSURE
from vision.cards.tracks import Cards
from vision.finding.pieces import FoundPiece, PieceFinder
from vision.finding.quad import Quad
from vision.finding.quads import Component, quads_in
from vision.picture_checks import ColourCorrection
from vision.recognition.naming import Naming
from vision.recognition.prints.printed import PrintedRecogniser
from vision.recognition.prints.reading import PrintReading
from vision.registration.markers import Locator
from vision.step_timing import run_together
from vision.survey import FOREIGN_TRACKS, MatSurvey
from vision.tracking.tracker import Look


@pytest.mark.thorough
@pytest.mark.parametrize(
    "angle", [pytest.param(0.0, marks=pytest.mark.soak), 6.0, pytest.param(174.0, marks=pytest.mark.soak)]
)
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


@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.parametrize("off", [(0.8, -0.6, -1.5), (0.2, 0.2, 0.1)])
def test_two_backs_may_be_exchanged_though_one_lies_nearly_where_the_other_did(off: tuple[float, float, float]) -> None:
    table = Watched()
    one, other = card("sea", 272, 246, 3.0, Face.DOWN), card("pact", 147, 50, -2.0, Face.DOWN)
    before = table.see(one, other)
    places = [(other.x + off[0], other.y + off[1], other.angle + off[2]), (one.x - 2.5, one.y, 6.0)]
    moved = [msgspec.structs.replace(b, x=x, y=y, angle=a) for b, (x, y, a) in zip((one, other), places, strict=True)]
    seen = table.see(*moved)
    now = {*tracks(seen, "card-a"), *tracks(seen, "card-b")}
    assert now == seen.lost
    assert not now & {*tracks(before, "card-a"), *tracks(before, "card-b")}


@pytest.mark.thorough
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


def test_a_card_that_could_not_be_read_is_read_at_the_next_look() -> None:
    mat, zones = mats(["runes"])["runes"], [zone for zone in mats(["runes"])["runes"].zones if zone.name == "discards"]
    image = renderer(SCENE).picture(Truth((card("pact", 255, 148, 90.6),)), (), 1.0, 1)
    fit, _ = Locator(mat).look(image)
    assert fit is not None
    finder, cards, names = PieceFinder(fit.projection, mat, piece_set("decktet")), Cards(), [None, None, "pact"]

    def read(found: Sequence[FoundPiece]) -> list[Look]:
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


@pytest.mark.thorough
def test_cards_that_touch_are_two() -> None:
    seen = Watched().see(card("end", 145, 52, 1.0), card("author", 211, 53, -2.0))
    assert shown(seen, "card-b") == ["end"]
    assert shown(seen, "sequence-b") == ["author"]


@pytest.mark.thorough
def test_nothing_is_named_that_was_not_enrolled() -> None:
    (body,) = make_bodies(("windfall",), piece_set("decktet"), 40)
    (seen,) = Watched().see(msgspec.structs.replace(body, x=272.0, y=246.0)).zone("card-a").pieces
    assert seen is not None
    assert (seen.kind, seen.sight) == (None, Sight.UNKNOWN)


class Stuck(Component):
    """Whatever rectangle is laid over its edges comes to lie at the same place."""

    def _lay_over(self, quad: Quad) -> Quad:
        return msgspec.structs.replace(quad, x=40.0, y=50.0, angle_deg=0.0, support=1.0)


def test_no_rectangle_is_found_for_ever() -> None:
    solid = np.zeros((100, 160), np.uint8)
    solid[15:86, 15:66], solid[15:86, 75:126] = 1, 1
    sheet = np.asarray(np.dstack([40 + 200 * solid] * 3), np.uint8)
    assert len(list(islice(Stuck(sheet, solid, (50.0, 70.0)).peel(), 5))) == 1


@pytest.mark.thorough
def test_what_has_a_cards_shape_but_no_name_and_lies_in_no_zone_is_some_object() -> None:
    (body,) = make_bodies(("windfall",), piece_set("decktet"), 40)
    table = Watched()
    table.see()
    seen = table.see(msgspec.structs.replace(body, x=OFF[0], y=OFF[1]))
    assert [stray.track >= FOREIGN_TRACKS for stray in seen.strays] == [True]
    table.see()
    named = table.see(card("sea", *OFF))
    assert [stray.kind for stray in named.strays] == ["sea"]


@pytest.mark.parametrize(("fit", "is_card"), [(0.96, True), (0.5, False)])
def test_what_cannot_be_read_and_has_faint_sides_is_a_card_if_it_agrees_with_a_face(
    monkeypatch: pytest.MonkeyPatch, fit: float, *, is_card: bool
) -> None:
    """Seed 15388749, match 1, of Fence, at 73 s: a card in the dark, of which a side lies over a marker."""
    monkeypatch.setattr("vision.cards.reader.CLEARLY", 2.0)  # as if all edges were faint

    def unread(_reader: PrintedRecogniser, *_of: Any) -> Naming:
        return Naming(None, 0.0, 0.0, "end", fit)

    monkeypatch.setattr(PrintedRecogniser, "naming", unread)
    pieces = Watched().see(card("end", 274, 245)).zone("card-a").pieces
    assert [piece and piece.sight for piece in pieces] == ([Sight.UNKNOWN] if is_card else [None])


def test_a_back_with_faint_lines_and_sides_is_no_reflection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.cards.reader.CLEARLY", 2.0)  # as if all edges were faint
    monkeypatch.setattr("vision.cards.reader.BLANK", 2.0)
    (piece,) = Watched().see(card("end", 274, 245, 0.0, Face.DOWN)).zone("card-a").pieces
    assert piece is not None
    assert (piece.face, piece.sight) == (Face.DOWN, Sight.SEEN)


def test_a_card_that_is_pushed_and_covered_but_for_a_strip_that_nobody_can_read_is_not_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Watched()
    before = table.see(card("author", 165, 252, 14.0))

    def rightmost(*given: Any) -> list[Quad]:
        return [max(quads_in(*given), key=lambda quad: quad.x)]

    def unread(_reader: PrintedRecogniser, *_of: Any) -> Naming:
        return Naming(None, 0.0, 0.0)

    monkeypatch.setattr("vision.cards.arrivals.quads_in", rightmost)
    monkeypatch.setattr(PrintedRecogniser, "name_part", unread)
    seen = table.see(card("author", 165, 246, 14.0), card("pact", 183, 247, -3.0))
    piece, _ = seen.zone("sequence-a").pieces
    assert piece is not None
    assert (piece.track, piece.sight) == (*tracks(before, "sequence-a"), Sight.COVERED)
    assert [touch.certainty for touch in seen.touched if touch.track == piece.track] == [UNSURE]


def test_two_backs_that_come_at_once_are_both_seen_face_down() -> None:
    eyes = Watched()
    seen = eyes.see(card("end", 274, 245, 0.0, Face.DOWN), card("sea", 146, 52, 0.0, Face.DOWN))
    for zone in ("card-a", "card-b"):
        (piece,) = seen.zone(zone).pieces
        assert piece is not None
        assert (piece.kind, piece.face, piece.sight) == (None, Face.DOWN, Sight.SEEN)


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


@pytest.mark.parametrize(("bite", "whole"), [(0.4, True), (0.6, False)])
def test_a_back_is_searched_whole_of_which_a_lamp_s_reflection_hides_a_part(
    bite: float, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There it may be of the ground's hue and brightness. What hardly stands out is a reflection itself."""
    eyes, stand_out, came, searched = Watched(), RestComparison.solid, list[Image](), list[Image]()
    eyes.see()

    def bitten(work: RestComparison, news: Image | None = None) -> Image:
        solid = stand_out(work, news).copy()
        if news is not None:
            left, top, width, height = cv2.boundingRect(news)
            solid[top : top + round(bite * height), left : left + width] = 0
            came.append(news)
        return solid

    def looked(sheet: Image, solid: Image, *given: Any) -> list[Quad]:
        searched.append(solid)
        return quads_in(sheet, solid, *given)

    monkeypatch.setattr(RestComparison, "solid", bitten)
    monkeypatch.setattr("vision.cards.arrivals.quads_in", looked)
    eyes.see(card("end", 274, 246, 0.0, Face.DOWN))
    assert (share(came[0], searched[0]) == 1.0) is whole


@pytest.mark.quick(1)
@pytest.mark.parametrize("found", [True, False])
def test_a_card_is_gone_whose_sides_are_though_the_ground_that_is_bare_now_stands_out(
    found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a lamp's reflection what stands out there may be found as a rectangle, too."""

    def reflected(*given: Any) -> list[Quad]:
        (one,) = known
        return [msgspec.structs.replace(one, x=one.x + 3, support=0.6)] if found else []

    eyes, known = Watched(), list[Quad]()
    eyes.see()
    assert shown(eyes.see(card("sea", 147, 246, 3.0)), "sequence-a") == ["sea"]
    monkeypatch.setattr(RestComparison, "solid", lambda work, *_: work.usable)
    monkeypatch.setattr(Arrivals, "quads", _heard(known))
    monkeypatch.setattr("vision.cards.arrivals.quads_in", reflected)
    assert shown(eyes.see(), "sequence-a") == []


@pytest.mark.thorough
def test_a_card_that_is_not_found_at_once_is_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    eyes = Watched()
    eyes.see()
    with monkeypatch.context() as blind:
        blind.setattr("vision.cards.arrivals.quads_in", lambda *_: [])
        assert shown(eyes.see(card("end", 274, 245, 3.0)), "card-a") == [None]
    assert shown(eyes.see(card("end", 274, 245, 3.0)), "card-a") == ["end"]


def test_a_card_whose_rim_another_hides_is_named_by_what_shows_of_it_if_not_by_its_face(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(PrintReading, "sure", False)  # as if what hides the rim were taken for a stranger's print
    table = Watched()
    table.see()
    both = table.see(card("author", 150, 246, 1.0), card("sea", 206, 246, 1.0))
    assert shown(both, "sequence-a")[0] == "author"


def test_a_whole_card_that_the_light_s_correction_would_burn_out_is_read_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mat, image = mats(["runes"])["runes"], renderer(SCENE).picture(Truth((card("author", 272, 246, 3.0),)), (), 1.0, 1)
    fit, _ = Locator(mat).look(image)
    assert fit is not None
    pieces = piece_set("decktet")
    survey = MatSurvey(fit.projection, mat, ["card-a"], {"decktet": pieces}, {"decktet": recogniser()})
    rows, columns = np.indices(image.shape[:2])
    (x, y), *_ = fit.projection.pixels(np.array([[285.0, 230.0]]))
    glow = 100.0 * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * 150.0**2))
    dim = np.asarray(np.clip(image / 2.2 + glow[..., None], 0, 255), np.uint8)
    monkeypatch.setattr("vision.survey.measure", lambda *_: ColourCorrection((2.0, 2.0, 2.0)))
    seen = run_together(survey.observe(Pyramid(dim), Cards()))
    assert [track.look.kind for track in seen.cards.tracks] == ["author"]


def test_cards_go_to_their_places_where_covered_markers_come_into_sight() -> None:
    table = Watched()
    lying = card("author", 147.0, 246.0, 2.0), card("sea", 272.0, 246.0, -3.0)
    hands = [something(m.x + m.side / 2, m.y + m.side / 2, 34, 34, (90, 110, 150)) for m in table.mat.markers[2:]]
    aside, told = table.see(*lying, paint=hands), table.see(*lying)
    assert told.touched == ()
    assert max(_off(aside, lying)) > 1.6
    assert max(_off(told, lying)) < 0.6


def _heard(known: list[Quad]) -> Callable[[Arrivals], list[Quad]]:
    """What finds the cards that came, and tells where those lie that were known."""
    quads = Arrivals.quads

    def told(arrivals: Arrivals) -> list[Quad]:
        known[:] = [arrivals.work.on.quad(track.look) for track in arrivals.work.known]
        return quads(arrivals)

    return told


def _off(told: Observation, lying: Iterable[Body]) -> list[float]:
    """How far beside its place each card is told, in millimetres."""
    seen = {one.kind: one for zone in told.zones for one in zone.pieces if one is not None}
    return [float(np.hypot(seen[body.kind].x_mm - body.x, seen[body.kind].y_mm - body.y)) for body in lying]
