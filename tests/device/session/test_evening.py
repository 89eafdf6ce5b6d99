"""An evening of several matches at the buttons: a series with its score, a pool with its table."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device import games
from device.locale import LANGUAGES
from device.screens.render import SIZES, fits
from device.session import evening
from device.session.messages import Leave, SendToVision
from device.session.page_views import sheet
from device.session.screens import screens
from device.session.state import Person, Play, Setup, SetupPage
from device.session.table import KnownGame, Table
from engine.catalogue import Pool
from engine.entry import Act, Correct, Entry, Source, Start, Undo, decode, encode
from engine.evening import EndedMatch, Evening, EveningKind, champions, standings, wins
from engine.grammar import wander
from engine.match import advance
from engine.match import begin as begin_match
from tests.device.session.conftest import Seated
from vision.messages import Rebase
from vision.messages import VisionSetup as LookAt

Make = Callable[..., Seated]


@cache
def known(name: str) -> KnownGame:
    spec = games.spec(name)
    return KnownGame(spec, *games.build(spec))


def table_of(name: str, panels: tuple[str, ...] = ("a", "b"), seed: int = 5) -> Seated:
    return Seated(Table(panels, {name: known(name)}, screen=True), seed=seed)


def begin(table: Seated, what: str | None) -> None:
    """From the language to the first match of an evening, by the usual rules."""
    table.pick("a", "English", *(("2 players", "Seats A C") if len(table.table.panels) > 2 else ()))
    if what is not None:
        table.pick("a", "Evening: One match", what)
    table.pick("a", "Continue", "No clock", "Continue")
    table.press("a", "choose")
    assert isinstance(table.session.stage, Play)


def wins_by_resigning(table: Seated, place: int) -> None:
    """Whoever sits at the other place gives up."""
    loser = table.match.start.seats[1 - place]
    table.long(loser)
    table.pick(loser, "Resign", f"{loser.upper()} resigns")
    assert table.match.result is not None


def go_on(table: Seated, line: str = "Next match") -> None:
    """From the end of a match to the next one."""
    table.pick("a", line)
    assert isinstance(table.session.stage, Setup)
    assert table.session.stage.page is SetupPage.CHECK
    table.press("a", "choose")
    assert isinstance(table.session.stage, Play)


def stands(table: Seated) -> Evening:
    found = evening.stands(table.play)
    assert found is not None
    return found


def lines(table: Seated, panel: str = "a") -> list[str]:
    menu = table.screen(panel).menu
    assert menu is not None
    return [str(item) for item in menu.items]


def power_cut(table: Seated) -> Seated:
    """The same table with what its journal holds of the current match."""
    begun = max(place for place, entry in enumerate(table.entries) if isinstance(entry, Start))
    return Seated(table.table, [decode(encode(entry)) for entry in table.entries[begun:]], seed=99)


# A match alone.


def test_a_match_alone_carries_no_evening() -> None:
    table = table_of("fence")
    begin(table, None)
    assert b"evening" not in encode(table.match.start)
    wins_by_resigning(table, 0)
    assert lines(table) == [
        "Look at the table",
        "Rematch",
        "Rematch, seats changed",
        "New match",
        "Undo or correct",
    ]
    assert str(table.screen("table").status) == "Ready... Fence!"


@pytest.mark.clause("R6")
def test_a_handicap_goes_along_when_players_change_seats() -> None:
    table = table_of("runes", ("a", "b", "c", "d"))
    table.pick("a", "English", "3 players")
    table.press("a", "choose")
    table.pick(
        "a", "More rules", "Life of seat A: 12", "7", "Life of seat B: 12", "10", "Continue", "No clock", "Continue"
    )
    table.press("a", "choose")
    for seat in table.match.start.seats[:2]:
        table.long(seat)
        table.pick(seat, "Resign", f"{seat.upper()} resigns")
    seats = table.match.start.seats
    assert seats == ("a", "b", "c")
    table.pick("a", "Rematch, seats changed")
    assert Leave() in table.effects
    assert "Everybody moves to the next seat." in table.text("a")
    table.press("a", "choose")
    lives = [table.match.start.options[f"life_{seat}"] for seat in "abcd"]
    assert lives == [12, 7, 10, 12], "a sits at b now, b at c, and c at a"


# A series.


def test_a_series_keeps_its_score_from_match_to_match() -> None:
    table = table_of("fence")
    begin(table, "First to 2 wins")
    assert str(table.screen("table").status) == "Ready... Fence! (0:0)"
    wins_by_resigning(table, 1)
    assert str(table.screen("a").status) == "First to 2 wins: 0:1"
    assert lines(table) == [
        "Look at the table",
        "Next match",
        "Next match, seats changed",
        "Evening standings",
        "Undo or correct",
        "End the evening",
    ]
    go_on(table)
    assert str(table.screen("table").status) == "Ready... Fence! (0:1)"
    assert str(table.screen("b").status).endswith("(1:0)"), "one's own first"
    assert table.screen("b").alert is None


def test_who_changes_seats_takes_the_score_along() -> None:
    table = table_of("fence")
    begin(table, "First to 2 wins")
    wins_by_resigning(table, 1)
    table.pick("b", "Next match, seats changed")
    assert "Match 2" in table.text("a")
    assert "A: Player 2" in table.text("a")
    assert "B: Player 1" in table.text("a")
    table.press("b", "choose")
    assert str(table.screen("table").status) == "Ready... Fence! (1:0)"
    wins_by_resigning(table, 0)
    assert champions(stands(table)) == (1,)
    assert str(table.screen("a").status) == "Player 2 wins the evening"


def test_a_series_that_is_won_can_be_played_once_more() -> None:
    table = table_of("fence")
    begin(table, "First to 2 wins")
    for number in range(2):
        wins_by_resigning(table, 0)
        if number == 0:
            go_on(table)
    assert lines(table) == [
        "Look at the table",
        "Evening standings",
        "Another evening like this",
        "New match",
        "Undo or correct",
    ]
    go_on(table, "Another evening like this")
    assert stands(table) == msgspec.structs.replace(stands(table), played=(), seated=(0, 1), to=2)


def test_whoever_plays_a_series_once_more_stays_who_they_are() -> None:
    table = table_of("fence")
    begin(table, "First to 2 wins")
    wins_by_resigning(table, 0)
    go_on(table, "Next match, seats changed")
    wins_by_resigning(table, 1)
    assert champions(stands(table)) == (0,)
    table.pick("a", "Another evening like this")
    assert "A: Player 2" in table.text("a")
    assert "B: Player 1" in table.text("a")


def test_a_next_match_that_its_rules_do_not_allow_leads_back_to_them() -> None:
    table = table_of("fence", ("a", "b", "c", "d"))
    fence = known("fence")
    spec = msgspec.structs.replace(fence.spec, pool=Pool((4,), {"bout": "pool"}))
    table.table = msgspec.structs.replace(table.table, games={"fence": msgspec.structs.replace(fence, spec=spec)})
    table.pick("a", "English")
    table.press("a", "choose")
    table.pick("a", "First turn: Toss a coin", "Seat A", "Evening: One match", "Pool of 4, then elimination")
    table.pick("a", "Continue", "No clock", "Continue")
    table.press("a", "choose")
    wins_by_resigning(table, 0)
    table.pick("a", "Next match")
    assert "Nobody sits at seat a" in table.alert("b")
    table.pick("a", "First turn: Seat A", "Toss a coin", "Continue", "No clock", "Continue")
    table.press("a", "choose")
    assert match_number(table) == 2


def test_an_end_that_is_put_right_counts_no_more() -> None:
    table = table_of("tellstones")
    begin(table, "First to 2 wins")
    before = stands(table)
    for points in ("Points: 2", "Points: 3"):
        correct(table, "The score", "Seat A", points)
    assert wins(stands(table)) == (1, 0)
    table.pick("a", "Undo or correct", "Correct the referee", "The score", "Seat A", "Points: 0")
    table.pick("b", "Agree")
    assert isinstance(table.entries[-1], Correct)
    assert stands(table) == before


def test_an_end_that_is_taken_back_counts_no_more() -> None:
    table = pool_of(3)
    ended = Seated(table.table, touched(table.match.start), seed=5)
    (match,) = stands(ended).played
    assert sorted(match.points) == [4, 5]
    assert len(match.winners) == 1
    ended.pick("a", "Undo or correct", "Undo")
    ended.pick("b", "Agree")
    assert isinstance(ended.entries[-1], Undo)
    assert stands(ended).played == ()


def touched(start: Start) -> list[Entry]:
    """A bout from 4 to 4 that ends with a touch which can be taken back."""
    game = known("fence").game
    for seed in range(10):
        match, entries, dice = begin_match(game, start), list[Entry]([start]), random.Random(seed)
        while match.result is None:
            seat = dice.choice(sorted(game.actors(match.state)))
            act = Act(match.at, seat, wander(game, match.state, seat, dice.randrange), Source.CAMERA)
            level: list[Entry] = [Correct(match.at, ("score", seat, "4")) for seat in "ab"] if len(entries) == 3 else []
            for entry in (*level, act):
                match, _ = advance(game, match, entry)
                entries.append(entry)
        if match.past:
            return entries
    raise AssertionError("no bout ended so")


def correct(table: Seated, *words: str) -> None:
    """By consent."""
    table.long("a")
    table.pick("a", "Correct the referee", *words)
    table.pick("b", "Agree")


def test_ending_without_a_result_ends_the_evening_too() -> None:
    table = table_of("fence")
    begin(table, "First to 3 wins")
    table.long("a")
    table.pick("a", "End without a result")
    assert "end the match and the evening" in str(table.screen("b").prompt)
    table.pick("b", "Agree")
    assert table.effects == (Leave(),)
    assert isinstance(table.session.stage, Setup)
    assert table.session.stage.evening is None


def test_the_evening_is_left_at_the_end_of_a_match() -> None:
    table = table_of("fence")
    begin(table, "First to 3 wins")
    wins_by_resigning(table, 0)
    table.pick("b", "End the evening")
    assert table.effects == (Leave(),)
    table.press("b", "choose")
    assert isinstance(table.session.stage, Setup)
    assert table.session.stage.evening is None


def test_another_number_of_players_is_another_evening() -> None:
    table = table_of("fence", ("a", "b", "c"))
    table.pick("a", "English", "Seats A C", "Evening: One match", "First to 2 wins")
    assert "Evening: First to 2 wins" in lines(table)
    table.press("a", "back")
    table.pick("a", "Seats B C")
    assert "Evening: One match" in lines(table)


def test_one_player_alone_is_offered_no_evening() -> None:
    table = table_of("planetx", ("a",))
    table.pick("a", "English")
    assert not any(line.startswith("Evening") for line in lines(table))


@pytest.mark.parametrize("line", ["Next match", "Next match, seats changed"])
def test_the_camera_looks_anew_before_each_match(line: str) -> None:
    mats = games.mats(["tellstones"])
    table = Seated(Table(("a", "b"), {"tellstones": known("tellstones")}, camera=True, mats=mats, screen=True))
    begin(table, "First to 2 wins")
    wins_by_resigning(table, 0)
    table.pick("a", line)
    assert [type(effect.message) for effect in table.effects if isinstance(effect, SendToVision)] == [LookAt, Rebase]
    assert "Looking at the table..." in table.text("a")


# A pool.


def pool_of(players: int) -> Seated:
    table = table_of("fence")
    begin(table, f"Pool of {players}, then elimination")
    return table


@pytest.mark.clause("F63")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_pool_is_fenced_to_five_points_and_its_tableau_as_direct_elimination(players: int) -> None:
    table = pool_of(players)
    formats = []
    for _ in range(players * (players - 1) // 2 + players - 1):
        formats.append(table.match.start.options["bout"])
        wins_by_resigning(table, 0)
        if not champions(stands(table)):
            go_on(table)
    assert formats == ["pool"] * (players * (players - 1) // 2) + ["elimination"] * (players - 1)
    assert len(champions(stands(table))) == 1
    assert str(table.screen("table").status).endswith("wins the evening")


@pytest.mark.parametrize(("panels", "seats"), [(4, ["ad", "bc", "ac"]), (3, ["ab", "ab", "ab"])])
def test_who_has_a_seat_keeps_it_all_evening(panels: int, seats: list[str]) -> None:
    table = table_of("fence", ("a", "b", "c", "d")[:panels])
    table.pick("a", "English")
    table.press("a", "choose")
    table.pick("a", "Evening: One match", "Pool of 4, then elimination", "Continue", "No clock", "Continue")
    found = []
    for _ in range(3):
        table.press("a", "choose")
        found.append("".join(table.match.start.seats))
        wins_by_resigning(table, 0)
        table.pick("a", "Next match")
    assert found == seats


@pytest.mark.clause("F16")
def test_a_coin_says_who_starts_a_bout_of_a_pool() -> None:
    table = table_of("fence", ("a", "b", "c", "d"))
    table.pick("a", "English")
    table.press("a", "choose")
    table.pick("a", "First turn: Toss a coin", "Seat A", "Evening: One match", "Pool of 4, then elimination")
    assert not any(line.startswith("First turn") for line in lines(table))
    table.pick("a", "Continue", "No clock", "Continue")
    table.press("a", "choose")
    wins_by_resigning(table, 0)
    go_on(table)
    assert table.match.start.seats == ("b", "c"), "a does not fence, and need not start"


def test_whoever_thinks_better_of_a_pool_sits_as_before() -> None:
    table = table_of("fence", ("a", "b", "c", "d"))
    table.pick("a", "English", "Seats A C", "Evening: One match", "Pool of 2, then elimination")
    table.pick("a", "Evening: Pool of 2, then elimination", "One match", "Continue", "No clock", "Continue")
    table.press("a", "choose")
    assert table.match.start.seats == ("a", "c")


@pytest.mark.clause("F121")
def test_advanced_elimination_has_three_periods_and_fifteen_points() -> None:
    table = table_of("fence")
    table.pick("a", "English", "Game: Basic", "Advanced")
    table.pick("a", "Evening: One match", "Pool of 2, then elimination")
    assert not any(line.startswith("Bout") for line in lines(table)), "the evening says what a bout is"
    table.pick("a", "Continue", "No clock", "Continue")
    table.press("a", "choose")
    rules = table.match.state.rules
    assert (rules.goal, rules.periods) == (5, 1)
    wins_by_resigning(table, 0)
    table.pick("a", "Next match")
    assert "Final" in table.text("a")
    table.press("a", "choose")
    rules = table.match.state.rules
    assert (rules.goal, rules.periods) == (15, 3)


def test_the_pool_calls_its_fencers_to_their_seats() -> None:
    table = pool_of(4)
    called = []
    for _ in range(6):
        called.append(tuple(number + 1 for number in stands(table).seated))
        wins_by_resigning(table, 0)
        table.pick("a", "Next match")
        shown = table.text("a")
        table.press("a", "choose")
        one, other = stands(table).seated
        assert f"A: Player {one + 1}" in shown
        assert f"B: Player {other + 1}" in shown
    assert called == [(1, 4), (2, 3), (1, 3), (2, 4), (3, 4), (1, 2)]


def test_the_table_of_the_pool_stands_on_the_tables_display_and_behind_a_line() -> None:
    table = pool_of(3)
    wins_by_resigning(table, 0)
    assert str(table.screen("a").status) == "Next: Bout 2 of 3"
    assert table.screen("table").menu is None
    shown = table.text("table")
    assert "V/M, HS-HR, HS" in shown
    assert "1. Player 2: 1/1, +0, 0" in shown
    table.pick("b", "Evening standings")
    assert table.screen("b").menu is None
    assert table.screen("b").panels == table.screen("table").panels
    table.press("b", "back")
    assert table.screen("b").menu is not None


def test_the_table_stands_behind_the_menu_during_a_match() -> None:
    table = pool_of(3)
    wins_by_resigning(table, 0)
    ended = table.screen("table").panels
    go_on(table)
    table.long("a")
    table.pick("a", "Evening standings")
    assert table.screen("a").panels == ended
    table.press("a", "choose")
    assert "your turn" in str(table.screen("a").status)
    alone = table_of("fence")
    begin(alone, None)
    alone.long("a")
    assert "Evening standings" not in lines(alone)


def test_pages_show_the_table_by_themselves() -> None:
    table = pool_of(3)
    wins_by_resigning(table, 0)
    results = table.screen("table").panels
    for audience in ("a", None):
        assert sheet(table.table, table.session, audience).panels[: len(results)] == results, "first of all at the end"
    assert str(sheet(table.table, table.session, None).status) == "Next: Bout 2 of 3"
    table.pick("a", "Next match")
    before = sheet(table.table, table.session, "b")
    assert not before.lacks
    assert [str(panel.text) for panel in before.panels] == ["Bout 2 of 3", "A: Player 1", "B: Player 3"]
    table.press("a", "choose")
    for audience in ("a", None):
        assert sheet(table.table, table.session, audience).panels[-len(results) :] == results, "below the game"


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", ["", "WWWWWWWWWWW"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_of_an_evening_fits_every_display(language: str, name: str) -> None:
    table, found = pool_of(4), list[object]()
    people = {str(number): Person(f"{name}{number}") for number in range(1, 5)} if name else {}
    table.session = msgspec.structs.replace(table.session, stage=msgspec.structs.replace(table.play, people=people))

    def look() -> None:
        for screen in screens(table.table, table.session).values():
            found.extend(problem for size in SIZES for problem in fits(screen, size, language))

    for number in range(9):
        look()
        wins_by_resigning(table, number % 2)
        look()
        if number < 8:
            table.pick("a", "Next match")
            look()
            table.press("a", "choose")
    assert champions(stands(table))
    assert found == []


# Power loss.


def test_an_evening_goes_on_after_a_power_cut() -> None:
    table = pool_of(3)
    wins_by_resigning(table, 1)
    go_on(table)
    again = power_cut(table)
    assert again.play.match.start == table.match.start
    assert stands(again) == stands(table)
    wins_by_resigning(again, 0)
    ended = power_cut(again)
    assert stands(ended) == stands(again)
    assert stands(ended).played == (EndedMatch((1, 2), (2,), (0, 0)), EndedMatch((0, 2), (0,), (0, 0)))
    go_on(ended)
    assert match_number(ended) == 3


def match_number(table: Seated) -> int:
    return len(stands(table).played) + 1


def test_between_two_matches_the_journal_still_has_the_evening() -> None:
    table = pool_of(3)
    wins_by_resigning(table, 1)
    table.pick("a", "Next match")
    assert Leave() not in table.effects
    again = power_cut(table)
    assert match_number(again) == 2
    assert lines(again)[1] == "Next match"


MATCHES = st.lists(st.tuples(st.sampled_from([0, 1, None]), st.booleans()), min_size=1, max_size=7)


def spent(what: str, matches: list[tuple[int | None, bool]], *, cut: bool) -> tuple[Seated, Evening]:
    """Matches by who wins (None: a draw) and whether seats change after it; the power is cut wherever it can be."""
    table = table_of("fence")
    begin(table, what)
    for place, moved in matches:
        table = power_cut(table) if cut else table
        if place is None:
            table.long("a")
            table.pick("a", "Offer a draw")
            table.pick("b", "Agree")
        else:
            wins_by_resigning(table, place)
        table = power_cut(table) if cut else table
        if champions(stands(table)):
            break
        seat_change = "Next match, seats changed"
        go_on(table, seat_change if moved and seat_change in lines(table) else "Next match")
        # At a power cut the seed of the next match is a fresh one; lots stand in the first match's entry.
    return table, stands(table)


@pytest.mark.thorough
@settings(max_examples=12)
@given(MATCHES, st.sampled_from(["First to 2 wins", "First to 3 wins", "Pool of 3, then elimination"]))
def test_kills_change_nothing_of_an_evening(matches: list[tuple[int | None, bool]], what: str) -> None:
    whole, kept = spent(what, matches, cut=False)
    killed, again = spent(what, matches, cut=True)
    assert again == kept
    assert killed.text("table") == whole.text("table")


@pytest.mark.thorough
def test_lots_are_the_evenings_own_and_no_seed() -> None:
    firsts = set()
    for seed in range(12):
        table = table_of("fence", seed=1000 * seed)
        lots = table.session.lots
        begin(table, "Pool of 3, then elimination")
        for number in range(3):
            wins_by_resigning(table, 1 if number == 1 else 0)
            if number < 2:
                go_on(table)
        assert [each.victories for each in standings(stands(table))] == [1, 1, 1]
        assert {start.evening.lots for start in table.entries if isinstance(start, Start)} == {lots}
        assert lots not in {start.seed for start in table.entries if isinstance(start, Start)}
        firsts.add(standings(stands(table))[0].player)
    assert firsts == {0, 1, 2}


def test_the_kind_of_an_evening_is_told_by_its_first_entry() -> None:
    table = pool_of(2)
    found = table.match.start.evening
    assert isinstance(found, Evening)
    assert (found.kind, found.players, found.seated, found.played) == (EveningKind.POOL, 2, (0, 1), ())
