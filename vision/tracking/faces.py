"""Decides a piece's face and kind by its name and relief."""

from __future__ import annotations

import msgspec

from engine.table import Face, Sight
from vision.finding.pieces import BLANK, FoundPiece
from vision.recognition.enrolment import BACK
from vision.recognition.naming import Candidate, Naming, PieceSet
from vision.tracking.looks import Look
from vision.tracking.turns import PolarCrop

FAINT, DIM = 0.25, 70.0
"""Relief of a blank unknown face in dark, noisy crops, and their mean level."""

WASHED_OUT = 0.6
"""Agreement from which an even face is a washed-out print; a blank's rim reaches 0.58."""

ROUNDED = 0.84
"""Support of a separate blank disc; paper corners have less."""


def look(
    found: FoundPiece, rings: PolarCrop | None, relief: tuple[float, bool], naming: Naming | None, pieces: PieceSet
) -> Look:
    """Return a piece's look: up if named, down if blank, else unknown. relief: of the crop, and if it is dark and
    noisy."""
    place, (shown, dim) = (found.x_mm, found.y_mm), relief
    named = naming is not None and naming.kind is not None
    even = pieces.backs or not named  # no reflection makes a print so even
    blank = shown < (BLANK if even else BLANK / 2) or (pieces.backs and shown < FAINT and dim and not named)
    blank = blank and not _washed_out(naming)
    blank = blank and (pieces.backs or naming is not None)  # an unenrolled face may be as even as a blank one
    if naming is not None and naming.kind is not None and not (blank and naming.kind != BACK):
        if naming.kind == BACK:
            return Look(*place, found.angle_deg, None, Face.DOWN, Sight.SEEN, naming.confidence)
        angle = (found.angle_deg + naming.angle_deg) % 360.0
        return Look(*place, angle, naming.kind, Face.UP, Sight.SEEN, naming.confidence, rings)
    if blank:
        return Look(*place, found.angle_deg, None, Face.DOWN, Sight.SEEN, 0.99 if shown < BLANK / 2 else 0.9)
    if naming is None:
        return Look(*place, found.angle_deg, None, None, Sight.UNKNOWN, 0.0, rings)
    angle = (found.angle_deg + naming.angle_deg) % 360.0
    turned = [_turn_candidate(one, found.angle_deg) for one in naming.candidates]
    return Look(*place, angle, None, None, Sight.UNKNOWN, naming.confidence, rings, naming.guess, tuple(turned))


def _turn_candidate(one: Candidate, turn_deg: float) -> Candidate:
    return msgspec.structs.replace(one, angle_deg=(turn_deg + one.angle_deg) % 360.0)


def _washed_out(naming: Naming | None) -> bool:
    return naming is not None and naming.guess not in (None, BACK) and naming.fit >= WASHED_OUT


def is_paper(found: FoundPiece, look: Look, pieces: PieceSet) -> bool:
    """Return True if a blank disc is only a card's corner."""
    disc = pieces.shape == "disc" and not pieces.backs
    return disc and look.face is Face.DOWN and found.support < ROUNDED
