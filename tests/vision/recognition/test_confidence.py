"""The evidence for a name, and the probability made of it."""

from __future__ import annotations

import math

import cv2
import msgspec
import numpy as np
import pytest

from tests.vision.faces import tile
from vision.recognition.canonical import canonical
from vision.recognition.confidence import (
    BARE,
    DOUBT,
    EVEN,
    EVEN_CLOSELY,
    TIE,
    Closer,
    Evidence,
    Fit,
    confidence,
    crowd,
    evidence,
    guessed,
    products,
    undecided,
)
from vision.recognition.models import FITS, read_model
from vision.recognition.rehearsal import Expected
from vision.recognition.traits import Traits, traits

PLAIN = Traits(-1.0, -0.5, 0.0)
USUAL = Expected(0.3, 0.5)
ALIKE = np.array([[1.0, 0.6, 0.2], [0.5, 1.0, 0.3], [0.2, 0.3, 1.0]], np.float32)


def test_evidence_of_the_best_kind() -> None:
    scores = np.array([0.9, 0.7, 0.1], np.float32)
    seen = evidence(scores, scores, crowd(ALIKE), Traits(-1.5, -0.2, 0.1), PLAIN, USUAL)
    assert seen.best == pytest.approx(0.9)
    assert seen.gap == pytest.approx(0.2)
    assert seen.lead == pytest.approx(0.5)
    assert seen.won == pytest.approx(math.log(TIE + 0.2))
    assert (seen.twin, seen.rival, seen.crowd) == pytest.approx((0.6, 0.6, 0.6))
    assert (seen.softer, seen.paler, seen.burnt) == pytest.approx((-0.5, 0.3, 0.1))
    assert (seen.narrow, seen.above) == pytest.approx((-0.1, 0.4))


def test_a_second_look_may_overrule_the_network() -> None:
    scores = np.array([0.90, 0.88, 0.1], np.float32)
    second = np.array([0.90, 0.95, 0.1], np.float32)
    seen = evidence(scores, second, crowd(ALIKE), PLAIN, PLAIN, USUAL)
    assert seen.best == pytest.approx(0.88)
    assert seen.gap == pytest.approx(-0.02)
    assert seen.won == pytest.approx(math.log(TIE + 0.05))


def test_one_kind_alone_has_no_rivals() -> None:
    scores = np.array([0.8], np.float32)
    seen = evidence(scores, scores, crowd(np.ones((1, 1), np.float32)), PLAIN, PLAIN, USUAL)
    assert (seen.gap, seen.lead, seen.won) == pytest.approx((0.8, 0.8, math.log(TIE + 0.8)))
    assert (seen.twin, seen.rival, seen.crowd) == (0.0, 0.0, 0.0)
    unlike = np.array([-0.2], np.float32)
    assert evidence(unlike, unlike, crowd(np.ones((1, 1), np.float32)), PLAIN, PLAIN, USUAL).won == math.log(TIE)


def test_products_hold_each_pair_once_and_cut_what_is_far() -> None:
    assert products(np.array([2.0, 3.0])).tolist() == [2.0, 3.0, 4.0, 6.0, 9.0]
    assert products(np.array([[100.0, -100.0]])).tolist() == [[3.0, -3.0, 9.0, -9.0, 9.0]]


@pytest.mark.parametrize("told", [Evidence, Closer])
def test_the_shipped_fit_has_a_weight_for_everything(told: type[Evidence]) -> None:
    fit = msgspec.json.decode(read_model(FITS), type=dict[str, Fit])[told.__name__.lower()]
    count = len(told.__struct_fields__)
    assert len(fit.centre) == len(fit.spread) == count
    assert len(fit.weights) == count + count * (count + 1) // 2
    assert min(fit.spread) > 0
    if fit.trees is not None:
        assert {value for tree in fit.trees.value for value in tree} <= set(range(-1, count))


def test_a_score_with_a_gap_is_believed_and_one_without_is_not() -> None:
    clear = Evidence(0.97, 0.4, 0.6, math.log(0.46), 0.55, 0.55, 0.6, 0.0, 0.0, 0.0, 0.0, 0.4)
    assert confidence(clear) > 0.9
    doubtful = msgspec.structs.replace(clear, best=0.6, gap=0.02, lead=0.1, won=math.log(0.03), narrow=-0.4, above=0.0)
    assert confidence(doubtful) < 0.3
    even = msgspec.structs.replace(clear, gap=EVEN / 2)
    assert (confidence(even), undecided(even), undecided(clear)) == (DOUBT, True, False)


def test_a_piece_that_does_not_fit_its_reference_is_not_believed() -> None:
    seen = (0.9, 0.08, 0.18, math.log(0.14), 0.8, 0.8, 0.8, 0.0, 0.0, 0.0, -0.05, 0.12)
    lies = (0.91, 0.08, 0.04, 0.0, 0.95, 0.93, -0.5, 1.0, 1.5, 1.2, 1.0, 0.0, 0.0)
    fits = Closer(*seen, *lies)
    assert confidence(fits) > 0.93
    wrong = msgspec.structs.replace(fits, whole=0.5, middle=0.45, worst=2.0, apart=0.1, beside=-0.2)
    assert confidence(wrong) < 0.8
    even, hidden = msgspec.structs.replace(fits, ahead=EVEN_CLOSELY / 2), msgspec.structs.replace(fits, bare=BARE / 2)
    assert confidence(even) <= DOUBT, "another kind is as likely"
    assert confidence(hidden) <= DOUBT, "too little of it is in sight"


def test_under_a_finger_a_kind_must_be_further_ahead() -> None:
    """What would tell it from the next may lie there; a lamp hides less, for it lets the lines around through."""
    seen = (0.9, 0.08, 0.18, -2.0, 0.8, 0.8, 0.8, 0.0, 0.0, 0.0, -0.05, 0.12)
    lies = (0.9, 0.1, 0.04, 0.0, 0.95, 0.93, -0.5, 1.0, 1.5, 1.2, 1.0, 0.0, 0.0)
    fits = Closer(*seen, *lies)
    slim = msgspec.structs.replace(fits, ahead=1.5 * EVEN_CLOSELY, telling=0.6, hidden=0.3, glare=0.0)
    assert (guessed(slim), undecided(slim), confidence(slim) <= DOUBT) == (True, False, True)
    assert not guessed(msgspec.structs.replace(slim, telling=0.9))
    assert not guessed(msgspec.structs.replace(slim, ahead=2.5 * EVEN_CLOSELY))
    assert not guessed(msgspec.structs.replace(slim, glare=0.3))


def test_traits_tell_blur_and_burnt_pictures() -> None:
    sharp = canonical(tile("K"))
    soft = traits(cv2.GaussianBlur(sharp, (0, 0), 4).astype(np.uint8))
    assert soft.edges < traits(sharp).edges - 0.2
    white = sharp.copy()
    white[:16] = 255
    assert traits(white).burnt == pytest.approx(0.25)
    assert all(np.isfinite(traits(np.zeros((64, 64, 3), np.uint8))))
