"""Who meets whom in a tournament."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evening import MOST, bracket
from referee_club.pairing import Line, Pair, longest_swiss, pool_bouts, pools, round_robin, swiss

MANY = st.integers(2, 24)


def covers(pairs: tuple[Pair, ...], players: int) -> bool:
    """Everybody once, and one bye at most."""
    there = [player for pair in pairs for player in pair if player is not None]
    return sorted(there) == list(range(players)) and sum(None in pair for pair in pairs) == players % 2


@given(MANY)
def test_everybody_meets_everybody_once_and_each_round_has_everybody(players: int) -> None:
    rounds = round_robin(players)
    assert all(covers(pairs, players) for pairs in rounds)
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs if None not in pair)
    assert met == Counter({frozenset(pair): 1 for pair in combinations(range(players), 2)})
    byes = Counter(one for pairs in rounds for one, other in pairs if other is None)
    assert set(byes.values()) <= {1}
    assert len(byes) == (players if players % 2 else 0)


@given(MANY)
def test_everybody_sits_at_both_seats_about_as_often(players: int) -> None:
    firsts = Counter(one for pairs in round_robin(players) for one, other in pairs if other is not None)
    for player in range(players):
        assert abs(2 * firsts[player] - (players - 1)) <= 2


def played(players: int, rounds: int, seed: int) -> list[tuple[Pair, ...]]:
    """A Swiss tournament with results by chance."""
    chance, found = random.Random(seed), list[tuple[Pair, ...]]()
    lines = [Line(0.0) for _ in range(players)]
    for _ in range(rounds):
        found.append(swiss(lines))
        for one, other in found[-1]:
            won = chance.choice((0.0, 0.5, 1.0))
            if other is None:
                lines[one] = Line(lines[one].points + 1, lines[one].met, lines[one].byes + 1, lines[one].firsts)
                continue
            for player, against, points, firsts in ((one, other, won, 1), (other, one, 1 - won, -1)):
                line = lines[player]
                lines[player] = Line(line.points + points, line.met | {against}, line.byes, line.firsts + firsts)
    return found


@pytest.mark.thorough
@settings(max_examples=25)
@given(players=st.integers(2, 14), seed=st.integers(0, 1000))
def test_a_swiss_tournament_pairs_nobody_twice_and_gives_nobody_two_byes(players: int, seed: int) -> None:
    rounds = played(players, longest_swiss(players), seed)
    assert all(covers(pairs, players) for pairs in rounds)
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert set(met.values()) == {1}


def test_who_has_as_many_points_meets_the_upper_half_the_lower() -> None:
    assert {frozenset(pair) for pair in swiss([Line(0.0)] * 8)} == {frozenset((one, one + 4)) for one in range(4)}
    lines = [Line(1.0), Line(1.0), Line(0.0), Line(0.0)]
    assert {frozenset(pair) for pair in swiss(lines)} == {frozenset((0, 1)), frozenset((2, 3))}


def test_the_bye_goes_to_the_last_who_had_none() -> None:
    lines = [Line(1.0), Line(1.0), Line(0.5), Line(0.0, byes=1), Line(0.0)]
    assert (4, None) in swiss(lines)
    lines[4] = Line(0.0, byes=1)
    assert (2, None) in swiss(lines)


def test_rounds_that_cannot_do_without_meet_again() -> None:
    met = [Line(0.0, frozenset({1})), Line(1.0, frozenset({0}))]
    assert [set(pair) for pair in swiss(met)] == [{0, 1}]


def test_whoever_sat_first_more_often_sits_second() -> None:
    assert swiss([Line(0.0, firsts=1), Line(0.0, firsts=-1)]) == ((1, 0),)


@given(st.integers(2, 60), st.integers(3, MOST))
def test_pools_are_of_one_size_or_two_and_equally_strong(players: int, most: int) -> None:
    found = pools(players, most)
    assert sorted(player for pool in found for player in pool) == list(range(players))
    sizes = {len(pool) for pool in found}
    assert min(sizes) >= 2
    assert max(sizes) <= most
    assert max(sizes) - min(sizes) <= 1
    assert [pool[0] for pool in found] == list(range(len(found)))


@given(st.integers(2, MOST))
def test_in_a_pool_everybody_meets_everybody(players: int) -> None:
    pool = tuple(range(10, 10 + players))
    assert {frozenset(pair) for pair in pool_bouts(pool)} == {frozenset(pair) for pair in combinations(pool, 2)}


@given(st.integers(2, 40))
def test_the_two_best_can_meet_in_the_final_only(players: int) -> None:
    rounds = bracket(tuple(range(players)), ())
    halves = [rounds[0][: max(1, len(rounds[0]) // 2)], rounds[0][max(1, len(rounds[0]) // 2) :]]
    if len(rounds) > 1:
        homes = [{player for meeting in half for player in meeting.players} for half in halves]
        assert 0 in homes[0]
        assert 1 in homes[1]
    assert {player for meeting in rounds[0] for player in meeting.players} - {None} == set(range(players))
    byes = [meeting.winner for meeting in rounds[0] if meeting.players[1] is None]
    assert sorted(each for each in byes if each is not None) == list(range(len(byes)))


@pytest.mark.parametrize("wrong", [0, 1])
def test_one_alone_meets_nobody(wrong: int) -> None:
    for draw in (round_robin, pools, lambda players: swiss([Line(0.0)] * players)):
        with pytest.raises(ValueError, match="cannot meet"):
            draw(wrong)
