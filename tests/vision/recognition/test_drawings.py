"""The lines of references are worked out once."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.faces import disc
from vision.recognition import drawings
from vision.recognition.closeness import drawn, placed
from vision.recognition.drawings import Drawings
from vision.recognition.embedding import shipped
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import Gallery, describe, gallery


@pytest.fixture(scope="module")
def discs() -> Gallery:
    return gallery(describe(EnrolledSet("discs", 4, {letter: (disc(letter),) for letter in "AK"}), shipped()))


def test_lines_are_worked_out_once_and_not_kept_forever(discs: Gallery, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawings, "KEPT", 2)
    lines = Drawings(discs)
    first = lines.lines(0, 0)
    assert lines.lines(0, 0) is first
    lines.lines(0, 1)
    lines.lines(0, 0)
    lines.lines(4, 0)
    assert lines.lines(0, 0) is first, "used again, it outlives what was not"


def test_what_is_kept_leaves_room_on_a_small_board(discs: Gallery) -> None:
    size = sum(part.nbytes for part in Drawings(discs).lines(0, 0))
    assert drawings.KEPT * size < 21e6, "bytes a set"


def test_a_view_is_the_reference_in_its_turn(discs: Gallery) -> None:
    known = Drawings(discs)
    assert (known.picture(4) == discs.pictures[1]).all()
    quarter = np.rot90(discs.pictures[1], -1).astype(int)
    assert np.abs(known.picture(5) - quarter).mean() < 2
    assert known.softness(placed(drawn(known.picture(5)), known.lines(5, 0)), 5) == 0
