"""Cards of a splay that were pushed along: which are believed to have gone where their strips are seen."""

from __future__ import annotations

import numpy as np
import pytest

from device.games import mats
from device.sim.table.setting import piece_set
from engine.table import Face, Sight
from vision.cards import slides
from vision.cards.cardsheet import CardSheet
from vision.finding.pieces import PieceFinder
from vision.registration.rectify import corner_projection
from vision.tracking.looks import Look, Track

Found = tuple[bool, float, slides.Way]
"""Whether a strip is the wide one, how like it is, and where it went."""

SURE: Found = (True, 0.95, (-27, 0))
FAINT: Found = (True, 0.78, (-22, 5))


@pytest.mark.parametrize(
    ("found", "believed"),
    [
        ([(True, 0.9, (-10, 0))], True),
        ([(False, 0.95, (10, 0))], False),
        ([(False, 0.95, (-22, 5))], True),
        ([FAINT], False),
        ([FAINT, (False, 0.76, (-22, 6))], True),
        ([FAINT, (False, 0.76, (-22, 12))], False),
        ([(False, 0.78, (-25, 2))], True),
        ([(True, 0.78, (-26, 1))], True),
        ([(False, 0.6, (-27, 0))], False),
        ([(False, 0.95, (0, 0))], False),
    ],
)
def test_a_strip_that_is_hardly_seen_went_where_the_others_did(
    found: list[Found], believed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    mat = mats(["runes"])["runes"]
    corners = np.array([[100.0, 60.0], [1180.0, 60.0], [1180.0, 820.0], [100.0, 820.0]])
    projection = corner_projection(corners, mat.size_mm, 1280, 960, None)
    zones = [zone for zone in mat.zones if zone.set == "decktet"]
    on = CardSheet(PieceFinder(projection, mat, piece_set("decktet"), mat.zones, strays=False), zones)
    cards = [Track(n, Look(150.0 + 18 * n, 246.0, 0.0, "sea", Face.UP, Sight.SEEN, 1.0), "sea") for n in (1, 2)]
    told = {1: [SURE], 2: found}
    monkeypatch.setattr(slides, "_ways", lambda _on, _before, _sheet, moved, _zone: told[moved[0].number])
    nothing = np.zeros((4, 4), np.uint8)
    gone = dict(slides.slid(on, nothing, nothing, [(card, nothing) for card in cards]))
    assert (cards[1] in gone) is believed
