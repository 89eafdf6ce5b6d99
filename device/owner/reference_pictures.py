"""Stores what enrolment learns: pictures, measures, review, check round."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from device.enrolment import Taken, kinds_of
from engine.table import Face
from engine.text import Text, say
from vision.files import BadFile
from vision.finding.pieces import FoundPiece, reliefs
from vision.recognition import readers, recogniser
from vision.recognition.check_round import USUAL, LaidPiece, keep_checked
from vision.recognition.enrolment import BACK, EnrolmentError, load, retake
from vision.recognition.forms import nearest
from vision.recognition.index import INDEX, Index
from vision.recognition.measures import by_kind, fitted, read_measures
from vision.recognition.naming import PieceSet, Recogniser
from vision.recognition.review import review
from vision.tracking.faces import look

_log = logging.getLogger(__name__)

UNREADABLE = say("Some pictures of this set cannot be read. Enrol it again.")
MOST_CHECKED = 12
"""Pieces in a check round."""


class Learning:
    """A set and its enrolment folder. index: what the folder holds."""

    def __init__(self, pieces: PieceSet, folder: Path, index: Index) -> None:
        self.pieces, self.folder, self._index = pieces, folder, index
        self._known: Recogniser | None = None

    def keep(self, kind: str, taken: Sequence[Taken]) -> None:
        """Replace a kind's pictures. Raises EnrolmentError."""
        measured = {kind: [one.measured for one in taken]}
        self._index = retake(self.folder, self._index, {kind: [one.image for one in taken]}, measured)
        self._known = None

    def missing(self) -> tuple[str, ...]:
        """Return kinds without pictures."""
        there = {reference.kind for reference in self._index.references}
        return tuple(kind for kind in kinds_of(self.pieces) if kind not in there)

    def summary(self) -> Text:
        """Return a summary in words."""
        pictures = self._index.references
        if not pictures:
            return say("{set}: nothing is enrolled.", set=Text(self.pieces.name))
        kinds = len({reference.kind for reference in pictures})
        width, height = fitted(self.pieces, self.folder).size_mm
        size = f"{width:.0f}" if width == height else f"{width:.0f} x {height:.0f}"
        return say(
            "{set}: enrolled. Kinds: {kinds}. Pictures: {pictures}. Size: {size} mm.",
            set=Text(self.pieces.name),
            kinds=kinds,
            pictures=len(pictures),
            size=size,
        )

    def review(self) -> tuple[Text, ...]:
        """Return possible improvements; only `UNREADABLE` if a picture can't be read."""
        if not (self.folder / INDEX).exists():
            return ()
        try:
            enrolled = load(self.folder)
        except (BadFile, EnrolmentError) as error:
            _log.warning("%s", error)
            return (UNREADABLE,)
        judge = None if self.pieces.reads_prints else recogniser.load(self.folder)
        measured = by_kind(self._index, read_measures(self.folder))
        return tuple(remark.text for remark in review(enrolled, judge, measured))

    def sample(self) -> tuple[str, ...]:
        """Return the kinds for a check round."""
        pictures = load(self.folder).pictures
        kinds = tuple(kind for kind in kinds_of(self.pieces) if kind in pictures)
        return kinds if len(kinds) <= MOST_CHECKED else nearest(pictures, MOST_CHECKED)

    def name_pieces(self, kind: str, taken: Taken) -> LaidPiece:
        """Name the piece in a picture. kind: the true one, or `BACK`."""
        if self._known is None:
            self._known = readers.loader(self.pieces)(self.folder)
        naming = self._known.name([taken.image])[0]
        seen = look(FoundPiece(0.0, 0.0, 0.0, 1.0), None, (reliefs(taken.image[None])[0], False), naming, self.pieces)
        if seen.face is Face.DOWN:
            return LaidPiece(kind, BACK, max(seen.confidence, USUAL))  # blank is blank, whatever the recogniser thinks
        return LaidPiece(kind, naming.guess if naming.kind is None else naming.kind, naming.confidence)

    def check(self, laid: Sequence[LaidPiece]) -> None:
        """Store a check round, which sets the set's threshold. Raises OSError."""
        keep_checked(self.folder, laid)
        self._known = None
