"""Keypoints that match in place: agreement of a piece with itself, with others, and with a plain field."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.faces import disc, lit, tile, turned
from vision.recognition.canonical import SIDE, canonical
from vision.recognition.confidence import DOUBT, witnessed
from vision.recognition.keypoints import MOST, agreement, keypoints


@pytest.mark.parametrize("angle", [37, 143, 200])
def test_a_piece_agrees_with_itself_in_any_turn_and_light_more_than_with_another(angle: float) -> None:
    reference = keypoints(canonical(disc("R")))
    same = agreement(keypoints(canonical(lit(turned(disc("R"), angle), (0.6, 0.95, 1.25)))), reference)
    others = [agreement(keypoints(canonical(turned(disc(letter), angle))), reference) for letter in "ATMS"]
    assert same is not None
    assert same > 0.5
    assert all(other is not None and other < same for other in others)


def test_a_plain_reference_says_nothing_and_a_plain_crop_disagrees() -> None:
    plain = keypoints(np.full((SIDE, SIDE, 3), 127, np.uint8))
    letter = keypoints(canonical(tile("R")))
    assert agreement(letter, plain) is None
    assert agreement(plain, letter) == 0
    assert agreement(letter, letter) == MOST


def test_agreement_raises_a_confidence_and_disagreement_lowers_it() -> None:
    assert witnessed(0.9, 0.0) < 0.9 < witnessed(0.9, MOST)
    assert witnessed(0.9, None) == 0.9


def test_an_undecided_name_stays_undecided_however_well_keypoints_agree() -> None:
    """Near twins share their keypoints."""
    assert witnessed(DOUBT, MOST) == DOUBT
