"""A tournament from its plan to its end, and its steps in the archive's file."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.club.tests.test_hall import glance
from referee_club import tournaments
from referee_club.archive import Archive, NoMatch
from referee_club.tournament import (
    Cleared,
    Ended,
    Kind,
    Plan,
    Refused,
    Tournament,
    Withdrawn,
    after,
    decides,
    draw,
    make_tournament,
    pool_standings,
    ranking,
    scores,
    tableau,
    take_step,
)
from referee_club.tournaments import Tournaments
from referee_record.public_frames import Seated

NAMES = tuple(f"Player {letter}" for letter in "ABCDEFGHIJKLMN")


def plan(kind: Kind, count: int, rounds: int = 0) -> Plan:
    return Plan("Spring", kind, NAMES[:count], "", rounds)


def stronger_wins(tournament: Tournament) -> Tournament:
    """All that is drawn ends so that the one with the lower number wins, 5 to their difference."""
    for number, board in tournament.open:
        one, other = tournament.rounds[number][board].pair
        assert other is not None
        winner = 0 if one < other else 1
        tournament = after(tournament, Ended(number, board, winner, (5, 1) if winner == 0 else (1, 5)))
    return tournament


def played_out(tournament: Tournament) -> Tournament:
    while not tournament.finished:
        tournament = stronger_wins(after(tournament, draw(tournament)))
    return tournament


@settings(max_examples=20)
@given(st.sampled_from(Kind), st.integers(2, 14))
def test_where_the_stronger_always_wins_the_strongest_is_first(kind: Kind, count: int) -> None:
    tournament = played_out(make_tournament(plan(kind, count, 1 if count < 4 else 2)))
    found = ranking(tournament)
    assert sorted(found) == list(range(count))
    assert found[0] == 0
    if kind is Kind.ROUND_ROBIN:
        assert found == tuple(range(count))
    with pytest.raises(Refused, match="finished"):
        draw(tournament)


@settings(max_examples=20)
@given(st.sampled_from(Kind), st.integers(2, 12), st.integers(0, 99))
def test_points_are_as_many_as_games(kind: Kind, count: int, seed: int) -> None:
    chance, tournament = random.Random(seed), make_tournament(plan(kind, count, 1))
    tournament = after(tournament, draw(tournament))
    for number, board in tournament.open:
        winner = chance.choice((0, 1) if decides(tournament, number) else (0, 1, None))
        tournament = after(tournament, Ended(number, board, winner))
    found = scores(tournament)
    games = sum(game.over for pairs in tournament.rounds for game in pairs)
    byes = sum(game.pair[1] is None for pairs in tournament.rounds for game in pairs)
    if found:
        assert sum(each.points for each in found) == games - (byes if kind is Kind.ROUND_ROBIN else 0)
        assert sum(each.won for each in found) == sum(each.lost for each in found)


def test_pools_seed_the_tableau() -> None:
    tournament = make_tournament(plan(Kind.POOLS, 8))
    assert tableau(tournament) == ()
    tournament = stronger_wins(after(tournament, draw(tournament)))
    ranked = [each.player for each in pool_standings(tournament)]
    assert ranked[:2] == [0, 1]
    first = tableau(tournament)[0]
    assert first[0].players == (ranked[0], ranked[7])


def test_a_result_can_be_taken_back_until_something_is_drawn_from_it() -> None:
    tournament = make_tournament(plan(Kind.SWISS, 4, 2))
    tournament = stronger_wins(after(tournament, draw(tournament)))
    again = after(tournament, Cleared(0, 1))
    assert again.open == ((0, 1),)
    with pytest.raises(Refused, match="missing"):
        draw(again)
    later = after(tournament, draw(tournament))
    with pytest.raises(Refused, match="Undo that first"):
        after(later, Cleared(0, 1))
    assert after(later, Withdrawn()) == tournament
    with pytest.raises(Refused, match="results of this draw"):
        after(stronger_wins(later), Withdrawn())


def test_what_cannot_be_is_refused() -> None:
    for wrong in (
        plan(Kind.SWISS, 4, 3),
        plan(Kind.SWISS, 4),
        plan(Kind.POOLS, 1),
        Plan("x", Kind.POOLS, ("Anna", "anna")),
        Plan("x", Kind.POOLS, ("Anna", " ")),
        Plan(" ", Kind.POOLS, ("Anna", "Ben")),
    ):
        with pytest.raises(Refused):
            make_tournament(wrong)
    tournament = make_tournament(plan(Kind.ELIMINATION, 3))
    with pytest.raises(Refused, match="No round has been drawn"):
        after(tournament, Withdrawn())
    tournament = after(tournament, draw(tournament))
    assert tournament.open == ((0, 0),)
    with pytest.raises(Refused, match="needs a winner"):
        after(tournament, Ended(0, 0, None))
    for number, board in ((0, 1), (1, 0), (-1, 0), (0, -1)):
        with pytest.raises(Refused, match="no such match"):
            after(tournament, Ended(number, board, 0))


def test_steps_are_there_after_the_archive_was_opened_anew(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "club.db")
    kept = Tournaments(archive)
    id, key = kept.make(plan(Kind.ROUND_ROBIN, 4)), kept.key()
    kept.take(id, draw(kept.get(id)))
    tournament = kept.take(id, Ended(0, 0, 1))
    with pytest.raises(Refused):
        kept.take(id, Ended(9, 9, 1))
    archive.close()
    archive = Archive(tmp_path / "club.db")
    again = Tournaments(archive)
    assert again.get(id) == tournament
    assert again.key() == key
    assert [name for name, _ in again.all()] == [id]
    with pytest.raises(NoMatch):
        again.get("nothing")
    archive.close()


def test_a_match_of_those_two_at_a_table_gives_their_result_once(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "club.db")
    kept = Tournaments(archive, lambda: 500.0)
    id = kept.make(Plan("Spring", Kind.ROUND_ROBIN, ("Ben", "Anna")))
    tournament = kept.take(id, draw(kept.get(id)))
    assert kept.results(id) == {}
    seats = (Seated("a", "anna", "", False), Seated("b", "Ben", "", False))
    early = glance("6" * 32, seats=seats, result="Ben wins.", winners=("b",), at=400.0)
    archive.take_glance("table-1", early)
    assert kept.results(id) == {}
    other = kept.make(Plan("Other", Kind.ELIMINATION, ("Ben", "Anna")))
    kept.take(other, draw(kept.get(other)))
    archive.take_glance("table-1", glance(seats=seats, result="Anna wins.", winners=("a",), at=1000.0))
    ((game,),) = tournament.rounds
    found = Ended(0, 0, game.pair.index(tournament.plan.entrants.index("Anna")), match="7" * 32)
    assert kept.results(id) == {(0, 0): found}
    kept.take(id, found)
    kept.take(id, Cleared(0, 0))
    assert kept.results(id) == {(0, 0): found}, "it counts for nothing again"
    kept.take(id, found)
    assert set(kept.results(other)) == {(0, 0)}, "in another tournament it may count, too"
    archive.close()


def test_what_was_played_before_a_draw_is_no_result_of_it(tmp_path: Path) -> None:
    now = [400.0]
    archive = Archive(tmp_path / "club.db", lambda: now[0])
    kept = Tournaments(archive, lambda: now[0])
    seats = (Seated("a", "Anna", "", False), Seated("b", "Ben", "", False))
    archive.take_glance("table-1", glance("6" * 32, seats=seats, result="Ben wins.", winners=("b",), at=None))
    now[0] = 500.0
    id = kept.make(Plan("Pools", Kind.POOLS, ("Anna", "Ben")))
    kept.take(id, draw(kept.get(id)))
    assert kept.results(id) == {}, "the table's clock is not set"
    now[0] = 610.0
    friendly = glance("9" * 32, seats=seats, result="Ben wins.", winners=("b",), at=450.0)
    archive.take_glance("table-1", friendly)
    assert kept.results(id) == {}, "it began before the draw, and was heard of after it"
    archive.take_glance("table-1", glance("7" * 32, seats=seats, result="Anna wins.", winners=("a",), at=600.0))
    (((place, board), _),) = kept.results(id).items()
    now[0] = 650.0
    kept.take(id, Ended(place, board, 0))
    kept.take(id, draw(kept.get(id)))
    assert kept.results(id) == {}, "the bout of the pool, which was typed in"
    now[0] = 720.0
    archive.take_glance("table-1", glance("8" * 32, seats=seats, result="Anna wins.", winners=("a",), at=700.0))
    assert {each.match for each in kept.results(id).values()} == {"8" * 32}
    archive.close()


def test_each_match_is_looked_at_once_however_many_games_are_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = Archive(tmp_path / "club.db")
    kept = Tournaments(archive, lambda: 500.0)
    id = kept.make(Plan("All", Kind.ROUND_ROBIN, tuple(f"Player {each} of the club" for each in range(16))))
    kept.take(id, draw(kept.get(id)))
    seats = (Seated("a", "Anna", "", False), Seated("b", "Ben", "", False))
    for n in range(20):
        archive.take_glance("table-1", glance(f"{n:032x}", seats=seats, result="Anna wins.", winners=("a",)))
    looked = list[str]()

    def name(seated: Seated) -> str:
        looked.append(seated.name)
        return seated.name

    monkeypatch.setattr(tournaments, "own_name", name)
    assert kept.results(id) == {}
    assert len(looked) == 2 * 20
    archive.close()


def test_a_result_that_an_earlier_version_replaced_is_read_as_it_counted() -> None:
    drawn = make_tournament(Plan("Spring", Kind.ROUND_ROBIN, ("Anna", "Ben")))
    drawn = after(drawn, draw(drawn))
    once = after(drawn, Ended(0, 0, 0))
    assert after(once, Ended(0, 0, 1)).rounds[0][0].ended == Ended(0, 0, 1)
    with pytest.raises(Refused, match="Undo it first"):
        take_step(once, Ended(0, 0, 1))
