"""Cards of a real deck, corrected at the table: laid before the camera, set with the buttons."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from device import games
from device.daemon.core import Core, Store
from device.daemon.match_identity import simulated_chance
from device.journal import Journal
from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from device.session.state import Play, Setup
from device.session.table import KnownGame, Table
from engine.deck import Number
from engine.entry import Entry
from engine.table import Arrangement, Face, Observation, Sight, Sighting, ZoneSight
from vision.files import BadFile
from vision.messages import Report, ToWorker
from vision.messages import VisionSetup as LookAt

SPEC = games.spec("fence")


class Evening:
    """A core for the one game whose cards may be corrected, before its first match."""

    def __init__(self, folder: Path, *, camera: bool = True) -> None:
        self.folder, self.now = folder, 0.0
        self.looked: list[ToWorker] = []
        table = Table(
            ("a", "b"),
            {"fence": KnownGame(SPEC, *games.build(SPEC, folder))},
            camera=camera,
            mats=games.mats(["fence"]),
        )
        self.screens: dict[str, Screen] = {}
        self.journal = Journal(folder / "journal.db")
        self.core = Core(table, Store(self.journal, decks=folder), simulated_chance(1), self, now=lambda: self.now)

    def show(self, display: str, screen: Screen, _language: str) -> None:
        self.screens[display] = screen

    def look(self, message: ToWorker) -> None:
        self.looked.append(message)

    def wish(self, wish: object) -> None: ...

    def press(self, *buttons: str) -> None:
        for button in buttons:
            self.now += 1.0
            self.core.take(Key("a", Button(button), Gesture.PRESS, self.now))

    @property
    def menu(self) -> list[str]:
        menu = self.screens["a"].menu
        assert menu is not None
        return [str(item) for item in menu.items]

    def pick(self, *texts: str) -> None:
        for text in texts:
            menu = self.screens["a"].menu
            assert menu is not None
            for _ in range((self.menu.index(text) - menu.cursor) % len(menu.items)):
                self.press("next")
            self.press("choose")

    def to_cards(self) -> None:
        self.pick("English", "More rules", "Numbers on the cards")

    def lay(self, kind: str, face: Face = Face.UP) -> None:
        self.now += 1.0
        card = Sighting(1, kind if face is Face.UP else None, face, Sight.SEEN, 0.99, 0.0, 0.0, 0.0)
        seen = Observation(1, self.now, (ZoneSight("lane-green", Arrangement.SPLAY, (card,)),))
        self.core.take(Report(0, self.now, False, seen.health, seen))

    @property
    def play(self) -> Play:
        assert isinstance(self.core.session.stage, Play)
        return self.core.session.stage

    def entries(self) -> tuple[Entry, ...]:
        """The match that goes on, as it was recorded."""
        assert self.journal.current is not None
        return self.journal.entries(self.journal.current)

    def numbers(self, copy: str) -> dict[str, Number]:
        deck = self.core.table.games["fence"].deck
        assert deck is not None
        return {number.name: number for number in deck.numbers(copy)}


def test_a_card_before_the_camera_comes_first(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.to_cards()
    assert any(isinstance(message, LookAt) and message.mat == "fence" for message in evening.looked)
    assert evening.menu[0] == "RF01 Straight Thrust 3"
    assert str(evening.screens["a"].prompt) == "Lay the card on the mat, or choose it."
    evening.lay("stop-hit-5")
    names = [text.split(" ", 1)[1] for text in evening.menu]
    assert names[0] == "Stop Hit 5"
    assert names.index("Straight Thrust 3") == names.count("Stop Hit 5")
    evening.lay("stop-hit-5", Face.DOWN)
    assert evening.menu[0] == "RF01 Straight Thrust 3"


def test_without_a_camera_the_list_is_all(tmp_path: Path) -> None:
    evening = Evening(tmp_path, camera=False)
    evening.to_cards()
    assert (len(evening.menu), evening.screens["a"].prompt) == (54, None)


def test_numbers_are_set_with_the_buttons_and_kept_on_disk(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.to_cards()
    evening.lay("straight-thrust-4")
    evening.press("choose")
    assert evening.menu == ["Speed: 4", "Stamina points: 0", "Mark T: Yes", "Mark B: Yes"]
    evening.pick("Stamina points: 0", "Stamina points: 2")
    assert evening.menu[1] == "Stamina points: 2"
    assert evening.screens["a"].alert is None
    again = Evening(tmp_path)
    assert (again.numbers("RF03")["sp"].now, again.numbers("RF01")["sp"].now) == ("2", "0")
    assert 'sp_source = "owner"' in (tmp_path / "decks" / "fence.toml").read_text()


def test_the_next_match_is_played_with_them(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.to_cards()
    evening.pick("RF03 Straight Thrust 4", "Stamina points: 0", "Stamina points: 2")
    state = evening.core.table.games["fence"].game.setup(
        {option.name: option.default for option in SPEC.options}, ("a", "b"), 1
    )
    assert {name: face.sp for name, face in state.pool.items() if "thrust-4" in name and face.sp} == {
        "straight-thrust-4-sp2": 2
    }


@pytest.mark.clause("F1", "F62")
def test_what_the_rules_exclude_is_told_and_the_owner_believed(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.to_cards()
    evening.pick("RF03 Straight Thrust 4", "Mark B: Yes", "Mark B: No")
    assert str(evening.screens["a"].alert) == "Basic: 34 cards instead of 35 (F62)."
    assert evening.numbers("RF03")["mark_B"].now == "no"
    evening.press("next", "back")
    assert evening.menu[2] == "RF03 Straight Thrust 4"


def test_the_same_value_again_changes_nothing(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.to_cards()
    evening.pick("RF03 Straight Thrust 4", "Speed: 4", "Speed: 4")
    assert not (tmp_path / "decks").exists()
    assert evening.menu[0] == "Speed: 4"


def test_a_full_disk_is_told_and_the_cards_stay_as_they_were(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.to_cards()
    (tmp_path / "decks").write_text("in the way")
    evening.pick("RF03 Straight Thrust 4", "Stamina points: 0", "Stamina points: 2")
    assert "Nothing was accepted" in str(evening.screens["a"].alert)
    assert evening.numbers("RF03")["sp"].now == "0"


def test_a_new_vision_worker_is_told_to_look_at_the_cards(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.to_cards()
    evening.looked.clear()
    evening.core.resume_vision()
    assert any(isinstance(message, LookAt) for message in evening.looked)


def test_cards_that_no_rules_fit_are_corrected_from_the_list(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.pick("English", "More rules")
    stage = evening.core.session.stage
    assert isinstance(stage, Setup)
    alone = msgspec.structs.replace(stage, seats=("a",))
    evening.core.session = msgspec.structs.replace(evening.core.session, stage=alone)
    evening.pick("Numbers on the cards")
    assert (len(evening.menu), evening.screens["a"].prompt) == (54, None)


def test_a_deck_file_that_is_broken_is_named(tmp_path: Path) -> None:
    (tmp_path / "decks").mkdir()
    path = tmp_path / "decks" / "fence.toml"
    path.write_text('[[cards]]\nid = "RF01"\nlunge = 3\n')
    with pytest.raises(BadFile, match=r"fence\.toml: .*lunge"):
        games.build(SPEC, tmp_path)
