"""Durable before visible: what the journal did not keep did not happen (law 2)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from device import games
from device.daemon.core import Core, Store
from device.daemon.match_identity import simulated_chance
from device.journal import About, Journal, JournalError
from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from device.session import page_views
from device.session.messages import NameGiven, Restarted, Silence, Tick
from device.session.state import Person, Play
from device.session.table import Table
from engine.arbiter import Verdict
from engine.entry import Entry, Pause, Start
from engine.match import encode
from tests.device.journal.faults import sqlite_error
from tests.device.session.conftest import Mat, tellstones
from vision.messages import Rebase, Report, ToWorker, VisionSetup


class Room:
    """Journal, displays and camera of one table, and a core among them that can be started again."""

    def __init__(self, folder: Path, *, camera: bool = False, goes_on: bool = False) -> None:
        self.path, self.goes_on = folder / "journal.db", goes_on
        self.table = Table(
            ("a", "b"), {"tellstones": tellstones()}, camera=camera, mats=games.mats(["tellstones"]), screen=True
        )
        self.now = 0.0
        self.shown: list[tuple[str, Screen, str]] = []
        self.looked: list[ToWorker] = []
        self.kept_when_shown: list[int] = []
        self.start()

    def start(self) -> None:
        self.journal = Journal(self.path)
        store, chance = Store(self.journal), simulated_chance(6)
        self.core = Core(self.table, store, chance, self, now=lambda: self.now, goes_on=self.goes_on)

    def show(self, display: str, screen: Screen, language: str) -> None:
        self.shown.append((display, screen, language))
        if hasattr(self, "journal") and self.journal.current is not None:
            self.kept_when_shown.append(len(self.journal.rows(self.journal.current)))

    def look(self, message: ToWorker) -> None:
        self.looked.append(message)

    def wish(self, wish: object) -> None: ...

    def press(self, seat: str, *buttons: str) -> None:
        for button in buttons:
            self.now += 1.0
            self.core.take(Key(seat, Button(button), Gesture.PRESS, self.now))

    def begin(self) -> None:
        self.press("a", "choose", "choose", "choose", "choose", "choose")
        assert isinstance(self.core.session.stage, Play)

    @property
    def play(self) -> Play:
        assert isinstance(self.core.session.stage, Play)
        return self.core.session.stage

    def screen(self, name: str) -> Screen:
        return [screen for display, screen, _ in self.shown if display == name][-1]


@pytest.fixture
def room(tmp_path: Path) -> Callable[..., Room]:
    return lambda **kinds: Room(tmp_path, **kinds)


def test_displays_show_the_first_question_at_once(room: Callable[..., Room]) -> None:
    made = room()
    assert {display for display, _, _ in made.shown} == {"a", "b", "table"}


def test_the_display_of_who_pressed_is_served_first(room: Callable[..., Room]) -> None:
    made = room()
    made.begin()
    for seat in ("a", "b"):
        served = list[list[str]]()
        for _ in range(2):  # the action, and what it is done with
            made.shown.clear()
            made.press(seat, "choose")
            served.append([display for display, _, _ in made.shown])
        assert {first for first, *_ in served} == {seat}
        assert {"a", "b", "table"} in map(set, served)


def test_equal_screens_are_not_sent_again(room: Callable[..., Room]) -> None:
    made = room()
    made.begin()
    count = len(made.shown)
    made.now += 1
    made.core.take(Tick(made.now))
    assert len(made.shown) == count
    made.core.show_all()
    assert len(made.shown) == count + 3


def test_an_entry_is_on_disk_before_anything_shows_it(room: Callable[..., Room]) -> None:
    made = room()
    made.begin()
    before = len(made.shown)
    made.press("a", "choose", "choose", "choose", "choose")
    turn = [n for n, (display, screen, _) in enumerate(made.shown) if n >= before and "your turn" in str(screen.status)]
    assert turn
    assert len(made.journal.entries(1)) == 3
    assert made.kept_when_shown[-1] == 3


def test_after_a_restart_everything_is_as_it_was(room: Callable[..., Room]) -> None:
    made = room()
    made.begin()
    made.press("a", "choose", "choose", "choose", "choose")
    state = encode(made.play.match)
    made.journal.close()
    made.start()
    assert encode(made.play.match) == state
    assert "your turn" in str(made.screen("b").status)


def test_the_language_is_kept(room: Callable[..., Room]) -> None:
    made = room()
    made.press("a", "next", "next", "next", "choose")
    made.journal.close()
    made.start()
    assert made.core.session.language == "ru"
    assert made.shown[-1][2] == "ru"


class Refusing(Journal):
    """A journal on a disk that is full whenever `full` is set: SQLite itself refuses."""

    full = False

    def write(
        self,
        entries: Sequence[Entry] = (),
        *,
        settings: Mapping[str, str] | None = None,
        leave: bool = False,
        about: About | None = None,
    ) -> None:
        pages = self._db.execute("PRAGMA page_count").fetchone()[0]
        self._db.execute(f"PRAGMA max_page_count={pages if self.full else 1_000_000}")
        if self.full:
            entries = tuple(entries) * 400
        super().write(entries, settings=settings, leave=leave, about=about)


def test_on_a_full_disk_nothing_is_accepted_and_everybody_is_told(tmp_path: Path) -> None:
    Refusing.full = False
    made = Room(tmp_path)
    made.journal.close()
    made.journal = Refusing(made.path)
    made.core = Core(made.table, Store(made.journal), simulated_chance(6), made, now=lambda: made.now)
    made.begin()
    state = encode(made.play.match)
    Refusing.full = True
    made.press("a", "choose", "choose", "choose", "choose")
    assert encode(made.play.match) == state
    assert len(made.journal.entries(1)) == 1
    for name in ("a", "b", "table"):
        assert "cannot be written" in str(made.screen(name).alert)
    made.now += 1
    made.core.take(Tick(made.now))
    assert "cannot be written" in str(made.screen("b").alert)
    Refusing.full = False
    made.press("a", "choose")
    assert encode(made.play.match) != state
    assert made.screen("b").alert is None


def test_what_the_camera_saw_on_a_full_disk_counts_once_there_is_room(tmp_path: Path) -> None:
    Refusing.full = False
    made = Room(tmp_path, camera=True)
    made.journal.close()
    made.journal = Refusing(made.path)
    made.core = Core(made.table, Store(made.journal), simulated_chance(6), made, now=lambda: made.now)
    made.begin()
    game, match = tellstones().game, made.play.match
    lying = Mat(game.layout(match.state))
    see(made, lying)
    words = next(("hide", c.word) for c in game.choices(match.state, "a", ("hide",)))
    lying.do(game.trace(match.state, "a", game.read(match.state, "a", words)))
    Refusing.full = True
    see(made, lying)
    assert encode(made.play.match) == encode(match)
    Refusing.full = False
    due = made.core.wake_at()
    assert due is not None
    made.now = due
    made.core.take(Tick(made.now))
    assert len(made.journal.entries(1)) == 2
    assert made.screen("a").alert is None


def see(made: Room, lying: Mat) -> None:
    made.now += 1.0
    observation = lying.observe(made.now, frozenset("b"))
    made.core.take(Report(1, made.now, False, observation.health, observation))


def broken(*_given: object, **_named: object) -> Verdict:
    raise KeyError("crown, face down")


def test_what_nobody_expected_of_a_picture_costs_the_match_its_camera_and_nothing_else(
    room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = room(camera=True, goes_on=True)
    made.begin()
    lying = Mat(made.table.games["tellstones"].game.layout(made.play.match.state))
    see(made, lying)
    before = made.core.session
    with monkeypatch.context() as patched:
        patched.setattr("engine.arbiter.case.judge", broken)
        for _ in range(3):
            see(made, lying)
    assert caplog.text.count("cannot be judged: KeyError at test_core.py:") == 1
    assert "crown" not in caplog.text
    assert made.play.match == before.stage.match
    assert all("can't follow" in str(made.screen(name)) for name in ("a", "b", "table"))
    made.core.take(Silence(made.now, None))
    see(made, lying)
    assert "can't follow" in str(made.screen("table")), "it stays so for this match"
    count = len(made.journal.entries(1))
    actor = made.table.games["tellstones"].game.actors(made.play.match.state)
    made.press(min(actor), "choose", "choose", "choose", "choose")
    assert len(made.journal.entries(1)) > count, "the buttons suffice"


def test_also_a_press_that_makes_the_last_picture_be_judged_counts(
    room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = room(camera=True, goes_on=True)
    made.begin()
    see(made, Mat(made.table.games["tellstones"].game.layout(made.play.match.state)))
    monkeypatch.setattr("engine.arbiter.case.judge", broken)
    count = len(made.journal.entries(1))
    made.press("a", "choose", "choose", "choose", "choose")
    made.press("b", "choose", "choose", "choose", "choose")
    assert len(made.journal.entries(1)) > count


def test_the_next_match_has_its_camera_again(room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch) -> None:
    made = room(camera=True, goes_on=True)
    made.begin()
    lying = Mat(made.table.games["tellstones"].game.layout(made.play.match.state))
    see(made, lying)
    with monkeypatch.context() as patched:
        patched.setattr("engine.arbiter.case.judge", broken)
        see(made, lying)
    made.core.take(Key("a", Button.CHOOSE, Gesture.LONG, made.now))
    menu = made.screen("a").menu
    assert menu is not None
    steps = [str(item) for item in menu.items].index("End without a result") - menu.cursor
    made.press("a", *["next"] * (steps % len(menu.items)), "choose")
    made.press("b", "next", "choose")
    assert not isinstance(made.core.session.stage, Play)
    made.begin()
    see(made, lying)
    assert "cannot be judged" not in str(made.screen("table"))
    assert made.core.session.watched


def test_no_simulation_and_no_test_hides_an_error(room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch) -> None:
    made = room(camera=True)
    made.begin()
    lying = Mat(made.table.games["tellstones"].game.layout(made.play.match.state))
    see(made, lying)
    monkeypatch.setattr("engine.arbiter.case.judge", broken)
    with pytest.raises(KeyError):
        see(made, lying)


def test_an_error_that_is_not_the_cameras_is_raised(room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch) -> None:
    made = room(camera=True, goes_on=True)
    made.begin()
    monkeypatch.setattr("device.session.menu_state.handle_key", broken)
    with pytest.raises(KeyError):
        made.press("a", "choose")


def test_a_new_worker_is_told_what_to_look_at(room: Callable[..., Room]) -> None:
    made = room(camera=True)
    made.core.resume_vision()
    assert made.looked == []
    made.begin()
    made.looked.clear()
    made.core.resume_vision()
    assert [type(message) for message in made.looked] == [VisionSetup, Rebase]
    made.core.take(Restarted(made.now))


def test_a_match_that_cannot_be_replayed_is_kept_and_play_begins_anew(room: Callable[..., Room]) -> None:
    made = room()
    made.journal.append((Start(0.0, "chess960", {}, ("a", "b"), 1),))
    made.journal.close()
    made.start()
    assert not isinstance(made.core.session.stage, Play)
    assert made.journal.matches() == (1,)


def test_what_a_step_leaves_on_disk_goes_there_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_given: object) -> None:
        raise sqlite_error(sqlite3.SQLITE_FULL)

    made = Room(tmp_path)
    made.begin()
    count = len(made.journal.entries(1))
    with monkeypatch.context() as patched:
        patched.setattr("device.journal.formats.keep", refused)
        with pytest.raises(JournalError):
            made.journal.write((Pause(made.now, True),), settings={"language": "zh_Hans"}, leave=True)
    assert len(made.journal.entries(1)) == count
    assert made.journal.current == 1
    made.journal.write((Pause(made.now, True),), settings={"language": "ru"}, leave=True)
    assert len(made.journal.entries(1)) == count + 1
    assert made.journal.current is None
    assert made.journal.setting("language") == "ru"


def test_the_seed_of_a_rematch_does_not_follow_from_the_last_one(tmp_path: Path) -> None:
    made = Room(tmp_path)
    fresh = iter((77, 1234, 99)).__next__
    chance = msgspec.structs.replace(simulated_chance(6), fresh_seed=fresh, fresh_lots=fresh)
    made.core = Core(made.table, Store(made.journal), chance, made, now=lambda: made.now)
    assert made.core.session.lots == 77
    made.begin()
    assert (made.core.session.seed, made.core.session.lots) == (1234, 99)
    assert [entry.seed for entry in made.journal.entries(1) if isinstance(entry, Start)] == [6]


def test_without_a_source_of_seeds_an_evening_follows_from_the_first(tmp_path: Path) -> None:
    made = Room(tmp_path)
    made.begin()
    first = made.core.session.seed
    made.journal.close()
    (tmp_path / "again").mkdir()
    again = Room(tmp_path / "again")
    again.begin()
    assert first == again.core.session.seed != 6


def test_names_outlast_power_off(room: Callable[..., Room]) -> None:
    """Those who play are known to the match, and all who ever did to the table; a change in a match is on disk at
    once, without an entry."""
    made = room()
    made.core.take(NameGiven(0.0, "a", "Anna", leaves=True))
    made.begin()
    about = made.journal.about(1)
    assert (about.names, about.agreed) == ({"a": "Anna"}, ("a",))
    made.core.take(NameGiven(9.0, "b", "Bert"))
    assert made.journal.about(1).names == {"a": "Anna", "b": "Bert"}
    assert len(made.journal.entries(1)) == 1
    made.core.take(NameGiven(10.0, "b", "Anna"))
    assert "has this name already" in str(page_views.sheet(made.table, made.core.session, "b").alert)
    made.journal.close()
    made.start()
    assert made.play.people == {"a": Person("Anna", leaves=True), "b": Person("Bert")}
    assert made.core.session.people == (Person("Bert"), Person("Anna", leaves=True))
    assert made.screen("a").players["a"].name == "Anna"


def test_the_names_of_an_evening_are_known_by_number(room: Callable[..., Room]) -> None:
    made = room()
    for seat, name in (("a", "Anna"), ("b", "Bert"), ("c", "Carl")):
        made.core.take(NameGiven(0.0, seat, name))
    assert "no seat C" in str(made.screen("a").alert)
    made.press("a", "choose", *["next"] * 3, "choose", "next", "choose", "choose", "choose", "choose", "choose")
    assert made.journal.about(1).names == {"1": "Anna", "2": "Bert", "a": "Anna", "b": "Bert"}
    made.journal.close()
    made.start()
    assert made.play.people == {"1": Person("Anna"), "2": Person("Bert")}
