"""Names flat prints by aligning them with enrolled pictures.

Prints have no relief, so light changes only brightness and tint. Similar kinds are distinguished where they differ.
Partly visible cards work too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.progress import Heard, nobody
from vision.recognition import enrolment
from vision.recognition.cache import worked_out
from vision.recognition.check_round import USUAL, threshold_of
from vision.recognition.correlation import NONE, alike, correlation, even_light, planar
from vision.recognition.enrolment import BACK, EnrolledSet
from vision.recognition.naming import Naming
from vision.recognition.prints.averaged import Averaged, average_pictures
from vision.recognition.prints.coarse import Coarse, View
from vision.recognition.prints.format import Blind, blind, fill_blind
from vision.recognition.prints.laying import align, between, good_part, half_turn
from vision.recognition.prints.lines import agreement, sought
from vision.recognition.prints.paper_colours import Tints
from vision.recognition.prints.reading import CLEAR, FIT, THROUGHOUT, THROUGHOUT_A_STRIP, PrintReading
from vision.recognition.prints.softness import BLURS, soften, softness
from vision.recognition.prints.telling import tell_apart
from vision.recognition.prints.throughout import SOFT, throughout

Floats = npt.NDArray[np.float32]

LIKELIEST = 6
"""Kinds fully aligned."""

PART_FIT = 0.85
"""Least correlation of a partly visible print."""

BEHIND = 0.12
"""Coarse correlation by which a kind may trail."""

ALIKE = 0.04
"""The same for a turn, if more than two are possible."""

FEW = 6
"""Size of a set whose kinds are all compared with the likeliest."""


class PrintedRecogniser:
    """A `Recogniser` of prints; the back's kind is `enrolment.BACK`. threshold: used if stricter than usual."""

    def __init__(self, enrolled: EnrolledSet | Averaged, threshold: float = USUAL) -> None:
        self._strict = threshold if threshold > USUAL else 0.0
        prints = self.prints = enrolled if isinstance(enrolled, Averaged) else average_pictures(enrolled)
        self._look = Coarse(prints.aspect, prints.symmetry)
        self.format, self._part, self._turns = self._look.format, self._look.part, self._look.turns
        self.kinds = prints.kinds
        self._references = dict(zip(prints.kinds, prints.references, strict=True))
        self._small = np.stack([planar(self.format.reduce_print(picture)) for picture in prints.references])
        self._blind = dict[Blind, PrintedRecogniser]()
        self._strange = (1.0 + float(prints.likeness.max())) / 2
        """Local agreement halfway between a card itself and the most alike two of the set, as strangers may be."""
        self._tints = Tints(dict(zip(prints.kinds, prints.tints, strict=True)))

    @property
    def threshold(self) -> float:
        """Return the least confidence of a whole print's name."""
        return max(self._strict, _confidence(CLEAR))

    def without(self, kind: str) -> PrintedRecogniser:
        return PrintedRecogniser(self.prints.without(kind), self._strict)

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        return [self.naming(self.read(crop)) for crop in crops]

    def name_part(self, crop: Image, seen: Image, kinds: Sequence[str] = ()) -> Naming:
        return self.naming(self.read(crop, seen, kinds), PART_FIT)

    def naming(self, reading: PrintReading, least: float = FIT) -> Naming:
        """Return a reading's name. least: correlation required."""
        fits = reading.fits(least)
        confidence = max(_confidence(reading.clear) if fits else 0.0, reading.witness)
        sure = ((fits and reading.is_clear) or reading.witness > 0) and confidence >= self._strict
        kind = reading.kind if sure else None
        return Naming(kind, confidence, reading.turn_deg, reading.kind, reading.fit, self.astray(reading))

    def astray(self, reading: PrintReading) -> tuple[float, float, float]:
        """Return the print's offset right and down from the crop's centre in longer sides, and its turn in degrees,
        [-90, 90)."""
        (wide, tall), (across, down) = self.format.size, self.format.crop
        own = np.array([wide / 2 - 0.5, tall / 2 - 0.5, 1.0])
        x, y = reading.warp @ own - np.array([across / 2 - 0.5, down / 2 - 0.5])
        turn = (reading.turn_deg + 90.0) % 180.0 - 90.0
        return float(x) / max(wide, tall), float(y) / max(wide, tall), turn

    def read(self, crop: Image, seen: Image | None = None, kinds: Sequence[str] = ()) -> PrintReading:
        """Return the likeliest kind's reading. seen, kinds: as in `PartRecogniser`. Raises ValueError for an empty
        crop."""
        if crop.size == 0:
            raise ValueError("an empty picture shows no card: crop it wider")
        mask = self.format.sight(seen)
        picture, paper = self.format.prepare(crop, mask)
        which = blind(crop)
        if any(which):
            return self._without(which)._read(crop, fill_blind(picture, which), paper, mask, kinds)
        return self._read(crop, picture, paper, mask, kinds)

    def _without(self, which: Blind) -> PrintedRecogniser:
        """Return a cached recogniser for crops with these channels filled."""
        if which not in self._blind:
            other = copy(self)
            other._references = {kind: fill_blind(picture, which) for kind, picture in self._references.items()}
            other._small = np.stack([planar(self.format.reduce_print(each)) for each in other._references.values()])
            self._blind[which] = other
        return self._blind[which]

    def _read(self, crop: Image, picture: Floats, paper: Floats, mask: Image, kinds: Sequence[str]) -> PrintReading:
        tinted = None if self.format.is_washed_out(crop, mask) else self._tints.is_back(paper)
        asked = kinds or ((BACK,) if tinted else self.kinds)
        likely = self._likely(picture, mask, asked)
        found = [self._best_laid(picture, mask, kind, views) for kind, views in likely.items()]
        best = max(found, key=lambda one: one.fit)
        for kind, warp in self._find_overlooked(picture, mask, best, [kind for kind in asked if kind not in likely]):
            found.append(self._lay(picture, mask, kind, warp))
            best = max(best, found[-1], key=lambda one: one.fit)
        if len(self.kinds) <= FEW:
            laid = {one.kind for one in found}
            found += [msgspec.structs.replace(best, kind=kind) for kind in self.kinds if kind not in laid]
        clearest = self._clearest(picture, mask, best, found)
        agrees = self._throughout(picture, mask, clearest)
        tinted = tinted if clearest.kind == BACK else None
        printed, strip = self._print_match(mask, clearest), not self._tells_all(mask)
        required = min(THROUGHOUT_A_STRIP if strip else THROUGHOUT, self._strange)
        return msgspec.structs.replace(
            clearest, tinted=tinted, throughout=agrees, required=required, strip=strip, printed=printed
        )

    def _tells_all(self, mask: Image) -> bool:
        return good_part(mask, self.format.size)

    def _clearest(
        self, picture: Floats, mask: Image, best: PrintReading, found: Sequence[PrintReading]
    ) -> PrintReading:
        clear = self._apart(picture, mask, best, found)
        nearer = min(clear, key=lambda kind: clear[kind], default=best.kind)
        if clear.get(nearer, 0.5) <= -CLEAR:
            best = next(one for one in found if one.kind == nearer)
            clear = self._apart(picture, mask, best, found)
        return msgspec.structs.replace(best, clear=min(clear.values(), default=0.5))

    def _likely(self, picture: Floats, mask: Image, kinds: Sequence[str]) -> dict[str, list[View]]:
        small = self._small[[self.kinds.index(kind) for kind in kinds]]
        looks = [self._look.best_view(small, picture, mask, turn) for turn in self._turns]
        fits = np.stack([fit for fit, _ in looks], axis=1)
        best = fits.max(axis=1)
        ranked = [row for row in np.argsort(-best, kind="stable")[:LIKELIEST] if best[row] > best.max() - BEHIND]
        least = best - (ALIKE if len(self._turns) > 2 else 2.0)
        turned = {row: np.flatnonzero(fits[row] > least[row]) for row in ranked}
        return {kinds[row]: [(self._turns[i], looks[i][1][row]) for i in which] for row, which in turned.items()}

    def _find_overlooked(
        self, picture: Floats, mask: Image, best: PrintReading, others: Sequence[str]
    ) -> Iterator[tuple[str, Floats]]:
        """Yield the other kind that fits best at the best reading's place, with the warp, if about as good; coarse
        shifts can miss it."""
        turned = [best.warp, best.warp @ half_turn(self.format.size)] if len(self._turns) == 2 else [best.warp]
        for warp in turned if others else ():
            view, seen = (self.format.seen_as(each, warp) for each in (picture, mask.astype(np.float32)))
            weight, small = self.format.reduce_print(seen * self._part), self.format.reduce_print(view)
            kinds = [best.kind, *others]
            fits = alike(self._small[[self.kinds.index(kind) for kind in kinds]], small, weight)
            row = int(fits[1:].argmax()) + 1
            if fits[row] > best.fit - ALIKE:
                yield kinds[row], warp

    def _best_laid(self, picture: Floats, mask: Image, kind: str, views: Sequence[View]) -> PrintReading:
        """Align a kind; bad fits of backs and tokens are retried by lines and at the centre."""
        starts = [self.format.start(picture, *view) for view in views]
        best = max((self._lay(picture, mask, kind, start) for start in starts), key=lambda one: one.fit)
        if best.fit >= FIT or (kind != BACK and self._look.long):
            return best
        start = sought(self._references[kind], picture, self._turns)
        middle = [self.format.start(picture, turn, (0, 0)) for turn, _ in views]
        there = [self._lay(picture, mask, kind, each) for each in (start, *middle)]
        return max(best, self._lying(picture, mask, kind, start), *there, key=lambda one: one.fit)

    def _lay(self, picture: Floats, mask: Image, kind: str, start: Floats) -> PrintReading:
        return self._lying(picture, mask, kind, align(self._references[kind], picture, mask, start))

    def _lying(self, picture: Floats, mask: Image, kind: str, warp: Floats) -> PrintReading:
        """Compare a picture with a kind's print, laid by `warp`."""
        reference = self._references[kind]
        seen, weight = (
            self.format.seen_as(picture, warp),
            self.format.seen_as(mask.astype(np.float32), warp) * self._part,
        )
        soft = [np.asarray(cv2.GaussianBlur(picture, (0, 0), SOFT), np.float32) for picture in (reference, seen)]
        if self._tells_all(mask):
            soft = [even_light(picture, weight) for picture in soft]
        fit = correlation(soft[0], soft[1], weight)
        return PrintReading(kind, max(fit, agreement(reference, seen, weight)) if kind == BACK else fit, 0.0, warp)

    def _apart(
        self, picture: Floats, mask: Image, best: PrintReading, found: Sequence[PrintReading]
    ) -> dict[str, float]:
        """Return the crop's place between the best (0.5) and each rival, where they differ.

        Both are aligned and blurred like the crop, unless it may be softer yet; then only bold differences count.
        """
        rivals = [one for one in found if one.kind != best.kind]
        if not rivals:
            return {}
        seen = self.format.seen_as(picture, best.warp)
        weight = self.format.seen_as(mask.astype(np.float32), best.warp) * self._part
        blur = softness(self._references[best.kind], seen, weight)
        blur = blur if blur < BLURS[-1] else 0.0
        mine, sight = soften(self._references[best.kind], blur), weight > 0.5
        return {one.kind: tell_apart(mine, soften(self._laid_as(best, one), blur), seen, sight) for one in rivals}

    def _throughout(self, picture: Floats, mask: Image, reading: PrintReading) -> float:
        """Return a card's lowest local agreement; 1 for tokens, and for backs, whose lines are too fine."""
        if reading.kind == BACK or not self._look.long:
            return 1.0
        seen, sight = (self.format.seen_as(each, reading.warp) for each in (picture, mask.astype(np.float32)))
        reference, weight = self._references[reading.kind], sight * self._part
        return throughout(soften(reference, softness(reference, seen, weight)), seen, weight)

    def _print_match(self, mask: Image, reading: PrintReading) -> float:
        print_ = np.asarray(cv2.GaussianBlur(self._references[reading.kind], (0, 0), SOFT), np.float32)
        sight = self.format.seen_as(mask.astype(np.float32), reading.warp) * self._part > 0.5
        return _contrast(print_[sight]) / max(NONE, _contrast(print_.reshape(-1, 3)))

    def _laid_as(self, best: PrintReading, rival: PrintReading) -> Floats:
        return self.format.seen_as(self._references[rival.kind], between(best.warp, rival.warp))


def _confidence(clear: float) -> float:
    return float(np.clip(0.5 + clear * 1.6, 0.0, 0.995))


def _contrast(values: Floats) -> float:
    return float(np.square(values - values.mean(axis=0)).sum()) if len(values) else 0.0


def load(folder: Path, heard: Heard = nobody) -> PrintedRecogniser:
    """Return a stored set's recogniser; see `recogniser.load`."""
    kept = worked_out(folder, "prints", lambda: average_pictures(enrolment.load(folder), heard).arrays())
    return PrintedRecogniser(Averaged.of(kept), threshold_of(folder))
