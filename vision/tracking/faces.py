"""Decides which side of a piece faces up, and of which kind it is: from its name, and from how much pattern shows."""

from __future__ import annotations

from engine.table import Face, Sight
from vision.finding.pieces import BLANK, FoundPiece
from vision.recognition.enrolment import BACK
from vision.recognition.naming import Naming, PieceSet
from vision.tracking.looks import Look
from vision.tracking.turns import PolarCrop

FAINT, DIM = 0.25, 70.0
"""Relief below which a face that the recogniser does not know is blank in a dark picture, where noise shows too: the
second is the mean level of a piece there. In the light such a face is a symbol that a reflection has washed out."""

NOBODY = 0.02
"""Confidence of the likeliest name below which a face is none of a set's. Of open pawns that were not named in 100
drawn rooms it was 0.04 at least, of the marbled backs of turned ones 0.007 at most.
"""

WASHED_OUT = 0.6
"""Agreement with its print from which an even face is none without a print: light has washed it out. Its rim alone lets
a blank face agree to 0.58.
"""

ROUNDED = 0.84
"""So much of its outline shows of a blank disc by itself; of a corner of paper that sticks out of a pile, less."""


def look(
    found: FoundPiece, rings: PolarCrop | None, relief: tuple[float, bool], naming: Naming | None, pieces: PieceSet
) -> Look:
    """Name, face and certainty of one piece: named is up, blank is down, anything else is unknown.

    rings: of its crop. relief: of the crop, and whether it is so dark that some of that is noise.
    """
    place, (shown, dim) = (found.x_mm, found.y_mm), relief
    named = naming is not None and naming.kind is not None
    nobody = naming is not None and not named and naming.confidence < NOBODY
    even = pieces.backs or nobody or (pieces.printed and not named)  # no reflection washes a print out so far
    blank = shown < (BLANK if even else BLANK / 2) or (pieces.backs and shown < FAINT and dim and not named)
    blank = blank and not _washed_out(naming)
    blank = blank and (pieces.backs or naming is not None)  # a face that nobody enrolled may be as even as no print
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
    guess = naming.guess if not blank else None
    return Look(*place, angle, None, None, Sight.UNKNOWN, naming.confidence, rings, guess)


def _washed_out(naming: Naming | None) -> bool:
    """Whether a face that hardly shows anything agrees with a print all the same."""
    return naming is not None and naming.guess not in (None, BACK) and naming.fit >= WASHED_OUT


def is_paper(found: FoundPiece, look: Look, pieces: PieceSet) -> bool:
    """Whether what seems to be a blank disc, of a set that has no backs, is no more than a corner of a card."""
    disc = pieces.shape == "disc" and not pieces.backs
    return disc and look.face is Face.DOWN and found.support < ROUNDED
