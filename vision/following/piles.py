"""The backs that show on piles, from rest to rest."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from engine.table import Face
from vision.camera import Image
from vision.following.comparing import GAP, RIM, STRIP, Comparison
from vision.following.draws import UNSURE, Pile
from vision.following.looks import Look, Track


def drawn(work: Comparison, track: Track, came: Sequence[Look]) -> float:
    """Probability that the back on a pile is another one than before.

    came: what came, and may reach over it, as may what lay on it before.
    """
    if work.before is None or not work.in_pile(track.look.x, track.look.y) or track.look.face is not Face.DOWN:
        return 0.0
    on = work.on
    whole, over = on.mask(on.quad(track.look)), np.zeros_like(work.changed)
    for look in (*(other.look for other in work.known if other.number != track.number), *came):
        over |= on.mask(on.quad(look))
    own = _eroded(np.asarray(whole & (cv2.dilate(over, np.ones((RIM, RIM), np.uint8)) == 0), np.uint8))
    if np.count_nonzero(own) < STRIP * on.area:
        return UNSURE
    beside = cv2.dilate(work.changed | whole, np.ones((GAP, GAP), np.uint8))
    ground = np.asarray(work.usable & (beside == 0), np.uint8)
    return Pile(work.before, work.sheet, own, ground, on.size, on.scale).drawn()


def _eroded(mask: Image) -> Image:
    return np.asarray(cv2.erode(mask, np.ones((RIM, RIM), np.uint8)), np.uint8)
