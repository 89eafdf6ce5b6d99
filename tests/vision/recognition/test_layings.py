"""Crops in doubt are laid over all that they may be."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.faces import disc, tile, turned
from tools.bench.perturbations import blurred, covered, glare
from vision.camera import Image
from vision.recognition import layings as module
from vision.recognition.canonical import canonical
from vision.recognition.comparison import ComparedCrop, compare, second_look
from vision.recognition.drawings import Drawings
from vision.recognition.embedding import shipped
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import Gallery, describe, gallery, upright
from vision.recognition.layings import Layings, laid, layings, uncovered


@pytest.fixture(scope="module")
def discs() -> Gallery:
    return gallery(describe(EnrolledSet("discs", "any", {letter: (disc(letter),) for letter in "AKRX"}), shipped()))


def over(discs: Gallery, picture: Image) -> Layings:
    seen = compare(discs, shipped(), [upright(picture, False)])
    return layings(discs, shipped(), seen, [second_look(discs, one) for one in seen])[0]


def cleared(discs: Gallery, picture: Image, kind: int) -> ComparedCrop:
    """The laying over a kind after what hides it was painted over."""
    (again,) = uncovered(discs, shipped(), Drawings(discs), [over(discs, picture)])
    return again.over[kind]


def test_a_turned_and_shifted_crop_is_laid_straight(discs: Gallery) -> None:
    off = cv2.warpAffine(turned(disc("K"), 75), np.array([[1, 0, 6.0], [0, 1, -4.0]]), disc("K").shape[1::-1])
    (seen,) = compare(discs, shipped(), [upright(off.astype(np.uint8), False)])
    moved, angle = laid(discs, seen, 1)
    assert angle % 360 == pytest.approx(285)
    straight = canonical(disc("K")).astype(float)
    middle = np.s_[16:48, 16:48]
    assert np.abs(moved[middle] - straight[middle]).mean() < 0.5 * np.abs(seen.image[middle] - straight[middle]).mean()


def test_each_likely_kind_has_its_own_laying(discs: Gallery, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REACH", 2.0)
    found = over(discs, turned(disc("K"), 40))
    assert len(found.over) == module.CANDIDATES
    assert all(found.anyhow[kind] >= seen.scores[kind] for kind, seen in found.over.items())
    own = found.over[1]
    assert divmod(int(own.views[1]), len(discs.turns)) == (1, 0), "upright, as its spoiled references are"
    others = [seen.image for kind, seen in found.over.items() if kind != 1]
    assert all(np.abs(image.astype(int) - own.image).mean() > 1 for image in others)


def test_twins_that_lie_alike_are_looked_at_once() -> None:
    faces = {ground: tile("K", ground=(ground, 225, 230)) for ground in (200, 205, 210)}
    enrolled = EnrolledSet("twins", 1, {str(ground): (face,) for ground, face in faces.items()})
    twins = gallery(describe(enrolled, shipped()))
    found = over(twins, blurred(1 / 5)(faces[205], np.random.default_rng(1)))
    assert len(found.over) == 3
    assert len(set(map(id, found.over.values()))) == 1


def test_a_spoiled_reference_is_the_likest_for_a_spoiled_crop(discs: Gallery) -> None:
    found = over(discs, blurred(1 / 4)(disc("R"), np.random.default_rng(1)))
    assert int(found.anyhow.argmax()) == 2
    plain = max(float(seen.scores[2]) for seen in found.over.values())
    assert found.anyhow[2] > plain + 0.01


def test_what_a_finger_covers_is_painted_in(discs: Gallery) -> None:
    picture = covered(0.12)(disc("R"), np.random.default_rng(3))
    before = over(discs, picture).over[2]
    after = cleared(discs, picture, 2)
    assert after.hidden is not None
    assert 0.08 < after.hidden.mean() < 0.2
    assert after.scores[2] > max(0.99, before.scores[2] + 0.002)


def test_a_small_lamp_is_painted_over(discs: Gallery) -> None:
    after = cleared(discs, glare(0.06)(disc("R"), np.random.default_rng(3)), 2)
    assert after.hidden is not None
    assert 0 < after.glare < 0.2


@pytest.mark.parametrize("part", [0.0, 0.5])
def test_what_lies_bare_or_is_hidden_by_half_is_not_painted(part: float, discs: Gallery) -> None:
    picture = covered(part)(disc("R"), np.random.default_rng(3)) if part else disc("R")
    (again,) = uncovered(discs, shipped(), Drawings(discs), [over(discs, picture)])
    assert all(seen.hidden is None or seen.hidden.mean() <= module.MOST for seen in again.over.values())
    if not part:
        assert again.over[2].hidden is None
