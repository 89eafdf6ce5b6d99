"""Names pieces by enrolled references, abstaining below a threshold (design law 4)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path

import msgspec

from vision.camera import Image
from vision.progress import Heard, nobody
from vision.recognition import enrolment
from vision.recognition.cache import worked_out
from vision.recognition.centring import Displacement, astray, shift_back
from vision.recognition.check_round import USUAL, threshold_of
from vision.recognition.comparison import ComparedCrop, compare, examine
from vision.recognition.confidence import confidence, kind_odds
from vision.recognition.embedding import Embedding, shipped_embedding
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import DescribedSet, Gallery, Upright, describe, gallery, upright
from vision.recognition.keypoints import ReferenceKeypoints
from vision.recognition.naming import Candidate, Naming
from vision.step_timing import run_together

THRESHOLD = USUAL
"""Default threshold of confidence."""

DOUBT = 0.5
"""Most confidence of a crop that may lie off its piece's centre."""

AT_ONCE = 4
"""Crops per picture; more of them get pictures of their own."""


class KindMatch(msgspec.Struct, frozen=True):
    """A crop's best kind, regardless of the threshold."""

    kind: str
    seen: ComparedCrop
    confidence: float
    angle_deg: float


class EnrolledRecogniser:
    """A `Recogniser` of an enrolled set; a blank back's kind is `enrolment.BACK`."""

    def __init__(
        self,
        enrolled: EnrolledSet | DescribedSet | Gallery,
        embedding: Embedding | None = None,
        threshold: float = THRESHOLD,
    ) -> None:
        self._embedding, self.threshold = embedding or shipped_embedding(), threshold
        seen = describe(enrolled, self._embedding) if isinstance(enrolled, EnrolledSet) else enrolled
        self.gallery = gallery(seen) if isinstance(seen, DescribedSet) else seen
        self._keypoints = ReferenceKeypoints(self.gallery.details)

    @property
    def kinds(self) -> tuple[str, ...]:
        return self.gallery.kinds

    def without(self, kind: str) -> EnrolledRecogniser:
        left = self.gallery.without(self.kinds.index(kind))
        return EnrolledRecogniser(left, self._embedding, self.threshold)

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        return self.name_matches(self.match(crops))

    def name_in_parts(self, crops: Sequence[Image]) -> Generator[None, None, list[Naming]]:
        return self.name_matches((yield from self._matching(crops, AT_ONCE)))

    def name_matches(self, matches: Sequence[KindMatch]) -> list[Naming]:
        """Convert matches; kind None below the threshold. Stricter thresholds give neither guesses nor candidates."""
        return [self._answer(match) for match in matches]

    def _answer(self, match: KindMatch) -> Naming:
        kind = match.kind if match.confidence >= self.threshold else None
        if self.threshold > THRESHOLD:
            return Naming(kind, match.confidence, match.angle_deg, kind)
        ratios = kind_odds(match.seen.scores, self.kinds.index(match.kind), match.confidence)
        known = [
            Candidate(each, float(ratios[number]), self._angle(match.seen, number))
            for number, each in enumerate(self.kinds)
        ]
        return Naming(kind, match.confidence, match.angle_deg, match.kind, candidates=tuple(known))

    def match(self, crops: Sequence[Image]) -> list[KindMatch]:
        """Return each crop's best kind. Raises ValueError for an empty crop."""
        return run_together(self._matching(crops, len(crops)))

    def _matching(self, crops: Sequence[Image], most: int) -> Generator[None, None, list[KindMatch]]:
        """Match crops, yielding between each `most` of them."""
        stood = [upright(crop, self.gallery.long) for crop in crops]
        matches, away = yield from self._look_at(stood, most)
        beside = [(number, off) for number, off in enumerate(away) if off is not None and off.within]
        moved, still = yield from self._look_at([shift_back(stood[n], off) for n, off in beside], most)
        told = {
            number: match
            for (number, first), match, second in zip(beside, moved, still, strict=True)
            if second is None and self.kinds.index(match.kind) in first.kinds
        }
        return [
            match if off is None else told.get(number) or _doubt(match)
            for number, (match, off) in enumerate(zip(matches, away, strict=True))
        ]

    def _look_at(
        self, stood: Sequence[Upright], most: int
    ) -> Generator[None, None, tuple[list[KindMatch], list[Displacement | None]]]:
        matches, away = list[KindMatch](), list[Displacement | None]()
        for number, one in enumerate(compare(self.gallery, self._embedding, stood)):
            if number and number % max(1, most) == 0:
                yield
            found = examine(self.gallery, self._keypoints, one)
            matches.append(self._match(one, found.kind, confidence(found.evidence)))
            away.append(astray(self.gallery, one, found.totals))
        return matches, away

    def _match(self, seen: ComparedCrop, number: int, sure: float) -> KindMatch:
        return KindMatch(self.kinds[number], seen, sure, self._angle(seen, number))

    def _angle(self, seen: ComparedCrop, number: int) -> float:
        _, turn = self.gallery.reference(int(seen.views[number]))
        return (turn - seen.crop.turned) % 360.0


def _doubt(match: KindMatch) -> KindMatch:
    return msgspec.structs.replace(match, confidence=min(match.confidence, DOUBT))


def load(folder: Path, heard: Heard = nobody) -> EnrolledRecogniser:
    """Read or compute a stored set's recogniser. Raises BadFile, EnrolmentError. heard: progress, if not cached."""
    kept = worked_out(folder, "gallery", lambda: describe(enrolment.load(folder), shipped_embedding(), heard).arrays())
    return EnrolledRecogniser(DescribedSet.of(kept), threshold=threshold_of(folder))
