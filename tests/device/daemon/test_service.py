"""`referee run` as systemd sees it: ready, fed, stopped; killed and back with the match."""

from __future__ import annotations

import asyncio
import gc
import json
import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from device import games
from device.bus.display_sockets import Endpoints
from device.bus.endpoints import AnotherReferee, socket_path
from device.daemon import service
from device.daemon.hooks import PagesSetup, open_pages
from device.daemon.kept_pictures import KeptPictures
from device.daemon.referee import PagesPort
from device.daemon.safe_mode import Begun
from device.daemon.service import PREPARED_S, _ready_to_begin, serve
from device.daemon.systemd_notify import SIGN_S, SystemdNotifier
from device.daemon.vision_supervisor import VisionWorker
from device.journal import About, Journal
from device.journal.match_info import Secret
from device.session.table import KnownGame, Table
from device.settings import load, parse
from device.settings.owner_settings import KEPT
from device.settings.table import TableSettings
from engine.entry import Act, Settle, Source, Start
from engine.rules import Action, Rules, grammar
from referee_record.daemon.public_socket import NAME
from referee_record.listening import Listener, frames
from referee_record.public_entries import FORMAT, Link, Signed
from referee_record.public_frames import Glance
from referee_record.table_key import make_key
from referee_simulator.harness.simtime import SimClock
from tests.commands import app
from tests.device.daemon.managing import Manager


@pytest.mark.thorough
def test_ready_fed_and_stopped(manager: Manager) -> None:
    manager.start()
    *starting, _ = manager.hear("READY=1")
    assert all(f"EXTEND_TIMEOUT_USEC={SIGN_S * 1e6:.0f}" in said for said in starting)
    steps = [said.splitlines()[0].removeprefix("STATUS=starting: ") for said in starting]
    assert steps[0] == "reading the program in", "before nearly all of it is read in"
    assert {"reading the journal", "reading the games", "going on with what was played"} < set(steps)
    assert len(steps) == len(set(steps)), "a start that comes to nothing new gives no sign of life"
    fed = manager.hear("WATCHDOG=1") + manager.hear("WATCHDOG=1")
    assert "EXTEND_TIMEOUT_USEC" not in "".join(fed)
    assert "English" in str(msgspec.to_builtins(manager.shown("a")))
    asked = CliRunner().invoke(app, ["doctor", "--json", "--table", str(manager.table)])
    found = {finding["key"]: finding for finding in map(json.loads, asked.stdout.splitlines())}
    assert f"process {manager.process.pid}" in found["service"]["found"]
    assert found["seats.a.display"]["found"] == "ssd1306 does not answer the service"
    assert found["camera"]["ok"]
    sockets = {path.name: path.stat().st_ino for path in manager.run.glob("*.sock")}
    with pytest.raises(AnotherReferee, match=rf"process {manager.process.pid} is this table's referee already"):
        asyncio.run(serve(Begun(load(manager.table))))
    assert {path.name: path.stat().st_ino for path in manager.run.glob("*.sock")} == sockets
    assert manager.end(signal.SIGTERM) == 0
    manager.hear("STOPPING=1")
    assert not (manager.run / "starts.json").exists()


@pytest.mark.thorough
def test_what_the_owner_chose_lies_over_the_table_file_from_the_start_on(manager: Manager) -> None:
    manager.state.mkdir()
    (manager.state / KEPT).write_text('{"seats.a.display.contrast": 255, "timing.dim_s": "soon"}')
    manager.start()
    manager.hear("READY=1")
    assert manager.process is not None
    manager.process.terminate()
    _, told = manager.process.communicate(timeout=60)
    assert "seats.a.display.contrast is 255, as chosen on the owner's page" in told
    assert "left out: timing.dim_s" in told


@pytest.mark.thorough
def test_killed_it_comes_back_with_the_match(manager: Manager) -> None:
    options = {option.name: option.default for option in games.spec("tellstones").options} | {"first_stone": "scales"}
    with Journal(manager.state / "journal.db") as journal:
        journal.append((Start(0.0, "tellstones", options, ("a", "b"), 3), Act(2.0, "a", ("hide", "scales"))))
        journal.append((Settle(2.5, Source.BUTTONS),))
    for _ in range(2):
        manager.start()
        manager.hear("READY=1")
        assert "your turn" in str(manager.shown("b").screen.status)
        assert "your turn" not in str(manager.shown("a").screen.status)
        assert manager.end(signal.SIGKILL) == -signal.SIGKILL
        assert (manager.run / "lit").read_text().split() == ["i2c", "/dev/i2c-1", "60", "i2c", "/dev/i2c-1", "61"]
    with Journal(manager.state / "journal.db") as journal:
        assert len(journal.entries(1)) == 3
    notes = msgspec.json.decode((manager.run / "starts.json").read_bytes())
    assert (len(notes["starts"]), notes["failed"]) == (2, []), "killed once it is ready, no start has failed"


@pytest.mark.thorough
def test_whoever_comes_to_the_public_socket_is_told_all_of_the_signed_match(
    manager: Manager,
) -> None:
    options = {option.name: option.default for option in games.spec("tellstones").options} | {"first_stone": "scales"}
    about = About("7" * 32, table="Table", secret=Secret("ab" * 32, "1.0", format=FORMAT))
    with Journal(manager.state / "journal.db") as journal:
        journal.write((Start(0.0, "tellstones", options, ("a", "b"), 3),), about=about)
        journal.write((Act(2.0, "a", ("hide", "scales")), Settle(2.5, Source.BUTTONS)))
    manager.start()
    manager.hear("READY=1")

    async def heard() -> Listener:
        listener = Listener(make_key(manager.state).public)
        reading = frames(socket_path(manager.run / "public", NAME))
        assert listener.take(await anext(reading)) is None
        links = [listener.take(await anext(reading)) for _ in range(3)]
        bodies = [link.body for link in links if isinstance(link, Signed)]
        assert [body.n if isinstance(body, Link) else 0 for body in bodies] == [0, 1, 2]
        glance = listener.take(await anext(reading))
        assert isinstance(glance, Glance)
        assert (glance.match, glance.game, glance.camera) == ("7" * 32, "Tellstones", "none")
        assert glance.status == "B's turn"
        assert "is not responding" in glance.needs, "the displays of this table are away"
        return listener

    listener = asyncio.run(asyncio.wait_for(heard(), 60))
    assert listener.opening is not None
    assert listener.head is not None
    assert (listener.opening.match, listener.head.n) == ("7" * 32, 2)
    assert manager.end(signal.SIGTERM) == 0


@pytest.mark.thorough
def test_a_damaged_journal_is_mended_and_the_table_told(manager: Manager) -> None:
    (manager.state / "decks").mkdir(parents=True)
    (manager.state / "decks" / "fence.toml").write_text("cards = 3", encoding="utf-8")
    (manager.state / "journal.db").write_bytes(b"noise" * 1000)
    manager.start()
    manager.hear("READY=1")
    screen = manager.shown("a").screen
    assert "The intact part is saved" in str(screen.alert)
    assert "Enter them again" in str(screen.alert)
    assert screen.menu is not None
    assert manager.end(signal.SIGTERM) == 0
    assert (manager.state / "journal.db.damaged-1").read_bytes() == b"noise" * 1000


class Faulty(Action[Any], frozen=True):
    """A command of an installed game whose author forgot to say how its field is written."""

    place: int


def test_a_fault_in_one_games_commands_is_logged_and_the_other_games_are_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    known = {name: KnownGame(games.spec(name), games.game(games.spec(name))) for name in ("fence", "tellstones")}
    sound = known["tellstones"].game
    assert isinstance(sound, Rules)
    monkeypatch.setattr(known["fence"].game, "actions", (Faulty,))
    grammar.cache_clear()
    gc.unfreeze()

    async def begun() -> None:
        clock = SimClock()
        ready = asyncio.ensure_future(_ready_to_begin(None, Table(("a", "b"), known), clock))
        await clock.quiet()
        clock.advance(PREPARED_S)
        await ready

    try:
        asyncio.run(begun())
        assert gc.get_freeze_count()
    finally:
        gc.unfreeze()
    assert "the menus of the game fence cannot be made" in caplog.text
    learned = grammar.cache_info().misses
    sound.learn()
    assert grammar.cache_info().misses == learned


PICTURED = """
runtime_dir = "{folder}"
state_dir = "{folder}/state"
[camera]
source = "v4l2"
[pages]
on = true
group = ""
hosts = ["127.0.0.1"]
picture = "on"
"""


class NothingBegins(Exception):
    """The service comes to where a match could begin."""


def test_the_workers_pictures_of_rests_go_to_the_tables_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workers, receptions = list[VisionWorker](), list[PagesPort]()
    vision = service._vision

    def watched(settings: TableSettings, notifier: SystemdNotifier, kept: KeptPictures) -> VisionWorker | None:
        worker = vision(settings, notifier, kept)
        assert worker is not None
        workers.append(worker)
        return worker

    async def received(setup: PagesSetup) -> PagesPort | None:
        made = await open_pages(setup)
        assert made is not None
        receptions.append(made)
        return made

    def begins(*_: object) -> Endpoints:
        raise NothingBegins

    monkeypatch.setattr(service, "_vision", watched)
    monkeypatch.setattr(service, "open_pages", received)
    monkeypatch.setattr(service, "Endpoints", begins)
    settings = parse(PICTURED.format(folder=tmp_path))
    with pytest.raises(NothingBegins):
        asyncio.run(service._referee(Begun(settings), tmp_path, asyncio.Event()))
    ((worker,), (made,)) = workers, receptions
    assert worker.pictures == made.on_picture
