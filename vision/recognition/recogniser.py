"""Naming pieces from enrolled references, stones and cards alike. Abstains below its threshold (design law 4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from vision.camera import Image
from vision.recognition import enrolment
from vision.recognition.comparison import Compared, Upright, centred, compare, second_look, weigh
from vision.recognition.confidence import confidence
from vision.recognition.embedding import Embedding, shipped
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import gallery, upright
from vision.recognition.naming import Naming

THRESHOLD = 0.957
"""Confidence from which a name is given."""


class Match(msgspec.Struct, frozen=True):
    """The best kind for one crop, whether or not it is good enough to be named."""

    kind: str
    score: float
    confidence: float
    angle_deg: float


class EnrolledRecogniser:
    """A `Recogniser` (see `naming`) for one enrolled set. The kind of a blank back is `enrolment.BACK`."""

    def __init__(self, enrolled: EnrolledSet, embedding: Embedding | None = None) -> None:
        self._embedding = embedding or shipped()
        self.gallery = gallery(enrolled, self._embedding)

    @property
    def kinds(self) -> tuple[str, ...]:
        return self.gallery.kinds

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        """One answer a crop, in order; kind None where it abstains. Raises ValueError for a crop without pixels."""
        return self.named(self.match(crops))

    def named(self, matches: Sequence[Match]) -> list[Naming]:
        """Matches as answers: kind None below the threshold, where the likeliest kind is only a guess."""
        return [
            Naming(match.kind if match.confidence >= THRESHOLD else None, match.confidence, match.angle_deg, match.kind)
            for match in matches
        ]

    def match(self, crops: Sequence[Image]) -> list[Match]:
        """The best kind for each crop, without a threshold. Raises ValueError for a crop without pixels."""
        seen = compare(self.gallery, self._embedding, [upright(crop, self.gallery.long) for crop in crops])
        matches = [self._decide(one) for one in seen]
        moved = {number: self._centred(seen[number], match) for number, match in enumerate(matches)}
        doubtful = {number: stood for number, stood in moved.items() if stood is not None}
        again = compare(self.gallery, self._embedding, list(doubtful.values()))
        for number, one in zip(doubtful, again, strict=True):
            matches[number] = max(matches[number], self._decide(one), key=lambda match: match.confidence)
        return matches

    def _centred(self, seen: Compared, match: Match) -> Upright | None:
        """A crop that leaves doubt, moved to where it lies best; None if that is no use."""
        if match.confidence >= THRESHOLD:
            return None
        return centred(self.gallery, seen, self.gallery.kinds.index(match.kind))

    def _decide(self, seen: Compared) -> Match:
        second = second_look(self.gallery, seen)
        number = int(second.argmax())
        _, turn = self.gallery.reference(int(seen.views[number]))
        sure = confidence(weigh(self.gallery, seen, second))
        return Match(self.gallery.kinds[number], float(seen.scores[number]), sure, (turn - seen.turned) % 360.0)


def load(folder: Path) -> EnrolledRecogniser:
    """The recogniser for the set in a folder written by `vision.recognition.enrolment.save`. Raises EnrolmentError."""
    return EnrolledRecogniser(enrolment.load(folder))
