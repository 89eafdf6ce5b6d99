"""What the bench of traced pictures counts as right and wrong, and that the eye reads none of the kept ones wrongly."""

from __future__ import annotations

import json

import pytest

from device.resources import load_shipped
from engine.table import Face, Sight, Sighting
from tools.bench.traced import (
    KEPT,
    Figures,
    compare_rests,
    ece,
    judge,
    main,
    pair_pieces,
    stills,
    summary,
    told_of,
    verdict,
)
from tools.lab.traced.truth import Film, Laid, Still
from vision.mat import Mat
from vision.recognition.naming import PieceSet
from vision.still_pictures import SeenPiece, look

CROWN = Laid("crown", "stones", 100.0, 150.0, 0.0, "up")
FLAG = Laid("flag", "stones", 150.0, 150.0, 0.0, "down")


def seen(x: float, kind: str | None, face: str | None = "up", track: int = 1) -> SeenPiece:
    return SeenPiece(track, "line", x, 150.0, 0.0, kind, face, 0.95, "seen", 0.5)


def sighting(track: int, x: float, kind: str | None) -> Sighting:
    face = Face.UP if kind is not None else Face.DOWN
    return Sighting(track, kind, face, Sight.SEEN, 0.95, x, 150.0, 0.0)


def test_a_name_a_doubt_a_turned_piece_and_what_lies_nowhere_are_told_apart() -> None:
    groups: dict[str, Figures] = {}
    still = Still("1.jpg", 1, "tellstones", "printed", (CROWN, FLAG))
    judge(still, [seen(100.4, "crown"), seen(150, None, "down"), seen(300, "sword")], groups)
    judge(still, [seen(100, "shield"), seen(150, None, None)], groups)
    judge(still, [seen(130, "crown")], groups)
    one = summary("stones, printed", groups["stones, printed"])
    assert (one.pieces, one.right, one.unknown, one.wrong, one.missed, one.extra) == (6, 2, 1, 1, 2, 2)
    assert (one.median_mm, one.within) == (0.0, 1.0)
    assert one.errors[1] == "1.jpg: crown up as shield (0.950)"


@pytest.mark.parametrize(
    ("piece", "kind", "face", "what"),
    [
        (CROWN, "crown", "up", "right"),
        (CROWN, None, "down", "wrong"),
        (CROWN, None, None, "unknown"),
        (FLAG, None, "down", "right"),
        (FLAG, "flag", "up", "wrong"),
    ],
)
def test_a_face_that_is_down_has_no_kind(piece: Laid, kind: str | None, face: str | None, what: str) -> None:
    assert verdict(piece, seen(piece.x, kind, face)) == what


def test_the_nearest_are_paired_first_and_nothing_far_off() -> None:
    assert pair_pieces([CROWN, FLAG], [seen(108, "crown"), seen(101, "crown"), seen(120, "flag")]) == {0: 1}


def exchanged(file: str = "2") -> Film:
    one, other = (Laid(kind, "stones", x, 150.0, 0.0, "down") for kind, x in (("crown", 100.0), ("flag", 150.0)))
    moved = (Laid("crown", "stones", 150.0, 150.0, 0.0, "down"), Laid("flag", "stones", 100.0, 150.0, 0.0, "down"))
    return Film(file, 2, "tellstones", "printed", "exchange", (0, 1), (one, other), moved, 10, (3, 6), 5.0)


def test_an_exchange_is_found_only_if_both_are_followed_to_where_they_lie() -> None:
    before = [sighting(1, 100, None), sighting(2, 150, None)]
    followed = [sighting(2, 100, None), sighting(1, 150, None)]
    anew = [sighting(3, 100, None), sighting(4, 150, None)]
    assert compare_rests(exchanged(), before, followed, {1, 2}) == ("found", "")
    assert compare_rests(exchanged(), before, before, {1, 2}) == ("wrong", "crown is taken for another piece")
    assert compare_rests(exchanged(), before, anew, set()) == ("unknown", "flag is lost")
    assert compare_rests(exchanged(), before, followed, {1}) == ("unknown", "flag is not told to have been touched")
    assert compare_rests(exchanged(), before, followed[:1], {1, 2})[0] == "wrong"
    assert told_of(exchanged(), []).why == "no rest before"


def test_confidence_is_held_against_how_often_it_was_right() -> None:
    assert ece([(0.95, True), (0.95, True), (0.95, False), (0.95, True)]) == pytest.approx(0.2)
    assert ece([]) is None


def test_cards_between_the_lines_of_a_lane_lie_within_what_is_told() -> None:
    """A line of the lane and a bar of their own print are taken for their short sides: some are told 2.9 mm off."""
    mat = load_shipped(Mat, "mats", "fence.toml")
    sets = {zone.set: load_shipped(PieceSet, "sets", f"{zone.set}.toml") for zone in mat.zones}
    groups: dict[str, Figures] = {}
    for still, file in stills(KEPT / "fence"):
        judge(still, next(iter(look(file, mat, sets, {}))).pieces, groups)
    told = summary("", groups["fence-cards"])
    assert (told.pieces, told.missed, told.wrong) == (12, 0, 0)
    assert told.within == 1.0


@pytest.mark.thorough
def test_none_of_the_kept_pictures_is_read_wrongly(capsys: pytest.CaptureFixture[str]) -> None:
    main([str(KEPT), "--json"])
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    rests, clips = [one for one in told if "group" in one], [one for one in told if "clip" in one]
    assert {one["group"] for one in rests} == {"stones, engraved", "stones, printed"}
    assert [(one["wrong"], one["extra"], one["errors"]) for one in rests] == [(0, 0, [])] * 2
    assert sum(one["right"] for one in rests) >= 0.9 * sum(one["pieces"] for one in rests)
    assert all(one["p95_mm"] < 1.5 for one in rests)
    assert all(one["within"] >= 0.95 for one in rests)
    assert [(one["action"], one["verdict"]) for one in clips] == [("exchange", "found")]
