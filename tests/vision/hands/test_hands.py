"""Hands: from which side each came, which was where, and what is no hand."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import pytest

from vision.camera import Image
from vision.hands.handlog import HandLog
from vision.hands.hands import LEAST_CROSSED, HandFinder, HandSight, Reach, reach_of


def sight(side: str | None, box: tuple[int, int, int, int]) -> HandSight:
    mask = np.zeros((160, 220), np.uint8)
    top, bottom, left, right = box
    mask[top:bottom, left:right] = 1
    crossed = {"bottom": 50, "left": 50} if side is None else {side: 50}
    return HandSight(mask, mask, mask, mask, (side,), 15.0, (Reach(crossed),))


def test_hands_are_told_by_side_and_by_place() -> None:
    sides = {"a": "bottom", "b": "top"}
    log = HandLog()
    assert log.seats(sides, touched=False) == frozenset()
    assert log.seats(sides, touched=True) is None
    for _ in range(5):
        log.note(sight("bottom", (100, 160, 0, 60)))
        log.note(sight("top", (0, 60, 120, 200)))
    assert log.seats(sides, touched=True) == {"a", "b"}
    assert log.seats_at(sides, [(50, 250)]) == {"a"}
    assert log.seats_at(sides, [(320, 40)]) == {"b"}
    assert log.seats_at(sides, [(200, 140)]) is None
    alone = HandLog()
    alone.note(sight("bottom", (100, 160, 0, 60)))
    assert alone.seats_at(sides, [(200, 140)]) == {"a"}


def test_hands_keep_off_where_none_of_them_was_seen() -> None:
    log = HandLog()
    assert log.kept_off(50, 250, 44.0)  # nothing moved
    log.note(msgspec.structs.replace(sight("bottom", (0, 0, 0, 0)), reaches=()))
    assert not log.kept_off(50, 250, 44.0)  # something did, but no hand
    log.note(sight("bottom", (100, 160, 0, 60)))  # as far as 105 mm
    assert [log.kept_off(x, 250, 44.0) for x in (50, 145, 155, 320)] == [False, False, True, True]


def test_of_two_hands_at_a_place_the_one_counts_that_was_there_when_it_changed() -> None:
    sides, place, card = {"a": "bottom", "b": "top"}, (100.0, 100.0), (40, 75, 40, 75)
    nobody = (0, 0, 0, 0)
    log = HandLog()
    for side, hand, changed in (
        ("bottom", (50, 160, 50, 65), nobody),  # points at it
        ("top", nobody, nobody),
        ("top", (0, 65, 50, 65), card),  # lays a card
        ("top", nobody, card),
        ("bottom", (50, 160, 50, 65), card),  # points at it again
    ):
        log.note(msgspec.structs.replace(sight(side, hand), changed=sight(side, changed).mask))
    assert log.seats_at(sides, [place]) == {"a", "b"}
    assert log.seats_at(sides, [place], sight("top", card)) == {"b"}


def test_a_hand_that_lets_go_of_a_card_at_the_edge_is_no_card() -> None:
    sides, card = {"a": "bottom", "b": "top"}, (120, 156, 50, 75)
    at_rest = msgspec.structs.replace(sight("bottom", card), reaches=(Reach({"bottom": 11}),))
    log = HandLog()
    log.note(msgspec.structs.replace(sight("bottom", (120, 160, 50, 77)), reaches=(Reach({"bottom": 205}),)))
    log.note(at_rest)
    log.drop_false_hands(at_rest)
    assert log.seats(sides, touched=True) == {"a"}


def test_a_card_that_reaches_over_an_edge_is_nobodys_hand() -> None:
    sides, place, card = {"a": "bottom", "b": "top"}, (110.0, 250.0), (120, 156, 50, 75)
    log = HandLog()
    log.note(sight("top", (0, 140, 55, 70)))
    for _ in range(8):  # nobody's hand is there any more
        log.note(sight("bottom", card))
    assert log.seats_at(sides, [place], sight("bottom", card)) == {"a"}
    log.drop_false_hands(sight("bottom", card))
    assert log.seats_at(sides, [place], sight("bottom", card)) == {"b"}
    assert log.seats(sides, touched=True) == {"b"}


def test_what_else_changed_makes_no_hand_of_a_card_over_an_edge() -> None:
    """Seed 5795386, match 1, of Fence: a card was laid over the near edge, and the pile that was drawn from changed."""
    sides, place, card, pile = {"a": "bottom", "b": "top"}, (110.0, 250.0), (120, 156, 50, 75), (5, 50, 150, 200)
    log = HandLog()
    log.note(sight("top", (0, 140, 55, 70)))
    for _ in range(8):  # the hand of b goes on to the pile: what of the card looks like the one below is not seen
        over = sight("bottom", card)
        over.mask[sight("top", (0, 60, 150, 200)).mask > 0] = 2
        both = (Reach({"bottom": 50, "top": 0}), Reach({"bottom": 0, "top": 50}))
        log.note(msgspec.structs.replace(over, sides=("bottom", "top"), reaches=both))
    rest = sight("bottom", card)
    rest.mask[sight("bottom", pile).mask > 0] = 1  # the only thing that crosses an edge is given what else changed
    log.drop_false_hands(rest)
    assert log.seats_at(sides, [place], sight("bottom", card)) == {"b"}
    assert log.seats(sides, touched=True) == {"b"}


def test_a_hand_that_comes_where_another_has_just_been_is_another() -> None:
    log = HandLog()
    log.note(sight("bottom", (60, 160, 50, 75)))
    log.note(sight("top", (0, 70, 50, 75)))
    assert log.seats({"a": "bottom", "b": "top"}, touched=True) == {"a", "b"}


def test_a_hand_from_nobodys_side_or_from_a_corner_is_nobodys() -> None:
    for side in ("right", None):
        log = HandLog()
        log.note(sight(side, (0, 60, 0, 60)))
        assert log.seats({"a": "bottom", "b": "left"}, touched=True) is None


def arm(box: tuple[int, int, int, int], crossed: dict[str, int]) -> HandSight:
    """An arm on an A3 mat, rows and columns of the coarse sheet."""
    seen = sight("left", box)
    return msgspec.structs.replace(seen, sides=(None,), reaches=(reach_of(seen.mask > 0, crossed),))


def test_an_arm_beside_an_edge_came_over_the_edge_at_its_end() -> None:
    four = {"a": "bottom", "b": "left", "c": "top", "d": "right"}
    log = HandLog()
    log.note(arm((0, 30, 0, 40), {"left": 90, "top": 110}))  # both edges, as broad as long: it may be either's
    assert log.seats(four, touched=True) is None
    for reach in (90, 130, 90):
        log.note(arm((0, 30, 0, reach), {"left": 90, "top": 3 * reach}))
    log.note(arm((0, 30, 0, 30), {"left": 90, "top": 90}))
    assert log.seats(four, touched=True) == {"b"}
    assert log.seats_at(four, [(100.0, 20.0)]) == {"b"}


def test_a_finger_over_the_far_edge_is_no_hand_from_there() -> None:
    log = HandLog()
    log.note(arm((0, 160, 90, 120), {"bottom": 120, "top": 40}))
    assert log.seats({"a": "bottom", "b": "top"}, touched=True) == {"a"}


def test_hands_that_meet_are_told_apart_before_and_after() -> None:
    sides = {"a": "bottom", "b": "top"}
    log = HandLog()
    above = (0, 70, 90, 120)
    both = arm((90, 160, 90, 120), {"bottom": 120})
    mask = both.mask + 2 * arm(above, {}).mask
    log.note(msgspec.structs.replace(both, mask=mask, reaches=(*both.reaches, *arm(above, {"top": 120}).reaches)))
    log.note(arm((0, 160, 90, 120), {"bottom": 110, "top": 120}))
    for _ in range(3):
        log.note(arm(above, {"top": 120}))
    assert log.seats(sides, touched=True) == {"a", "b"}
    assert log.seats_at(sides, [(180.0, 20.0)]) == {"b"}


def shaded(columns: int) -> Image:
    """A sheet of a mat of 400 x 280 mm: so many columns at its left lie in the shadow of a hand beside it."""
    sheet = np.full((155, 215, 3), (60, 110, 90), np.uint8)
    sheet[50:80, :columns] = (42, 77, 63)
    return sheet


def test_a_shadow_over_the_edge_at_a_rest_leaves_no_hand_behind_when_it_goes() -> None:
    finder, open_mat = HandFinder((400.0, 280.0), 15.0, frozenset({"left"})), shaded(0)
    finder.rest(open_mat, open_mat[..., 0] * 0)
    finder.rest(open_mat, open_mat[..., 0] * 0)
    for columns in (18, 20):  # the hand waits there, and moves a little
        assert not finder.look(shaded(columns)).present, "a shadow is no hand"
        finder.rest(shaded(columns), open_mat[..., 0] * 0)
    left = finder.look(open_mat)
    assert left.present, "where the shadow fell it is brighter now"
    assert finder.is_gone(open_mat, left)
    finder.rest(open_mat, open_mat[..., 0] * 0)
    hand = open_mat.copy()
    hand[60:80, :60] = (120, 150, 210)
    assert not finder.is_gone(hand, finder.look(hand))


@pytest.mark.parametrize(
    ("rows", "columns", "lies"),
    [
        ((102, 146), (60, 92), True),  # a card at the edge
        ((108, 154), (60, 92), False),  # and beyond it
        ((60, 146), (60, 120), False),  # more than a card
        ((142, 155), (60, 92), True),  # table and edge, as where the camera moved a little
        ((126, 155), (5, 22), True),  # the same with a marker
    ],
)
def test_what_lies_near_the_edge_is_no_hand(rows: tuple[int, int], columns: tuple[int, int], lies: bool) -> None:
    marker = np.array([[5.0, 235.0], [45.0, 235.0], [45.0, 275.0], [5.0, 275.0]])
    finder = HandFinder((400.0, 280.0), 15.0, frozenset({"bottom"}), 28.0, (63.0, 88.0), [marker])
    finder.rest(shaded(0), np.zeros((155, 215), np.uint8))
    sheet = shaded(0)
    sheet[slice(*rows), slice(*columns)] = (120, 150, 210)
    seen = finder.look(sheet)
    assert seen.present
    assert finder.lies(seen) == lies


def test_pieces_that_were_moved_are_no_part_of_the_hand_that_moved_them() -> None:
    """Seed 5801843, match 2, of Tellstones: at a corner of the mat, with stones that lie side by side."""
    sides = {"a": "bottom", "b": "left"}
    finder, log = HandFinder((420.0, 297.0), 15.0, frozenset(sides.values())), HandLog()
    before, after = (np.full((164, 225, 3), 90, np.uint8) for _ in range(2))
    before[80:97, 140:174] = after[80:97, 174:208] = 180  # two stones
    after[80:97, 12:29] = 180  # another one
    finder.rest(before, np.zeros((164, 225), np.uint8))
    for end in (90, 95):
        moving = after.copy()
        moving[end:, 4:40] = 20
        seen = finder.look(moving)
        assert seen.apart is not None
        assert seen.sides == ("left",), "both together lie that way"
        log.note(seen)
    rest = finder.look(after)
    log.drop_false_hands(rest)
    assert log.seats_at(sides, [(25.0, 162.0)], rest) == {"a"}
    assert log.seats(sides, touched=True) == {"a"}


def grainy(random: np.random.Generator, hand: int = 0, noise: float = 4.0) -> Image:
    """A sheet of a mat in a dim room, through a sensor of much gain. hand: so many rows of an arm in it."""
    sheet = np.full((155, 215, 3), (10.0, 22.0, 14.0))
    sheet[130:150, 20:80:4], sheet[130:150, 21:80:4] = (50.0, 60.0, 55.0), (50.0, 60.0, 55.0)  # print
    sheet[155 - hand :, 90:115] = (14.0, 24.0, 40.0)
    return np.asarray(np.clip(np.rint(random.normal(sheet, noise)), 0, 255), np.uint8)


def test_noise_in_the_dark_is_no_hand_and_hides_none() -> None:
    """Seed 7190080, match 9, of Fence in the scene `hard`."""
    finder, random = HandFinder((400.0, 280.0), 15.0, frozenset({"bottom"})), np.random.default_rng(7190080)
    finder.rest(grainy(random), np.zeros((155, 215), np.uint8))
    for _ in range(40):
        assert not finder.look(grainy(random)).present
        assert finder.look(grainy(random, hand=70)).sides == ("bottom",)


@pytest.mark.parametrize("after", [0.9, 0.4, 0.1])
def test_where_noise_gets_less_it_is_no_hand_either(after: float) -> None:
    finder, random = HandFinder((400.0, 280.0), 15.0, frozenset({"bottom"})), np.random.default_rng(2)
    for _ in range(10):
        finder.rest(grainy(random), np.zeros((155, 215), np.uint8))
        assert not any(finder.look(grainy(random, noise=4.0 * after)).present for _ in range(4))
    assert finder.look(grainy(random, hand=70, noise=4.0 * after)).sides == ("bottom",)


@pytest.mark.parametrize("level", [0.85, 0.53, 1.87])
def test_what_was_or_is_burnt_out_over_the_edge_is_no_hand_where_exposure_is_another(level: float) -> None:
    finder, light = (
        HandFinder((400.0, 280.0), 15.0, frozenset({"bottom"})),
        np.full((155, 215, 3), (80.0, 120.0, 100.0)),
    )
    light[120:, 60:110] = (230.0, 420.0, 300.0)
    finder.rest(np.asarray(np.minimum(light, 255), np.uint8), np.zeros((155, 215), np.uint8))
    assert not finder.look(np.asarray(np.minimum(light * level, 255), np.uint8)).present
    light[60:, 70:100] = (60.0, 80.0, 140.0)
    assert finder.look(np.asarray(np.minimum(light * level, 255), np.uint8)).sides == ("bottom",)


def test_a_card_over_an_edge_is_nobodys_hand_though_noise_frays_it() -> None:
    """Seed 1673881, match 3, of Fence: in a dim corner a card's outline was another in each picture."""
    sides, place, card = {"a": "bottom", "b": "top"}, (110.0, 250.0), (140, 156, 54, 68)
    log, random = HandLog(), np.random.default_rng(1)

    def frayed() -> HandSight:
        one = sight("bottom", card)
        size = np.ones((3, 3), np.uint8)
        rim = cv2.dilate(one.mask, size) - cv2.erode(one.mask, size)
        one.mask[rim > 0] = random.random(np.count_nonzero(rim)) < 0.5
        return one

    log.note(sight("top", (0, 140, 55, 70)))
    for _ in range(8):
        log.note(frayed())
    log.drop_false_hands(frayed())
    assert log.seats_at(sides, [place], sight("bottom", card)) == {"b"}


def test_a_card_over_an_edge_is_nobodys_hand_though_a_picture_shows_less_of_it_than_the_rest() -> None:
    """The same match, later: three fifths of a card were seen while it was laid."""
    sides, place, card = {"a": "bottom", "b": "top"}, (110.0, 250.0), (130, 156, 50, 68)
    log = HandLog()
    log.note(sight("top", (0, 140, 52, 66)))
    for _ in range(8):
        log.note(sight("bottom", (139, 156, 50, 68)))
    log.drop_false_hands(sight("bottom", card))
    assert log.seats_at(sides, [place], sight("bottom", card)) == {"b"}


@pytest.mark.parametrize(("crossed", "gone", "hands"), [(8, False, {"b"}), (50, False, {"a"}), (8, True, {"a"})])
def test_a_card_that_barely_reaches_over_an_edge_is_nobodys_hand_though_at_rest_it_does_not(
    crossed: int, gone: bool, hands: set[str]
) -> None:
    """Seed 1673881, match 3, of Fence, at 244 s. An arm crosses the edge by more, and is gone before the rest."""
    sides = {"a": "bottom", "b": "top"}
    card = sight("bottom", (130, 156, 50, 68))
    rest = msgspec.structs.replace(card, mask=np.zeros_like(card.mask), sides=(), reaches=())
    log = HandLog()
    log.note(sight("top", (0, 140, 52, 66)))
    for _ in range(8):
        log.note(msgspec.structs.replace(card, reaches=(Reach({"bottom": crossed}),)))
    if gone:
        log.note(rest)
    log.drop_false_hands(rest)
    assert log.seats(sides, touched=True) == hands


@pytest.mark.parametrize(("crossed", "hands"), [(11, {"b"}), (50, {"a", "b"})])
def test_nor_is_it_what_was_one_with_it_before_the_hand_hid_it(crossed: int, hands: set[str]) -> None:
    """Seed 3704595, match 6, of Fence, at 110 s. Another hand that lays the card crosses the edge by more."""
    sides, arm, card = {"a": "bottom", "b": "top"}, sight("top", (0, 140, 52, 66)), sight("bottom", (130, 156, 50, 68))
    barely = Reach({"bottom": 9})
    log = HandLog()
    log.note(arm)
    log.note(msgspec.structs.replace(sight("bottom", (90, 156, 50, 68)), reaches=(Reach({"bottom": crossed}),)))
    log.note(msgspec.structs.replace(card, reaches=(barely,)))
    log.note(arm)
    for _ in range(8):
        log.note(msgspec.structs.replace(card, reaches=(barely,)))
    log.drop_false_hands(msgspec.structs.replace(card, mask=np.zeros_like(card.mask), sides=(), reaches=()))
    assert log.seats(sides, touched=True) == hands


@pytest.mark.parametrize(("more", "came_from"), [(2, None), (LEAST_CROSSED - 1, None), (LEAST_CROSSED, "bottom")])
def test_a_hand_that_is_one_with_a_card_crosses_an_edge_by_more_than_noise(more: int, came_from: str | None) -> None:
    """Seed 12146347, match 8, of Fence, at 30 s: by 50 pixels with the card, which at rest crossed it by 48."""
    both, card = Reach({"top": 0, "bottom": 48 + more}, 1.0, 9.0), Reach({"top": 10, "bottom": 48})
    assert both.less(card).side(frozenset()) == came_from


@pytest.mark.parametrize("times", [1, 4])
@pytest.mark.parametrize("pile", [(0, 0, 0, 0), (5, 50, 150, 200)])
def test_a_hand_that_is_one_with_the_card_it_lays_over_an_edge_did_not_come_from_there(
    times: int, pile: tuple[int, int, int, int]
) -> None:
    """Seed 10742237, match 2, of Fence: in a reflection the sleeve was not seen over the edge that it came from."""
    sides, place, card = {"a": "bottom", "b": "top"}, (110.0, 250.0), (130, 156, 50, 70)
    log, rest = HandLog(), sight("bottom", card)
    rest.mask[sight("bottom", pile).mask > 0] = 1  # what else changed
    log.note(sight("top", (0, 140, 55, 70)))
    for _ in range(times):
        log.note(sight("bottom", (20, 156, 50, 70)))  # hand and card, and no sleeve
    log.note(sight("bottom", card))
    log.drop_false_hands(rest)
    assert log.seats_at(sides, [place], sight("bottom", card)) == {"b"}
    assert log.seats(sides, touched=True) == {"b"}


def test_who_lays_a_card_over_the_own_edge_is_the_one_who_did() -> None:
    sides, place, card = {"a": "bottom", "b": "top"}, (110.0, 250.0), (130, 156, 50, 70)
    log = HandLog()
    log.note(sight("bottom", (110, 160, 52, 64)))
    over = sight("bottom", (90, 160, 50, 70))
    log.note(msgspec.structs.replace(over, reaches=(Reach({"bottom": 60, "left": 20}),)))
    log.note(sight("bottom", card))
    log.drop_false_hands(sight("bottom", card))
    assert log.seats_at(sides, [place], sight("bottom", card)) == {"a"}
    assert log.seats(sides, touched=True) == {"a"}
