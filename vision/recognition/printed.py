"""Naming flat prints of a known size, cards and tokens, laid over enrolled pictures of them, pixel by pixel.

A print has no relief, so that a lamp changes nothing but its brightness and tint: what was enrolled and what is seen
differ by a shift, a turn, and noise. Kinds that differ in one figure or in colour alone are told apart where they
differ. Works on a part of a card, too: only what is in sight is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition import enrolment
from vision.recognition.canonical import turns
from vision.recognition.correlation import alike, correlation
from vision.recognition.enrolment import BACK, EnrolledSet
from vision.recognition.laying import aligned, between, half_turn, turned
from vision.recognition.lines import agreement, sought
from vision.recognition.naming import Naming
from vision.recognition.outline import disc, inside
from vision.recognition.reading import CLEAR, FIT, Reading
from vision.recognition.telling import told
from vision.recognition.tints import Tints

Floats = npt.NDArray[np.float32]
Shift = tuple[int, int]
View = tuple[float, Shift]
"""How a crop was turned, in degrees, and shifted, in pixels, when it was seen to agree with a print."""

ROOM = 1.2
"""A crop shows the card and so much around it: a tenth on each side."""

LONG, ROUND = 112, 60
"""Pixels of a card's longer side and of a token, as they are compared."""

COARSE = 5
"""So many times smaller all kinds are compared at first."""

SHIFTS = tuple((dx, dy) for dx in (-5, 0, 5) for dy in (-8, -4, 0, 4, 8))
"""Pixels by which a crop may be off."""

LIKELIEST = 6
"""Kinds that are laid over the crop in full."""

BORDER = 5
"""So wide is the border, in pixels, where it is not sure whether a card shows or the one that lies on it: half of it is
left out."""

SOFT = 1.2
"""Blur, in pixels, under which noise goes and print stays."""

PART_FIT = 0.85
"""The same for a part of a print: there is less of it, and its edges are another's."""

BEHIND = 0.12
"""A kind that fits so much worse than the best at the coarse look is not laid over it."""

ALIKE = 0.04
"""Of more than two turns, one that fits so much worse than the best at the coarse look is not tried.

Of two both are: many prints hardly show which way up they lie.
"""

FEW = 6
"""All kinds of so small a set are told apart from the likeliest."""


class PrintedRecogniser:
    """A `Recogniser` (see `naming`) for a set of prints. The kind of a back is `enrolment.BACK`."""

    def __init__(self, enrolled: EnrolledSet) -> None:
        first = next(iter(enrolled.pictures.values()))[0]
        aspect = min(first.shape[:2]) / max(first.shape[:2])
        long = aspect < 0.95
        self._size = (round(LONG * aspect), LONG) if long else (ROUND, ROUND)
        self._part = inside(self._size) if long else disc(self._size)
        self._shifts = SHIFTS if long else ((0, 0),)
        self._turns = turns(enrolled.symmetry, long)
        self.kinds = tuple(enrolled.pictures)
        self._references = {kind: self._mean(pictures) for kind, pictures in enrolled.pictures.items()}
        self._small = np.stack([self._reduced(picture) for picture in self._references.values()])
        tints = {kind: np.mean([self._tint(one) for one in each], axis=0) for kind, each in enrolled.pictures.items()}
        self._tints = Tints({kind: np.asarray(tint, np.float32) for kind, tint in tints.items()})

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        """One answer a crop, in order; kind None where it abstains."""
        return [self.naming(self.read(crop)) for crop in crops]

    def name_part(self, crop: Image, seen: Image, kinds: Sequence[str] = ()) -> Naming:
        """One answer; only what is in sight is compared."""
        return self.naming(self.read(crop, seen, kinds), PART_FIT)

    def naming(self, reading: Reading, least: float = FIT) -> Naming:
        """A reading as an answer; least: the correlation from which it is believed."""
        fits = reading.fits(least)
        confidence = float(np.clip(0.5 + reading.clear * 1.6, 0.0, 0.995)) if fits else 0.0
        sure = fits and reading.clear >= CLEAR
        return Naming(reading.kind if sure else None, confidence, reading.turn_deg, reading.kind)

    def astray(self, reading: Reading) -> tuple[float, float, float]:
        """How far the print lies from the middle of the crop, in parts of its longer side, and its turn in degrees."""
        own = np.array([self._size[0] / 2 - 0.5, self._size[1] / 2 - 0.5, 1.0])
        wide, tall = (round(side * ROOM) for side in self._size)
        x, y = reading.warp @ own - np.array([wide / 2 - 0.5, tall / 2 - 0.5])
        turn = (reading.turn_deg + 90.0) % 180.0 - 90.0
        return float(x) / max(self._size), float(y) / max(self._size), turn

    def read(self, crop: Image, seen: Image | None = None, kinds: Sequence[str] = ()) -> Reading:
        """The likeliest kind, of `kinds` if there are any. seen: mask (0/1) of the crop where the card is in sight.

        Raises ValueError for a crop without pixels.
        """
        if crop.size == 0:
            raise ValueError("an empty picture shows no card: crop it wider")
        mask = self._mask(seen)
        picture = self._prepared(crop, mask)
        tinted = self._tints.is_back(self._tint(crop, mask))
        asked = kinds or ((BACK,) if tinted else self.kinds)
        likely = self._likely(picture, mask, asked)
        found = [self._best_laid(picture, mask, kind, views) for kind, views in likely.items()]
        best = max(found, key=lambda one: one.fit)
        for kind, warp in self._overlooked(picture, mask, best, [kind for kind in asked if kind not in likely]):
            found.append(self._laid(picture, mask, kind, warp))
            best = max(best, found[-1], key=lambda one: one.fit)
        if len(self.kinds) <= FEW:
            laid = {one.kind for one in found}
            found += [msgspec.structs.replace(best, kind=kind) for kind in self.kinds if kind not in laid]
        clearest = self._clearest(picture, mask, best, found)
        return msgspec.structs.replace(clearest, tinted=tinted and clearest.kind == BACK)

    def _clearest(self, picture: Floats, mask: Image, best: Reading, found: Sequence[Reading]) -> Reading:
        """The best of all, or the rival that the crop is clearly nearer to where the two differ."""
        clear = {one.kind: self._apart(picture, mask, best, one) for one in found if one.kind != best.kind}
        nearer = min(clear, key=lambda kind: clear[kind], default=best.kind)
        if clear.get(nearer, 0.5) <= -CLEAR:
            best = next(one for one in found if one.kind == nearer)
            clear = {one.kind: self._apart(picture, mask, best, one) for one in found if one.kind != best.kind}
        return msgspec.structs.replace(best, clear=min(clear.values(), default=0.5))

    def _prepared(self, crop: Image, mask: Image | None = None) -> Floats:
        """The crop with its margin, at the scale of the comparison, paper at 1. mask: where the card is in sight."""
        light = self._light(crop)
        return np.asarray(light / self._ground(light, mask), np.float32)

    def _light(self, crop: Image) -> Floats:
        wide, tall = (round(side * ROOM) for side in self._size)
        stood = crop if crop.shape[0] >= crop.shape[1] else cv2.rotate(crop, cv2.ROTATE_90_CLOCKWISE)
        return np.add(cv2.resize(stood, (wide, tall), interpolation=cv2.INTER_AREA), np.float32(4.0), dtype=np.float32)

    def _ground(self, light: Floats, mask: Image | None) -> Floats:
        """The colour of what the card is printed on."""
        left, top = self._corner(light, 0, 0)
        part = slice(top, top + self._size[1]), slice(left, left + self._size[0])
        sight = np.ones(light.shape[:2], np.bool_) if mask is None else mask > 0
        middle = light[part][sight[part]] if sight[part].any() else light[part].reshape(-1, 3)
        return np.percentile(middle, 75, axis=0).astype(np.float32)

    def _tint(self, crop: Image, mask: Image | None = None) -> Floats:
        """The shares of blue, green and red in it."""
        ground = self._ground(self._light(crop), mask)
        return np.asarray(ground / ground.sum(), np.float32)

    def _mask(self, seen: Image | None) -> Image:
        wide, tall = (round(side * ROOM) for side in self._size)
        if seen is None:
            return np.ones((tall, wide), np.uint8)
        stood = seen if seen.shape[0] >= seen.shape[1] else cv2.rotate(seen, cv2.ROTATE_90_CLOCKWISE)
        small = cv2.resize(stood, (wide, tall), interpolation=cv2.INTER_NEAREST)
        return np.asarray(cv2.erode(small, np.ones((BORDER, BORDER), np.uint8), borderValue=0), np.uint8)

    def _inner(self, picture: Floats, dx: int = 0, dy: int = 0) -> Floats:
        left, top = self._corner(picture, dx, dy)
        return picture[top : top + self._size[1], left : left + self._size[0]]

    def _corner(self, picture: Floats, dx: int, dy: int) -> Shift:
        """Top left of the print in a crop that is off by so much."""
        return (picture.shape[1] - self._size[0]) // 2 + dx, (picture.shape[0] - self._size[1]) // 2 + dy

    def _reduced(self, picture: Floats) -> Floats:
        size = self._size[0] // COARSE, self._size[1] // COARSE
        return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)

    def _mean(self, pictures: Sequence[Image]) -> Floats:
        """The mean of several pictures of one kind, each laid over the first."""
        first = self._inner(self._prepared(pictures[0]))
        total = first.copy()
        small = self._reduced(first)[None]
        for other in pictures[1:]:
            picture = self._prepared(other)
            views = [self._best_view(small, picture, None, turn) for turn in self._turns]
            ranked = sorted(range(len(views)), key=lambda i: -float(views[i][0].max()))[:2]
            tried = [self._start(picture, self._turns[i], self._shifts[int(views[i][1][0])]) for i in ranked]
            seen = [self._seen_as(picture, aligned(first, picture, None, start)) for start in tried]
            total += max(seen, key=lambda one: correlation(first, one, self._part))
        return np.asarray(total / len(pictures), np.float32)

    def _likely(self, picture: Floats, mask: Image, kinds: Sequence[str]) -> dict[str, list[View]]:
        """The kinds that fit best at a coarse look, each as it was turned and shifted there."""
        small = self._small[[self.kinds.index(kind) for kind in kinds]]
        looks = [self._best_view(small, picture, mask, turn) for turn in self._turns]
        fits = np.stack([fit for fit, _ in looks], axis=1)
        best = fits.max(axis=1)
        ranked = [row for row in np.argsort(-best)[:LIKELIEST] if best[row] > best.max() - BEHIND]
        least = best - (ALIKE if len(self._turns) > 2 else 2.0)
        turned = {row: np.flatnonzero(fits[row] > least[row]) for row in ranked}
        return {
            kinds[row]: [(self._turns[i], self._shifts[int(looks[i][1][row])]) for i in which]
            for row, which in turned.items()
        }

    def _best_view(
        self, small: Floats, picture: Floats, mask: Image | None, turn: float
    ) -> tuple[Floats, npt.NDArray[np.intp]]:
        """How well a crop that was turned by so much agrees with each small reference, and at which shift best."""
        back = turned(picture, turn)
        size = picture.shape[1::-1]
        view = np.asarray(cv2.warpAffine(picture, back, size, borderMode=cv2.BORDER_REPLICATE), np.float32)
        seen = np.ones(picture.shape[:2], np.float32)
        if mask is not None:
            seen = np.asarray(cv2.warpAffine(mask.astype(np.float32), back, size), np.float32)
        found = []
        for dx, dy in self._shifts:
            weight = self._reduced(self._inner(seen, dx, dy) * self._part)
            found.append(alike(small, self._reduced(self._inner(view, dx, dy)), weight))
        fits = np.asarray(found, np.float32)
        return np.asarray(fits.max(axis=0), np.float32), fits.argmax(axis=0)

    def _overlooked(
        self, picture: Floats, mask: Image, best: Reading, others: Sequence[str]
    ) -> Iterator[tuple[str, Floats]]:
        """Kinds that may fit better yet, once the crop lies as the best of the likely ones does, and how they lie.

        At the first look a crop that is off by less than a step of the shifts resembles many kinds.
        """
        turned = [best.warp, best.warp @ half_turn(self._size)] if len(self._turns) == 2 else [best.warp]
        for warp in turned if others else ():
            view, seen = (self._seen_as(each, warp) for each in (picture, mask.astype(np.float32)))
            weight, small = self._reduced(seen * self._part), self._reduced(view)
            kinds = [best.kind, *others]
            fits = alike(self._small[[self.kinds.index(kind) for kind in kinds]], small, weight)
            row = int(fits[1:].argmax()) + 1
            if fits[row] > best.fit - ALIKE:
                yield kinds[row], warp

    def _best_laid(self, picture: Floats, mask: Image, kind: str, views: Sequence[View]) -> Reading:
        """The kind as it fits best. The lines of a back repeat: if it does not fit, it is laid where they do best."""
        starts = [self._start(picture, *view) for view in views]
        best = max((self._laid(picture, mask, kind, start) for start in starts), key=lambda one: one.fit)
        if kind != BACK or best.fit >= FIT:
            return best
        start = sought(self._references[kind], picture, self._turns)
        there = self._lying(picture, mask, kind, start), self._laid(picture, mask, kind, start)
        return max(best, *there, key=lambda one: one.fit)

    def _start(self, picture: Floats, turn: float, shift: Shift) -> Floats:
        """2 x 3, from a print's pixels to the crop's, as the crop was seen to agree with it roughly."""
        back = cv2.invertAffineTransform(turned(picture, turn))
        left, top = self._corner(picture, *shift)
        return np.column_stack([back[:, :2], back @ np.array([left, top, 1.0])]).astype(np.float32)

    def _laid(self, picture: Floats, mask: Image, kind: str, start: Floats) -> Reading:
        """start: about where it lies, 2 x 3, from the print's pixels to the crop's."""
        return self._lying(picture, mask, kind, aligned(self._references[kind], picture, mask, start))

    def _lying(self, picture: Floats, mask: Image, kind: str, warp: Floats) -> Reading:
        """What it would be if it lay just so."""
        reference = self._references[kind]
        seen, weight = self._seen_as(picture, warp), self._seen_as(mask.astype(np.float32), warp) * self._part
        soft = [np.asarray(cv2.GaussianBlur(picture, (0, 0), SOFT), np.float32) for picture in (reference, seen)]
        fit = correlation(soft[0], soft[1], weight)
        return Reading(kind, max(fit, agreement(reference, seen, weight)) if kind == BACK else fit, 0.0, warp)

    def _seen_as(self, picture: Floats, warp: Floats) -> Floats:
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(
            cv2.warpAffine(picture, warp, self._size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
        )

    def _apart(self, picture: Floats, mask: Image, best: Reading, rival: Reading) -> float:
        """Where between two kinds a crop lies, judged by what is different in their pictures; 0.5: it is the best.

        Both are laid over the crop: of a print that looks nearly alike in two turns, either may have been enrolled.
        """
        seen = self._seen_as(picture, best.warp)
        weight = self._seen_as(mask.astype(np.float32), best.warp) * self._part > 0.5
        mine, other = (
            self._references[best.kind],
            self._seen_as(self._references[rival.kind], between(best.warp, rival.warp)),
        )
        return told(mine, other, seen, weight)


def load(folder: Path) -> PrintedRecogniser:
    """The recogniser for the set in a folder written by `enrolment.save`. Raises EnrolmentError."""
    return PrintedRecogniser(enrolment.load(folder))
