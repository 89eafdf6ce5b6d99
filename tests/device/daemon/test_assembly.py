"""A table file becomes pins, displays, a worker's command line and the session's table."""

from __future__ import annotations

import asyncio
import shutil
import sys
import threading
from pathlib import Path

import msgspec
import pytest
from gpiozero import InputDevice
from gpiozero.pins.mock import MockFactory

from device import resources
from device.buttons.panel import ButtonPanel, EncoderPanel
from device.clock import WallClock
from device.daemon import assembly
from device.daemon.systemd_notify import SystemdNotifier
from device.displays import oled
from device.displays.oled import DisplayLost, Oled
from device.key_gestures import Gesture, Key
from device.owner import camera_job
from device.pins import PinLost
from device.screens.screen import Screen
from device.session.match_start import power_on
from device.session.page_views import sheet
from device.session.table import SHARED, TABLE
from device.session.times import clock_choices, clock_text
from device.settings import load, parse, template
from device.settings.owner_settings import changes
from device.settings.table import Display, I2c, Spi
from engine.text import Text, say
from tests.device.daemon.test_referee import Stepped
from tests.vision.cameras.stream_server import stored
from vision.config import WorkerConfig
from vision.files import BadFile

ENCODER = """
[camera]
source = "none"
[seats.a.input]
kind = "encoder"
a = 17
b = 27
push = 22
back = 23
[seats.a.display]
bus = { kind = "i2c" }
[seats.b.input]
kind = "buttons"
back = 5
next = 6
choose = 13
[seats.b.display]
bus = { kind = "i2c", address = 0x3D }
[table_display]
controller = "ssd1322"
bus = { kind = "spi" }
[clock]
kind = "chess"
seconds = 300
increment = 5
"""


@pytest.mark.parametrize("name", ["two-seats", "four-seats", "one-oled", "simulated"])
def test_every_shipped_table_can_be_put_together(name: str) -> None:
    settings = load(template(name))
    table = assembly.session_table(settings)
    assert set(table.displays) == set(assembly.displays(settings)), "no display that nobody reads"
    public = msgspec.structs.replace(settings, pages=msgspec.structs.replace(settings.pages, on=True))
    assert TABLE in assembly.session_table(public).displays
    assert "tellstones" in table.games
    assert table.shared == (name == "one-oled")
    for known in table.games.values():
        for laid in known.spec.tables:
            assert laid.mat is None or laid.mat in table.mats


@pytest.mark.parametrize(
    ("name", "key", "places"),
    [
        ("two-seats", "seats.a.phone", ("b", "c", "d")), ("four-seats", "seats.d.phone", ("a", "b", "c")),
        ("one-oled", "shared.phone", ()),
    ],
)  # fmt: skip
def test_a_seat_with_a_panel_may_do_without_a_phone(name: str, key: str, places: tuple[str, ...]) -> None:
    filed = load(template(name))
    paged = msgspec.structs.replace(filed, pages=msgspec.structs.replace(filed.pages, on=True))
    assert assembly.session_table(paged).places == ("a", "b", "c", "d")
    table = assembly.session_table(changes(paged, key, "off"))
    assert table.places == places
    assert tuple(seat for seat in table.seats if table.by_phone(seat)) == places
    assert set("ab") <= set(table.seats), "it plays as before"


def test_what_the_tables_pages_do_where_nobody_chose_otherwise_stands_on_each() -> None:
    filed = load(template("two-seats"))
    paged = msgspec.structs.replace(filed, pages=msgspec.structs.replace(filed.pages, on=True))
    for name, usual, other in (("aloud", False, "on"), ("sounds", True, "off")):
        for table, does in (
            (assembly.session_table(changes(paged, f"pages.{name}", other)), not usual),
            (assembly.session_table(paged), usual),
        ):
            session, _ = power_on(table, (), seed=1, lots=1, now=0.0)
            assert [getattr(sheet(table, session, audience), name) for audience in ("a", None)] == [does, does]


def test_buttons_and_encoders_on_a_pin_factory() -> None:
    settings = parse(ENCODER)
    heard: list[object] = []
    factory = MockFactory()

    async def main() -> None:
        clock = Stepped()
        post = asyncio.get_running_loop().call_soon
        panels = assembly.panels(settings, heard.append, now=clock.now, post=post, factory=factory)
        assert [type(panel) for panel in panels] == [EncoderPanel, ButtonPanel]
        running = [asyncio.ensure_future(panel.run(clock)) for panel in panels]
        factory.pin(6).drive_low()
        await clock.advance(0.1)
        factory.pin(6).drive_high()
        await clock.advance(0.2)
        for task in running:
            task.cancel()
        for panel in panels:
            panel.close()

    asyncio.run(main())
    assert [h.gesture for h in heard if isinstance(h, Key)] == [Gesture.DOWN, Gesture.UP, Gesture.PRESS]


def test_a_pin_that_is_taken_lets_those_of_all_panels_go() -> None:
    factory = MockFactory()
    with InputDevice(13, pin_factory=factory), pytest.raises(PinLost):
        assembly.panels(parse(ENCODER), print, now=float, post=print, factory=factory)
    for pin in (17, 27, 22, 23, 5, 6):
        InputDevice(pin, pin_factory=factory).close()


def test_displays_by_name_and_the_clock_of_the_table() -> None:
    settings = parse(ENCODER)
    assert sorted(assembly.displays(settings)) == ["a", "b", TABLE]
    assert SHARED not in assembly.displays(settings)
    table = assembly.session_table(settings)
    assert table.clock == {"kind": "chess", "seconds": 300, "increment": 5, "fall": "loses"}
    noted = assembly.session_table(parse(ENCODER.replace("[clock]", '[clock]\nfall = "note"')))
    assert noted.clock["fall"] == "note"
    assert str(clock_text(clock_choices(noted.clock)[0])) == "5:00 + 5 s, no loss on time"
    assert not table.camera
    assert assembly.camera_spec(settings) is None


def test_a_display_that_does_not_answer_beats_all_the_same_and_is_said_to_be_lost() -> None:
    notifier, told = SystemdNotifier(), []

    def lost(_: object) -> object:
        raise DisplayLost("nothing answers at 0x3C")

    async def main() -> None:
        panes = assembly.panes(
            parse(ENCODER),
            WallClock(),
            notifier,
            told=lambda name, there: told.append((name, there)),
            build=lost,  # type: ignore[arg-type]
        )
        panes["a"].show(Screen(say("Help")), "en")
        running = [asyncio.ensure_future(pane.run()) for pane in panes.values()]
        await asyncio.sleep(0.1)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for pane in panes.values():
            await pane.close()

    asyncio.run(main())
    assert sorted(told) == [("a", False), ("b", False), (TABLE, False)]
    assert notifier.missing() == frozenset()


def test_displays_of_one_bus_have_one_sender(tmp_path: Path) -> None:
    (tmp_path / "i2c-1" / "i2c-22").mkdir(parents=True)
    (tmp_path / "i2c-22").symlink_to(tmp_path / "i2c-1" / "i2c-22")
    (tmp_path / "platform" / "i2c-10" / "i2c-0").mkdir(parents=True)  # a Pi's own multiplexer
    (tmp_path / "i2c-0").symlink_to(tmp_path / "platform" / "i2c-10" / "i2c-0")
    buses: dict[str, tuple[I2c | Spi, ...]] = {
        "i2c-1": (I2c(), I2c(address=0x3D), I2c(port=22), I2c(port="1-0070/channel-3")),
        "i2c-3": (I2c(port=3),),
        "i2c-10": (I2c(port=0), I2c(port="0-0070/channel-0")),
        "spi-0": (Spi(), Spi(device=1)),
    }
    found = {bus: [oled.bus_of(Display(wired), tmp_path) for wired in each] for bus, each in buses.items()}
    assert found == {bus: [bus] * len(each) for bus, each in buses.items()}

    senders: dict[str, set[str]] = {}

    def lost(display: Display) -> Oled:
        senders.setdefault(oled.bus_of(display), set()).add(threading.current_thread().name)
        raise DisplayLost("nothing answers")

    async def main() -> None:
        told: set[str] = set()
        panes = assembly.panes(
            parse(ENCODER), WallClock(), SystemdNotifier(), told=lambda name, _: told.add(name), build=lost
        )
        running = [asyncio.ensure_future(pane.run()) for pane in panes.values()]
        while told != set(panes):
            await asyncio.sleep(0.01)
        await asyncio.gather(*(pane.close() for pane in panes.values()), *running)

    asyncio.run(main())
    assert senders == {bus: {bus} for bus in ("i2c-1", "spi-0")}


def test_the_workers_command_line_decodes_as_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "enrolled" / "stones").mkdir(parents=True)
    settings = msgspec.structs.replace(load(template("two-seats")), state_dir=tmp_path)
    command = list(assembly.worker_command(settings)("ipc:///run/x.sock"))
    assert command[:4] == [sys.executable, "-P", "-m", "vision.worker"]
    config = msgspec.json.decode(command[4], type=WorkerConfig)
    assert (config.camera.source, config.camera.focus) == ("picamera2", None)
    assert config.enrolled == {"stones": str(tmp_path / "enrolled" / "stones")}
    assert not config.pictures
    assert not config.keep
    assert not config.rests


def test_the_worker_sends_pictures_to_be_kept_to_the_referee_alone_and_if_its_owner_wants_it() -> None:
    settings = parse(ENCODER.replace('source = "none"', 'source = "picamera2"\nkeep = "on"'))
    for pictures in (False, True):
        command = list(assembly.worker_command(settings, pictures=pictures)("ipc:///run/x.sock"))
        assert msgspec.json.decode(command[4], type=WorkerConfig).keep is not pictures


def test_pictures_of_rests_are_taken_only_where_the_owner_shows_them() -> None:
    pages = "\n[pages]\non = true\npicture = "
    shown, hidden = (
        parse(ENCODER.replace('source = "none"', 'source = "v4l2"') + f'{pages}"{each}"\n') for each in ("on", "off")
    )
    for settings, preview, rests in ((shown, False, True), (shown, True, False), (hidden, False, False)):
        command = list(assembly.worker_command(settings, pictures=preview)("ipc:///run/x.sock"))
        config = msgspec.json.decode(command[4], type=WorkerConfig)
        assert (config.pictures, config.rests) == (preview, rests)


def test_corners_of_pictures_of_an_unknown_size_are_told_when_the_worker_is_prepared(
    caplog: pytest.LogCaptureFixture,
) -> None:
    corners = "\npoints = [[102, 80], [1180, 84], [1232, 660], [60, 655]]"
    sizes = {"": "nothing says of which pictures", "\nsize = [1280, 720]": ""}
    for size, told in sizes.items():
        caplog.clear()
        assembly.worker_command(parse(ENCODER.replace('source = "none"', f'source = "picamera2"{size}{corners}')))
        assert (told in caplog.text) if told else not caplog.records


def test_focus_and_mains_that_the_table_names_reach_the_camera() -> None:
    named = parse(ENCODER.replace('source = "none"', 'source = "picamera2"\nfocus = 1.8\nmains_hz = 60'))
    spec = assembly.camera_spec(named)
    assert spec is not None
    assert (spec.focus, spec.mains_hz) == (1.8, 60)
    plugged = assembly.camera_spec(parse(ENCODER.replace('source = "none"', 'source = "v4l2"\nmains_hz = 60')))
    assert plugged is not None
    assert plugged.mains_hz == 60


def test_no_command_line_holds_the_address_of_a_stream(tmp_path: Path) -> None:
    address = "rtsp://anna:secret@192.0.2.7/stream"
    settings = parse(ENCODER.replace('source = "none"', f'source = "stream"\naddress = "{address}"'))
    settings = msgspec.structs.replace(settings, runtime_dir=tmp_path, state_dir=tmp_path)
    for line in (assembly.worker_command(settings)("ipc:///run/x.sock"), camera_job.command(settings, "stones")):
        assert "secret" not in " ".join(line)
        assert str(tmp_path / "camera-address") in " ".join(line)
    assert stored(tmp_path / "camera-address") == address


DECK = (resources.root() / "decks" / "fence.toml").read_bytes()


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"# M\xfcllers Karten\n" + DECK, "line 1: is no text in UTF-8 (byte 0xFC at 3)"),
        (DECK.replace(b"sp = ", b"sp = " + b"9" * 5000, 1), "line 11: is not TOML"),
        (b"x = " + b"[" * 5000, "line 1: is nested too deeply"),
        (b"a" + b".a" * 60_000 + b" = 1", "line 1: has a key of more than 64 parts"),
        (b"#" * 300_000, "is longer than 256,000 bytes"),
        (b"cards = 3", "cards: Expected `array`, got `int`"),
        (b"[[cards]]\nid = 3", "cards[0].id: Expected `str`, got `int`"),
        (DECK.replace(b"sp = 0", b"sp = 'none'", 1), ".sp: Expected `int`, got `str`"),
        (b"", "cannot be decoded"),
        (None, "is a folder"),
    ],
)
def test_whatever_the_owners_deck_holds_the_table_plays_with_the_shipped_one_and_says_so(
    data: bytes | None, place: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "decks" / "fence.toml"
    path.parent.mkdir()
    if data is None:
        path.mkdir()
    else:
        path.write_bytes(data)
    settings = msgspec.structs.replace(load(template("two-seats")), state_dir=tmp_path)
    told: list[Text] = []
    table = assembly.session_table(settings, told.append)
    assert not table.games["fence"].corrections
    assert [text.message for text in told] == ["{game}: the card corrections can't be read. Enter them again."]
    assert f"{path}" in caplog.text
    assert place in caplog.text


def test_a_shipped_game_that_cannot_be_read_is_left_out_and_the_others_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(resources.root(), tmp_path / "config")
    (tmp_path / "config" / "games" / "runes.toml").write_bytes(b"\x00")
    (tmp_path / "config" / "decks" / "planetx.toml").unlink()
    monkeypatch.setattr(resources, "root", lambda: tmp_path / "config")
    told: list[Text] = []
    table = assembly.session_table(load(template("two-seats")), told.append)
    assert set(table.games) == {"fence", "tellstones"}
    assert sorted(str(text).partition(" cannot be played: ")[0] for text in told) == [
        "The Search for Planet X",
        "runes",
    ]
    for path in (tmp_path / "config" / "games").iterdir():
        path.write_bytes(b"\xff")
    with pytest.raises(BadFile):
        assembly.session_table(load(template("two-seats")))


@pytest.mark.parametrize(
    ("file", "data", "said"),
    [
        ("lens.json", b"", "The lens calibration can't be read."),
        ("lens.json", b'{"size": [0, 0], "focal": [1, 1], "centre": [0, 0]}', "The lens calibration"),
        ("enrolled/stones/enrolled.json", b'{"name": "M\xfc', "The pictures of stones can't be read"),
        ("enrolled/stones/notes.txt", b"", None),
    ],
)
def test_what_vision_will_do_without_is_told(file: str, data: bytes, said: str | None, tmp_path: Path) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_bytes(data)
    settings = msgspec.structs.replace(load(template("two-seats")), state_dir=tmp_path)
    if file == "lens.json":
        settings = msgspec.structs.replace(
            settings, camera=msgspec.structs.replace(settings.camera, lens=tmp_path / file)
        )
    told: list[Text] = []
    assembly.session_table(settings, told.append)
    assert [str(text).startswith(said or "") for text in told] == ([True] if said else [])
