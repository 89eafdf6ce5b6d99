"""What came at a rest, made to agree with itself: no card lies twice, and no strip of one is another."""

from __future__ import annotations

import pytest

from engine.table import Face, Sight
from vision.cards.rest import Arrival, Rest, resolve_doubles
from vision.tracking.looks import Look, Track


def look(x: float, kind: str = "window") -> Look:
    return Look(x, 48.0, 0.0, kind, Face.UP, Sight.SEEN, 0.99)


def rest(*came: Arrival, kept: float | None = None) -> Rest:
    """With the window lying there, if it was known."""
    return Rest(list(came), [] if kept is None else [Track(7, look(kept), "window")], [], [])


def test_a_strip_of_a_card_that_was_found_askew_is_its_own() -> None:
    told = resolve_doubles(rest(Arrival(look(220.0), low=True), Arrival(look(219.0), low=False)), frozenset())
    assert told.came == [Arrival(look(219.0), low=False)]


def test_a_card_that_came_is_not_where_only_its_rim_was_left() -> None:
    told = resolve_doubles(rest(Arrival(look(219.0), low=False), kept=201.0), frozenset())
    assert (told.kept, [track.number for track in told.gone]) == ([], [7])


@pytest.mark.parametrize(("x", "sight"), [(219.0, Sight.UNKNOWN), (203.0, Sight.SEEN)])
def test_a_strip_is_doubted_if_its_card_lies_elsewhere_as_it_did(x: float, sight: Sight) -> None:
    told = resolve_doubles(rest(Arrival(look(x), low=True), kept=201.0), frozenset({7}))
    assert [one.look.sight for one in told.came] == [sight]
    assert bool(told.kept) is (sight is Sight.UNKNOWN)


def test_a_whole_card_is_believed_though_a_strip_of_it_seemed_to_lie_as_it_did() -> None:
    told = resolve_doubles(rest(Arrival(look(260.0), low=False), kept=201.0), frozenset({7}))
    assert [one.look.kind for one in told.came] == ["window"]
    assert (told.kept, [track.number for track in told.gone]) == ([], [7])


def test_of_two_that_came_the_whole_one_is_believed() -> None:
    told = resolve_doubles(rest(Arrival(look(180.0), low=True), Arrival(look(219.0), low=False)), frozenset())
    assert [(one.look.kind, one.look.sight) for one in told.came] == [(None, Sight.UNKNOWN), ("window", Sight.SEEN)]
