"""Three failed starts, and the fourth is in safe mode: by real processes that are killed before they are ready."""

from __future__ import annotations

import signal
import time
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from device.clock import WallClock
from device.daemon import safe_mode
from device.daemon.maintenance import Inventory, Maintenance
from device.daemon.referee import Referee
from device.journal import Journal
from device.locale import LANGUAGES
from device.owner.settings_tasks import TITLE
from device.owner.start_page import home
from device.screens.render import SIZES, fits, pages
from device.screens.screen import Menu, Screen
from device.session.table import Table
from device.settings import load, owner_settings, template
from engine.text import say
from tests.device.daemon.managing import Manager
from tests.device.daemon.test_power_on import START
from vision.files import BadFile


def fail(manager: Manager) -> None:
    """A start that is killed as soon as it has noted itself."""
    before = noted(manager)
    manager.start()
    until = time.monotonic() + 60
    while noted(manager) == before:
        assert time.monotonic() < until
        time.sleep(0.002)
    assert manager.end(signal.SIGKILL) == -signal.SIGKILL


def noted(manager: Manager) -> int:
    """How many starts are noted."""
    path = manager.run / "starts.json"
    return len(msgspec.json.decode(path.read_bytes())["starts"]) if path.exists() else 0


def kept(folder: Path) -> dict[str, bytes]:
    """What the owner has there."""
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"}


@pytest.mark.thorough
@pytest.mark.parametrize("real", [1, pytest.param(safe_mode.FAILED, marks=pytest.mark.soak)])
def test_three_failed_starts_lead_to_safe_mode_which_touches_nothing_and_ends_with_the_next_start(
    manager: Manager, real: int
) -> None:
    """real: so many of them are processes; the others are only noted, which is quicker."""
    with Journal(manager.state / "journal.db") as journal:
        journal.append((START,))
    (manager.state / "decks").mkdir()
    (manager.state / "decks" / "fence.toml").write_text("cards = 3", encoding="utf-8")
    manager.run.mkdir(mode=0o700)
    for n in range(safe_mode.FAILED - real):
        safe_mode.record_start(manager.run, time.monotonic() - 10 + n)
    for _ in range(real):
        fail(manager)
    before = kept(manager.state)  # a failed start that was killed late has opened the journal
    assert before["fence.toml"] == b"cards = 3"
    manager.start()
    manager.hear("READY=1")
    for display in ("a", "b"):
        screen = manager.shown(display).screen
        assert "Safe mode" in str(screen.alert)
        assert "Switch off and on to retry" in str(screen.alert)
        assert "Correct them again" not in str(screen.alert), "what the owner corrected is not even read"
    assert manager.end(signal.SIGTERM) == 0
    after = kept(manager.state)
    assert {name: after[name] for name in before} == before
    assert any(name.startswith("journal-safe-1.db") for name in after)
    manager.start()
    manager.hear("READY=1")
    assert "Safe mode" not in str(manager.shown("a").screen)
    assert "interrupted" in str(manager.shown("a").screen) or "your turn" in str(manager.shown("a").screen).lower()
    assert manager.end(signal.SIGTERM) == 0


def test_a_table_file_that_cannot_be_read_leads_to_the_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    path = tmp_path / "table.toml"
    path.write_text("[camera", encoding="utf-8")
    for n in range(safe_mode.FAILED):
        with pytest.raises(BadFile):
            safe_mode.begin(path, 10.0 + n)
    begun = safe_mode.begin(path, 20.0)
    assert begun.start is not None
    assert begun.start.safe
    assert begun.told == (safe_mode.UNREADABLE,)
    assert begun.table.displays().keys() == {"seats.a.display", "seats.b.display"}
    assert (begun.table.runtime_dir, begun.table.state_dir) == (tmp_path / "run", tmp_path / "state")
    path.write_text(template("one-oled").read_text("utf-8"), encoding="utf-8")
    assert safe_mode.begin(path, 21.0) == (load(path), None, (), path)


def test_what_the_owner_chose_over_the_table_file_is_not_read_in_safe_mode(tmp_path: Path) -> None:
    filed = msgspec.structs.replace(load(template("two-seats")), state_dir=tmp_path)
    owner_settings.keep(tmp_path, "name", "Green table")
    for failed, name in ((safe_mode.FAILED - 1, "Green table"), (safe_mode.FAILED, "")):
        begun = safe_mode.Begun(filed, safe_mode.StartPlan(10.0, 0.0, failed))
        assert safe_mode.with_choices(begun).table.name == name


def test_a_bad_table_file_is_named_though_nobody_but_root_can_record_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "table.toml" / "run"))
    path = tmp_path / "table.toml"
    path.write_text("[camera", encoding="utf-8")
    with pytest.raises(BadFile, match=r"table\.toml"):
        safe_mode.begin(path, 10.0)


@pytest.mark.parametrize("safely", [False, True])
def test_what_the_owner_chose_is_neither_offered_nor_read_nor_written_in_safe_mode(
    tmp_path: Path, safely: bool
) -> None:
    filed = msgspec.structs.replace(load(template("two-seats")), state_dir=tmp_path)
    owner_settings.keep(tmp_path, "name", "Green table")
    before = kept(tmp_path)
    maintenance = Maintenance(Inventory(filed, tmp_path, filed=filed, safe=safely), WallClock())
    core = SimpleNamespace(load_setting=lambda _name: "6", table=Table((), {}), session=SimpleNamespace(language="en"))
    maintenance.begin(cast("Referee", SimpleNamespace(core=core)))
    assert (TITLE in home(maintenance).step().choices) is not safely
    assert [each.value for each in maintenance.settings() if each.key == "name"] == ([] if safely else ["Green table"])
    with pytest.raises(OSError, match="safe mode") if safely else nullcontext():
        maintenance.change("name", "Red table")
    assert (kept(tmp_path) == before) is safely


def test_if_safe_mode_fails_too_nothing_is_written_at_all(tmp_path: Path) -> None:
    opened = safe_mode.open_journal(tmp_path, safe_mode.FAILED + 1)
    opened.journal.append((START,))
    assert opened.unsaved is not None
    assert list(tmp_path.iterdir()) == []
    opened.journal.close()


def test_each_safe_journal_is_a_new_one(tmp_path: Path) -> None:
    for n in (1, 2):
        opened = safe_mode.open_journal(tmp_path, safe_mode.FAILED)
        assert opened.journal.path == tmp_path / f"journal-safe-{n}.db"
        opened.journal.append((START,))
        opened.journal.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_it_says_can_be_read_in_every_language(language: str) -> None:
    menu = Menu((say("1 player"), say("Continue")), 0)
    for text, size in product((safe_mode.TOLD, safe_mode.UNREADABLE, safe_mode.UNSAVED), SIZES):
        assert fits(Screen(say("Language"), menu=menu, alert=text), size, language) == []
        assert len(pages(Screen(say("Language"), menu=menu, alert=text), size, language)) <= 3
