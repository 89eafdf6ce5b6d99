"""An evening of several matches is a fold over what ended: all meet once, the ranking is total, points add up."""

from __future__ import annotations

from itertools import combinations, pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import entry
from engine.entry import Start
from engine.evening import (
    MOST,
    EndedMatch,
    Evening,
    EveningKind,
    bouts,
    champions,
    eliminating,
    next_match,
    pool,
    series,
    standings,
    tableau,
    wins,
    with_result,
)
from engine.text import Text
from engine.view import Outcome

SEATS = ("a", "b")
Scores = list[tuple[int, int]]

PLAYERS = st.integers(2, MOST)
SCORES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda score: score[0] != score[1]), min_size=25, max_size=25
)


def fenced(evening: Evening, score: tuple[int, int]) -> Evening:
    """The bout under way ends so; level: without a winner."""
    one, other = score
    winners = frozenset() if one == other else frozenset({SEATS[0] if one > other else SEATS[1]})
    return with_result(evening, SEATS, Outcome(winners, Text(""), score))


def pool_of(players: int, scores: Scores) -> Evening:
    """The pool is fenced; elimination has not begun."""
    evening = pool(players)
    for number, score in enumerate(scores[: len(bouts(players))]):
        evening = fenced(next_match(evening) if number else evening, score)
    return evening


def whole(players: int, scores: Scores) -> Evening:
    """Pool and tableau to the end."""
    evening, left = pool_of(players, scores), scores[len(bouts(players)) :]
    while not champions(evening):
        evening = fenced(next_match(evening), left.pop(0))
    return evening


@pytest.mark.parametrize("players", range(2, MOST + 1))
def test_everybody_meets_everybody_once(players: int) -> None:
    met = [frozenset(pair) for pair in bouts(players)]
    assert sorted(map(sorted, met)) == [list(pair) for pair in combinations(range(players), 2)]


def test_the_orders_are_those_of_the_score_sheets() -> None:
    assert [(one + 1, other + 1) for one, other in bouts(4)] == [(1, 4), (2, 3), (1, 3), (2, 4), (3, 4), (1, 2)]
    assert [(one + 1, other + 1) for one, other in bouts(3)] == [(2, 3), (1, 3), (1, 2)]
    assert bouts(2) == ((0, 1),)
    for two, following_two in pairwise(bouts(5)):
        assert not set(two) & set(following_two), "in a pool of five nobody fences twice in a row"


@pytest.mark.parametrize("players", [0, 1, MOST + 1])
def test_no_pool_is_smaller_or_larger(players: int) -> None:
    with pytest.raises(ValueError, match="a pool has 2 to 6 players"):
        bouts(players)


@pytest.mark.thorough
@given(players=PLAYERS, scores=SCORES)
def test_points_add_up_and_the_ranking_is_total(players: int, scores: Scores) -> None:
    table = standings(pool_of(players, scores))
    assert sorted(each.player for each in table) == list(range(players))
    assert sum(each.scored for each in table) == sum(each.received for each in table)
    assert sum(each.index for each in table) == 0
    assert sum(each.victories for each in table) == len(bouts(players))
    assert {each.bouts for each in table} == {players - 1}
    for better, worse in pairwise(table):
        assert (better.victories, better.index, better.scored) >= (worse.victories, worse.index, worse.scored)


@pytest.mark.thorough
@given(scores=SCORES, lots=st.integers(0, 1 << 62))
def test_among_equals_lots_are_drawn_once_for_all(scores: Scores, lots: int) -> None:
    level = msgspec.structs.replace(pool_of(4, [(0, 0)] * 6), lots=lots)
    order = [each.player for each in standings(level)]
    assert sorted(order) == [0, 1, 2, 3]
    assert order == [each.player for each in standings(msgspec.structs.replace(level, seated=(2, 1)))]


def test_lots_do_not_favour_whoever_is_named_first() -> None:
    firsts = {standings(msgspec.structs.replace(pool_of(4, [(0, 0)] * 6), lots=lots))[0].player for lots in range(40)}
    assert firsts == {0, 1, 2, 3}


def test_the_indicators_rank_one_after_another() -> None:
    """Everybody wins once: 1 has the worst index, and of those with the same one 2 has more hits."""
    evening = pool(3)
    for score in ((5, 3), (2, 5), (5, 4)):  # 2-3, 1-3, 1-2
        evening = fenced(next_match(evening) if evening.played else evening, score)
    found = [(each.player + 1, each.victories, each.index, each.scored) for each in standings(evening)]
    assert found == [(2, 1, 1, 9), (3, 1, 1, 8), (1, 1, -2, 7)]


@pytest.mark.thorough
@given(players=PLAYERS, scores=SCORES)
def test_the_tableau_is_seeded_by_the_ranking_and_ends_with_one_winner(players: int, scores: Scores) -> None:
    evening = whole(players, scores)
    ranked = [each.player for each in standings(evening)]
    rounds = tableau(evening)
    (final,) = rounds[-1]
    assert champions(evening) == (final.winner,)
    assert len(evening.played) == len(bouts(players)) + players - 1, "each bout puts one out"
    size = 2 ** len(rounds)
    for meeting in rounds[0]:
        one, other = meeting.players
        assert one is not None
        opposite = size - 1 - ranked.index(one)
        assert other == (ranked[opposite] if opposite < players else None)
        assert meeting.winner is not None
    first_half = {player for meeting in rounds[0][: len(rounds[0]) // 2] for player in meeting.players}
    assert len(rounds) == 1 or (ranked[0] in first_half) != (ranked[1] in first_half)
    with pytest.raises(ValueError, match="over"):
        next_match(evening)


def test_the_ranking_of_the_pool_stands_while_the_tableau_goes_on() -> None:
    evening = pool_of(4, [(5, 1)] * 6)
    ranked = standings(evening)
    assert eliminating(evening)
    on = fenced(next_match(evening), (0, 10))
    assert standings(on) == ranked
    assert not champions(on)


def test_a_bout_of_the_tableau_without_a_winner_is_fenced_again() -> None:
    evening = next_match(pool_of(3, [(5, 1)] * 3))
    level = fenced(evening, (3, 3))
    assert next_match(level).seated == evening.seated
    assert not champions(level)


def test_the_best_of_three_waits_for_the_final() -> None:
    evening = pool_of(3, [(5, 1), (5, 2), (5, 3)])
    ranked = [each.player for each in standings(evening)]
    semi = next_match(evening)
    assert set(semi.seated) == set(ranked[1:])
    final = next_match(fenced(semi, (10, 4)))
    assert set(final.seated) == {ranked[0], semi.seated[0]}


@pytest.mark.thorough
@given(winners=st.lists(st.sets(st.integers(0, 2)), max_size=20), to=st.integers(1, 5))
def test_a_series_goes_to_the_first_who_has_won_so_often(winners: list[set[int]], to: int) -> None:
    evening, seats = series(3, to), ("a", "b", "c")
    for number, won in enumerate(winners):
        if champions(evening):
            break
        evening = next_match(evening, moved=number % 2 == 1) if evening.played else evening
        there = frozenset(seats[evening.seated.index(player)] for player in won)
        evening = with_result(evening, seats, Outcome(there, Text("")))
    counted = winners[: len(evening.played)]
    assert wins(evening) == tuple(sum(player in won for won in counted) for player in range(3))
    assert champions(evening) == tuple(player for player in range(3) if wins(evening)[player] >= to)
    assert max(wins(evening)) <= to


def test_everybody_goes_one_seat_on() -> None:
    assert next_match(series(2, 3), moved=True).seated == (1, 0)
    assert next_match(series(4, 3), moved=True).seated == (3, 0, 1, 2)
    assert next_match(series(4, 3)).seated == (0, 1, 2, 3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "series", "players": 2, "seated": (0, 2), "to": 2},
        {"kind": "series", "players": 2, "seated": (0, 0), "to": 2},
        {"kind": "series", "players": 2, "seated": (), "to": 2},
        {"kind": "series", "players": 2, "seated": (0, 1)},
        {"kind": "series", "players": 10**12, "seated": (0, 1), "to": 2},
        {"kind": "series", "players": 2, "seated": (0, 1), "to": 2, "played": ({"seated": (0,), "winners": ()},)},
        {"kind": "pool", "players": 7, "seated": (0, 1)},
        {"kind": "pool", "players": 3, "seated": (0, 1, 2)},
        {"kind": "pool", "players": 3, "seated": (0, 1), "played": ({"seated": (0, 1), "winners": (2,)},)},
        {
            "kind": "pool",
            "players": 3,
            "seated": (0, 1),
            "played": ({"seated": (0, 1), "winners": (), "points": (1,)},),
        },
        {"kind": "pool", "players": 3, "seated": (0, 1), "stakes": 10},
        {"kind": "pool", "players": 3, "seated": (0, 1), "homes": ("a", "b")},
        {"kind": "pool", "players": 3, "seated": (0, 1), "homes": ("a", "b", "a")},
    ],
)
def test_what_no_evening_can_be_is_not_read(wrong: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Evening)


def test_the_first_entry_of_a_match_carries_the_evening_and_others_are_as_they_were() -> None:
    alone = Start(0.0, "fence", {}, SEATS, 7)
    assert b"evening" not in entry.encode(alone)
    assert entry.decode(entry.encode(alone)) == alone
    among = msgspec.structs.replace(alone, evening=whole(4, [(5, 2)] * 9))
    assert entry.decode(entry.encode(among)) == among
    assert isinstance(among.evening, Evening)
    assert among.evening.played[0] == EndedMatch((0, 3), (0,), (5, 2))
    assert among.evening.kind is EveningKind.POOL
