"""Detects motion in the small gray stream.

Each picture is divided by its local mean, so only moving edges remain. It is compared with the previous one; at rest
with a slowly renewed reference, to notice creeping. The threshold follows the noise.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.camera import Image
from vision.quantiles import median
from vision.registration.dense_alignment import Floats, normalise

REST_S = 0.4
"""Seconds without motion until rest."""

LEAST_CHANGE = 0.05
NOISE_FACTOR = 6.0
CLUSTER = 5
"""Changed pixels required of nine; noise is isolated."""

RENEWAL = 0.05


class Gate:
    """Motion detector. mask: 0/1, where to look."""

    def __init__(self, mask: Image | None = None) -> None:
        self.mask = mask
        self.moving = False
        self._before: Floats | None = None
        self._still_since = 0.0
        self._last_at = 0.0

    @property
    def quiet_s(self) -> float:
        """Return the seconds without motion."""
        return self._last_at - self._still_since

    def forget(self) -> None:
        """Take the next picture as the reference."""
        self._before = None

    def feed(self, small: Image, at: float) -> bool:
        """Return True if something moved; update `moving`. small: gray, uint8; at: seconds."""
        now = normalise(small)
        self._last_at = at
        if self.mask is not None and self.mask.shape != now.shape:
            self.mask = None  # of pictures of another shape
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
