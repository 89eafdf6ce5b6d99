"""Cards of a splay that were pushed along: which are believed to have gone where their strips are seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from device.games import mats
from engine.table import Face, Sight
from referee_simulator.table.setting import piece_set
from vision.camera import Image
from vision.cards import slides
from vision.cards.cardsheet import CardSheet
from vision.cards.slides import FoundStrip, Way
from vision.finding.pieces import PieceFinder
from vision.mat import MatZone
from vision.registration.rectify import corner_projection
from vision.tracking.looks import Look, Track

Moved = tuple[Track, Image]
Ways = Sequence[FoundStrip]

SURE = FoundStrip(True, 0.95, (-27, 0))
FAINT = FoundStrip(True, 0.78, (-22, 5))
PASSING = FoundStrip(True, 0.9, (80, 0))


@pytest.mark.parametrize(
    ("found", "believed"),
    [
        ([FoundStrip(True, 0.9, (-10, 0))], True),
        ([FoundStrip(False, 0.95, (10, 0))], False),
        ([FoundStrip(False, 0.95, (-22, 5))], True),
        ([FAINT], False),
        ([FAINT, FoundStrip(False, 0.76, (-22, 6))], True),
        ([FAINT, FoundStrip(False, 0.76, (-22, 12))], False),
        ([FoundStrip(False, 0.78, (-25, 2))], True),
        ([FoundStrip(True, 0.78, (-26, 1))], True),
        ([FoundStrip(False, 0.6, (-27, 0))], False),
        ([FoundStrip(False, 0.95, (0, 0))], False),
    ],
)
def test_a_strip_that_is_hardly_seen_went_where_the_others_did(
    found: list[FoundStrip], believed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (2 in gone({1: [SURE], 2: found}, monkeypatch)) is believed


@pytest.mark.parametrize(
    ("found", "believed"),
    [
        ({1: [PASSING], 2: [SURE], 3: [SURE]}, {2, 3}),
        ({1: [SURE], 2: [SURE], 3: [SURE]}, {1, 2, 3}),
        ({1: [PASSING], 2: [SURE]}, {2}),
        ({1: [PASSING, FoundStrip(False, 0.9, (-26, 1))], 2: [SURE], 3: [SURE]}, {1, 2, 3}),
        ({1: [PASSING], 2: [FAINT, FAINT], 3: [SURE]}, set()),
        ({1: [PASSING]}, set()),
    ],
)
def test_a_card_passes_no_other_of_its_splay(
    found: dict[int, list[FoundStrip]], believed: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What shows of a card that came may be like what showed of one that lies below it now."""
    assert gone(found, monkeypatch) == believed


def test_no_card_went_where_another_lies_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backs look alike: the one is looked for again about where the others went."""
    clash = FoundStrip(True, 0.92, (-27 - round(18 * sheet().scale), 0))
    assert gone({1: [SURE], 2: [SURE], 3: [clash]}, monkeypatch) == {1, 2}
    assert gone({1: [SURE], 2: [SURE], 3: [clash]}, monkeypatch, again=[SURE]) == {1, 2, 3}


def gone(
    found: dict[int, list[FoundStrip]], monkeypatch: pytest.MonkeyPatch, again: Sequence[FoundStrip] | None = None
) -> set[int]:
    """Which of three cards of a splay are believed to be pushed; those of which nothing is found lie still.

    again: what is found about where the others went; the same as at first if that is None.
    """

    def ways(_on: CardSheet, _before: Image, _sheet: Image, moved: Moved, _zone: MatZone, about: Sequence[Way]) -> Ways:
        return found[moved[0].number] if not about or again is None else again

    on = sheet()
    cards = [Track(n, Look(140.0 + 18 * n, 246.0, 0.0, "sea", Face.UP, Sight.SEEN, 1.0), "sea") for n in (1, 2, 3)]
    monkeypatch.setattr(slides, "_ways", ways)
    nothing = np.zeros((4, 4), np.uint8)
    moved = [(card, nothing) for card in cards if card.number in found]
    still = [card for card in cards if card.number not in found]
    return {card.number for card in slides.slid(on, nothing, nothing, moved, still)}


def sheet() -> CardSheet:
    """Of a mat of Dueling Runes under a camera."""
    mat = mats(["runes"])["runes"]
    corners = np.array([[100.0, 60.0], [1180.0, 60.0], [1180.0, 820.0], [100.0, 820.0]])
    projection = corner_projection(corners, mat.size_mm, 1280, 960, None)
    zones = [zone for zone in mat.zones if zone.set == "decktet"]
    return CardSheet(PieceFinder(projection, mat, piece_set("decktet"), mat.zones, strays=False), zones)
