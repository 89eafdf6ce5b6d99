"""Piles: what lies on top, and whether it was drawn."""

from __future__ import annotations

import random
from collections.abc import Sequence

import cv2
import msgspec
import numpy as np
import pytest

from device.games import mats
from engine.table import Face, Observation, Sight
from referee_simulator.harness.bumps import bump_scene
from referee_simulator.players.improvised import COASTER
from referee_simulator.table.ground_truth import Body, Truth
from referee_simulator.table.holding import PILED
from referee_simulator.table.places import jitter_pose
from referee_simulator.table.scenes import Scene
from referee_simulator.table.setting import piece_set
from tests.vision.cards.watched import CARDS, SCENE, Watched, card, renderer, shown, tracks
from vision.camera import Frame
from vision.cards.arrivals import Arrivals
from vision.cards.cardsheet import CardSheet
from vision.cards.comparing import RestComparison
from vision.cards.leftover import Leftover
from vision.cards.tracks import Cards
from vision.finding.pieces import FoundPiece, PieceFinder
from vision.finding.quad import Quad
from vision.finding.quads import quads_in
from vision.registration.markers import Locator
from vision.registration.rectify import Projection
from vision.tracking.tracker import Look


def test_of_a_pile_the_top_is_seen() -> None:
    table = Watched()
    table.see()
    table.see(card("end", 255, 148, 93.0))
    seen = table.see(card("end", 255, 148, 93.0), card("excuse", 258, 146, 86.0))
    assert shown(seen, "discards") == ["excuse"]


@pytest.mark.thorough
def test_a_card_whose_edges_nobody_finds_on_a_pile_is_read_where_the_last_one_lay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Watched()
    table.see(card("end", 255, 148, 93.0))
    monkeypatch.setattr("vision.cards.arrivals.quads_in", lambda *_: [])
    assert shown(table.see(card("end", 255, 148, 93.0), card("excuse", 258, 146, 88.0)), "discards") == ["excuse"]
    assert shown(table.see(), "discards") == []


@pytest.mark.thorough
def test_a_card_on_a_pile_of_which_only_rims_of_those_below_are_found_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def rim(found: Arrivals) -> list[Quad]:
        below = found.work.on.quad(Look(261.0, 151.0, 88.0, None, None, Sight.UNKNOWN, 0.0))
        return [msgspec.structs.replace(below, shown=0.0)]

    table = Watched()
    table.see(card("end", 255, 148, 93.0))
    monkeypatch.setattr(Arrivals, "quads", rim)
    assert shown(table.see(card("end", 255, 148, 93.0), card("excuse", 257, 147, 88.0)), "discards") == ["excuse"]


@pytest.mark.thorough
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
    image = renderer(SCENE).picture(Truth((card("pact", 164, 148.5, 90.6, Face.DOWN),)), (), 1.0, 1)
    fit, _ = Locator(mat).look(image)
    assert fit is not None
    off = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, -0.5], [0.0, 0.0, 1.0]])  # of the picture's pixels
    again = Projection(off @ fit.projection.homography, fit.projection.lens)
    cards = Cards()

    def backs(found: Sequence[FoundPiece]) -> list[Look]:
        return [Look(at.x_mm, at.y_mm, at.angle_deg, None, Face.DOWN, Sight.SEEN, 0.99) for at in found]

    first, second = (
        cards.settle(image, PieceFinder(projection, mat, piece_set("decktet")), zones, backs, None)
        for projection in (fit.projection, again)
    )
    assert len(first.tracks) == 1
    assert [track.number for track in second.tracks] == [track.number for track in first.tracks]
    assert second.touched == ()


@pytest.mark.quick(2)
@pytest.mark.parametrize("cards", [2, 16, 40])
@pytest.mark.parametrize("drawn", [True, False])
def test_who_bumps_the_camera_draws_no_card_and_hides_no_draw(cards: int, drawn: bool) -> None:
    dice = random.Random(f"bumped/{cards}")
    table, pile = Watched(), [_in_pile(number, dice) for number in range(cards)]
    before = table.see(*pile)
    table.move(bump_scene(SCENE, table.mat, dice))
    after = table.see(*pile[: cards - drawn])
    touched = [touch.track for touch in after.touched if touch.certainty == 1.0]
    assert touched == (tracks(before, "pile") if drawn else [])
    assert (tracks(after, "pile") != tracks(before, "pile")) is drawn


@pytest.mark.quick(1)
@pytest.mark.parametrize(("first", "second"), [((1280, 720), (960, 540)), ((960, 540), (1280, 720))])
@pytest.mark.parametrize("drawn", [True, False])
def test_pictures_of_another_size_draw_no_card_and_hide_no_draw(
    first: tuple[int, int], second: tuple[int, int], drawn: bool
) -> None:
    dice = random.Random("sizes")
    table, pile = Watched(), [_in_pile(number, dice) for number in range(20)]

    def look(number: int, bodies: Sequence[Body], size: tuple[int, int]) -> Observation:
        image = renderer(SCENE).frame(Truth(tuple(bodies)), (), number, number).image
        return table.look(Frame.of(number, float(number), np.asarray(cv2.resize(image, size), np.uint8)))

    before, after = look(1, pile, first), look(2, pile[: 20 - drawn], second)
    assert [touch.track for touch in after.touched] == (tracks(before, "pile") if drawn else [])
    assert (tracks(after, "pile") != tracks(before, "pile")) is drawn


def _in_pile(number: int, dice: random.Random) -> Body:
    """A card of a pile that is stacked as neatly as in play."""
    x, y, angle = jitter_pose(dice, (164.0, 148.0, 90.0), PILED)
    one = card(CARDS[number % len(CARDS)], x, y, angle, Face.DOWN)
    return msgspec.structs.replace(one, id=100 + number)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("drawn", "moved"), [(True, False), (False, False), (False, True)])
def test_a_better_fit_of_the_mat_draws_no_card_and_hides_no_draw(drawn: bool, moved: bool) -> None:
    """moved: the camera is bumped before the table rests under that fit."""
    dice = random.Random("carried")
    mat, zones = mats(["runes"])["runes"], [zone for zone in mats(["runes"])["runes"].zones if zone.name == "pile"]
    pile = [_in_pile(number, dice) for number in range(3)]
    there = bump_scene(SCENE, mat, dice) if moved else SCENE
    before, now = (
        renderer(scene).picture(Truth(tuple(pile[:count])), (), at, at)
        for at, scene, count in ((1, SCENE, 3), (2, there, 3 - drawn))
    )
    (fit, _), (later, _) = (Locator(mat).look(picture) for picture in (before, now))
    assert fit is not None
    assert later is not None
    off = np.array([[1.0, 0.0, 6.0], [0.0, 1.0, -5.0], [0.0, 0.0, 1.0]])  # of the picture's pixels
    worse, cards = Projection(off @ fit.projection.homography, fit.projection.lens), Cards()

    def backs(found: Sequence[FoundPiece]) -> list[Look]:
        return [Look(at.x_mm, at.y_mm, at.angle_deg, None, Face.DOWN, Sight.SEEN, 0.99) for at in found]

    def carry(x_mm: float, y_mm: float) -> tuple[float, float]:
        x, y = fit.projection.millimetres(worse.pixels(np.array([[x_mm, y_mm]])))[0].tolist()
        return x, y

    last = later.projection if moved else fit.projection
    finders = [PieceFinder(projection, mat, piece_set("decktet")) for projection in (worse, last)]
    (first,) = cards.settle(before, finders[0], zones, backs, None).tracks
    cards.refit(carry)
    if moved:
        cards.reset_after_move(PieceFinder(fit.projection, mat, piece_set("decktet")))
    after = cards.settle(now, finders[1], zones, backs, None)
    assert [touch.track for touch in after.touched] == ([first.number] if drawn else [])
    assert [track.number for track in after.tracks] == [first.number + drawn]


@pytest.mark.thorough
def test_a_card_drawn_that_lay_just_so_leaves_its_pile() -> None:
    eyes = Watched()
    eyes.see(card("pact", 164, 148, 90.0, Face.DOWN), card("end", 164.5, 148.4, 90.3, Face.DOWN))
    seen = eyes.see(card("pact", 164, 148, 90.0, Face.DOWN), card("sea", 274, 52))
    assert shown(seen, "pile") == [None]
    assert shown(seen, "sequence-b") == ["sea"]


@pytest.mark.thorough
def test_a_back_drawn_from_a_pile_is_seen_to_be_taken_though_the_next_one_lies_askew() -> None:
    eyes = Watched()
    below = card("end", 163, 147, 90.0, Face.DOWN)
    before = eyes.see(below, card("pact", 166, 150, 90.0, Face.DOWN))
    seen = eyes.see(below)
    assert shown(seen, "pile") == [None]
    assert tracks(seen, "pile") != tracks(before, "pile")
    assert (tracks(before, "pile")[0], True) in [(touch.track, touch.lifted) for touch in seen.touched]


@pytest.mark.thorough
def test_a_card_laid_beside_a_pile_and_a_little_over_it_draws_nothing() -> None:
    eyes = Watched()
    pile = card("end", 164, 148, 91.0, Face.DOWN)
    before = eyes.see(pile)
    seen = eyes.see(pile, card("pact", 251, 149, 86.0))
    assert tracks(seen, "pile") == tracks(before, "pile")
    assert [touch.track for touch in seen.touched] == tracks(seen, "discards")


@pytest.mark.thorough
@pytest.mark.parametrize(("x", "y"), [pytest.param(195.0, 122.0, marks=pytest.mark.soak), (164.0, 140.0)])
def test_an_object_over_a_pile_draws_nothing_neither_when_it_comes_nor_when_it_goes(x: float, y: float) -> None:
    eyes = Watched()
    pile = card("end", 164, 148, 91.0, Face.DOWN)
    before = eyes.see(pile)
    for seen in (eyes.see(pile, msgspec.structs.replace(COASTER, x=x, y=y, angle=10.0)), eyes.see(pile)):
        assert tracks(seen, "pile") == tracks(before, "pile")
        assert not seen.touched
        assert not seen.lost


@pytest.mark.thorough
def test_who_draws_while_an_object_lies_over_the_pile_is_seen_to_draw() -> None:
    eyes = Watched()
    below, coaster = card("end", 163, 147, 90.0, Face.DOWN), msgspec.structs.replace(COASTER, x=195.0, y=122.0)
    eyes.see(below, card("pact", 164, 148, 91.0, Face.DOWN))
    before = eyes.see(below, card("pact", 164, 148, 91.0, Face.DOWN), coaster)
    seen = eyes.see(below, coaster)
    assert tracks(seen, "pile") != tracks(before, "pile")
    assert (tracks(before, "pile")[0], 1.0) in [(touch.track, touch.certainty) for touch in seen.touched]


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [18, pytest.param(34, marks=pytest.mark.soak)])
def test_a_reflection_on_the_mat_is_no_card_beside_the_pile(seed: int) -> None:
    eyes = Watched(Scene(seed=seed, stops=-1.2, glare=60.0))
    pile = card("sea", 164, 150, 90.0, Face.DOWN), card("end", 165, 150, 91.0, Face.DOWN)
    assert eyes.see(*pile).zone("discards").pieces == ()
    assert eyes.see(*pile, card("pact", 147, 246, 2.0)).zone("discards").pieces == ()


def test_lines_of_the_mat_under_a_card_laid_askew_are_no_card_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """They seem to be its sides, and looked otherwise at the look before, in another light."""
    table, sheets = Watched(), list[CardSheet]()
    cell = next(zone.box for zone in table.mat.zones if zone.name == "card-a")
    lines = Look(cell.x + cell.width / 2, cell.y + cell.height / 2, 0.0, None, Face.DOWN, Sight.SEEN, 1.0)

    def remind(_: Leftover, work: RestComparison) -> None:
        sheets.append(work.on)
        outline = work.on.mask(work.on.quad(lines))
        inner = np.asarray(cv2.erode(outline, np.ones((9, 9), np.uint8)), np.uint8)
        work.strange = np.asarray(work.strange | (outline & (inner ^ 1)), np.uint8)

    table.see()
    monkeypatch.setattr(Leftover, "remind", remind)
    monkeypatch.setattr("vision.cards.arrivals.quads_in", lambda *given: [*quads_in(*given), sheets[-1].quad(lines)])
    after = table.see(card("sea", cell.x + cell.width / 2 - 4.0, cell.y + cell.height / 2 - 9.0, 5.0, Face.DOWN))
    assert len(after.touched) == 1
    assert len(tracks(after, "card-a")) == 1
