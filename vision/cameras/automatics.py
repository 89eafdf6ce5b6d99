"""Lets a USB camera settle exposure, white balance and focus, then holds them.

Many cameras jump when switched to manual: settled values are written back, brightness is checked. Those that still
jump stay automatic; the mat's patches correct colours (`vision.picture_checks`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import cv2

from vision.exposure import GAMMA

MANUAL, AUTOMATIC = 1, 3
"""V4L2 exposure modes: manual, and aperture priority."""

AS_BRIGHT = 1.25
"""Largest ratio of equal brightness."""

TRIES = 3
LONG = 400
"""Exposure (0.1 ms) in which hands smear."""

_log = logging.getLogger(__name__)


class Automatics:
    """Automatic controls of an open device. name: for the log."""

    def __init__(self, capture: cv2.VideoCapture, name: str) -> None:
        self._capture, self._name = capture, name
        self._exposing = capture.get(cv2.CAP_PROP_AUTO_EXPOSURE)
        self._held_well, self._held_at = True, 0.0
        self.misreads = False
        """Its reported exposure is false: check after holding."""

    def release(self) -> None:
        """Make exposure, white balance and focus automatic, because cameras remember settings."""
        self.release_light()
        self._capture.set(cv2.CAP_PROP_AUTOFOCUS, 1)

    def hold_focus(self) -> None:
        """Switch autofocus off, keeping the focus."""
        self._hold(cv2.CAP_PROP_AUTOFOCUS, 0, (cv2.CAP_PROP_FOCUS,))

    def hold_light(self, brightness: Callable[[], float] | None) -> bool:
        """Hold exposure and white balance; if brightness then jumps, release both and return False, now and later.

        brightness: measures a new picture; None to skip the check.
        """
        if not self._held_well:
            return False
        before = brightness() if brightness is not None else 0.0
        self._hold(cv2.CAP_PROP_AUTO_WB, 0, (cv2.CAP_PROP_WB_TEMPERATURE,))
        self._hold(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL, (cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_GAIN))
        if brightness is not None and not self._restore_brightness(before, brightness):
            _log.warning("camera %s jumps when its exposure is held: it goes on setting it by itself", self._name)
            self._held_well = False
            self.release_light()
            return False
        self._held_at = self._capture.get(cv2.CAP_PROP_EXPOSURE)
        if self._held_at >= LONG:
            smears = "camera %s exposes for %.0f ms, and hands smear: more light helps"
            _log.warning(smears, self._name, self._held_at / 10)
        return True

    def dim(self, stops: float) -> bool:
        """Expose `stops` below the held value; return False if impossible or no different."""
        if not self._held_well or self.misreads or self._held_at <= 0:
            return False
        exposure = max(1, round(self._held_at * 2.0**-stops))
        if exposure == self._capture.get(cv2.CAP_PROP_EXPOSURE):
            return False
        return bool(self._capture.set(cv2.CAP_PROP_EXPOSURE, exposure))

    def release_light(self) -> None:
        """Make exposure and white balance automatic."""
        self._capture.set(cv2.CAP_PROP_AUTO_WB, 1)
        known = self._exposing if self._exposing >= 0 and self._exposing != MANUAL else AUTOMATIC
        self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, known)

    def _hold(self, switch: int, off: int, values: tuple[int, ...]) -> None:
        found = [(value, self._capture.get(value)) for value in values]
        if self._capture.set(switch, off):
            for value, was in found:
                if was >= 0:  # -1: absent
                    self._capture.set(value, was)

    def _restore_brightness(self, before: float, brightness: Callable[[], float]) -> bool:
        """Correct the exposure until brightness is as before; return False if that fails."""
        for _ in range(TRIES):
            share = max(before, 1.0) / max(brightness(), 1.0)
            if 1 / AS_BRIGHT <= share <= AS_BRIGHT:
                return True
            self.misreads = True
            exposure = self._capture.get(cv2.CAP_PROP_EXPOSURE)
            self._capture.set(cv2.CAP_PROP_EXPOSURE, max(1, round(exposure * share**GAMMA)))
        return 1 / AS_BRIGHT <= max(before, 1.0) / max(brightness(), 1.0) <= AS_BRIGHT
