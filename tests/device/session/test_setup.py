"""Before a match: the cursor stands on the answer that most tables will give."""

from __future__ import annotations

import msgspec

from device import games
from device.key_gestures import Button, Gesture, Key
from device.session import setup
from device.session.match_start import power_on
from device.session.state import Setup, SetupPage
from device.session.table import KnownGame, Table
from engine.catalogue import complete
from engine.table import Seat


def table(*panels: Seat, first: str = "") -> Table:
    return Table(panels, {name: KnownGame(spec, games.game(spec)) for name, spec in games.specs().items()}, game=first)


def stands(table: Table, *presses: Button) -> tuple[Setup, str]:
    """The page after these presses, and the answer under its cursor."""
    session, _ = power_on(table, (), seed=1, lots=2, now=0.0)
    for button in presses:
        assert isinstance(session.stage, Setup)
        session, _ = setup.handle_key(table, session, session.stage, Key("a", button, Gesture.PRESS, 0.0))
    assert isinstance(session.stage, Setup)
    answers = setup.items(table, session, session.stage)
    return session.stage, str(answers[session.stage.cursor].text)


def test_after_the_last_language_comes_the_first_game() -> None:
    page, answer = stands(table("a", "b"), Button.NEXT, Button.NEXT, Button.NEXT, Button.CHOOSE)
    assert (page.page, page.cursor, answer) == (SetupPage.GAME, 0, "Dueling Runes")


def test_the_game_that_lies_on_the_table_is_offered_first() -> None:
    assert stands(table("a", "b", first="tellstones"), Button.CHOOSE)[1] == "Tellstones"


def test_as_many_players_are_offered_first_as_have_a_panel() -> None:
    choose = (Button.CHOOSE, Button.CHOOSE)
    assert stands(table("a", "b"), *choose)[1] == "2 players"
    assert stands(table("a", "b", "c", "d"), *choose)[1] == "4 players"


def test_whoever_plays_the_usual_rules_are_one_press_away() -> None:
    one_at_b = (Button.CHOOSE, Button.CHOOSE, Button.NEXT, Button.CHOOSE, Button.NEXT, Button.CHOOSE)
    page, answer = stands(table("a", "b"), *one_at_b)
    assert (page.page, page.seats, answer) == (SetupPage.OPTIONS, ("b",), "Continue")


def test_only_those_who_play_are_offered_the_first_turn() -> None:
    """Wherever they sit."""
    session, _ = power_on(table("a", "b"), (), seed=1, lots=2, now=0.0)
    for seats, letters in (("a", "b"), ["Seat A", "Seat B"]), (("a", "c"), ["Seat A", "Seat C"]):
        asked = Setup(SetupPage.VALUE, "tellstones", seats, option="starter")
        assert [str(item.text) for item in setup.items(table(*seats), session, asked)] == [
            "Toss a coin",
            "The elder decides",
            "The last loser",
            *letters,
        ]


def test_whoever_changes_several_rules_goes_through_their_list_once() -> None:
    """After a rule the cursor stands on the next one, and after the last of them on what leads on."""
    choose, following = Button.CHOOSE, Button.NEXT
    rules = [each for each in games.specs()["fence"].options if each.basic]
    assert len(rules) > 1, "nothing to go through"
    first = (choose, choose, following, choose, choose)
    page, answer = stands(table("a", "b", first="fence"), *first)
    assert (page.page, page.cursor) == (SetupPage.OPTIONS, 2)
    assert answer.startswith(rules[1].title)


def chosen(table: Table, *answers: str) -> Setup:
    """The page after these answers."""
    session, _ = power_on(table, (), seed=1, lots=2, now=0.0)
    for answer in answers:
        assert isinstance(session.stage, Setup)
        found = [str(item.text) for item in setup.items(table, session, session.stage)]
        session, _ = setup.choose(table, session, session.stage, found.index(answer))
    assert isinstance(session.stage, Setup)
    return session.stage


def test_the_usual_rules_are_those_that_so_many_can_play_by() -> None:
    runes = ("English", "Dueling Runes")
    assert chosen(table("a", "b"), *runes, "2 players").options["opponent"] == "none"
    alone = chosen(table("a", "b"), *runes, "1 player", "Seat A")
    assert (alone.page, alone.options["opponent"]) == (SetupPage.OPTIONS, "automatic")
    assert chosen(table("a", "b"), *runes, "1 player", "Seat A", "Continue").page is SetupPage.CLOCK


def test_rules_that_do_not_go_together_are_refused_where_they_are_chosen() -> None:
    """And whoever mends them goes on."""
    rules = ("English", "Dueling Runes", "1 player", "Seat A")
    none = (*rules, "Automatic opponent: Automatic", "None", "Continue")
    refused = chosen(table("a", "b"), *none)
    assert refused.page is SetupPage.OPTIONS
    assert str(refused.alert) == "One player plays against the automatic opponent; several play each other."
    mended = chosen(table("a", "b"), *none, "Automatic opponent: None", "Automatic", "Continue")
    assert (mended.page, mended.alert) == (SetupPage.CLOCK, None)


def test_rules_for_a_camera_are_offered_only_where_there_is_one() -> None:
    session, _ = power_on(table("a", "b"), (), seed=1, lots=2, now=0.0)
    for game, title in (("tellstones", "Choosing moves"), ("planetx", "Camera on the time track")):
        for camera in (True, False):
            here = msgspec.structs.replace(table("a", "b"), camera=camera)
            options = dict(complete(here.games[game].spec.options, {}))
            more = Setup(SetupPage.MORE, game, ("a", "b"), options=options)
            offered = [str(item.text) for item in setup.items(here, session, more)]
            assert any(text.startswith(title) for text in offered) is camera
