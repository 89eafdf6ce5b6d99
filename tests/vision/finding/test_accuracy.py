"""How far off its place a piece may be: farther from the camera, seen aslant, and by a mat that is badly found."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from device.resources import load_shipped
from referee_simulator.render.optics import look_at
from tools.bench.bench_places import Placed, figures, looked_at
from vision.finding.accuracy import errors_mm
from vision.mat import Mat
from vision.recognition.naming import PieceSet
from vision.registration.lens import typical_lens
from vision.registration.markers import MarkerFit
from vision.registration.rectify import apply, corner_projection

MAT = load_shipped(Mat, "mats", "tellstones.toml")
STONES = load_shipped(PieceSet, "sets", "stones.toml")
WIDTH, HEIGHT = 1280, 720
PLACES = np.array([[60.0, 60.0], [200.0, 150.0], [360.0, 240.0]])


def fit(tilt: float = 0.0, error_px: float = 0.3, markers: int = 4) -> MarkerFit:
    wide, high = MAT.size_mm
    corners = np.array([[0, 0, 0], [wide, 0, 0], [wide, high, 0], [0, high, 0]], np.float64)
    seen = look_at(MAT.size_mm, (WIDTH, HEIGHT), tilt_deg=tilt).project(corners)
    projection = corner_projection(seen, MAT.size_mm, WIDTH, HEIGHT, typical_lens(WIDTH, HEIGHT))
    return MarkerFit(projection, frozenset(marker.id for marker in MAT.markers[:markers]), error_px)


def test_what_is_seen_aslant_is_less_sure_of_its_place_the_higher_it_stands() -> None:
    straight, leaning = (errors_mm(fit(tilt), MAT, PLACES, STONES) for tilt in (0.0, 35.0))
    assert leaning.max() > straight.max()
    assert (straight > 0).all()


def test_a_mat_that_is_badly_found_or_by_three_markers_makes_every_place_less_sure() -> None:
    well, badly, by_three = (
        errors_mm(each, MAT, PLACES, STONES) for each in (fit(), fit(error_px=1.1), fit(markers=3))
    )
    assert (badly > well).all()
    assert (by_three > well).all()


@pytest.mark.parametrize("error_px", [0.3, 1.1, 2.0, 2.9])
def test_four_markers_tell_no_worse_than_three(error_px: float) -> None:
    four, three = (errors_mm(fit(error_px=error_px, markers=seen), MAT, PLACES, STONES).max() for seen in (4, 3))
    assert four < three


def test_noisy_markers_tell_less_of_how_a_lens_is_bent() -> None:
    """Beside what their own places make of it, which a measured lens has as well."""
    guessed, measured = (
        errors_mm(fit(error_px=1.1), MAT, PLACES, STONES, measured_lens=known).max() for known in (False, True)
    )
    assert guessed > 1.1 * measured


def test_the_top_of_a_pile_may_lie_as_far_off_as_a_whole_deck_is_high() -> None:
    cards, mat = load_shipped(PieceSet, "sets", "decktet.toml"), load_shipped(Mat, "mats", "runes.toml")
    middle = {zone.name: (zone.box.x + zone.box.width / 2, zone.box.y + zone.box.height / 2) for zone in mat.zones}
    places = np.array([middle["pile"], middle["card-a"]])
    straight, leaning = (errors_mm(fit(tilt), mat, places, cards) for tilt in (0.0, 20.0))
    assert leaning[0] > 4.0
    assert max(straight[1], leaning[1]) < 3.0


def test_a_measured_lens_is_trusted() -> None:
    guessed, measured = (errors_mm(fit(markers=3), MAT, PLACES, STONES, measured_lens=known) for known in (False, True))
    assert (measured < guessed).all()


@pytest.mark.parametrize("tilt", [0.0, 25.0])
def test_a_stone_that_is_2_mm_thicker_than_its_set_says_lies_within_what_is_told(tilt: float) -> None:
    """So much thicker it may be: enrolment lets that pass."""
    projection = fit(tilt).projection
    seen = projection.pixels(PLACES, STONES.thickness_mm + 2.0)
    back = np.asarray(np.linalg.inv(projection.at_height(STONES.thickness_mm)), np.float64)
    told = apply(back, projection.lens.undistort(seen))
    off = np.hypot(*(told - PLACES).T)
    assert off.max() > 0.5
    assert (off < errors_mm(fit(tilt), MAT, PLACES, STONES)).all()


def test_no_piece_has_no_error_and_corners_alone_will_do() -> None:
    assert errors_mm(fit(), MAT, np.zeros((0, 2)), STONES).shape == (0,)
    by_hand = msgspec.structs.replace(fit(), ids=frozenset(), error_px=0.0)
    assert np.isfinite(errors_mm(by_hand, MAT, PLACES, STONES)).all()


@pytest.mark.thorough
def test_rendered_stones_lie_within_what_is_told() -> None:
    rng = np.random.default_rng(5)
    every = [one for _ in range(2) for one in looked_at(MAT, STONES, "normal", 25.0, rng)]
    told = figures("normal", 25.0, every)
    assert (told.pieces, told.found) == (14, 14)
    assert told.median_mm <= 0.5
    assert told.p95_mm <= 1.5
    assert told.within >= 0.9


@pytest.mark.thorough
def test_rendered_cards_lie_within_what_is_told() -> None:
    rng = np.random.default_rng(5)
    cards, mat = load_shipped(PieceSet, "sets", "decktet.toml"), load_shipped(Mat, "mats", "runes.toml")
    told = figures("normal", None, [one for _ in range(4) for one in looked_at(mat, cards, "normal", None, rng)])
    assert (told.pieces, told.found) == (24, 24)
    assert told.within >= 0.9


def test_figures() -> None:
    told = figures("easy", None, [Placed(0.2, 0.5), Placed(0.4, 0.3), None])
    assert (told.pieces, told.found, told.median_mm, told.told_mm, told.within) == (3, 2, 0.3, 0.4, 0.5)
    with pytest.raises(ValueError, match="none of 1 pieces"):
        figures("easy", None, [None])
