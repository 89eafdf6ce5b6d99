"""Holds all references in every turn as unit vectors."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.progress import Heard, nobody
from vision.recognition.alignment import Planes, planes
from vision.recognition.cache import Arrays
from vision.recognition.canonical import are_elongated, canonical, gray_detail, portrait, turn_canonical, turns
from vision.recognition.embedding import Embedding, Vectors
from vision.recognition.enrolment import EnrolledSet

Views = npt.NDArray[np.intp]


class Upright(NamedTuple):
    """A crop that was stood upright.

    image: canonical.
    detail: gray, DETAIL x DETAIL.
    turned: degrees clockwise.
    """

    image: Image
    detail: Image
    turned: float


class Gallery(msgspec.Struct, frozen=True):
    """Views of references: turns within references within kinds.

    long: elongated pieces; crops are stood upright.
    turns: degrees clockwise.
    vectors: d x views; starts: first view per kind.
    details, references: gray picture for keypoints, and planes, of each upright reference.
    alike: references' scores, kinds x kinds, symmetric, -1 on the diagonal.
    """

    kinds: tuple[str, ...]
    long: bool
    turns: tuple[float, ...]
    vectors: Vectors
    starts: Views
    details: tuple[Image, ...]
    references: tuple[Planes, ...]
    alike: Vectors

    def best(self, queries: Vectors) -> tuple[Vectors, Views]:
        """Return each kind's best score and view per query (m x d): m x kinds."""
        return _best(queries, self.vectors, self.starts)

    def reference(self, view: int) -> tuple[Planes, float]:
        """Return a view's upright reference and turn."""
        number, turn = divmod(view, len(self.turns))
        return self.references[number], self.turns[turn]

    def without(self, kind: int) -> Gallery:
        turns = len(self.turns)
        firsts = [*(self.starts // turns), len(self.details)]
        gone = np.arange(firsts[kind], firsts[kind + 1])
        kept = [number for number in range(len(self.details)) if number not in gone]
        starts = np.where(self.starts > gone[0] * turns, self.starts - len(gone) * turns, self.starts)
        return msgspec.structs.replace(
            self,
            kinds=(*self.kinds[:kind], *self.kinds[kind + 1 :]),
            vectors=np.delete(self.vectors, np.arange(gone[0] * turns, (gone[-1] + 1) * turns), axis=1),
            starts=np.delete(starts, kind),
            details=tuple(self.details[number] for number in kept),
            references=tuple(self.references[number] for number in kept),
            alike=np.delete(np.delete(self.alike, kind, axis=0), kind, axis=1),
        )


def _best(queries: Vectors, vectors: Vectors, starts: Views) -> tuple[Vectors, Views]:
    # Not `@`: the threads of BLAS would spin on the core that the camera needs.
    scores = np.einsum("qd,dn->qn", queries, vectors)
    most = np.maximum.reduceat(scores, starts, axis=1)
    sizes = np.diff(starts, append=len(scores[0]))
    places = np.where(scores == np.repeat(most, sizes, axis=1), np.arange(len(scores[0])), len(scores[0]))
    return most, np.minimum.reduceat(places, starts, axis=1)


def upright(image: Image, long: bool) -> Upright:
    """Return a crop's pictures, stood upright if `long`. Raises ValueError if empty."""
    stood, angle = portrait(image) if long else (image, 0.0)
    return Upright(canonical(stood), gray_detail(stood), angle)


class DescribedSet(msgspec.Struct, frozen=True):
    """An enrolled set as described by the network, slow to compute.

    kinds: number of references of each.
    pictures: references x SIDE x SIDE x 3.
    details: references x DETAIL x DETAIL.
    views: (references x turns) x d.
    """

    kinds: dict[str, int]
    long: bool
    turns: tuple[float, ...]
    pictures: Image
    details: Image
    views: Vectors

    def arrays(self) -> Arrays:
        return {
            "kinds": np.array(list(self.kinds), np.str_),
            "shots": np.array(list(self.kinds.values()), np.int64),
            "long": np.array(self.long),
            "turns": np.array(self.turns, np.float64),
            **{name: getattr(self, name) for name in ("pictures", "details", "views")},
        }

    @staticmethod
    def of(arrays: Arrays) -> DescribedSet:
        """Restore from `arrays`."""
        kinds = dict(zip(arrays["kinds"].tolist(), arrays["shots"].tolist(), strict=True))
        rest = {name: arrays[name] for name in ("pictures", "details", "views")}
        return DescribedSet(kinds, bool(arrays["long"]), tuple(arrays["turns"].tolist()), **rest)


def describe(enrolled: EnrolledSet, embedding: Embedding, heard: Heard = nobody) -> DescribedSet:
    """Describe a set's views, about 0.5 ms each."""
    long = are_elongated(image for images in enrolled.pictures.values() for image in images)
    allowed = turns(enrolled.symmetry, long)
    straight = [upright(image, long) for images in enrolled.pictures.values() for image in images]
    return DescribedSet(
        kinds={kind: len(images) for kind, images in enrolled.pictures.items()},
        long=long,
        turns=allowed,
        pictures=np.stack([each.image for each in straight]),
        details=np.stack([each.detail for each in straight]),
        views=embedding.describe([turn_canonical(each.image, angle) for each in straight for angle in allowed], heard),
    )


def gallery(seen: DescribedSet) -> Gallery:
    shots = np.array(list(seen.kinds.values()))
    first = np.cumsum([0, *shots[:-1]])
    starts, views = first * len(seen.turns), np.ascontiguousarray(seen.views.T)
    one_way = np.maximum.reduceat(_best(seen.views[:: len(seen.turns)], views, starts)[0], first, axis=0)
    alike = np.maximum(one_way, one_way.T)
    np.fill_diagonal(alike, -1.0 if len(alike) > 1 else 0.0)
    return Gallery(
        kinds=tuple(seen.kinds),
        long=seen.long,
        turns=seen.turns,
        vectors=views,
        starts=starts,
        details=tuple(seen.details),
        references=tuple(planes(image) for image in seen.pictures),
        alike=alike,
    )
