"""Which zone a piece lies in, and its place there."""

from __future__ import annotations

import msgspec
import pytest

from engine.table import Arrangement, Sight, Sighting
from vision.finding.zones import arrange, zone_of
from vision.mat import Box, MatZone


def piece(x: float, y: float, kind: str | None = None) -> Sighting:
    return Sighting(1, kind, None, Sight.SEEN, 1.0, x, y, 0.0)


def test_zones_number_their_pieces() -> None:
    box = Box(0, 0, 100, 50)
    row = MatZone("row", Arrangement.ROW, box, "s")
    assert [p.x_mm for p in arrange(row, [piece(60, 9), piece(5, 3)]).pieces if p] == [5, 60]
    back = MatZone("back", Arrangement.ROW, box, "s", direction=180.0)
    assert [p.x_mm for p in arrange(back, [piece(5, 3), piece(60, 9)]).pieces if p] == [60, 5]
    area = MatZone("area", Arrangement.AREA, box, "s")
    assert [p.kind for p in arrange(area, [piece(1, 1), piece(9, 9, "b"), piece(2, 2, "a")]).pieces if p] == [
        "a", "b", None,
    ]  # fmt: skip
    cells = MatZone("cells", Arrangement.CELLS, box, "s", cells=(Box(0, 0, 50, 50), Box(50, 0, 50, 50)))
    assert [p is not None for p in arrange(cells, [piece(80, 20)]).pieces] == [False, True]
    assert zone_of(102, 10, [row]) is row
    assert zone_of(110, 10, [row]) is None


@pytest.mark.parametrize(
    ("then", "now", "cell"),
    [(49.0, 51.0, 0), (51.0, 49.0, 1), (49.0, 52.5, 1), (52.0, 54.0, 1), (44.0, 56.0, 1)],
    ids=["noise", "noise back", "pushed over the line", "was there", "moved"],
)
def test_a_piece_near_the_line_between_two_cells_stays_where_it_was_told(then: float, now: float, cell: int) -> None:
    zone = MatZone("cells", Arrangement.CELLS, Box(0, 0, 100, 50), "s", cells=(Box(0, 0, 50, 50), Box(50, 0, 50, 50)))
    before = arrange(zone, [piece(then, 20)])
    assert [p is not None for p in arrange(zone, [piece(now, 20)], before).pieces] == [
        number == cell for number in (0, 1)
    ]


def test_a_piece_that_creeps_over_the_line_is_told_in_the_next_cell_at_last() -> None:
    zone = MatZone("cells", Arrangement.CELLS, Box(0, 0, 100, 50), "s", cells=(Box(0, 0, 50, 50), Box(50, 0, 50, 50)))
    told = arrange(zone, [piece(48.0, 25)])
    for x in (50.0, 52.0, 54.0):
        told = arrange(zone, [piece(x, 25)], told)
    assert [p is not None for p in told.pieces] == [False, True]


def test_a_piece_on_the_line_makes_room_for_one_that_is_laid_into_its_cell() -> None:
    zone = MatZone("cells", Arrangement.CELLS, Box(0, 0, 100, 50), "s", cells=(Box(0, 0, 50, 50), Box(50, 0, 50, 50)))
    before = arrange(zone, [piece(49.0, 25)])
    stays, laid = piece(51.0, 25), msgspec.structs.replace(piece(25.0, 25), track=2)
    assert arrange(zone, [stays, laid], before).pieces == (laid, stays)
