"""Names cards of which others hide a part, if what shows is like one kind and no other."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from engine.table import Face, Sight
from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.care import Correction
from vision.finding.quad import Quad
from vision.recognition.enrolment import BACK
from vision.recognition.naming import Naming, PartRecogniser
from vision.recognition.prints.reading import FIT
from vision.recognition.prints.seeking import moved
from vision.tracking.looks import Look

FAR_MM, BACK_MM = 8.0, 4.0
"""Farther from where it was looked for no print is taken for a strip's own, and no back, whose lines repeat."""


class Lit:
    """A recogniser of parts to which crops are shown as they would look under even, white light."""

    def __init__(self, parts: PartRecogniser, light: Correction) -> None:
        self._parts, self._light = parts, light

    def name_part(self, crop: Image, seen: Image, kinds: Sequence[str] = ()) -> Naming:
        """See `PartRecogniser`. Of what is nowhere in sight nothing is told."""
        if not seen.any():
            return Naming(None, 0.0, 0.0)
        return self._parts.name_part(self._light.legible(crop, seen), seen, kinds)


def strip(on: CardSheet, sheet: Image, quad: Quad, seen: Image, parts: PartRecogniser | None) -> Look:
    """A card's look where its print says that it lies, if that agrees well: its sides may be those of others beside it.

    seen: mask (0/1) of what is in sight of it. parts: names it.
    """
    if parts is None:
        return on.look(quad)
    return named(on, quad, parts.name_part(on.cut(sheet, quad), on.cut(seen, quad)))


def named(on: CardSheet, quad: Quad, naming: Naming) -> Look:
    """The look of what was looked for at a rectangle and named so."""
    look = on.look(quad)
    if naming.kind is None:
        return look
    back = naming.kind == BACK
    return msgspec.structs.replace(
        (lies(on, look, naming) or look) if naming.fit >= FIT else look,
        kind=None if back else naming.kind,
        face=Face.DOWN if back else Face.UP,
        sight=Sight.SEEN,
        confidence=naming.confidence,
    )


def lies(on: CardSheet, look: Look, naming: Naming) -> Look | None:
    """A strip's look where the print lies that it agrees with best; None if that is too far off to be its own."""
    x, y, turn = naming.aside
    right, down = x * on.long_mm, y * on.long_mm
    if np.hypot(right, down) > (BACK_MM if naming.guess == BACK else FAR_MM):
        return None
    x_mm, y_mm, angle_deg = moved((look.x_mm, look.y_mm, look.angle_deg), (right, down, turn))
    return msgspec.structs.replace(look, x_mm=x_mm, y_mm=y_mm, angle_deg=angle_deg)
