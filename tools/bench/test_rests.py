"""What the bench of cards at rest counts as an error."""

from __future__ import annotations

import pytest

from engine.table import Arrangement, Face, Piece, Sight, Sighting, ZoneLayout, ZoneSight
from tools.bench.rests import UNREAD, difference, main

THERE = ZoneLayout("sequence-a", Arrangement.SPLAY, (Piece("sea"), Piece(None, Face.DOWN)))


def seen(*kinds: str | None) -> ZoneSight:
    """Face-up cards of these kinds; None is one that cannot be read; "" a back."""
    sights = [Sight.UNKNOWN if kind is None else Sight.SEEN for kind in kinds]
    faces = [None if kind is None else Face.DOWN if kind == "" else Face.UP for kind in kinds]
    pieces = (
        Sighting(number, kind or None, face, sight, 1.0, 0.0, 0.0, 0.0)
        for number, (kind, face, sight) in enumerate(zip(kinds, faces, sights, strict=True))
    )
    return ZoneSight("sequence-a", Arrangement.SPLAY, tuple(pieces))


def test_another_card_one_too_few_or_a_wrong_order_is_told_and_the_same_is_not() -> None:
    assert difference(seen("sea", ""), THERE) == ""
    for wrong in (seen("end", ""), seen("sea"), seen("", "sea"), seen("sea", "", None)):
        assert difference(wrong, THERE).startswith("seen ")
        assert not difference(wrong, THERE).endswith(UNREAD)


def test_a_card_that_is_only_not_read_is_told_apart() -> None:
    assert difference(seen("sea", None), THERE).endswith(UNREAD)


@pytest.mark.soak
def test_vision_sees_the_cards_of_a_match_as_they_lie(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--matches", "4", "--seed", "909"])
    assert ": 0 wrong, " in capsys.readouterr().out
