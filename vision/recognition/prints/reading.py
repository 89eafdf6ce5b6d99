"""Defines readings of prints and their acceptance."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import numpy.typing as npt

from vision.recognition.enrolment import BACK

Floats = npt.NDArray[np.float32]

FIT = 0.82
"""Least correlation; dark noise costs a tenth. Kinds are distinguished by their differences."""

BACK_FIT = 0.65
"""The same for a back, unlike any face."""

TINTED_FIT, OTHERWISE_TINTED_FIT = 0.15, 0.96
"""The same for a back of distinct colour, and for a whole one of a colour that is no back's: in coloured light 0.98 and
more is measured, of a mat's lines 0.83."""

CLEAR, CLEAR_OF_A_STRIP = 0.18, 0.28
"""Least place between two kinds (0.5: certain). Measured on strips of scene `hard`: misreadings reached 0.277."""

THROUGHOUT, THROUGHOUT_A_STRIP = 0.96, 0.93
"""Most that is asked of the local correlation with an equally blurred face, against strangers; strips are aligned less
exactly."""

PRINTED = 0.03
"""Least visible share of a print's contrast; blank paper resembles many kinds."""


class PrintReading(msgspec.Struct, frozen=True):
    """A crop's reading.

    clear: place between kind and next (0.5: certain).
    warp: 2 x 3, print to crop.
    tinted: paper has the backs' colour alone; False if it is no back's.
    throughout: lowest local correlation. required: of it, to be no stranger.
    strip: too little visible for stretch and skew.
    printed: visible share of the print's contrast.
    witness: the network's confidence in the same kind, if it is sure; else 0.
    """

    kind: str
    fit: float
    clear: float
    warp: Floats
    tinted: bool | None = None
    throughout: float = 1.0
    required: float = THROUGHOUT
    strip: bool = False
    printed: float = 1.0
    witness: float = 0.0

    def fits(self, least: float = FIT) -> bool:
        """Return True if the crop correlates enough overall, locally and over enough print. least: of a face."""
        if self.kind == BACK:
            return self.fit >= self._least_of_a_back()
        return self.fit >= least and self.throughout >= self.required and self.printed >= PRINTED

    def _least_of_a_back(self) -> float:
        if self.tinted is None:
            return BACK_FIT
        if self.tinted:
            return TINTED_FIT
        return math.inf if self.strip else OTHERWISE_TINTED_FIT

    @property
    def is_clear(self) -> bool:
        """Return True if distinct from the next kind."""
        return self.clear >= (CLEAR_OF_A_STRIP if self.strip and self.kind != BACK else CLEAR)

    @property
    def sure(self) -> bool:
        return self.witness > 0 or (self.fits() and self.is_clear)

    @property
    def turn_deg(self) -> float:
        """Return the clockwise turn against the enrolled picture."""
        return float(np.degrees(np.arctan2(self.warp[1, 0], self.warp[0, 0])) % 360.0)
