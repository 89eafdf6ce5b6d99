"""The motion gate: decides between rest and motion from the small gray stream.

Each picture is divided by its own neighbourhood's mean, so exposure, gains and soft shadows drop out and only edges
that move remain. The threshold follows the noise. At rest a picture is compared with a slowly renewed reference, so
that creeping is seen too; in motion with the picture before, so that rest is seen at once.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.quantiles import median

REST_S = 0.4
"""The table rests after this long without motion."""

LEAST_CHANGE = 0.05
NOISE_FACTOR = 6.0
NEIGHBOURHOOD = 25
DIM = np.float32(6.0)
"""Added to every level, so that noise in the dark is no change."""

CLUSTER = 5
"""So many of nine neighbouring pixels must change: noise is single, a finger is not."""

RENEWAL = 0.05

Floats = npt.NDArray[np.float32]


class Gate:
    """Feed it every small picture; `moving` is the answer. `mask` (0 or 1 a pixel) limits where it looks."""

    def __init__(self, mask: Image | None = None) -> None:
        self.mask = mask
        self.moving = False
        self._before: Floats | None = None
        self._still_since = 0.0
        self._last_at = 0.0

    @property
    def quiet_s(self) -> float:
        """Return how long nothing has moved, at the last picture fed."""
        return self._last_at - self._still_since

    def forget(self) -> None:
        """Take the next picture for what the table looks like: the camera stands otherwise."""
        self._before = None

    def feed(self, small: Image, at: float) -> bool:
        """True if something moved in this picture. `small`: gray, uint8; `at`: its stamp in seconds."""
        now = normalise(small)
        self._last_at = at
        if self._before is None or self._before.shape != now.shape:
            self._before, self._still_since = now, at
            return False
        changed = self._has_changed(now, self._before)
        if changed:
            self.moving, self._still_since = True, at
        elif self.moving and at - self._still_since >= REST_S - 1e-3:
            self.moving = False
        if self.moving or changed:
            self._before = now
        else:
            cv2.accumulateWeighted(now, self._before, RENEWAL)
        return changed

    def _has_changed(self, now: Floats, before: Floats) -> bool:
        apart = cv2.absdiff(now, before)
        noise = 1.5 * median(apart[::3, ::3])
        over = np.asarray(apart > max(LEAST_CHANGE, NOISE_FACTOR * noise), np.uint8)
        if self.mask is not None:
            over &= self.mask
        clusters = cv2.boxFilter(over, cv2.CV_8U, (3, 3), normalize=False) >= CLUSTER
        return bool(clusters.any())


def normalise(small: Image) -> Floats:
    """The picture over its neighbourhood's mean: 1 where it is flat, whatever the light. Lightly blurred."""
    light = small + DIM
    around = cv2.boxFilter(small, cv2.CV_32F, (NEIGHBOURHOOD, NEIGHBOURHOOD)) + DIM
    return np.asarray(cv2.blur(light / around, (3, 3)), np.float32)
