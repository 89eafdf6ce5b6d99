"""Whatever is found at power-on, the table has something to read and something to press."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from device.daemon.core import Core, Store
from device.daemon.match_identity import simulated_chance
from device.journal import Journal, JournalError
from device.journal.opening import open_at_power_on
from device.locale import LANGUAGES
from device.screens.render import SIZES, fits, pages
from device.screens.screen import Menu, Screen
from device.session.state import Play, Setup
from engine.catalogue import complete
from engine.entry import VERSION, Act, Entry, Start
from engine.text import say
from tests.device.daemon.test_core import Room
from tests.device.journal.faults import broken, mended, write_raw
from tests.device.session.conftest import tellstones

OPTIONS = dict(complete(tellstones().spec.options, {"first_stone": "scales", "starter": "a"}))
START = Start(0.0, "tellstones", OPTIONS, ("a", "b"), 1)


def again(folder: Path, *entries: Entry) -> Room:
    """A table that is switched on with this match in its journal."""
    made = Room(folder)
    made.journal.append(entries)
    made.journal.close()
    made.shown.clear()
    made.start()
    return made


def alert(made: Room) -> str:
    """What every display says."""
    said = {str(made.screen(name).alert) for name in ("a", "b", "table")}
    assert len(said) == 1
    return said.pop()


def test_a_match_from_before_an_option_was_thought_of_goes_on(tmp_path: Path) -> None:
    younger = {name: value for name, value in OPTIONS.items() if name in ("mode", "first_stone")}
    assert len(younger) < len(OPTIONS)
    made = again(tmp_path, msgspec.structs.replace(START, options=younger), Act(1.0, "a", ("hide", "scales")))
    assert made.play.match.start.options == OPTIONS
    assert made.screen("a").alert is None


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ((msgspec.structs.replace(START, game="chess960"),), "chess960 is not known"),
        ((msgspec.structs.replace(START, seats=("a", "b", "c", "d")),), "seats that this table doesn't have"),
        ((msgspec.structs.replace(START, options={"luck": 3}),), "no option luck"),
        ((msgspec.structs.replace(START, options={"mode": "chess960"}),), "mode cannot be chess960"),
        ((msgspec.structs.replace(START, data="0123456789abcdef", deck={}),), "other data"),
        ((msgspec.structs.replace(START, deck={"R1.sp": "2"}),), "No card of Tellstones"),
        ((START, Act(1.0, "a", ("hide", "crown"))), "does not fit this version"),
        ((msgspec.structs.replace(START, version=VERSION + 1),), "newer referee"),
    ],
)
def test_a_match_that_cannot_go_on_is_told_of_and_kept(tmp_path: Path, entries: tuple[Entry, ...], why: str) -> None:
    made = again(tmp_path, *entries)
    assert why in alert(made)
    assert "is kept" in alert(made)
    assert made.screen("a").menu is not None
    assert made.journal.current == 1
    made.begin()
    assert made.journal.current == 2
    assert len(made.journal.rows(1)) == len(entries)


def test_an_entry_of_the_future_is_told_of(tmp_path: Path) -> None:
    made = Room(tmp_path)
    made.journal.append((START,))
    data = b'{"type":"wager","at":1.0}'
    write_raw(made.journal, data)
    made.journal.close()
    made.start()
    assert "newer referee: update this one" in alert(made)


class Bug:
    """A game with a fault in one of its functions."""

    def __init__(self, where: str) -> None:
        self._where, self._game = where, tellstones().game

    def __getattr__(self, name: str) -> Any:
        if name == self._where:
            return self._fail
        return getattr(self._game, name)

    def _fail(self, *_given: object) -> None:
        raise KeyError("crown")


@pytest.mark.parametrize("where", ["setup", "apply", "view"])
def test_no_fault_of_a_game_keeps_the_table_dark_and_none_tells_a_secret(
    tmp_path: Path, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    made = Room(tmp_path)
    made.journal.append((START, Act(1.0, "a", ("hide", "scales"))))
    made.journal.close()
    known = msgspec.structs.replace(tellstones(), game=Bug(where))
    made.table = msgspec.structs.replace(made.table, games={"tellstones": known})
    made.start()
    assert isinstance(made.core.session.stage, Setup)
    assert "does not fit this version" in alert(made)
    assert "cannot be gone on with" in caplog.text
    assert "crown" not in caplog.text


def test_what_was_found_stands_until_somebody_presses(tmp_path: Path) -> None:
    made = again(tmp_path, START)
    found = (say("The journal was damaged. The intact part is saved; check the disk."),)
    made.core = Core(made.table, Store(made.journal), simulated_chance(6), made, now=lambda: made.now, told=found)
    assert "was damaged" in alert(made)
    assert made.core.wake_at() is None
    made.press("b", "choose")
    assert made.screen("a").alert is None
    assert made.play.told[0].text == found[0]


def test_without_a_journal_a_whole_match_can_be_played_and_everybody_knows(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    opened = open_at_power_on(tmp_path / "file" / "journal.db")
    made = Room(tmp_path)
    made.shown.clear()
    made.journal = opened.journal
    made.core = Core(made.table, Store(opened.journal, opened.unsaved), simulated_chance(6), made, now=lambda: made.now)
    assert "Nothing is saved" in alert(made)
    made.press("a", "choose", "choose", "choose", "choose")
    assert "Nothing is saved" in str(made.screen("a").panels[0])
    made.press("a", "choose")
    assert "Nothing is saved" in alert(made)
    made.press("a", "choose", "choose", "choose", "choose")
    assert len(opened.journal.entries(1)) > 1
    assert made.screen("a").alert is None


def test_an_interrupted_match_goes_on_unsaved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Room(tmp_path)
    made.journal.append((START,))
    made.journal.close()
    prepare: Callable[[Journal], None] = Journal._prepare

    def read_only(journal: Journal) -> None:
        prepare(journal)
        if journal.path == made.path:
            broken(journal, sqlite3.SQLITE_READONLY)

    monkeypatch.setattr(Journal, "_prepare", read_only)
    opened = open_at_power_on(made.path)
    made.journal = opened.journal
    made.core = Core(made.table, Store(opened.journal, opened.unsaved), simulated_chance(6), made, now=lambda: made.now)
    assert isinstance(made.core.session.stage, Play)
    assert "Nothing is saved" in alert(made)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_IOERR, "switch off and on to play on unsaved"),
        (sqlite3.SQLITE_FULL, "make room on the disk"),
        (sqlite3.SQLITE_BUSY, "Another program is writing the journal"),
        (sqlite3.SQLITE_CORRUPT, "is damaged"),
    ],
)
@pytest.mark.parametrize("statement", [0, 1, 2, 3])
def test_a_match_that_cannot_be_recorded_does_not_begin_and_the_fault_has_its_own_words(
    tmp_path: Path, code: int, said: str, statement: int
) -> None:
    made = Room(tmp_path)
    made.press("a", "choose", "choose", "choose", "choose")
    broken(made.journal, code, statement)
    made.press("a", "choose")
    assert isinstance(made.core.session.stage, Setup)
    assert said in alert(made)
    mended(made.journal)
    made.press("a", "choose")
    assert isinstance(made.core.session.stage, Play)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", [JournalError, *JournalError.__subclasses__()])
def test_what_is_wrong_with_the_journal_can_be_read_in_every_language(kind: type[JournalError], language: str) -> None:
    menu = Menu((say("1 player"), say("Continue")), 0)
    for text, size in product((kind.refused, kind.unsaved), SIZES):
        assert fits(Screen(say("Language"), menu=menu, alert=text), size, language) == []
        assert len(pages(Screen(say("Language"), menu=menu, alert=text), size, language)) <= 3
