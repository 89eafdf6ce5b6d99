"""When the reading of a print is believed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.cards.watched import recogniser
from vision.recognition.enrolment import BACK
from vision.recognition.prints.reading import CLEAR, CLEAR_OF_A_STRIP, PrintReading

THERE = np.eye(2, 3, dtype=np.float32)


@pytest.mark.parametrize(
    ("kind", "strip", "least"), [("sea", False, CLEAR), ("sea", True, CLEAR_OF_A_STRIP), (BACK, True, CLEAR)]
)
def test_a_strip_of_a_face_must_be_told_more_clearly_from_other_kinds_than_a_whole_one(
    kind: str, least: float, *, strip: bool
) -> None:
    clear, unclear = (PrintReading(kind, 0.97, clear, THERE, strip=strip) for clear in (least, least - 0.01))
    assert clear.sure
    assert not unclear.sure
    assert recogniser().naming(clear).kind == kind
    assert recogniser().naming(unclear).kind is None
    assert CLEAR_OF_A_STRIP > CLEAR
