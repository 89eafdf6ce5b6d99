"""Proves new pictures of a set by naming them, before they replace the old ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import msgspec

from vision.camera import Image
from vision.recognition.enrolment import BACK, EnrolledSet
from vision.recognition.quality import Remark
from vision.recognition.recogniser import EnrolledRecogniser
from vision.recognition.review import review

LIKELY = 0.5
"""Least confidence of a picture that probably shows its kind."""

Numbered = tuple[str, int]
"""A picture by its kind and its number among the kind's pictures."""


class Doubt(msgspec.Struct, frozen=True):
    """A new picture not named as its kind. other: likely kind that it is named as, if any."""

    kind: str
    number: int
    other: str | None


def doubts(new: EnrolledSet, taken: Collection[str], old: EnrolledSet | None) -> Iterator[Doubt]:
    """Name new pictures by the old set, and by single pictures of each kind; yield those never named as their kind.

    Blank backs, and kinds without another picture, are not judged.
    new: with the kinds that are kept. taken: kinds with new pictures. old: None without one.
    """
    asked = {(kind, n): image for kind in taken if kind != BACK for n, image in enumerate(new.pictures[kind])}
    named: dict[Numbered, list[tuple[str, float]]] = {}
    for known, shown in (*_old_judge(asked, old), *_single_judges(asked, new)):
        for key, match in zip(shown, EnrolledRecogniser(known).match(list(shown.values())), strict=True):
            named.setdefault(key, []).append((match.kind, match.confidence))
    for (kind, number), answers in named.items():
        likely = [guess for guess, confidence in answers if confidence >= LIKELY]
        if kind not in likely:
            yield Doubt(kind, number, next(iter(likely), None))


def _old_judge(
    asked: Mapping[Numbered, Image], old: EnrolledSet | None
) -> Iterator[tuple[EnrolledSet, dict[Numbered, Image]]]:
    if old is not None and (shown := {key: image for key, image in asked.items() if key[0] in old.pictures}):
        yield old, shown


def _single_judges(
    asked: Mapping[Numbered, Image], new: EnrolledSet
) -> Iterator[tuple[EnrolledSet, dict[Numbered, Image]]]:
    """Yield sets of one picture a kind: a picture in a wrong folder spoils only one."""
    several = {key: image for key, image in asked.items() if len(new.pictures[key[0]]) > 1}
    for number in range(max((len(new.pictures[kind]) for kind, _ in several), default=0)):
        learnt = {kind: min(number, len(images) - 1) for kind, images in new.pictures.items()}
        single = {kind: (images[learnt[kind]],) for kind, images in new.pictures.items()}
        shown = {key: image for key, image in several.items() if key[1] != learnt[key[0]]}
        yield msgspec.structs.replace(new, pictures=single), shown


def worse(new: EnrolledSet, old: EnrolledSet) -> tuple[Remark, ...]:
    """Return remarks on near twins that the old set did not have."""
    known = {(remark.kind, remark.other) for remark in review(old)}
    return tuple(
        remark for remark in review(new) if remark.other is not None and (remark.kind, remark.other) not in known
    )
