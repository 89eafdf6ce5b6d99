"""Averages a print's aligned pictures against noise and shadows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import cast

import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.progress import Heard, nobody
from vision.recognition.cache import Arrays
from vision.recognition.correlation import correlation, planar
from vision.recognition.enrolment import BACK, EnrolledSet
from vision.recognition.index import Symmetry
from vision.recognition.prints.coarse import Coarse
from vision.recognition.prints.laying import align
from vision.recognition.prints.softness import BLURS, soften
from vision.recognition.prints.throughout import throughout

Floats = npt.NDArray[np.float32]


class Averaged(msgspec.Struct, frozen=True):
    """A set of prints, slow to compute.

    aspect: shorter over longer side.
    references: kinds x H x W x 3, as in `Format`.
    tints: kinds x 3, paper's B, G, R shares.
    likeness: kinds x kinds, lowest local agreement between two of them, blurred; 0 with itself, and of tokens.
    """

    kinds: tuple[str, ...]
    symmetry: Symmetry
    aspect: float
    references: Floats
    tints: Floats
    likeness: Floats

    def arrays(self) -> Arrays:
        return {
            "kinds": np.array(self.kinds, np.str_),
            "symmetry": np.array(str(self.symmetry)),
            "aspect": np.array(self.aspect, np.float64),
            "references": self.references,
            "tints": self.tints,
            "likeness": self.likeness,
        }

    def without(self, kind: str) -> Averaged:
        left = [row for row, name in enumerate(self.kinds) if name != kind]
        kinds = tuple(self.kinds[row] for row in left)
        alike = self.likeness[left][:, left]
        return Averaged(kinds, self.symmetry, self.aspect, self.references[left], self.tints[left], alike)

    @staticmethod
    def of(arrays: Arrays) -> Averaged:
        """Restore from `arrays`."""
        told = str(arrays["symmetry"])
        symmetry = cast("Symmetry", int(told) if told.isdecimal() else told)
        kinds = tuple(arrays["kinds"].tolist())
        references, tints, alike = (arrays[name] for name in ("references", "tints", "likeness"))
        return Averaged(kinds, symmetry, float(arrays["aspect"]), references, tints, alike)


def average_pictures(enrolled: EnrolledSet, heard: Heard = nobody) -> Averaged:
    first = next(iter(enrolled.pictures.values()))[0]
    aspect = min(first.shape[:2]) / max(first.shape[:2])
    look, count = Coarse(aspect, enrolled.symmetry), len(enrolled.pictures)
    references, tints = [], []
    for number, pictures in enumerate(enrolled.pictures.values(), 1):
        references.append(_mean(look, pictures))
        tints.append(np.mean([look.format.prepare(one)[1] for one in pictures], axis=0))
        heard(number, count)
    kinds = tuple(enrolled.pictures)
    alike = _likeness(look, kinds, references)
    return Averaged(kinds, enrolled.symmetry, aspect, np.stack(references), np.asarray(tints, np.float32), alike)


def _likeness(look: Coarse, kinds: Sequence[str], references: Sequence[Floats]) -> Floats:
    found = np.zeros((len(kinds), len(kinds)), np.float32)
    soft = [soften(each, BLURS[-1]) for each in references]
    faces = [row for row, kind in enumerate(kinds) if kind != BACK and look.long]
    for one, other in permutations(faces, 2):
        found[one, other] = throughout(soft[one], soft[other], look.part)
    return found


def _mean(look: Coarse, pictures: Sequence[Image]) -> Floats:
    first = look.format.inner(look.format.prepare(pictures[0])[0])
    total = first.copy()
    small = planar(look.format.reduce_print(first))[None]
    for other in pictures[1:]:
        picture, _ = look.format.prepare(other)
        views = [look.best_view(small, picture, None, turn) for turn in look.turns]
        ranked = sorted(range(len(views)), key=lambda i: -float(views[i][0].max()))[:2]
        tried = [look.format.start(picture, look.turns[i], views[i][1][0]) for i in ranked]
        seen = [look.format.seen_as(picture, align(first, picture, None, start)) for start in tried]
        total += max(seen, key=lambda one: correlation(first, one, look.part))
    return np.asarray(total / len(pictures), np.float32)
