"""Which side of a piece looks up."""

from __future__ import annotations

import pytest

from engine.table import Face, Sight
from vision.finding.pieces import FoundPiece
from vision.recognition.naming import Naming, PieceSet
from vision.tracking.faces import is_paper, look


@pytest.mark.parametrize(
    ("relief", "name", "face"), [(0.08, None, Face.DOWN), (0.3, None, None), (0.08, "red", Face.UP)]
)
def test_a_printed_piece_without_a_back_of_its_own_lies_face_down_if_it_is_even(
    relief: float, name: str | None, face: Face | None
) -> None:
    pieces = PieceSet("figures", ("green", "red"), "disc", (30.0, 30.0), 4.0, backs=False, printed=True)
    seen = look(FoundPiece(1.0, 2.0, 0.0, 1.0), None, (relief, False), Naming(name, 0.95, 0.0, "red"), pieces)
    assert seen.face is face


@pytest.mark.parametrize("confidence", [0.003, 0.17])
@pytest.mark.parametrize(("relief", "face"), [(0.05, Face.DOWN), (0.08, Face.DOWN), (0.13, None)])
def test_a_pawn_whose_wood_or_marble_shows_lies_face_down_however_its_likeliest_name_is_weighed(
    relief: float, confidence: float, face: Face | None
) -> None:
    """In scenes normal and hard, relief is 0.04 to 0.08 of turned pawns, and at least 0.37 of open pieces."""
    pieces = PieceSet("pawns", ("spring", "summer"), "disc", (25.0, 25.0), 4.0, backs=False)
    seen = look(FoundPiece(1.0, 2.0, 0.0, 1.0), None, (relief, False), Naming(None, confidence, 0.0, "summer"), pieces)
    assert seen.face is face


@pytest.mark.parametrize(("fit", "face", "guess"), [(0.55, Face.DOWN, None), (0.65, None, "red")])
def test_a_print_that_light_has_washed_out_is_not_told_to_lie_face_down(
    fit: float, face: Face | None, guess: str | None
) -> None:
    pieces = PieceSet("counters", ("red",), "disc", (12.0, 12.0), 3.0, backs=False, printed=True)
    seen = look(FoundPiece(1.0, 2.0, 0.0, 1.0), None, (0.08, False), Naming(None, 0.0, 0.0, "red", fit), pieces)
    assert (seen.face, seen.guess) == (face, guess)


@pytest.mark.parametrize(("backs", "face"), [(True, Face.DOWN), (False, None)])
def test_a_piece_without_a_back_that_nobody_enrolled_is_not_told_to_lie_face_down(
    backs: bool, face: Face | None
) -> None:
    pieces = PieceSet("counters", ("red",), "disc", (12.0, 12.0), 3.0, backs=backs, printed=True)
    seen = look(FoundPiece(1.0, 2.0, 0.0, 1.0), None, (0.04, False), None, pieces)
    assert (seen.face, seen.sight) == (face, Sight.SEEN if backs else Sight.UNKNOWN)


@pytest.mark.parametrize(
    ("support", "backs", "paper"), [(0.83, False, True), (0.85, False, False), (0.77, True, False)]
)
def test_a_corner_of_paper_that_sticks_out_of_a_pile_is_no_disc_that_lies_face_down(
    support: float, backs: bool, paper: bool
) -> None:
    """Beside a life track 0.71 to 0.83 of an outline was seen; of lone counters that were turned over 0.85 and more."""
    pieces = PieceSet("counters", ("red",), "disc", (12.0, 12.0), 3.0, backs=backs, printed=True)
    found = FoundPiece(1.0, 2.0, 0.0, support)
    told = look(found, None, (0.04, False), Naming(None, 0.0, 0.0, "red", 0.2), pieces)
    assert told.face is Face.DOWN
    assert is_paper(found, told, pieces) is paper
