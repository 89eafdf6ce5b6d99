"""What a USB camera sets by itself (exposure, white balance, focus): left to it until it has settled, then held.

Many cameras jump when an automatic is switched off: to a value that was stored long ago. So what it had found is read
before and written back, and the picture must then be as bright as it was. A camera that cannot be held so is left to
itself: its colours are corrected by the mat's patches all the same (`vision.picture_checks`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import cv2

from vision.exposure import GAMMA

MANUAL, AUTOMATIC = 1, 3
"""Of V4L2's exposure modes: by hand, and the one that every camera has whose aperture is fixed."""

AS_BRIGHT = 1.25
"""Brightness may differ by this factor for a picture to be as bright as another."""

TRIES = 3
LONG = 400
"""An exposure, in tenths of a millisecond, in which a moving hand smears."""

_log = logging.getLogger(__name__)


class Automatics:
    """Of one open device; `name` is what the log calls it."""

    def __init__(self, capture: cv2.VideoCapture, name: str) -> None:
        self._capture, self._name = capture, name
        self._exposing = capture.get(cv2.CAP_PROP_AUTO_EXPOSURE)
        self._held_well, self._held_at = True, 0.0
        self.misreads = False
        """Whether what it says of its exposure is not what it does: then holding it has to be looked at."""

    def release(self) -> None:
        """All follows light and distance: a camera remembers from one opening to the next what was held."""
        self.release_light()
        self._capture.set(cv2.CAP_PROP_AUTOFOCUS, 1)

    def hold_focus(self) -> None:
        """The lens stays where it is: it would hunt whenever a hand enters."""
        self._hold(cv2.CAP_PROP_AUTOFOCUS, 0, (cv2.CAP_PROP_FOCUS,))

    def hold_light(self, brightness: Callable[[], float] | None) -> bool:
        """Holds exposure and white balance. False if the camera cannot be held, and is left to itself.

        brightness: a picture's that is taken from now on, to see whether they are held as they were found; None:
        that was seen before.
        """
        if not self._held_well:
            return False
        before = brightness() if brightness is not None else 0.0
        self._hold(cv2.CAP_PROP_AUTO_WB, 0, (cv2.CAP_PROP_WB_TEMPERATURE,))
        self._hold(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL, (cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_GAIN))
        if brightness is not None and not self._as_bright(before, brightness):
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
        """Exposes so many stops less than it was held at. False if it is not held, nobody knows where, or no exposure
        is between that and the one that it has.
        """
        if not self._held_well or self.misreads or self._held_at <= 0:
            return False
        exposure = max(1, round(self._held_at * 2.0**-stops))
        if exposure == self._capture.get(cv2.CAP_PROP_EXPOSURE):
            return False
        return bool(self._capture.set(cv2.CAP_PROP_EXPOSURE, exposure))

    def release_light(self) -> None:
        """Exposure and white balance follow the light."""
        self._capture.set(cv2.CAP_PROP_AUTO_WB, 1)
        known = self._exposing if self._exposing >= 0 and self._exposing != MANUAL else AUTOMATIC
        self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, known)

    def _hold(self, switch: int, off: int, values: tuple[int, ...]) -> None:
        found = [(value, self._capture.get(value)) for value in values]
        if self._capture.set(switch, off):
            for value, was in found:
                if was >= 0:  # -1: it has no such thing
                    self._capture.set(value, was)

    def _as_bright(self, before: float, brightness: Callable[[], float]) -> bool:
        """Corrects the exposure until the picture is as bright as before; False if that does not help."""
        for _ in range(TRIES):
            share = max(before, 1.0) / max(brightness(), 1.0)
            if 1 / AS_BRIGHT <= share <= AS_BRIGHT:
                return True
            self.misreads = True
            exposure = self._capture.get(cv2.CAP_PROP_EXPOSURE)
            self._capture.set(cv2.CAP_PROP_EXPOSURE, max(1, round(exposure * share**GAMMA)))
        return 1 / AS_BRIGHT <= max(before, 1.0) / max(brightness(), 1.0) <= AS_BRIGHT
