"""Names partly hidden cards that match only one kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from engine.table import Face, Sight
from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.finding.quad import Quad
from vision.picture_checks import ColourCorrection
from vision.recognition.enrolment import BACK
from vision.recognition.naming import Naming, PartRecogniser
from vision.recognition.prints.reading import FIT
from vision.recognition.prints.seeking import shift_place
from vision.tracking.looks import Look

FAR_MM, BACK_MM = 8.0, 4.0
"""Largest print offsets of faces and backs."""

ABOUT_MM, SURELY = 6.0, 0.95
"""Largest offset of a known card's print, and correlation that ends searches."""

TURNS_DEG, ASIDE_MM = (0.0, -4.0, 4.0, -8.0, 8.0), 3.0
"""Turn and offset of a card turned over in place."""


class Lit:
    """A part recogniser with colour correction."""

    def __init__(self, parts: PartRecogniser, light: ColourCorrection) -> None:
        self._parts, self._light = parts, light

    def name_part(self, crop: Image, seen: Image, kinds: Sequence[str] = ()) -> Naming:
        """Name a part as `PartRecogniser`; without kind and guess if nothing is visible."""
        if not seen.any():
            return Naming(None, 0.0, 0.0)
        return self._parts.name_part(self._light.legible(crop, seen), seen, kinds)


class Strip(NamedTuple):
    """A read strip. fit: correlation with `guess`; there: its print's place, None if too far or unlike."""

    look: Look
    fit: float
    guess: str | None
    there: Look | None


class Strips:
    """Reads visible parts of cards, if `parts` is given. seen: mask (0/1) of the sheet."""

    def __init__(self, on: CardSheet, sheet: Image, parts: PartRecogniser | None) -> None:
        self._on, self._sheet, self._parts = on, sheet, parts

    def look(self, quad: Quad, seen: Image) -> Look:
        """Return a card's look at its print's place."""
        return self.read(quad, seen).look

    def read(self, quad: Quad, seen: Image) -> Strip:
        naming = self._naming(quad, seen)
        there = self._lies(quad, naming) if naming.fit >= FIT else None
        return Strip(self._look(quad, naming, there), naming.fit, naming.guess, there)

    def fit(self, quad: Quad, seen: Image, kinds: Sequence[str] = ()) -> float:
        """Return the best correlation with these kinds; with all if empty."""
        return self._naming(quad, seen, kinds).fit

    def back(self, quad: Quad, seen: Image) -> float:
        """Return the best correlation with a back nearby."""
        best = 0.0
        for around in self._around(quad):
            best = max(best, self._fit_near(self._on.look(quad), around, seen, (BACK,)))
            if best >= SURELY:
                break
        return best

    def fit_there(self, quad: Quad, seen: Image, kinds: Sequence[str] = ()) -> float:
        """Return the best correlation with kinds; 0 if the print is elsewhere."""
        return self._fit_near(self._on.look(quad), quad, seen, kinds)

    def _fit_near(self, where: Look, quad: Quad, seen: Image, kinds: Sequence[str]) -> float:
        naming = self._naming(quad, seen, kinds)
        look = self._lies(quad, naming)
        near = look is not None and np.hypot(look.x_mm - where.x_mm, look.y_mm - where.y_mm) <= ABOUT_MM
        return naming.fit if near else 0.0

    def turned_look(self, where: Look, seen: Image) -> Look | None:
        """Return the look of a card turned over here, or None. seen: mask (0/1), perhaps with parts of other cards."""
        plain = None
        for number, quad in enumerate(self._around(self._on.quad(where))):
            strip = self.read(quad, np.asarray(seen & self._on.mask(quad), np.uint8))
            if strip.look.sight is Sight.SEEN and strip.fit >= FIT:
                return strip.look
            plain = strip.look if number == 0 and strip.look.sight is Sight.SEEN else plain
        return plain

    def _around(self, quad: Quad) -> list[Quad]:
        """Return places of a card turned over here, also slightly twisted or moved."""
        right = self._on.scale * ASIDE_MM
        turned = [msgspec.structs.replace(quad, angle_deg=quad.angle_deg + turn) for turn in TURNS_DEG]
        return [*turned, *(msgspec.structs.replace(quad, x=quad.x + side * right) for side in (-1.0, 1.0))]

    def _naming(self, quad: Quad, seen: Image, kinds: Sequence[str] = ()) -> Naming:
        if self._parts is None:
            return Naming(None, 0.0, 0.0)
        return self._parts.name_part(self._on.cut(self._sheet, quad), self._on.cut(seen, quad), kinds)

    def _look(self, quad: Quad, naming: Naming, there: Look | None) -> Look:
        look, back = self._on.look(quad), naming.kind == BACK
        if naming.kind is None:
            return look
        return msgspec.structs.replace(
            there or look,
            kind=None if back else naming.kind,
            face=Face.DOWN if back else Face.UP,
            sight=Sight.SEEN,
            confidence=naming.confidence,
        )

    def _lies(self, quad: Quad, naming: Naming) -> Look | None:
        """Return the print's place; None if too far."""
        x, y, turn = naming.aside
        right, down = x * self._on.long_mm, y * self._on.long_mm
        if np.hypot(right, down) > (BACK_MM if naming.guess == BACK else FAR_MM):
            return None
        look = self._on.look(quad)
        x_mm, y_mm, angle_deg = shift_place((look.x_mm, look.y_mm, look.angle_deg), (right, down, turn))
        return msgspec.structs.replace(look, x_mm=x_mm, y_mm=y_mm, angle_deg=angle_deg)
