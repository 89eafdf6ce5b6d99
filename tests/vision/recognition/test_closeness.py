"""A crop laid over a reference, line by line."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.bench.perturbations import Change, blurred, glare, in_light, shifted
from tests.vision.faces import tile
from vision.recognition.canonical import canonical
from vision.recognition.closeness import SOFT, Closeness, Reference, closeness, reference


@pytest.fixture(scope="module")
def k() -> Reference:
    return reference(canonical(tile("K")))


@pytest.fixture(scope="module")
def r() -> Reference:
    return reference(canonical(tile("R")))


def test_a_picture_lies_perfectly_over_itself(k: Reference, r: Reference) -> None:
    fits = closeness(canonical(tile("K")), k, r)
    assert fits.whole == pytest.approx(1, abs=0.01)
    assert fits.middle == pytest.approx(1, abs=0.01)
    assert (fits.worst < -3, fits.soft, fits.apart > 2) == (True, 0.0, True)


@pytest.mark.parametrize(
    "change",
    [in_light((0.5, 0.8, 1.2)), shifted(0.04), blurred(1 / 8), glare(0.2)],
    ids=["warm lamp", "off centre", "out of focus", "glare"],
)
def test_a_stranger_fits_worse_than_the_piece_seen_badly(change: Change, k: Reference, r: Reference) -> None:
    """An X is the network's next best K."""
    known, strange = (closeness(canonical(change(tile(face), np.random.default_rng(3))), k, r) for face in "KX")
    assert known.whole > strange.whole + 0.1
    assert known.middle > strange.middle + 0.1
    assert known.worst < strange.worst - 0.5
    assert known.apart > strange.apart


def test_the_reference_is_blurred_as_the_crop_is(k: Reference, r: Reference) -> None:
    sharp = canonical(tile("K"))
    found = [closeness(cv2.GaussianBlur(sharp, (0, 0), spread).astype(np.uint8), k, r) for spread in SOFT[1:]]
    assert [fits.soft for fits in found] == [1.0, 2.0, 3.0, 4.0]
    assert min(fits.whole for fits in found) > 0.97


def test_a_bare_or_burnt_picture_fits_nothing(k: Reference, r: Reference) -> None:
    for level in (0, 120, 255):
        fits = closeness(np.full((64, 64, 3), level, np.uint8), k, r)
        assert isinstance(fits, Closeness)
        assert np.isfinite(fits).all()
        assert fits.whole < 0.1
