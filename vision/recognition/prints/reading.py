"""The result of reading a print, and when it is believed."""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

from vision.recognition.enrolment import BACK

Floats = npt.NDArray[np.float32]

FIT = 0.82
"""Correlation below which nothing is named: it is no print, or the crop is too far off. Noise in the dark takes a tenth
of it away, and wrong kinds come nearer than that to 1: which kind it is, is told by what differs between them."""

BACK_FIT = 0.65
"""The same for a back: in a pile those of several cards are seen at once, and no face looks like it."""

TINTED_FIT = 0.15
"""The same for a back whose colour tells it from every face: blur takes fine lines away, and leaves the colour."""

CLEAR, CLEAR_OF_A_STRIP = 0.18, 0.28
"""How far on its own side of the middle between two kinds a crop must lie, where they differ: 0.5 is all the way. On a
strip of an unsharp card what little is in sight of a print may look like another's: of 558 strips in the scene `hard`
five were read as another kind, at 0.189 to 0.277, and 3 in 100 of those that were read rightly lay below that.
"""

THROUGHOUT, THROUGHOUT_A_STRIP = 0.96, 0.93
"""Correlation with a face as soft as the picture, where the two agree least, below which it is a stranger's: it may
resemble one kind more than all others where these differ, and be another where they are alike. A strip, which tells of
neither stretch nor skew, is laid less exactly: known ones agree by less, too.
"""

PRINTED = 0.03
"""Share of a print in sight, by its contrast, below which nothing is named: beside an edge that is a pixel off, paper
with the rim of a sign resembles many kinds. The corner with the figure alone is more.
"""


class Reading(msgspec.Struct, frozen=True):
    """What a crop shows. fit: correlation with that kind's picture. clear: how far it lies on that kind's side of the
    middle between it and the next (0.5: all the way). warp: 2 x 3, from the print to the crop. tinted: what it is
    printed on has the colour of the backs, and that of no face. throughout: of a card, correlation where they agree
    least. strip: so little is in sight that it tells of neither stretch nor skew. printed: share of that kind's print
    that is in sight, by its contrast.
    """

    kind: str
    fit: float
    clear: float
    warp: Floats
    tinted: bool = False
    throughout: float = 1.0
    strip: bool = False
    printed: float = 1.0

    def fits(self, least: float = FIT) -> bool:
        """Whether the correlation is enough, as a whole and everywhere, over enough print; least: for a whole face."""
        if self.kind == BACK:
            return self.fit >= (TINTED_FIT if self.tinted else BACK_FIT)
        throughout = THROUGHOUT_A_STRIP if self.strip else THROUGHOUT
        return self.fit >= least and self.throughout >= throughout and self.printed >= PRINTED

    @property
    def is_clear(self) -> bool:
        """Whether it lies far enough from the next kind."""
        return self.clear >= (CLEAR_OF_A_STRIP if self.strip and self.kind != BACK else CLEAR)

    @property
    def sure(self) -> bool:
        return self.fits() and self.is_clear

    @property
    def turn_deg(self) -> float:
        """Clockwise, against the enrolled picture."""
        return float(np.degrees(np.arctan2(self.warp[1, 0], self.warp[0, 0])) % 360.0)
