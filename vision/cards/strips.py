"""Names cards of which others hide a part, if what shows is like one kind and no other."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.table import Face, Sight
from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.care import Correction
from vision.finding.quad import Quad
from vision.recognition.enrolment import BACK
from vision.recognition.naming import Naming, PartRecogniser
from vision.tracking.looks import Look


class Lit:
    """A recogniser of parts to which crops are shown as they would look under even, white light."""

    def __init__(self, parts: PartRecogniser, light: Correction) -> None:
        self._parts, self._light = parts, light

    def name_part(self, crop: Image, seen: Image, kinds: Sequence[str] = ()) -> Naming:
        """See `PartRecogniser`."""
        return self._parts.name_part(self._light.legible(crop, seen), seen, kinds)


def strip(on: CardSheet, sheet: Image, quad: Quad, seen: Image, parts: PartRecogniser | None) -> Look:
    """A card's look. seen: mask (0/1) of what is in sight of it. parts: names it."""
    here = on.found(quad)
    look = Look(here.x_mm, here.y_mm, quad.angle_deg, None, None, Sight.UNKNOWN, 0.0)
    if parts is None:
        return look
    naming = parts.name_part(on.cut(sheet, quad), on.cut(seen, quad))
    if naming.kind is None:
        return look
    back = naming.kind == BACK
    return msgspec.structs.replace(
        look,
        kind=None if back else naming.kind,
        face=Face.DOWN if back else Face.UP,
        sight=Sight.SEEN,
        confidence=naming.confidence,
    )
