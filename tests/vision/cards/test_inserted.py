"""Cards laid between others of a splay, or below its oldest, whose sides may not be seen."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.table import Face, Observation, Sight
from referee_simulator.table.ground_truth import Body
from referee_simulator.table.scenes import draw, load_scenes
from tests.vision.cards.watched import CARDS, TWINS, Watched, card, shown, tracks
from vision.camera import Frame
from vision.cards.arrivals import Arrivals
from vision.cards.strips import Strips
from vision.recognition.enrolment import BACK
from vision.recognition.naming import Naming
from vision.registration.markers import Locator


def faces(seen: Observation) -> list[Face | None]:
    """The side that each card of the splay shows."""
    return [piece.face for piece in seen.zone("sequence-a").pieces if piece]


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("splay", "came"),
    [
        (("excuse", 145.4, 249.5, -1.9), ("ace-of-leaves", 169.9, 243.6, -3.4)),
        (("huntress", 166.7, 245.1, 0.9), ("excuse", 181.8, 245.6, 1.7)),
        (("author", 147.0, 247.0, 2.0, Face.DOWN), ("huntress", 165.0, 246.0, -3.0, Face.DOWN)),
    ],
)
def test_a_card_laid_between_two_others_is_found_by_its_print_where_its_sides_are_not_seen(
    splay: tuple[str, float, float, float], came: tuple[str, float, float, float]
) -> None:
    eyes, below, between = Watched(kinds=(*CARDS, *TWINS)), card(*splay), card(*came)
    above = card("sea", came[1] + 16.0, 247.0, 2.0, Face.DOWN if between.face is Face.UP else Face.UP)
    eyes.see(below)
    before = eyes.see(below, above)
    after = eyes.see(below, between, above)
    known = [one.kind if one.face is Face.UP else None for one in (below, between, above)]
    assert shown(after, "sequence-a") == known
    assert faces(after) == [below.face, between.face, above.face]
    lowest, newest, uppermost = tracks(after, "sequence-a")
    assert [lowest, uppermost] == tracks(before, "sequence-a")
    assert [touch.track for touch in after.touched] == [newest]


@pytest.mark.thorough
def test_a_back_laid_between_two_others_is_found_though_no_rectangle_is(monkeypatch: pytest.MonkeyPatch) -> None:
    eyes, below, above = Watched(), card("huntress", 168.7, 247.1, -4.6), card("sea", 205.4, 248.1, -10.9)
    eyes.see(below)
    before = eyes.see(below, above)
    monkeypatch.setattr(Arrivals, "quads", lambda _: [])
    after = eyes.see(below, card("excuse", 186.4, 247.4, 1.2, Face.DOWN), above)
    assert shown(after, "sequence-a") == ["huntress", None, "sea"]
    assert faces(after) == [Face.UP, Face.DOWN, Face.UP]
    assert tracks(after, "sequence-a")[::2] == tracks(before, "sequence-a")


@pytest.mark.thorough
@pytest.mark.parametrize("face", Face)
def test_a_card_laid_below_the_oldest_of_a_splay_is_found_though_no_rectangle_is(
    monkeypatch: pytest.MonkeyPatch, face: Face
) -> None:
    eyes, oldest, newest = Watched(), card("huntress", 165.0, 247.0, 4.0), card("sea", 184.0, 245.0, -3.0)
    eyes.see(oldest)
    before = eyes.see(oldest, newest)
    monkeypatch.setattr(Arrivals, "quads", lambda _: [])
    after = eyes.see(card("end", 146.0, 248.0, -2.0, face), oldest, newest)
    assert shown(after, "sequence-a") == ["end" if face is Face.UP else None, "huntress", "sea"]
    assert faces(after) == [face, Face.UP, Face.UP]
    assert tracks(after, "sequence-a")[1:] == tracks(before, "sequence-a")


@pytest.mark.thorough
def test_a_card_laid_below_the_oldest_lies_there_though_nobody_can_tell_which_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    eyes, oldest, newest = Watched(), card("huntress", 165.0, 247.0, 4.0), card("sea", 184.0, 245.0, -3.0)
    eyes.see(oldest)
    before = eyes.see(oldest, newest)
    monkeypatch.setattr(Arrivals, "quads", lambda _: [])
    monkeypatch.setattr(Strips, "_naming", lambda *_: Naming(None, 0.5, 0.0, "end", 0.86))
    after = eyes.see(card("end", 146.0, 248.0, -2.0), oldest, newest)
    assert [piece.sight for piece in after.zone("sequence-a").pieces if piece] == [
        Sight.UNKNOWN,
        Sight.SEEN,
        Sight.SEEN,
    ]
    assert tracks(after, "sequence-a")[1:] == tracks(before, "sequence-a")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("scene", "row"),
    [
        (
            1039137,
            [
                card("ace-of-waves", 147.6, 246.7, 1.8),
                card("end", 161.9, 245.1, 183.3),
                card("pact", 179.6, 246.6, 2.6, Face.DOWN),
            ],
        ),
        (
            53136,
            [
                card("pact", 147.2, 245.0, 0.4, Face.DOWN),
                card("sea", 159.3, 245.5, -1.0, Face.DOWN),
                card("ace-of-leaves", 172.7, 247.7, 1.7),
                card("end", 197.4, 247.4, -2.0, Face.DOWN),
            ],
        ),
    ],
)
def test_a_card_laid_between_others_is_one_though_a_strip_of_it_was_found_that_nobody_can_read(
    scene: int, row: list[Body]
) -> None:
    eyes = Watched(draw(load_scenes()["normal"], scene), kinds=(*CARDS, *TWINS))
    for number in range(1, len(row)):
        eyes.see(row[0], *row[2 : number + 1])
    after = eyes.see(*row)
    assert shown(after, "sequence-a") == [one.kind if one.face is Face.UP else None for one in row]
    assert faces(after) == [one.face for one in row]


@pytest.mark.thorough
def test_what_lies_across_cards_of_a_splay_is_no_card_between_them() -> None:
    eyes, below, above = Watched(), card("huntress", 166.7, 245.1, 0.9), card("author", 198.1, 248.2, 2.0)
    eyes.see(below)
    before = eyes.see(below, above)
    strip = np.array([(120.0, 238.0), (240.0, 236.0), (240.0, 246.0), (120.0, 247.0)])
    after = eyes.see(below, above, paint=[(strip, (70, 60, 90))])
    assert tracks(after, "sequence-a") == tracks(before, "sequence-a")


@pytest.mark.thorough
def test_a_light_beside_the_oldest_that_has_but_the_colour_of_a_back_is_no_card(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    eyes, oldest, newest = Watched(), card("huntress", 165.0, 247.0, 4.0), card("sea", 184.0, 245.0, -3.0)
    eyes.see(oldest)
    before = eyes.see(oldest, newest)
    monkeypatch.setattr(Arrivals, "quads", lambda _: [])
    monkeypatch.setattr(Strips, "_naming", lambda *_: Naming(BACK, 0.99, 0.0, BACK, 0.7))
    light = np.array([(116.0, 202.0), (134.0, 202.0), (134.0, 290.0), (116.0, 290.0)])
    after = eyes.see(oldest, newest, paint=[(light, (200, 205, 210))])
    assert tracks(after, "sequence-a") == tracks(before, "sequence-a")


@pytest.mark.thorough
@pytest.mark.parametrize(("x_mm", "dark"), [(136.0, 0.5), (136.0, 0.65), (144.0, 0.5)])
def test_a_shadow_on_a_back_is_no_card(monkeypatch: pytest.MonkeyPatch, x_mm: float, dark: float) -> None:
    eyes = Watched(kinds=(*CARDS, *TWINS))
    cards = card("huntress", 147.0, 246.0, 2.0, Face.DOWN), card("sea", 172.0, 247.0, -1.0)
    eyes.see(cards[0])
    before = eyes.see(*cards)
    with monkeypatch.context() as shaded:
        still = eyes.look
        shaded.setattr(eyes, "look", lambda frame: still(_shaded(eyes, frame, x_mm, dark)))
        assert tracks(eyes.see(*cards), "sequence-a") == tracks(before, "sequence-a")
    assert tracks(eyes.see(*cards), "sequence-a") == tracks(before, "sequence-a")


def _shaded(eyes: Watched, frame: Frame, x_mm: float, dark: float) -> Frame:
    """The frame with a soft shadow over it, 24 mm wide. dark: share of the light that is left."""
    fit, _ = Locator(eyes.mat).look(frame.picture.gray())
    assert fit is not None
    corners = np.array([(x_mm - 12, 150.0), (x_mm + 12, 150.0), (x_mm + 12, 330.0), (x_mm - 12, 330.0)])
    shadow = np.zeros(frame.image.shape[:2], np.float32)
    cv2.fillConvexPoly(shadow, np.round(fit.projection.pixels(corners)).astype(np.int32), (1.0,))
    light = 1.0 - (1.0 - dark) * np.asarray(cv2.GaussianBlur(shadow, (0, 0), 6.0))
    return Frame.of(frame.serial, frame.at, np.asarray(frame.image * light[..., None], np.uint8))
