"""Finds that are no pieces: where nothing was and nothing looks otherwise, a blank disc is not believed at once."""

from __future__ import annotations

import pytest

from engine.table import Face, Sight
from vision.tracking.false_finds import OFTEN, Newcomers
from vision.tracking.looks import Look, Track
from vision.tracking.tracker import Tracker

PIECE = Track(1, Look(20.0, 20.0, 0.0, "life", Face.UP, Sight.SEEN, 0.99), "life")


def find(x: float, face: Face | None = Face.DOWN, kind: str | None = None) -> Look:
    return Look(x, 50.0, 0.0, kind, face, Sight.UNKNOWN if face is None else Sight.SEEN, 0.9)


@pytest.mark.parametrize(
    ("look", "changed", "believed"),
    [
        (find(90.0), 0.0, False),
        (find(90.0, None), 0.05, False),
        (find(90.0), 0.6, True),
        (find(90.0, Face.UP, "life"), 0.0, True),
        (Look(24.0, 22.0, 0.0, None, None, Sight.UNKNOWN, 0.1), 0.0, True),
    ],
)
def test_a_blank_disc_where_nothing_changed_is_none(look: Look, changed: float, believed: bool) -> None:
    assert (Newcomers().accept_looks([look], [PIECE], lambda _x, _y: changed) == [look]) is believed


def test_at_the_first_look_everything_is_believed() -> None:
    assert Newcomers().accept_looks([find(90.0)], [], lambda _x, _y: 0.0) == [find(90.0)]


def test_what_is_found_again_and_again_is_a_piece() -> None:
    newcomers = Newcomers()
    looks = [newcomers.accept_looks([find(90.0 + n / 2)], [PIECE], lambda _x, _y: 0.0) for n in range(OFTEN)]
    assert [bool(one) for one in looks] == [False] * (OFTEN - 1) + [True]


@pytest.mark.parametrize(("face", "left"), [(None, 1), (Face.DOWN, 2)])
def test_what_was_never_told_from_nothing_is_not_believed_to_be_covered(face: Face | None, left: int) -> None:
    tracker = Tracker()
    tracker.settle([PIECE.look, find(90.0, face)], lambda _x, _y: False, 1.0)
    assert len(tracker.settle([PIECE.look], lambda _x, _y: False, 2.0).tracks) == left
