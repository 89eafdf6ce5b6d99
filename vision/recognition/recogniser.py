"""The recogniser: names pieces from enrolled references, and abstains below its threshold (design law 4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from vision.camera import Image
from vision.recognition import enrolment
from vision.recognition.closer import Laid, Lines, compare_anyhow, compare_mended, laid, mended, weigh_closely
from vision.recognition.comparison import Compared, compare, second_look, weigh
from vision.recognition.confidence import confidence
from vision.recognition.embedding import Embedding, shipped
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import gallery, upright
from vision.recognition.naming import Naming

THRESHOLD = 0.93
"""Confidence from which a name is given."""

SURE = 0.965
"""Confidence of a first look that needs no closer one."""


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
        self._lines = Lines(self.gallery)

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
        doubtful = [number for number, match in enumerate(matches) if match.confidence < SURE]
        moved = [laid(self.gallery, seen[number], self.kinds.index(matches[number].kind)) for number in doubtful]
        close = compare_anyhow(self.gallery, self._embedding, moved)
        for number, match in zip(
            doubtful, self._mended(close, [self._decide_closely(one) for one in close]), strict=True
        ):
            matches[number] = match
        return matches

    def _mended(self, close: Sequence[Laid], matches: Sequence[Match]) -> list[Match]:
        """The matches of crops, surer where one is partly covered and would be named alike without that."""
        answers = list(matches)
        kinds = [self.kinds.index(match.kind) for match in matches]
        found = {
            number: under
            for number, match in enumerate(matches)
            if match.confidence < THRESHOLD and (under := mended(self.gallery, close[number], kinds[number]))
        }
        again = compare_mended(self.gallery, self._embedding, list(found.values()))
        for number, one in zip(found, again, strict=True):
            match = self._decide_closely(one)
            if match.kind == answers[number].kind and match.confidence > answers[number].confidence:
                answers[number] = match
        return answers

    def _decide(self, seen: Compared) -> Match:
        second = second_look(self.gallery, seen)
        return self._match(seen, int(second.argmax()), confidence(weigh(self.gallery, seen, second)))

    def _decide_closely(self, close: Laid) -> Match:
        best, seen = weigh_closely(self.gallery, self._lines, close)
        return self._match(close.seen, best, confidence(seen))

    def _match(self, seen: Compared, number: int, sure: float) -> Match:
        _, turn = self.gallery.reference(int(seen.views[number]))
        return Match(self.kinds[number], float(seen.scores[number]), sure, (turn - seen.turned) % 360.0)


def load(folder: Path) -> EnrolledRecogniser:
    """The recogniser for the set in a folder written by `vision.recognition.enrolment.save`. Raises EnrolmentError."""
    return EnrolledRecogniser(enrolment.load(folder))
