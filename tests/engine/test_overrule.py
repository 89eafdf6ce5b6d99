"""A word against what is plainly seen: piece by piece, while each looks so."""

from __future__ import annotations

from msgspec.structs import replace

from engine.arbiter.evidence import Denial, as_counted, doubt, overrule
from engine.table import Arrangement, Face, Layout, Observation, Piece, Sight, Sighting, ZoneLayout, ZoneSight
from engine.text import say

ROW = ZoneLayout("line", Arrangement.SPLAY, (Piece("crown"), Piece(None, Face.DOWN), Piece("flag")))
CELLS = ZoneLayout("cells", Arrangement.CELLS, (None, Piece("knight"), None))
AREA = ZoneLayout("pool", Arrangement.AREA, (Piece("sword"),))
TABLE = Layout((ROW, CELLS, AREA))


def sighting(track: int, kind: str | None, face: Face | None = Face.UP, sight: Sight = Sight.SEEN) -> Sighting:
    return Sighting(track, kind, face, sight, 0.99, 0.0, 0.0, 0.0)


def seen(
    row: tuple[Sighting | None, ...] = (),
    cells: tuple[Sighting | None, ...] = (),
    area: tuple[Sighting | None, ...] = (),
) -> Observation:
    zones = (("line", Arrangement.SPLAY, row), ("cells", Arrangement.CELLS, cells), ("pool", Arrangement.AREA, area))
    return Observation(1, 0.0, tuple(ZoneSight(*zone) for zone in zones))


CROWN, BACK, FLAG = sighting(1, "crown"), sighting(2, None, Face.DOWN), sighting(3, "flag")
KNIGHT, SWORD = sighting(4, "knight"), sighting(5, "sword")
RIGHT = seen((CROWN, BACK, FLAG), (None, KNIGHT, None), (SWORD,))
WRONG = seen((CROWN, sighting(2, "hammer"), FLAG), (KNIGHT, None, None), (SWORD, sighting(6, "shield")))


def said(observation: Observation) -> tuple[str, ...]:
    return tuple(str(doubt(each)) for each in overrule(TABLE, observation))


def test_what_is_as_it_should_be_needs_no_word() -> None:
    assert overrule(TABLE, RIGHT) == ()
    assert as_counted(WRONG, ()) == (WRONG, ())


def test_everything_that_plainly_looks_otherwise_is_told_by_its_place() -> None:
    assert said(WRONG) == (
        "The camera sees hammer at place 2 of line.",
        "The camera sees knight at place 1 of cells.",
        "The camera sees shield in pool.",
    )
    assert said(seen((sighting(1, None, Face.DOWN), BACK, FLAG))) == (
        "The camera sees something face down at place 1 of line.",
    )


def test_a_hidden_piece_that_is_hidden_is_never_told() -> None:
    assert said(seen((CROWN, sighting(9, None, Face.DOWN), FLAG), (None, KNIGHT, None), (SWORD,))) == ()


def test_what_is_badly_seen_or_missing_is_not_plainly_otherwise() -> None:
    dim = sighting(2, None, None, Sight.UNKNOWN)
    hidden = sighting(3, "hammer", Face.UP, Sight.COVERED)
    assert overrule(TABLE, seen((CROWN, dim, hidden), (None, None, None), (dim,))) == ()


def test_it_counts_as_what_should_lie_there() -> None:
    word = overrule(TABLE, WRONG)
    counts, standing = as_counted(WRONG, word)
    line, cells, pool = counts.zones
    assert [(p.kind, p.face) for p in line.pieces if p] == [
        ("crown", Face.UP),
        (None, Face.DOWN),
        ("flag", Face.UP),
    ]
    assert cells.pieces == (None, None, None)
    assert [p.kind for p in pool.pieces if p] == ["sword"]
    assert standing == word


def test_the_word_stands_only_for_what_still_looks_so_in_the_same_zone() -> None:
    word = overrule(TABLE, WRONG)
    assert as_counted(RIGHT, word) == (RIGHT, ())
    elsewhere = seen((CROWN, BACK, FLAG), (sighting(2, "hammer"), KNIGHT, None), (SWORD,))
    assert as_counted(elsewhere, word) == (elsewhere, ())
    changed = seen((CROWN, sighting(2, "sword"), FLAG))
    assert as_counted(changed, word) == (changed, ())
    covered = seen((CROWN, replace(sighting(2, "hammer"), sight=Sight.COVERED), FLAG))
    assert as_counted(covered, word) == (covered, ())


def test_in_a_pool_the_extra_piece_is_the_one_denied() -> None:
    (word,) = overrule(TABLE, seen((CROWN, BACK, FLAG), (None, KNIGHT, None), (sighting(6, "shield"), SWORD)))
    assert word == Denial("pool", Arrangement.AREA, 0, 6, "shield", Face.UP, None, say("pool"))
