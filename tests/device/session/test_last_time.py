"""As last time: one press after power-on is enough for the same evening."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from device import games
from device.daemon.core import Core, Store
from device.daemon.match_identity import simulated_chance
from device.daemon.referee import Ports
from device.journal import Journal
from device.key_gestures import Button, Gesture, Key
from device.screens.render import SIZES, fits
from device.session import evening, last_time, names
from device.session.messages import Joined, Tap
from device.session.screens import screens
from device.session.state import Person, Play, Session, Setup, SetupPage
from device.session.table import KnownGame, Table
from device.session.tapping import answers
from engine.evening import EveningKind, pool, series
from tests.device.session.conftest import Seated, tellstones


def fence() -> KnownGame:
    spec = games.spec("fence")
    return KnownGame(spec, *games.build(spec))


class Home:
    """A table with its journal, which is switched off and on."""

    def __init__(self, folder: Path, table: Table | None = None) -> None:
        self.path, self.now = folder / "journal.db", 0.0
        self.table = table or Table(("a", "b"), {"tellstones": tellstones(), "fence": fence()}, pages=True)
        self.on()

    def on(self) -> None:
        self.journal = Journal(self.path)
        self.core = Core(self.table, Store(self.journal), simulated_chance(7), Ports(), now=lambda: self.now)

    def off(self) -> None:
        self.journal.close()

    @property
    def session(self) -> Session:
        return self.core.session

    @property
    def setup(self) -> Setup:
        assert isinstance(self.session.stage, Setup)
        return self.session.stage

    @property
    def play(self) -> Play:
        assert isinstance(self.session.stage, Play)
        return self.session.stage

    def press(self, *buttons: str, seat: str = "a") -> None:
        for button in buttons:
            self.now += 1.0
            self.core.take(Key(seat, Button(button), Gesture.PRESS, self.now))

    def plays(self, setup: Setup, *people: Person) -> None:
        """A match is set up like that, begun and left, and the table is switched off and on."""
        self.journal.keep(names.SETTING, names.encode(people))
        session = msgspec.structs.replace(self.session, stage=setup, people=people)
        self.core.session = session
        self.press("choose")
        assert isinstance(self.session.stage, Play)
        self.journal.leave()
        self.off()
        self.on()


ANNA, BERT = Person("Anna", leaves=True), Person("Bert")


def drawn() -> Setup:
    """Tellstones with other rules than the usual ones, a clock and names, a press before it begins."""
    options = {option.name: option.default for option in tellstones().spec.options} | {"first_stone": "scales"}
    clock: dict[str, str | int | bool] = {"kind": "move", "seconds": 30}
    return Setup(SetupPage.CHECK, "tellstones", ("a", "b"), options, clock, people={"a": ANNA, "b": BERT})


def test_a_table_on_which_nobody_played_asks_the_first_question(tmp_path: Path) -> None:
    assert Home(tmp_path).setup.page is SetupPage.LANGUAGE


def test_one_press_leads_to_the_same_game_seats_rules_clock_and_names(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.plays(drawn(), ANNA, BERT)
    screen = screens(home.table, home.session)["a"]
    assert screen.menu is not None
    assert [str(item) for item in screen.menu.items] == ["As last time", "Something else"]
    assert str(screen.prompt) == "Tellstones: Anna, Bert"
    home.press("choose")
    assert home.setup.page is SetupPage.CHECK
    home.press("choose")
    start = home.play.match.start
    assert (start.game, start.seats, start.options["first_stone"]) == ("tellstones", ("a", "b"), "scales")
    assert start.clock == {"kind": "move", "seconds": 30}
    assert home.play.people == {"a": ANNA, "b": BERT}


def test_back_leads_to_the_rules_and_from_there_to_the_offer(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.plays(drawn(), ANNA, BERT)
    home.press("choose", "back")
    assert (home.setup.page, home.setup.options["first_stone"]) == (SetupPage.OPTIONS, "scales")
    home.press("back")
    assert home.setup.page is SetupPage.LAST


def test_something_else_is_the_first_question_and_back_from_it_the_offer(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.plays(drawn(), ANNA, BERT)
    home.press("next", "choose")
    assert home.setup.page is SetupPage.LANGUAGE
    home.press("back")
    assert home.setup.page is SetupPage.LAST


def test_a_phone_taps_it_like_a_button(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.plays(drawn(), ANNA, BERT)
    home.core.take(Joined("b", home.now))
    listing = answers(home.table, home.session, "b")
    assert [str(line.text) for line in listing.lines] == ["As last time", "Something else"]
    home.now += 30.0
    serial = home.session.lists["b"].answers.serial
    home.core.take(Tap("b", serial, 0, menu=False, at=home.now, shown=home.now - 20.0))
    assert home.setup.page is SetupPage.CHECK


def test_an_evening_begins_anew_with_its_players(tmp_path: Path) -> None:
    home = Home(tmp_path)
    people = {"1": ANNA, "2": BERT}
    begun = msgspec.structs.replace(drawn(), evening=series(2, 3), people=people)
    home.plays(begun, ANNA, BERT)
    assert str(screens(home.table, home.session)["a"].prompt) == "Tellstones: Anna, Bert (First to 3 wins)"
    home.press("choose", "choose")
    found = home.play.match.start.evening
    assert not isinstance(found, msgspec.UnsetType)
    assert found is not None
    assert (found.kind, found.to, found.played) == (EveningKind.SERIES, 3, ())
    assert home.play.people == people


def test_a_pool_keeps_its_fencers(tmp_path: Path) -> None:
    home = Home(tmp_path)
    options = {option.name: option.default for option in fence().spec.options}
    people = {"1": ANNA, "3": BERT}
    home.plays(
        Setup(SetupPage.CHECK, "fence", ("a", "b"), options, {"kind": "none"}, evening=pool(3), people=people), ANNA
    )
    assert home.setup.page is SetupPage.LAST
    assert home.setup.evening is not None
    assert evening.title(home.setup.evening) == evening.title(pool(3))
    assert home.setup.people == people


def test_a_name_that_was_given_during_the_match_counts_and_one_that_was_forgotten_does_not(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.plays(drawn(), ANNA, BERT)
    kept = home.journal.setting(last_time.SETTING)
    found = last_time.decode(home.table, kept, (BERT,))
    assert found is not None
    assert found.people == {"b": BERT}


def _altered(home: Home, **fields: object) -> str:
    kept = home.journal.setting(last_time.SETTING)
    assert kept is not None
    return msgspec.json.encode({**msgspec.json.decode(kept), **fields}).decode()


@pytest.mark.parametrize(
    "fields",
    [
        {"game": "chess960"},
        {"seats": ["a", "e"]},
        {"seats": ["b", "a"]},
        {"seats": []},
        {"options": {"gravity": "moon"}},
        {"clock": {"kind": "sundial"}},
        {"evening": {"kind": "pool", "players": 3, "seated": [0, 1]}},
        {"evening": {"kind": "series", "players": 2, "seated": [0, 0], "to": 3}},
        {"evening": 7},
        {"names": []},
    ],
)
def test_what_does_not_fit_the_table_is_not_offered(tmp_path: Path, fields: dict[str, object]) -> None:
    home = Home(tmp_path)
    home.plays(drawn(), ANNA, BERT)
    home.journal.keep(last_time.SETTING, _altered(home, **fields))
    home.off()
    home.on()
    assert home.setup.page is SetupPage.LANGUAGE


@pytest.mark.parametrize("kept", ["", "{", "[]", "null", "[" * 5000, '{"game": "tellstones"}'])
def test_what_cannot_be_read_darkens_no_table(tmp_path: Path, kept: str) -> None:
    home = Home(tmp_path)
    home.journal.keep(last_time.SETTING, kept)
    home.off()
    home.on()
    assert home.setup.page is SetupPage.LANGUAGE


def test_a_match_that_was_interrupted_goes_on_instead(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.plays(drawn(), ANNA, BERT)
    home.press("choose", "choose")
    home.off()
    home.on()
    assert home.play.match.start.options["first_stone"] == "scales"


@pytest.mark.parametrize("language", ["en", "ru", "zh_Hans", "zh_Hant"])
def test_the_offer_fits_every_display(language: str) -> None:
    table = Table(("a", "b"), {"fence": fence()})
    people = {str(number): Person(f"{letter}WWWWWWWWWWW") for number, letter in enumerate("EFGHIJ", start=1)}
    seated = Seated(table)
    stage = Setup(SetupPage.LAST, "fence", ("a", "b"), evening=pool(6), people=people)
    seated.session = msgspec.structs.replace(seated.session, stage=stage, language=language)
    for screen in screens(table, seated.session).values():
        assert [problem for size in SIZES for problem in fits(screen, size, language)] == []
