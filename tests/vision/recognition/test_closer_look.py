"""A closer look: which kind it is of those that the crop was laid over, and what speaks for it."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from tests.vision.faces import disc, tile
from tools.bench.perturbations import covered
from vision.camera import Image
from vision.recognition.canonical import SIDE
from vision.recognition.closer_look import CloserLook, look_closely
from vision.recognition.comparison import compare, second_look
from vision.recognition.drawings import Drawings
from vision.recognition.embedding import shipped
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import Gallery, describe, gallery, upright
from vision.recognition.layings import Layings, layings, uncovered


@pytest.fixture(scope="module")
def discs() -> Gallery:
    return gallery(describe(EnrolledSet("discs", "any", {letter: (disc(letter),) for letter in "AKRX"}), shipped()))


def looked(stock: Gallery, picture: Image, painted: bool = False) -> CloserLook:
    seen = compare(stock, shipped(), [upright(picture, False)])
    found = layings(stock, shipped(), seen, [second_look(stock, one) for one in seen])
    drawings = Drawings(stock)
    return look_closely(stock, drawings, (uncovered(stock, shipped(), drawings, found) if painted else found)[0])


def test_what_is_weighed_is_of_the_likeliest_kind(discs: Gallery) -> None:
    known, strange = (looked(discs, disc(letter)) for letter in "KH")
    assert known.kind == 1
    assert known.evidence.anyhow == pytest.approx(1, abs=0.01)
    assert known.evidence.whole > 0.97
    assert known.evidence.ahead > 0
    assert (strange.evidence.whole < known.evidence.whole - 0.1, strange.evidence.strange > known.evidence.strange) == (
        True,
        True,
    )


def test_what_was_painted_in_is_said(discs: Gallery) -> None:
    picture = covered(0.12)(disc("R"), np.random.default_rng(3))
    bare, mended = looked(discs, picture), looked(discs, picture, painted=True)
    assert (bare.kind, bare.evidence.hidden) == (2, 0.0)
    assert mended.kind == 2
    assert 0.08 < mended.evidence.hidden < 0.2
    assert mended.evidence.anyhow >= bare.evidence.anyhow
    assert mended.evidence.bare <= 1.0


def test_a_painted_crop_is_not_taken_from_a_bare_one_of_the_same_look(discs: Gallery) -> None:
    seen = compare(discs, shipped(), [upright(disc("K"), False)])
    found = layings(discs, shipped(), seen, [second_look(discs, one) for one in seen])[0]
    likely, following = (int(kind) for kind in np.argsort(-found.anyhow)[:2])
    hidden = np.zeros((SIDE, SIDE), np.float32)
    hidden[:, : SIDE // 3] = 1
    bare = next(iter(found.over.values()))
    over = {likely: bare, following: replace(bare, hidden=hidden)}
    told = look_closely(discs, Drawings(discs), Layings(over, found.anyhow))
    assert told.over[likely].crop.clear is None
    assert told.over[following].crop.clear is not None


def test_one_kind_alone_has_nothing_to_be_told_from() -> None:
    alone = gallery(describe(EnrolledSet("one", 1, {"K": (tile("K"),)}), shipped()))
    found = looked(alone, tile("K"))
    assert (found.kind, found.evidence.strange, found.evidence.apart, found.evidence.telling) == (0, 0.0, 0.0, 1.0)
