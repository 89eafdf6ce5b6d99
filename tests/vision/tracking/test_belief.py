"""Which piece is which while hands hide them: certain where it can be, lost where it cannot, never wrong."""

from __future__ import annotations

import numpy as np
import pytest

from vision.tracking import belief
from vision.tracking.accounts import Hidden, Hypothesis, StrandPlace, TableModel
from vision.tracking.tracker import SURE


def anything(_strand: int, _track: int | None) -> float:
    return 1.0


def hidden(*places: tuple[float, float], gone: bool = False) -> tuple[Hypothesis, ...]:
    return (Hypothesis(1.0, {}, {n: Hidden(x, y, 0.0, int(gone)) for n, (x, y) in enumerate(places, start=1)}),)


def told(hypotheses: tuple[Hypothesis, ...], strand: int) -> tuple[int | None, bool]:
    track, share = belief.identity(hypotheses, strand)
    return track, share > SURE


def test_a_piece_that_reappears_in_its_place_is_itself() -> None:
    after = belief.appear(hidden((0, 0), (46, 0)), [StrandPlace(1, 0.1, 0.1), StrandPlace(2, 46.1, 0)], 3.0, anything)
    assert told(after, 1) == (1, True)
    assert told(after, 2) == (2, True)
    assert belief.lift_probability(after, 1) < 0.01


def test_the_only_hidden_piece_is_known_wherever_it_appears() -> None:
    after = belief.appear(hidden((0, 0), gone=True), [StrandPlace(1, 200, 40)], 2.0, anything)
    assert told(after, 1) == (1, True)
    assert belief.lift_probability(after, 1) > 0.99


@pytest.mark.parametrize("off", [1.5, 2.0, 3.0, 5.0])
def test_two_that_were_both_moved_under_a_hand_are_lost(off: float) -> None:
    after = belief.appear(hidden((0, 0), (46, 0)), [StrandPlace(1, off, 0), StrandPlace(2, 46, off)], 3.0, anything)
    assert not told(after, 1)[1]
    assert not told(after, 2)[1]


def test_one_that_was_not_moved_tells_the_other() -> None:
    after = belief.appear(hidden((0, 0), (46, 0)), [StrandPlace(1, 0.1, 0), StrandPlace(2, 46, 4)], 3.0, anything)
    assert told(after, 1) == (1, True)
    assert told(after, 2) == (2, True)


def test_a_place_seen_empty_is_noted_once() -> None:
    after = belief.vacate(hidden((0, 0), (46, 0)), lambda place: place.x == 0)
    assert after[0].hidden[1].gone
    assert not after[0].hidden[2].gone
    assert after[0].lifted == {1}


def test_names_overrule_places() -> None:
    def named(strand: int, track: int | None) -> float:
        return 1.0 if track is None or (strand, track) in {(1, 2), (2, 1)} else 1e-4

    after = belief.appear(hidden((0, 0), (46, 0)), [StrandPlace(1, 2, 0), StrandPlace(2, 47, 2)], 3.0, named)
    assert told(after, 1) == (2, True)
    assert told(after, 2) == (1, True)


def test_a_strand_that_looks_wrong_is_lost() -> None:
    one = (Hypothesis(1.0, {1: 1}, {}),)
    after = belief.weigh(one, [1], lambda _, track: 1.0 if track is None else 1e-8)
    assert told(after, 1) == (None, True)


def test_shell_games_are_never_answered_wrongly() -> None:
    """300 hands over two hidden stones: exchanged or not, put down some millimetres off. Wrong in less than 2%."""
    rng = np.random.default_rng(11)
    wrong = sure = 0
    for _ in range(300):
        exchanged = bool(rng.random() < 0.5)
        untouched = not exchanged and rng.random() < 0.5
        spread = 0.12 if untouched else 2.5
        places = np.array([[0.0, 0.0], [46.0, 0.0]]) + rng.normal(0, spread, (2, 2))
        after = belief.appear(
            hidden((0, 0), (46, 0)),
            [StrandPlace(1, *places[0]), StrandPlace(2, *places[1])],
            rng.uniform(0.6, 4),
            anything,
            TableModel(apart_mm=36.0),
        )
        track, certain = told(after, 1)
        if certain:
            sure += 1
            wrong += (track == 1) == exchanged
    assert wrong <= 5
    assert sure > 60


def test_a_place_that_only_seemed_empty_was_not_left() -> None:
    exactly = belief.appear(hidden((0, 0), gone=True), [StrandPlace(1, 0.1, 0.1)], 2.0, anything)
    beside = belief.appear(hidden((0, 0), gone=True), [StrandPlace(1, 1.5, 0.5)], 2.0, anything)
    assert belief.lift_probability(exactly, 1) < 0.1
    assert belief.lift_probability(beside, 1) > 0.9


def test_a_piece_that_was_seen_aside_under_a_hand_was_not_touched_and_nobody_carried_another_there() -> None:
    one = Hypothesis(1.0, {}, {1: Hidden(266.0, 328.4, 0.0), 2: Hidden(209.1, 251.4, 0.2)})
    seen = belief.appear((one,), [StrandPlace(60, 267.7, 328.1, 0.2, clear=False)], 0.4, anything)
    again = belief.hide(seen, 60, Hidden(267.7, 328.1, 0.8))
    later = belief.appear(again, [StrandPlace(62, 209.4, 251.6)], 1.4, anything)
    last = belief.appear(later, [StrandPlace(63, 265.9, 328.5)], 1.6, anything)
    assert belief.identity(last, 62)[0] == 2
    assert belief.identity(last, 63)[0] == 1
    assert belief.lift_probability(last, 1) < 0.1
    assert belief.lift_probability(last, 2) < 0.1


@pytest.mark.parametrize(("last", "share"), [(None, 0.0), ((181.0, 159.0), 0.5), ((150.0, 159.0), 0.0)])
def test_a_piece_that_was_seen_to_be_pushed_one_way_was_not_pushed_the_other(
    last: tuple[float, float] | None, share: float
) -> None:
    """Another was dragged past it; the row before it was pushed the other way."""
    pushed = Hidden(164.4, 158.8, 0.0, moved=True, last=last)
    one = Hypothesis(1.0, {}, {1: pushed, 2: Hidden(258.0, 158.2, 0.8, 3)}, shifts=((-18.0, 0.0),))
    after = belief.appear((one,), [StrandPlace(1, 182.6, 158.8)], 1.0, anything)
    after = belief.appear(after, [StrandPlace(2, 142.9, 158.2)], 1.4, anything)
    crossed = sum(each.weight for each in after if each.strands.get(2) == 2)
    assert (crossed > 0.1) == (share > 0.0), crossed
