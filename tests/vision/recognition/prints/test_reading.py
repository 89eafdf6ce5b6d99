"""When the reading of a print is believed."""

from __future__ import annotations

import numpy as np
import pytest

from vision.recognition.prints.reading import CLEAR, CLEAR_OF_A_STRIP, Reading

THERE = np.eye(2, 3, dtype=np.float32)


@pytest.mark.parametrize(("strip", "least"), [(False, CLEAR), (True, CLEAR_OF_A_STRIP)])
def test_a_strip_must_be_told_more_clearly_from_other_kinds_than_a_whole_card(*, strip: bool, least: float) -> None:
    assert Reading("sea", 0.97, least, THERE, strip=strip).sure
    assert not Reading("sea", 0.97, least - 0.01, THERE, strip=strip).sure
    assert CLEAR_OF_A_STRIP > CLEAR
