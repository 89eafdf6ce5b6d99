"""Counts of photographed stones on a drawn mat."""

from __future__ import annotations

from engine.table import Face, Sight, Sighting
from tools.bench.on_mat import Count


def seen(kind: str | None, face: Face | None = Face.UP) -> Sighting:
    return Sighting(1, kind, face, Sight.SEEN, 0.99, 0.0, 0.0, 0.0)


def test_a_line_counts_if_all_its_stones_are_named_rightly() -> None:
    count = Count()
    count.note(("axe", "boat"), (seen("axe"), seen("boat")))
    count.note(("axe", "boat"), (seen("boat"), None))
    count.note(("axe", "boat"), (seen("axe"), seen(None, Face.DOWN)))
    assert count == Count(pictures=3, lines=1, right=3, wrong=1, faced=1)
