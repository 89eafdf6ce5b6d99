"""The league of a club."""

from __future__ import annotations

from referee_club.archive import Played
from referee_club.standings import league
from referee_record.public_frames import Seated


def played(*names: str, won: str = "", game: str = "tellstones", result: str = "over", lasted: float = 60.0) -> Played:
    seats = tuple(Seated(seat, name, "", False) for seat, name in zip("abcd", names, strict=False))
    return Played("7" * 32, "table-1", game, None, seats, result, tuple(won), 1, True, lasted)


def test_a_win_is_a_point_and_a_draw_half_of_one() -> None:
    found = league([played("Anna", "Ben", won="a"), played("Ben", "Anna"), played("Anna", "Ben", result="")])
    assert [(each.name, each.whole.points, each.whole.matches) for each in found] == [("Anna", 1.5, 2), ("Ben", 0.5, 2)]
    assert (found[0].whole.rate, found[0].whole.mean_s) == (0.5, 60.0)


def test_of_equals_who_lost_less_stands_first_then_by_name() -> None:
    found = league([played("Cleo", "Ben", won="a"), played("Dan", "Anna", won="a"), played("Dan", "Eva", won="b")])
    assert [each.name for each in found] == ["Cleo", "Eva", "Dan", "Anna", "Ben"]


def test_a_game_alone_and_all_by_game() -> None:
    both = [played("Anna", "Ben", won="a"), played("Anna", "Ben", won="b", game="fence", lasted=120.0)]
    assert [each.name for each in league(both, "fence")] == ["Ben", "Anna"]
    anna = league(both)[0]
    assert {game: record.won for game, record in anna.by_game.items()} == {"tellstones": 1, "fence": 0}
    assert anna.whole.mean_s == 90.0


def test_who_gave_no_name_is_not_counted_and_who_plays_alone_wins_or_loses() -> None:
    assert [each.name for each in league([played("Anna", "B", won="b")])] == ["Anna"]
    alone = league([played("Anna"), played("Anna", won="a")])[0].whole
    assert (alone.won, alone.drawn, alone.lost) == (1, 0, 1)


def test_several_win_together() -> None:
    found = league([played("Anna", "Ben", "Cleo", "Dan", won="ac")])
    assert {each.name: each.whole.won for each in found} == {"Anna": 1, "Ben": 0, "Cleo": 1, "Dan": 0}
