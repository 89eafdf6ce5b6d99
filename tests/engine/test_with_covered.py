"""Two things in one place: the one that lay there first is covered."""

from __future__ import annotations

from engine.arbiter.evidence import APART_MM, with_covered
from engine.table import Arrangement, Face, Observation, Sight, Sighting, ZoneSight


def told(*places: tuple[int, float, Sight], order: Arrangement = Arrangement.SPLAY) -> Observation:
    pieces = tuple(Sighting(track, "window", Face.UP, sight, 0.99, x, 0.0, 0.0) for track, x, sight in places)
    return Observation(1, 0.0, (ZoneSight("sequence-a", order, pieces),))


def sights(observation: Observation) -> list[Sight]:
    return [piece.sight for zone in observation.zones for piece in zone.pieces if piece is not None]


SEEN, COVERED, UNKNOWN = Sight.SEEN, Sight.COVERED, Sight.UNKNOWN


def test_the_one_that_lay_there_first_is_covered() -> None:
    assert sights(with_covered(told((1, 0.0, SEEN), (8, 20.0, SEEN), (5, 20.0 + APART_MM / 2, SEEN)))) == [
        SEEN,
        SEEN,
        COVERED,
    ]


def test_strips_beside_one_another_are_both_seen() -> None:
    strips = told((1, 0.0, SEEN), (2, APART_MM, SEEN))
    assert with_covered(strips) is strips


def test_what_is_not_plainly_seen_covers_nothing() -> None:
    strips = told((1, 0.0, SEEN), (2, 1.0, UNKNOWN), (3, 2.0, COVERED))
    assert with_covered(strips) is strips


def test_cells_and_piles_hold_what_they_hold() -> None:
    for order in (Arrangement.CELLS, Arrangement.PILE):
        assert sights(with_covered(told((1, 0.0, SEEN), (2, 0.0, SEEN), order=order))) == [SEEN, SEEN]
