"""Pieces while hands move: evidence that counts, and evidence that does not."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import pytest

from engine.table import Face, Sight
from vision.camera import Image
from vision.finding.pieces import FoundPiece
from vision.hands.background import SCALE
from vision.hands.hands import HandFinder, HandSight
from vision.tracking.looks import Look, Track, TrackUpdate
from vision.tracking.pushes import shift, slid
from vision.tracking.tracker import Tracker, touch

APART_MM = 30.6
MARGIN_MM = 15.0
Place = tuple[float, float]


def down(x: float, y: float) -> Look:
    return Look(x, y, 0.0, None, Face.DOWN, Sight.SEEN, 0.99)


def up(x: float, y: float, kind: str) -> Look:
    return Look(x, y, 0.0, kind, Face.UP, Sight.SEEN, 0.97)


class Film:
    """Pictures 0.2 s apart, told as places: what is seen, and which places are seen bare."""

    def __init__(self, looks: Iterable[Look], every: int | None = None) -> None:
        self.tracker, self.at = Tracker(0, APART_MM, every), 0.0
        self.first = self.settle(looks)

    def show(self, *seen: Place, bare: Iterable[Place] = (), support: float = 1.0, pictures: int = 1) -> None:
        empty = list(bare)
        for _ in range(pictures):
            self.at += 0.2
            spotted = [FoundPiece(x, y, 0.0, support) for x, y in seen]
            self.tracker.follow(spotted, lambda x, y: any(np.hypot(x - a, y - b) < 3 for a, b in empty), self.at)

    def settle(self, looks: Iterable[Look], bare: Iterable[Place] = ()) -> TrackUpdate:
        self.at += 0.2
        empty = list(bare)
        return self.tracker.settle(list(looks), lambda x, y: any(np.hypot(x - a, y - b) < 3 for a, b in empty), self.at)


def number(settled: TrackUpdate, x: float, y: float) -> int:
    return min(settled.tracks, key=lambda track: np.hypot(track.look.x_mm - x, track.look.y_mm - y)).number


def sight(*, filled: Iterable[Place] = (), hand: Iterable[Place] = ()) -> HandSight:
    """A coarse sheet of an A3 mat with hands and whatever does not look like the mat around some places."""
    masks = {name: np.zeros((163, 225), np.uint8) for name in ("mask", "changed", "filled", "occupied")}
    for x, y in filled:
        _paint(masks["filled"], x, y)
    for x, y in hand:
        for name in ("mask", "changed", "filled"):
            _paint(masks[name], x, y)
    parts = (masks["mask"], masks["changed"], masks["filled"], masks["occupied"])
    return HandSight(*parts, ("bottom",), MARGIN_MM)


def _paint(mask: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], x: float, y: float) -> None:
    row, column = round((y + MARGIN_MM) * SCALE), round((x + MARGIN_MM) * SCALE)
    mask[row - 8 : row + 9, column - 8 : column + 9] = 1


def test_the_mat_is_seen_bare_right_beside_a_hand() -> None:
    """A stone is looked at a hand's breadth from its place: its place is bare though the hand is near."""
    assert sight(hand=[(100, 140)]).bare(100, 100)
    assert sight(hand=[(100, 130)]).near(100, 100)
    assert not sight(hand=[(100, 102)]).bare(100, 100)
    assert not sight(filled=[(100, 100)], hand=[(100, 140)]).bare(100, 100)


@pytest.mark.parametrize(("least_mm", "bare"), [(12.0, True), (34.0, False)])
def test_the_place_of_a_small_piece_is_bare_though_a_card_was_laid_beside_it(least_mm: float, bare: bool) -> None:
    finder = HandFinder((420.0, 297.0), MARGIN_MM, frozenset({"bottom"}), least_mm)
    table = np.full((164, 225, 3), 90, np.uint8)
    finder.rest(table)
    beside = table.copy()
    beside[40:90, 102:140] = 220
    assert finder.look(beside).bare(200.0 - MARGIN_MM, 120.0 - MARGIN_MM) is bare


@pytest.mark.parametrize(("across_mm", "shine_mm"), [(12.0, 24.0), (20.0, 24.0), (34.0, 32.0), (45.0, 48.0)])
def test_the_place_of_a_piece_in_a_lamp_s_reflection_is_bare_once_it_is_gone(across_mm: float, shine_mm: float) -> None:
    """The mat is brighter there than it is on the whole."""
    finder = HandFinder((420.0, 297.0), MARGIN_MM, frozenset({"bottom"}), across_mm)
    rows, columns = np.mgrid[:164, :225]
    away = (rows - 60) ** 2 + (columns - 80) ** 2
    shine = 1 + np.exp(-away / (2 * (shine_mm * SCALE) ** 2))
    table = np.repeat((70 * shine).astype(np.uint8)[:, :, None], 3, axis=2)
    piece = np.asarray(away <= (across_mm * SCALE / 2 + 0.5) ** 2, np.uint8)
    lying = np.where(piece[:, :, None] > 0, np.uint8(230), table)
    finder.rest(lying, piece, np.zeros_like(piece))
    place = 80.5 / SCALE - MARGIN_MM, 60.5 / SCALE - MARGIN_MM
    assert not finder.look(lying).bare(*place)
    assert finder.look(table).bare(*place)


@pytest.mark.parametrize("dimmed", [0.65, 0.72, 0.8])
def test_a_piece_hardly_brighter_than_the_mat_lies_still_in_the_shadow_of_a_hand(dimmed: float) -> None:
    """In a lamp's reflection: the shadow makes it as dark as the mat is, and a piece taken away leaves no step."""
    finder = HandFinder((420.0, 297.0), MARGIN_MM, frozenset({"bottom"}), 34.0)
    rows, columns = np.mgrid[:164, :225]
    away = (rows - 60) ** 2 + (columns - 80) ** 2
    table = np.full((164, 225, 3), 150, np.uint8)
    piece = np.asarray(away <= (34.0 * SCALE / 2) ** 2, np.uint8)
    lying = np.where(piece[:, :, None] > 0, np.uint8(205), table)
    grown = np.asarray(cv2.dilate(piece, np.ones((3, 3), np.uint8)), np.uint8)
    finder.rest(lying, grown, np.zeros_like(piece))
    shadow = 1 - (1 - dimmed) * np.exp(-away / (2 * (30.0 * SCALE) ** 2))
    place = 80.5 / SCALE - MARGIN_MM, 60.5 / SCALE - MARGIN_MM
    for shown, bare in ((lying, False), (table, True)):
        reached = (shown * shadow[:, :, None]).astype(np.uint8)
        reached[90:, 60:100] = 60
        seen = finder.look(reached)
        assert seen.present
        assert seen.bare(*place) is bare, "taken away" if bare else "in a shadow"


@pytest.mark.parametrize("shows_mm", [6, 10])
def test_a_piece_of_which_a_finger_like_the_mat_leaves_a_rim_lies_still(shows_mm: int) -> None:
    """In a lamp's reflection, where neither mat nor finger differs from the piece by more than a shadow does."""
    finder = HandFinder((420.0, 297.0), MARGIN_MM, frozenset({"bottom"}), 34.0)
    rows, columns = np.mgrid[:164, :225]
    piece = np.asarray((rows - 60) ** 2 + (columns - 80) ** 2 <= (34.0 * SCALE / 2) ** 2, np.uint8)
    table = np.full((164, 225, 3), 150, np.uint8)
    lying = np.where(piece[:, :, None] > 0, np.uint8(205), table)
    finder.rest(
        np.asarray(lying, np.uint8), np.asarray(cv2.dilate(piece, np.ones((3, 3))), np.uint8), np.zeros_like(piece)
    )
    tip = round(60 + (shows_mm - 34.0 / 2) * SCALE)
    place = 80.5 / SCALE - MARGIN_MM, 60.5 / SCALE - MARGIN_MM
    for shown, bare in ((lying, False), (table, True)):
        reached = shown.copy()
        reached[tip:, 66:94] = 146
        reached[90:, 60:100] = 60
        seen = finder.look(reached)
        assert seen.present
        assert seen.bare(*place) is bare, "taken away" if bare else "under a finger"


def test_a_sleeve_in_the_mat_s_colour_is_not_the_mat() -> None:
    """A hand beyond a place has its arm over it, whatever the arm looks like."""
    assert not sight(hand=[(100, 100)]).bare(100, 200)
    assert sight(hand=[(100, 100)]).bare(250, 200)
    assert sight(hand=[(100, 200)]).bare(100, 100)


def test_a_hand_parted_from_its_arm_by_a_cuff_like_the_mat_is_one_hand() -> None:
    finder = HandFinder((420.0, 297.0), MARGIN_MM, frozenset({"bottom", "top"}))
    table = np.full((164, 225, 3), 90, np.uint8)
    finder.rest(table)
    reached = table.copy()
    reached[125:, 100:140] = 200  # the arm comes in from below, then a cuff like the mat, then the hand
    reached[30:110, 100:140] = 200
    seen = finder.look(reached)
    assert seen.sides == ("bottom",)
    assert seen.near(220, 120), "the hand"
    reached[125:] = 90
    assert not finder.look(reached).present, "something large alone is no hand"


def test_an_arm_like_the_mat_that_is_seen_at_its_ends_alone_lies_the_way_from_one_to_the_other() -> None:
    """At a corner of the mat the part of it beyond the edge is taller than broad, though the arm is broad."""
    finder = HandFinder((420.0, 297.0), MARGIN_MM, frozenset({"bottom", "right"}))
    table = np.full((164, 225, 3), 90, np.uint8)
    finder.rest(table)
    reached = table.copy()
    reached[95:156, 212:222] = 200  # the sleeve, over the table on the right and a little over the edge below
    reached[70:110, 60:150] = 200  # the hand
    seen = finder.look(reached)
    assert all(seen.reaches[0].crossed[side] for side in ("bottom", "right"))
    assert seen.sides == ("right",)


def test_a_hand_that_looks_like_the_table_is_seen_as_far_as_the_mat_goes() -> None:
    finder = HandFinder((420.0, 297.0), MARGIN_MM, frozenset({"bottom", "top"}))
    table = np.full((164, 225, 3), 90, np.uint8)
    table[154:] = 40  # the wood around the mat, and a little of it where the two meet
    finder.rest(table)
    reached = table.copy()
    reached[110:, 100:140] = 40
    assert finder.look(reached).sides == ("bottom",)
    away = table.copy()
    away[100:140, 100:140] = 40
    assert not finder.look(away).present


def test_what_reached_over_the_edge_at_the_last_rest_and_is_gone_is_no_hand() -> None:
    """A hand stayed beside the mat while the table seemed to rest: without it the mat's edge looks as it did before."""
    finder = HandFinder((420.0, 297.0), MARGIN_MM, frozenset({"left"}))
    table = np.full((164, 225, 3), 90, np.uint8)
    nothing = np.zeros(table.shape[:2], np.uint8)
    finder.rest(table, nothing, nothing)
    assert not finder.is_gone(table, finder.look(table)), "nothing is known of an earlier rest"
    finder.rest(table, nothing, nothing)
    beside = table.copy()
    beside[80:100, :14] = 200
    finder.rest(beside, nothing, nothing)
    finder.rest(beside)  # the light was measured again meanwhile
    seen = finder.look(table)
    assert seen.sides == ("left",)
    assert finder.is_gone(table, seen)
    reached = table.copy()
    reached[60:100, :60] = 200
    assert not finder.is_gone(reached, finder.look(reached))


def _reaching(table: Image, depth: int, rows: slice = slice(80, 100)) -> Image:
    """The mat with an arm from the left, so many pixels into the coarse sheet."""
    reaching = table.copy()
    reaching[rows, :depth] = 200
    return reaching


@pytest.mark.parametrize("first", [0, 14])
@pytest.mark.parametrize(
    "now", [(140, slice(80, 100)), (14, slice(80, 100)), (60, slice(82, 98)), (12, slice(82, 98)), (60, slice(70, 110))]
)
def test_an_arm_that_comes_back_over_the_edge_where_one_lay_at_an_earlier_rest_is_a_hand(
    first: int, now: tuple[int, slice]
) -> None:
    finder = HandFinder((420.0, 297.0), MARGIN_MM, frozenset({"left"}))
    table = np.full((164, 225, 3), 90, np.uint8)
    nothing = np.zeros(table.shape[:2], np.uint8)
    for depth in (first, 0, 0, 14, 14, 0, 0):
        finder.rest(_reaching(table, depth), nothing, nothing)
    reaching = _reaching(table, *now)
    seen = finder.look(reaching)
    assert seen.sides == ("left",)
    assert not finder.is_gone(reaching, seen)


def test_a_hand_over_the_pieces_is_not_gone_when_only_the_edge_looks_as_before() -> None:
    """Its arm has the table's colour where it crosses the edge."""
    finder = HandFinder((420.0, 297.0), MARGIN_MM, frozenset({"left"}))
    table = np.full((164, 225, 3), 90, np.uint8)
    nothing = np.zeros(table.shape[:2], np.uint8)
    for depth in (0, 0, 14):
        finder.rest(_reaching(table, depth), nothing, nothing)
    reaching = table.copy()
    reaching[70:110, 14:60] = 200
    assert not finder.is_gone(reaching, finder.look(reaching))


def test_a_row_pushed_by_more_than_a_stone_was_not_lifted() -> None:
    after = {1: 116.0, 2: 162.0, 3: 208.0}
    before = {n: Track(n, down(x - 76, 160), None) for n, x in after.items()}
    now = [Track(n, down(x, 161), None) for n, x in after.items()]
    told = [touch(track, before, now, lifted=1.0, lost=False, apart_mm=APART_MM) for track in now]
    assert [(t.lifted, t.certainty) for t in told if t] == [(False, 1.0)] * 3


def test_what_went_past_another_was_not_pushed() -> None:
    neighbour = down(150, 160)
    assert not slid(down(100, 160), down(200, 160), [(neighbour, neighbour)], APART_MM)
    assert slid(down(100, 160), down(130, 160), [(neighbour, down(190, 160))], APART_MM)
    assert slid(down(100, 160), down(200, 160), [(up(150, 80, "crown"), up(150, 80, "crown"))], APART_MM)
    assert slid(down(177, 160), down(195, 160), [(up(134, 160, "crown"), up(362, 160, "crown"))], APART_MM)


@pytest.mark.parametrize(("off", "certainty"), [(1.8, None), (3.0, 0.7), (5.0, 1.0)])
def test_a_place_that_is_only_seen_less_sharply_is_no_touch(off: float, certainty: float | None) -> None:
    """A face's place may be off by the height of its rim: that alone is held against nobody."""
    before, after = Track(1, down(100, 160), None), Track(1, down(100 + off, 160), None)
    told = touch(after, {1: before}, [after], lifted=0.0, lost=False, apart_mm=APART_MM)
    assert (told.certainty if told else None) == certainty
    assert told is None or not told.lifted


def test_pieces_that_move_together_are_found_by_their_common_shift() -> None:
    row = [(80.0, 155.0), (126.0, 158.0), (169.0, 157.5)]
    assert shift(row, [(x + 34, y) for x, y in row]) == pytest.approx((34.0, 0.0), abs=0.1)
    assert shift(row[:1], [(114.0, 155.0)]) is None
    even = [(80.0, 160.0), (120.0, 160.0), (160.0, 160.0)]
    assert shift(even[:2], [*even[1:], (200.0, 160.0)]) is None  # one place on, or two


def test_a_row_pushed_step_by_step_keeps_its_numbers() -> None:
    row = [(80.0, 155.0), (120.0, 160.5), (160.0, 157.0), (200.0, 163.0)]
    film = Film(down(x, y) for x, y in row)
    for step in (12.0, 30.0, 40.0):
        film.show(*((x + step, y) for x, y in row))
    film.show(*((x + 40, y) for x, y in row), pictures=2)
    after = film.settle(down(x + 40, y) for x, y in row)
    assert not after.lost
    assert [number(after, x + 40, y) for x, y in row] == [number(film.first, x, y) for x, y in row]
    assert not any(t.lifted for t in after.touched)


def _away_and_back(every: int | None, away: int) -> tuple[Film, TrackUpdate]:
    """So many of three hidden stones are away from the mat at one rest, and lie there again at the next."""
    row = [(36.0, 158.0), (78.0, 164.0), (120.0, 158.0)]
    film = Film((down(x, y) for x, y in row), every)
    gone, left = row[:away], row[away:]
    film.show(*left, bare=gone, pictures=3)
    film.settle((down(x, y) for x, y in left), bare=gone)
    film.show(*left, bare=gone, pictures=3)
    film.show(*row, pictures=3)
    return film, film.settle(down(x - 2.5, y) for x, y in row)


def test_the_only_stone_that_was_away_is_the_one_that_comes_back() -> None:
    """It was looked at beside the mat for so long that the table rested."""
    film, after = _away_and_back(every=3, away=1)
    assert not after.lost
    assert number(after, 36, 158) == number(film.first, 36, 158)
    assert [(t.track, t.lifted) for t in after.touched] == [(number(film.first, 36, 158), True)]


@pytest.mark.parametrize(("every", "away"), [(None, 1), (4, 1), (3, 2)])
def test_of_several_that_may_come_back_none_is_taken_for_the_one_that_was_away(every: int | None, away: int) -> None:
    film, after = _away_and_back(every, away)
    before = {track.number for track in film.first.tracks}
    assert len({track.number for track in after.tracks} - before) == away


A, B, C, ELSEWHERE = (36.0, 158.0), (78.0, 164.0), (120.0, 158.0), (300.0, 60.0)


def _next_rest(film: Film, there: list[Place], bare: Iterable[Place] = ()) -> TrackUpdate:
    """The table rests with hidden stones at these places."""
    film.show(*there, bare=bare, pictures=3)
    after = film.settle((down(x, y) for x, y in there), bare)
    film.show(*there, bare=bare, pictures=2)
    return after


def test_a_stone_that_was_away_before_all_was_seen_is_not_taken_for_another_that_was_away_since() -> None:
    film = Film((down(*place) for place in (B, C)), every=3)
    _next_rest(film, [C], bare=[A, B])
    _next_rest(film, [B, C], bare=[A])
    after = _next_rest(film, [A, B, C])
    assert number(after, *A) not in {track.number for track in film.first.tracks}


def test_a_stone_that_was_away_while_nothing_was_seen_is_not_taken_for_another_that_was_away_since() -> None:
    film = Film((down(*place) for place in (A, B, C)), every=3)
    _next_rest(film, [B, C], bare=[A])
    film.tracker.blind()
    then = _next_rest(film, [B, C], bare=[A])
    _next_rest(film, [C], bare=[A, B])
    _next_rest(film, [B, C], bare=[A])
    after = _next_rest(film, [A, B, C])
    earlier = {track.number for rest in (film.first, then) for track in rest.tracks}
    assert number(after, *A) not in earlier


def test_after_a_rest_at_which_a_past_was_lost_nobody_knows_which_was_away() -> None:
    film = Film((down(*place) for place in (A, B, C)), every=3)
    _next_rest(film, [B, C], bare=[A])
    moved = [(200.0, 60.0), (230.0, 90.0)]
    film.show(bare=[A, B, C], pictures=3)
    between = film.settle((down(*place) for place in moved), bare=[A, B, C])
    assert between.lost, "two hidden stones were taken up together"
    film.show(*moved, bare=[A], pictures=3)
    after = _next_rest(film, [A, *moved])
    assert number(after, *A) not in {track.number for track in film.first.tracks}


def test_of_two_that_are_away_the_second_to_come_is_not_known_either() -> None:
    film = Film((down(*place) for place in (A, B, C)), every=3)
    _next_rest(film, [C], bare=[A, B])
    _next_rest(film, [B, C], bare=[A])
    after = _next_rest(film, [A, B, C])
    assert number(after, *C) == number(film.first, *C)
    assert not {number(after, *A), number(after, *B)} & {track.number for track in film.first.tracks}


def test_what_nobody_can_name_is_not_the_stone_that_was_away() -> None:
    """A coin is laid down while a stone is away; then the stone comes, too."""
    film = Film((down(*place) for place in (A, B, C)), every=3)
    _next_rest(film, [B, C], bare=[A])
    coin = Look(*ELSEWHERE, 0.0, None, None, Sight.UNKNOWN, 0.2)
    film.show(B, C, ELSEWHERE, bare=[A], pictures=4)
    laid = film.settle([down(*B), down(*C), coin], bare=[A])
    film.show(A, B, C, ELSEWHERE, pictures=4)
    after = film.settle([down(*A), down(*B), down(*C), coin])
    before = {track.number for track in film.first.tracks}
    assert not {number(laid, *ELSEWHERE), number(after, *ELSEWHERE), number(after, *A)} & before


def test_with_a_covered_stone_nobody_knows_which_came() -> None:
    """The covered one may have been taken from under the arm, and it may be that one that lies elsewhere now."""
    film = Film((down(*place) for place in (A, B, C)), every=3)
    _next_rest(film, [B, C], bare=[A])
    film.show(B, ELSEWHERE, bare=[A], pictures=4)
    after = film.settle((down(*place) for place in (B, ELSEWHERE)), bare=[A])
    assert {track.look.sight for track in after.tracks} == {Sight.SEEN, Sight.COVERED}
    assert number(after, *ELSEWHERE) not in {track.number for track in film.first.tracks} - {number(film.first, *C)}


def test_a_stone_that_shows_what_another_is_known_to_be_is_not_the_one_that_was_away() -> None:
    film = Film([down(*A), up(*B, "crown"), down(*C)], every=3)
    film.show(B, C, bare=[A], pictures=3)
    film.settle([up(*B, "crown"), down(*C)], bare=[A])
    film.show(A, B, C, pictures=3)
    after = film.settle([up(*A, "crown"), down(*B), down(*C)])
    assert number(after, *A) not in {track.number for track in film.first.tracks}


def test_a_stone_taken_up_while_another_is_away_may_have_been_exchanged_for_it() -> None:
    """Both are laid down again, one where the second lay: which is which was not seen."""
    film = Film((down(*place) for place in (A, B, C)), every=3)
    _next_rest(film, [B, C], bare=[A])
    film.show(C, bare=[A, B], pictures=4)
    film.show((76.0, 160.0), C, bare=[A], pictures=3)
    film.show((76.0, 160.0), C, ELSEWHERE, bare=[A], pictures=3)
    after = film.settle([down(76.0, 160.0), down(*C), down(*ELSEWHERE)], bare=[A])
    assert number(after, *ELSEWHERE) != number(film.first, *A)


def test_places_that_an_arm_covers_in_turn_are_no_push() -> None:
    """An arm over the one end of an even row, then over the other: nothing was moved."""
    row = [(80.0 + 40 * n, 160.0) for n in range(5)]
    film = Film(down(x, y) for x, y in row)
    film.show(*row[2:], pictures=3)
    film.show(*row[:3], pictures=3)
    film.show(*row, pictures=2)
    after = film.settle(down(x, y) for x, y in row)
    assert [number(after, x, y) for x, y in row] == [number(film.first, x, y) for x, y in row]
    assert not after.touched


def test_what_lies_still_for_long_is_no_clutter() -> None:
    """A stone is carried off quickly and turned: what then lies there is that stone, and nothing from outside."""
    film = Film([up(220, 40, "flag"), up(71, 44, "crown"), down(209, 160)])
    film.show((71, 44), (209, 160), bare=[(220, 40)], pictures=2)
    film.show((71, 44), (209, 160), (251, 164), bare=[(220, 40)], pictures=6)
    after = film.settle([down(251, 164), up(71, 44, "crown"), down(209, 160)])
    assert not after.lost
    assert number(after, 251, 164) == number(film.first, 220, 40)


def test_a_stone_laid_aside_that_seems_to_move_is_not_in_the_hand() -> None:
    """The parked stone is seen 3 mm off while fingers let go of it: the other one alone is carried then."""
    film = Film([down(168, 160), down(207, 156)])
    film.show((207, 156), bare=[(168, 160)], pictures=1)
    film.show((207, 156), (170, 221), bare=[(168, 160)], pictures=2)
    film.show((207, 156), (171, 218), bare=[(168, 160)], pictures=1)
    film.show(bare=[(168, 160), (207, 156)], pictures=2)
    film.show((169, 160), bare=[(207, 156)], pictures=2)
    film.show((169, 160), (171, 219), bare=[(207, 156)], pictures=2)
    film.show((169, 160), bare=[(171, 220)], pictures=1)
    film.show((169, 160), (206, 154), pictures=3)
    after = film.settle([down(169, 160), down(206, 154)])
    assert not after.lost
    assert number(after, 169, 160) == number(film.first, 207, 156)
    assert number(after, 206, 154) == number(film.first, 168, 160)


def test_a_stone_looked_at_beside_its_place_was_lifted() -> None:
    film = Film([down(100, 160), down(146, 160)])
    film.show((146, 160), bare=[(100, 160)], pictures=3)
    film.show((101, 161), (146, 160), pictures=2)
    after = film.settle([down(101, 161), down(146, 160)])
    told = {t.track: t for t in after.touched}
    assert told.keys() == {number(film.first, 100, 160)}
    assert told[number(film.first, 100, 160)].lifted
    assert told[number(film.first, 100, 160)].certainty > 0.9


def test_whether_a_stone_was_lifted_that_lies_just_where_it_lay_is_not_sure() -> None:
    """Seed 10320574, match 8, of Tellstones: in a lamp's reflection a hand looked like the bare mat."""
    film = Film([down(100, 160), down(146, 160)])
    film.show((146, 160), bare=[(100, 160)], pictures=4)
    film.show((100.05, 160), (146, 160), pictures=2)
    (told,) = film.settle([down(100.05, 160), down(146, 160)]).touched
    assert (told.lifted, told.certainty) == (True, 0.8)


def test_a_stone_that_an_arm_hid_was_not_lifted() -> None:
    film = Film([down(100, 160), down(146, 160)])
    film.show((146, 160), pictures=5)
    film.show((100.2, 160.1), (146, 160), pictures=2)
    assert not film.settle([down(100.2, 160.1), down(146, 160)]).touched


def test_a_hand_that_takes_another_stone_has_laid_the_first_one_down() -> None:
    """The parked stone is never seen well: what comes to lie in the row is what was taken last."""
    film = Film([down(122, 158), down(172, 159)])
    film.show((172, 159), bare=[(122, 158)], pictures=3)
    film.show(bare=[(122, 158)], pictures=1)
    film.show(bare=[(122, 158), (172, 159)], pictures=1)
    film.show((123, 159), bare=[(172, 159)], pictures=2)
    film.show((123, 159), (124, 105), bare=[(172, 159)], pictures=2)
    film.show((123, 159), bare=[(172, 159)], pictures=1)
    film.show((123, 159), (173, 160), pictures=3)
    after = film.settle([down(123, 159), down(173, 160)])
    assert not after.lost
    assert number(after, 123, 159) == number(film.first, 172, 159)
    assert number(after, 173, 160) == number(film.first, 122, 158)


@pytest.mark.parametrize(("every", "lost"), [(None, 1), (4, 1), (3, 0)])
def test_where_all_stones_lie_on_the_mat_none_is_new(every: int | None, lost: int) -> None:
    """A stone that was carried far and fast is hardly told from another one, unless there is no other one."""
    film = Film([down(30, 50), down(60, 160), down(380, 160)], every=every)
    film.show((60, 160), (380, 160))
    film.show((60, 160), (380, 160), (380, 60))
    after = film.settle([down(60, 160), down(380, 160), down(380, 60)])
    assert len(after.lost) == lost


def test_of_stones_whose_past_is_lost_none_is_surely_lifted() -> None:
    film = Film([down(100, 160), down(150, 160), down(300, 60)])
    film.show((300, 60), bare=[(100, 160), (150, 160)], pictures=4)
    after = film.settle([down(120, 200), down(170, 120), down(300, 60)])
    assert len(after.lost) == 2
    gone = {number(film.first, 100, 160), number(film.first, 150, 160)}
    assert all(t.certainty < 0.9 for t in after.touched if t.track in gone)


def test_what_was_taken_up_stays_taken_up_though_it_is_then_seen_less_sharply() -> None:
    """A stone is looked at and put back; at first its foot is taken for its face, some millimetres off."""
    film = Film([down(118, 164), down(159, 164)])
    film.show((159, 164), bare=[(118, 164)], pictures=6)
    film.show((117, 164), (159, 164), support=0.6, pictures=3)
    after = film.settle([down(119.4, 162), down(159, 164)])
    assert not after.lost
    (told,) = after.touched
    assert (told.track, told.lifted) == (number(film.first, 118, 164), True)


def test_what_is_held_over_a_covered_stone_does_not_displace_it() -> None:
    """A stone is looked at, half seen in a hand, over another one that the hand covers."""
    looked_at, covered, third = (256.0, 160.0), (269.0, 70.0), (212.0, 164.0)
    film = Film(down(*place) for place in (looked_at, covered, third))
    film.show(looked_at, third, support=0.9)
    film.show(third, bare=[looked_at], pictures=2)
    film.show((263, 84), third, bare=[looked_at], support=0.58, pictures=4)
    film.show(third, bare=[looked_at])
    film.show((253, 161), third, support=0.78, pictures=2)
    film.show((253, 161), covered, third, pictures=3)
    after = film.settle([down(253, 161), down(*covered), down(*third)])
    assert not after.lost
    assert [(t.track, t.lifted) for t in after.touched] == [(number(film.first, *looked_at), True)]


def test_the_only_missing_piece_of_a_name_is_the_one_that_came_from_nowhere() -> None:
    """A counter half under a card is taken elsewhere: its place is not seen bare, and it was not seen to leave."""
    film = Film([up(100, 100, "life"), up(200, 100, "life")])
    film.show((200, 100), support=0.9, pictures=3)
    film.show((200, 100), (160, 130), support=0.6, pictures=3)
    after = film.settle([up(200, 100, "life"), up(160, 130, "life")])
    assert not after.lost
    assert {t.number: (t.look.x_mm, t.look.sight) for t in after.tracks} == {
        number(film.first, 100, 100): (160, Sight.SEEN),
        number(film.first, 200, 100): (200, Sight.SEEN),
    }
    assert (number(film.first, 100, 100), True) in [(t.track, t.lifted) for t in after.touched]


@pytest.mark.parametrize("across_mm", [12.0, 20.0, 34.0])
@pytest.mark.parametrize("contrast", [0.06, 0.1, 0.14, 0.25])
@pytest.mark.parametrize("aside", [-0.25, 0.0, 0.25])
def test_a_piece_taken_away_is_gone_though_the_edge_of_a_shadow_crosses_its_place(
    across_mm: float, contrast: float, aside: float
) -> None:
    """The edge runs along where the piece's rim was somewhere."""
    dice = np.random.default_rng(7)
    finder = HandFinder((420.0, 297.0), MARGIN_MM, frozenset({"bottom"}), across_mm)
    fine = np.zeros((164 * 4, 225 * 4), np.float32)
    cv2.circle(fine, (322, 242), int(across_mm * SCALE * 2), 1.0, -1)
    disc = cv2.resize(fine, (225, 164), interpolation=cv2.INTER_AREA)
    shadow = np.zeros((164, 225), np.float32)
    shadow[:, : 80 + round(aside * across_mm * SCALE)] = 0.2
    reached = 150 * (1 - cv2.GaussianBlur(shadow, (0, 0), 3.0 * SCALE))
    reached[100:, 60:100] = 40
    lying, taken = (
        np.clip(light[:, :, None] * (1 + 0.01 * dice.standard_normal((164, 225, 3))), 0, 255).astype(np.uint8)
        for light in (150 * (1 + contrast * disc), reached)
    )
    pieces = np.asarray(cv2.dilate(disc, np.ones((3, 3))) > 0, np.uint8)
    finder.rest(lying, pieces, np.zeros_like(pieces))
    assert finder.look(taken).bare(80.5 / SCALE - MARGIN_MM, 60.5 / SCALE - MARGIN_MM)
