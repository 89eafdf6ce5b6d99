"""The evidence for a name, and the probability made of it."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from tests.vision.faces import lit, tile
from vision.recognition.comparison import compare, examine
from vision.recognition.confidence import TIE, NamingEvidence, confidence
from vision.recognition.embedding import shipped_embedding
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import Gallery, describe, gallery, upright
from vision.recognition.keypoints import ReferenceKeypoints

CLEAR = NamingEvidence(near=-math.log(TIE + 0.05), lead=0.4, agreed=0.8, won=math.log(0.5))


@pytest.fixture(scope="module")
def letters() -> Gallery:
    return gallery(describe(EnrolledSet("letters", 1, {kind: (tile(kind),) for kind in "ABK"}), shipped_embedding()))


def test_evidence_of_the_best_kind(letters: Gallery) -> None:
    (seen,) = compare(letters, shipped_embedding(), [upright(lit(tile("K"), (0.6, 0.95, 1.25)), letters.long)])
    found = examine(letters, ReferenceKeypoints(letters.details), seen)
    _, two, three = sorted(seen.scores.tolist())
    assert letters.kinds[found.kind] == "K"
    assert found.evidence.near == pytest.approx(-math.log(TIE + 1 - three), abs=1e-3)
    assert found.evidence.lead == pytest.approx(three - two)
    assert found.evidence.agreed > 0.5
    ahead = np.sort(found.totals)[-1] - np.sort(found.totals)[-2]
    assert found.evidence.won == pytest.approx(math.log(TIE + ahead))
    assert confidence(found.evidence) > 0.93


def test_one_kind_alone_has_no_rivals(letters: Gallery) -> None:
    alone = letters.without(0).without(0)
    (seen,) = compare(alone, shipped_embedding(), [upright(tile("K"), alone.long)])
    found = examine(alone, ReferenceKeypoints(alone.details), seen)
    assert found.evidence.lead == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("name", NamingEvidence.__struct_fields__)
def test_each_kind_of_evidence_speaks_for_the_name(name: str) -> None:
    less = msgspec.structs.replace(CLEAR, **{name: getattr(CLEAR, name) - 0.3})
    assert confidence(less) < confidence(CLEAR)


def test_a_clear_lead_is_believed_and_an_even_one_is_not() -> None:
    assert confidence(CLEAR) > 0.98
    assert (
        confidence(NamingEvidence(near=-math.log(TIE + 0.1), lead=0.01, agreed=0.8, won=math.log(TIE + 0.005))) < 0.93
    )
    assert confidence(NamingEvidence(near=-math.log(TIE + 0.4), lead=0.02, agreed=0.1, won=math.log(TIE + 0.02))) < 0.3
