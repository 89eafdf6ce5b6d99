"""Names pieces by enrolled references, abstaining below a threshold (design law 4)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path

import msgspec

from vision.camera import Image
from vision.progress import Heard, nobody
from vision.recognition import enrolment
from vision.recognition.cache import worked_out
from vision.recognition.centring import CLEAR, LIKELIEST, Displacement, astray, recentred
from vision.recognition.check_round import USUAL, threshold_of
from vision.recognition.closer_look import look_closely
from vision.recognition.comparison import ComparedCrop, Upright, compare, second_look, weigh
from vision.recognition.confidence import DOUBT, confidence, kind_odds, undecided, weights, witnessed
from vision.recognition.drawings import Drawings
from vision.recognition.embedding import Embedding, Vectors, shipped
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import DescribedSet, Gallery, describe, gallery, upright
from vision.recognition.layings import Layings, layings, uncovered
from vision.recognition.naming import Candidate, Naming
from vision.step_timing import run_together

THRESHOLD = USUAL
"""Default threshold of confidence."""

SURE, CERTAIN = 0.98, 0.995
"""Confidence that needs no closer look, and no keypoints."""

MANY = 4
"""More crops than this get a picture's time of their own."""

AT_ONCE = 2
"""Closer looks per picture."""


class Match(msgspec.Struct, frozen=True):
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
        weights()  # now: if they are damaged nobody wants to hear of it at the first piece
        self._embedding, self.threshold = embedding or shipped(), threshold
        seen = describe(enrolled, self._embedding) if isinstance(enrolled, EnrolledSet) else enrolled
        self.gallery = gallery(seen) if isinstance(seen, DescribedSet) else seen
        self._drawings = Drawings(self.gallery)

    @property
    def kinds(self) -> tuple[str, ...]:
        return self.gallery.kinds

    def without(self, kind: str) -> EnrolledRecogniser:
        """Return the recogniser without a kind."""
        left = self.gallery.without(self.kinds.index(kind))
        return EnrolledRecogniser(left, self._embedding, self.threshold)

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        """Name crops; kind None if unsure. Raises ValueError for an empty crop."""
        return self.named(self.match(crops))

    def name_in_parts(self, crops: Sequence[Image]) -> Generator[None, None, list[Naming]]:
        """Name crops, yielding before closer looks and around many crops."""
        many = len(crops) > MANY
        if many:
            yield
        matches = yield from self._matching(crops, AT_ONCE)
        if many:
            yield
        return self.named(matches)

    def named(self, matches: Sequence[Match]) -> list[Naming]:
        """Convert matches; kind None below the threshold. Sets with a stricter threshold give no guesses."""
        return [self._answer(match) for match in matches]

    def _answer(self, match: Match) -> Naming:
        kind = match.kind if match.confidence >= self.threshold else None
        if self.threshold > THRESHOLD:
            return Naming(kind, match.confidence, match.angle_deg, kind)
        ratios = kind_odds(match.seen.scores, self.kinds.index(match.kind), match.confidence)
        known = [
            Candidate(each, float(ratios[number]), self._angle(match.seen, number))
            for number, each in enumerate(self.kinds)
        ]
        return Naming(kind, match.confidence, match.angle_deg, match.kind, candidates=tuple(known))

    def match(self, crops: Sequence[Image]) -> list[Match]:
        """Return each crop's best kind. Raises ValueError for an empty crop."""
        return run_together(self._matching(crops, len(crops)))

    def _matching(self, crops: Sequence[Image], most: int) -> Generator[None, None, list[Match]]:
        """Match crops, yielding before each `most` closer looks."""
        stood = [upright(crop, self.gallery.long) for crop in crops]
        matches, away = yield from self._looked(stood, most)
        beside = [(number, off) for number, off in enumerate(away) if off is not None and off.within]
        moved, still = yield from self._looked([(recentred(stood[n][0], off), stood[n][1]) for n, off in beside], most)
        told = {
            number: match
            for (number, first), match, second in zip(beside, moved, still, strict=True)
            if second is None and self.kinds.index(match.kind) in first.kinds
        }
        return [
            match if off is None else told.get(number) or _doubted(match)
            for number, (match, off) in enumerate(zip(matches, away, strict=True))
        ]

    def _looked(
        self, stood: Sequence[Upright], most: int
    ) -> Generator[None, None, tuple[list[Match], list[Displacement | None]]]:
        """Return matches and displacements."""
        seen = compare(self.gallery, self._embedding, stood)
        second = [second_look(self.gallery, one) for one in seen]
        matches = [self._decide(one, scores) for one, scores in zip(seen, second, strict=True)]
        doubtful = [number for number, match in enumerate(matches) if match.confidence < SURE]
        away = [
            None if match.confidence < SURE else astray(self.gallery, one, scores, CLEAR)
            for one, scores, match in zip(seen, second, matches, strict=True)
        ]
        for begun in range(0, len(doubtful), max(1, most)):
            yield
            some = doubtful[begun : begun + most]
            closer = self._closer([seen[number] for number in some], [second[number] for number in some])
            for number, match in zip(some, closer, strict=True):
                away[number] = astray(self.gallery, seen[number], second[number], LIKELIEST)
                matches[number] = match
        return [self._witnessed(*each) for each in zip(seen, matches, strict=True)], away

    def _closer(self, seen: Sequence[ComparedCrop], second: Sequence[Vectors]) -> list[Match]:
        bare = layings(self.gallery, self._embedding, seen, second)
        painted = uncovered(self.gallery, self._embedding, self._drawings, bare)
        return [self._decide_closely(*both) for both in zip(bare, painted, strict=True)]

    def _decide(self, seen: ComparedCrop, second: Vectors) -> Match:
        return self._match(seen, int(second.argmax()), confidence(weigh(self.gallery, seen, second)))

    def _decide_closely(self, bare: Layings, painted: Layings) -> Match:
        """Decide as seen; with covered parts painted the name must agree."""
        first = look_closely(self.gallery, self._drawings, bare)
        match = self._match(first.seen, first.kind, confidence(first.evidence))
        if painted.is_bare:
            return match
        second = look_closely(self.gallery, self._drawings, painted, first)
        mended = second.seen.hidden is not None
        if second.kind != first.kind or (mended and undecided(second.evidence)):
            return _doubted(match)
        again = self._match(second.seen, second.kind, confidence(second.evidence))
        return again if mended and again.confidence > match.confidence else match

    def _witnessed(self, seen: ComparedCrop, match: Match) -> Match:
        """Weigh how well the keypoints of the kind agree."""
        if match.confidence >= CERTAIN:
            return match
        agreed = self._drawings.agreement(seen.image, int(seen.views[self.kinds.index(match.kind)]))
        return msgspec.structs.replace(match, confidence=witnessed(match.confidence, agreed))

    def _match(self, seen: ComparedCrop, number: int, sure: float) -> Match:
        return Match(self.kinds[number], seen, sure, self._angle(seen, number))

    def _angle(self, seen: ComparedCrop, number: int) -> float:
        _, turn = self.gallery.reference(int(seen.views[number]))
        return (turn - seen.turned) % 360.0


def _doubted(match: Match) -> Match:
    return msgspec.structs.replace(match, confidence=min(match.confidence, DOUBT))


def load(folder: Path, heard: Heard = nobody) -> EnrolledRecogniser:
    """Return a stored set's recogniser. Raises BadFile, EnrolmentError. heard: progress, if not cached."""
    kept = worked_out(folder, "gallery", lambda: describe(enrolment.load(folder), shipped(), heard).arrays())
    return EnrolledRecogniser(DescribedSet.of(kept), threshold=threshold_of(folder))
