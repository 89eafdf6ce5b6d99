"""The doctor uses each thing as the daemon does, and says what to do about what does not answer."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gpiozero
import msgspec
import numpy as np
import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from device.cli.doctor import gather
from device.daemon import status
from device.daemon.vision_supervisor import CameraState
from device.displays.oled import Oled
from device.doctor import Finding, Probes, examine
from device.journal import Journal
from device.settings import load, template
from device.settings.table import (
    BuzzerSettings,
    Display,
    Herald,
    I2c,
    NetworkCamera,
    PagesSettings,
    Picamera,
    TableSettings,
    V4l2,
)
from referee_simulator.hardware.oled import SimulatedOled
from tests.vision.faces import tile
from vision.camera import CameraLost, Frame, Pyramid
from vision.cameras import CameraSpec
from vision.recognition.enrolment import EnrolledSet, save
from vision.registration.lens import Lens, save_lens


class Shorted(MockPin):
    """A pin that lies on ground whatever pulls it up."""

    def _get_state(self) -> int:
        return 0


class Still:
    """A camera that gives one gray picture, or is lost."""

    def __init__(self, gray: int | None) -> None:
        self.gray = gray

    def open(self) -> None:
        if self.gray is None:
            raise CameraLost("no camera number 0")

    def read(self, timeout_s: float) -> Frame | None:
        image = np.full((720, 1280, 3), self.gray, np.uint8)
        return Frame(1, 0.0, Pyramid(image), image[::4, ::4, 0].copy())

    def pace(self, frames_per_second: float) -> None: ...

    def close(self) -> None: ...


class Bench:
    """A Raspberry Pi whose parts can be taken away."""

    def __init__(self, folder: Path) -> None:
        self.settings: TableSettings = msgspec.structs.replace(
            load(template("two-seats")), state_dir=folder / "state", runtime_dir=folder / "run"
        )
        self.settings.state_dir.mkdir()
        self.set = self.settings.state_dir / "enrolled" / "stones"
        save(EnrolledSet("stones", "any", {"crown": (tile("A"),), "flag": (tile("B"),)}), self.set)
        self.dev = folder / "dev"
        self.dev.mkdir()
        (self.dev / "i2c-1").touch()
        self.buses = folder / "buses"
        self.factory = MockFactory()
        self.gone: set[int] = set()
        self.gray: int | None = 128
        self.looking_ms = 40.0

    def display(self, display: Display) -> Oled:
        wire = SimulatedOled(display.controller, display.pixels)
        if getattr(display.bus, "address", 0) in self.gone:
            wire.vanish()
        return Oled(display, wire)

    def camera(self, spec: CameraSpec) -> Still:
        return Still(self.gray)

    def findings(self) -> dict[str, Finding]:
        probes = Probes(self.display, self.camera, lambda _image: self.looking_ms, self.factory, self.dev, self.buses)
        return {finding.key: finding for finding in examine(self.settings, probes)}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.factory.reset()


def test_a_healthy_table(bench: Bench) -> None:
    found = bench.findings()
    assert all(finding.ok for finding in found.values()), found
    assert {"seats.a.input.back", "seats.b.display", "seats.a.display.bus", "camera", "set stones"} <= set(found)
    assert not list(bench.settings.state_dir.glob("*.db")), (
        "the doctor makes no journal that the service could not write"
    )


def test_a_pressed_or_shorted_button(bench: Bench) -> None:
    bench.factory.pin_class = Shorted
    finding = bench.findings()["seats.a.input.next"]
    assert not finding.ok
    assert "GPIO 27 is shorted to ground" in finding.remedy


def test_a_pin_that_is_taken(bench: Bench) -> None:
    taken = gpiozero.OutputDevice(22, pin_factory=bench.factory)
    finding = bench.findings()["seats.a.input.choose"]
    taken.close()
    assert not finding.ok
    assert "systemctl stop" in finding.remedy


def test_a_buzzer_is_tried_without_a_sound(bench: Bench) -> None:
    bench.settings = msgspec.structs.replace(bench.settings, buzzer=BuzzerSettings(18))
    assert bench.findings()["buzzer.pin"].ok
    assert 1 not in [each.state for each in bench.factory.pin(18).states]
    taken = gpiozero.OutputDevice(18, pin_factory=bench.factory)
    finding = bench.findings()["buzzer.pin"]
    taken.close()
    assert not finding.ok
    assert "systemctl stop" in finding.remedy


def test_a_display_that_does_not_answer(bench: Bench) -> None:
    bench.gone = {0x3D}
    found = bench.findings()
    assert found["seats.a.display"].ok
    assert not found["seats.b.display"].ok
    assert "i2cdetect" in found["seats.b.display"].remedy


def test_a_bus_that_is_switched_off(bench: Bench) -> None:
    (bench.dev / "i2c-1").unlink()
    finding = bench.findings()["seats.a.display.bus"]
    assert not finding.ok
    assert "raspi-config" in finding.remedy


def test_a_bus_on_other_pins_that_is_not_there(bench: Bench) -> None:
    display = Display(I2c(9, 0x3C, sda=23, scl=24))
    bench.settings = msgspec.structs.replace(bench.settings, table_display=display)
    finding = bench.findings()["table_display.bus"]
    assert not finding.ok
    assert "dtoverlay=i2c-gpio,bus=9,i2c_gpio_sda=23,i2c_gpio_scl=24 into" in finding.remedy


@pytest.mark.parametrize(("khz", "said"), [(100, "at 100 kHz; wires under"), (400, "at 400 kHz")])
def test_how_fast_a_bus_is(bench: Bench, khz: int, said: str) -> None:
    node = bench.buses / "i2c-1" / "of_node"
    node.mkdir(parents=True)
    (node / "clock-frequency").write_bytes((khz * 1000).to_bytes(4, "big"))
    finding = bench.findings()["seats.a.display.bus"]
    assert finding.ok
    assert said in finding.found
    assert ("docs/wiring.md" in finding.found) == (khz < 400)


def test_a_device_whose_driver_came_after_the_service_is_told_apart(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control group of a service answers EPERM, where owner, group and mode answer EACCES."""
    (bench.dev / "video0").touch()
    bench.gray = None
    monkeypatch.setattr(os, "open", refusing(errno.EPERM))
    found = bench.findings()
    for key in ("seats.a.display.bus", "camera"):
        assert "may not be used by the service" in found[key].found
        assert "systemctl restart referee" in found[key].remedy
    monkeypatch.setattr(os, "open", refusing(errno.EACCES))
    found = bench.findings()
    assert "usermod" in found["seats.a.display.bus"].remedy
    assert "no camera number 0" in found["camera"].found


def refusing(number: int) -> Callable[..., int]:
    """Opens everything but nodes of buses and cameras."""
    usual = os.open

    def opened(path: str, *rest: Any, **named: Any) -> int:
        if Path(path).name in ("i2c-1", "video0"):
            raise PermissionError(number, os.strerror(number), path)
        return usual(path, *rest, **named)

    return opened


def tell(bench: Bench, **said: Any) -> None:
    """What a daemon that runs wrote down; this process stands for it."""
    bench.settings.runtime_dir.mkdir(exist_ok=True)
    told = status.initial_status(1.5, "1.0", safe=said.pop("safe", False))
    path = bench.settings.runtime_dir / "status.json"
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(told, **said)))


def test_a_service_that_runs_is_asked_for_what_it_holds(bench: Bench) -> None:
    taken = gpiozero.OutputDevice(22, pin_factory=bench.factory)
    bench.gray, bench.gone = None, {0x3C, 0x3D}
    tell(bench, displays={"a": True, "b": False}, camera=CameraState(1, "ok", 100.0))
    found = bench.findings()
    taken.close()
    assert found["service"].ok
    assert str(os.getpid()) in found["service"].found
    assert found["seats.a.display"].found == "ssd1306 128x64 answers the service"
    assert "i2cdetect" in found["seats.b.display"].remedy
    assert found["camera"].ok
    assert "rest" not in found["camera"].found
    assert not any(key.startswith("seats.a.input") for key in found), "the service holds the pins"
    assert found["seats.a.display.bus"].ok


@pytest.mark.parametrize(
    ("health", "remedy"),
    [
        ("", "rpicam-hello"), ("no_frames", "rpicam-hello"), ("forbidden", "restart referee"),
        ("shaking", "fix its arm or stand"), ("mirrored", "turn mirroring off"),
        ("refused", "in its address"), ("no_network", "docs/wiring.md"),
    ],
)  # fmt: skip
def test_what_keeps_the_service_from_a_device_is_what_the_doctor_says(bench: Bench, health: str, remedy: str) -> None:
    """It looks from inside the service's sandbox: nothing else knows."""
    shut = {"b": "/dev/i2c-1"}
    tell(bench, displays={"a": True, "b": False}, shut=shut, camera=CameraState(3, health))
    found = bench.findings()
    assert remedy in found["camera"].remedy
    assert found["seats.b.display"].found == "/dev/i2c-1 may not be used by the service"
    assert "restart referee" in found["seats.b.display"].remedy


def test_how_far_slow_work_is_and_that_the_table_was_seen_is_told_of_the_services_camera(bench: Bench) -> None:
    tell(bench, displays={}, camera=CameraState(2, "ok", busy="reads set stones, 3 of 38"))
    assert "reads set stones, 3 of 38" in bench.findings()["camera"].found
    tell(bench, displays={}, camera=CameraState(2, "ok", observed=True))
    assert bench.findings()["camera"].found.endswith("has seen the table at rest")


def test_a_service_in_safe_mode_that_hangs_or_is_gone_is_told(bench: Bench) -> None:
    tell(bench, safe=True, displays={})
    assert "in safe mode" in bench.findings()["service"].found
    tell(bench, at=-1e6, displays={})
    assert "has not said" in bench.findings()["service"].found
    tell(bench, pid=2**22 + 1)
    assert "service" not in bench.findings(), "what a killed daemon left behind is not taken for it"


def test_the_report_holds_the_machine_and_the_findings_and_no_name(bench: Bench) -> None:
    bench.settings = msgspec.structs.replace(bench.settings, name="Grandmother's table")
    told = gather(bench.settings, list(bench.findings().values()), "1.0")
    text = msgspec.json.encode(told).decode()
    assert told["machine"]["python"]
    assert told["machine"]["memory_kb"]["MemTotal"] > 0
    assert told["packages"]["numpy"]
    assert told["disk"]["synced_write_ms"] > 0
    assert {finding["key"] for finding in told["findings"]} >= {"camera", "seats.a.display"}
    assert told["table"]["seats"]["a"]["display"]["bus"]["kind"] == "i2c"
    assert "Grandmother" not in text
    assert "seed" not in text


def test_the_report_holds_no_address_and_no_password(bench: Bench) -> None:
    bench.settings = msgspec.structs.replace(
        bench.settings,
        camera=NetworkCamera(address="rtsp://anna:secret@porch.local/live"),
        pages=msgspec.structs.replace(bench.settings.pages, hosts=("attic.example",)),
        herald=Herald("club.local:8883", Path("/c.pem"), Path("/c.key"), Path("/a.pem")),
    )
    text = msgspec.json.encode(gather(bench.settings, list(bench.findings().values()), "1.0")).decode()
    assert not [word for word in ("anna", "secret", "porch", "attic", "club.local") if word in text]


CORNERS = ((10.0, 10.0), (1200.0, 12.0), (1190.0, 700.0), (5.0, 690.0))


def test_corners_say_of_which_pictures_they_are(bench: Bench) -> None:
    """A Pi camera's pictures show another part of the field at another size: corners alone tell nothing."""
    assert "camera.points" not in bench.findings()
    bench.settings = msgspec.structs.replace(bench.settings, camera=Picamera(points=CORNERS))
    finding = bench.findings()["camera.points"]
    assert (finding.ok, finding.found) == (False, "nothing says of which pictures these corners were measured")
    assert "[1280, 720]" in finding.remedy
    bench.settings = msgspec.structs.replace(bench.settings, camera=Picamera(points=CORNERS, size=(1280, 720)))
    assert bench.findings()["camera.points"] == Finding("camera.points", True, "corners of pictures of 1280 x 720")
    bench.settings = msgspec.structs.replace(bench.settings, camera=V4l2(points=CORNERS, size=(1280, 960)))
    found = "corners of pictures of 1280 x 960, and the camera takes 1280 x 720"
    assert bench.findings()["camera.points"].found == found
    bench.settings = msgspec.structs.replace(bench.settings, camera=V4l2(points=CORNERS))
    assert "camera.points" not in bench.findings(), "a USB camera's are 16:9"


def test_what_was_measured_of_the_lens_must_be_there_and_of_such_pictures(bench: Bench) -> None:
    path = bench.settings.state_dir / "lens.json"
    assert "camera.lens" not in bench.findings()
    bench.settings = msgspec.structs.replace(bench.settings, camera=Picamera(lens=path))
    assert "lens.json: is not there" in bench.findings()["camera.lens"].found
    save_lens(Lens((640, 360), (500.0, 500.0), (320.0, 180.0), error_px=0.31), path)
    assert bench.findings()["camera.lens"] == Finding("camera.lens", True, "measured, right to 0.31 pixels")
    save_lens(Lens((640, 480), (500.0, 500.0), (320.0, 240.0)), path)
    finding = bench.findings()["camera.lens"]
    assert not finding.ok
    assert "another shape, 1280 x 720" in finding.found


def test_a_camera_that_is_lost_or_dark(bench: Bench) -> None:
    bench.gray = None
    assert "no camera number 0" in bench.findings()["camera"].found
    bench.gray = 3
    assert "dark" in bench.findings()["camera"].found


def test_a_slow_machine_is_told_how_often_it_will_look(bench: Bench) -> None:
    bench.gray = 120
    for looking_ms, said in ((40.0, "looks at 10 a second"), (130.0, "looks at 6 a second"), (500.0, "smaller ones")):
        bench.looking_ms = looking_ms
        finding = bench.findings()["camera"]
        assert finding.ok
        assert said in finding.found


@pytest.mark.parametrize("broken", ["*.png", "enrolled.json"])
def test_a_set_that_cannot_be_used_is_named_with_what_is_broken(bench: Bench, broken: str) -> None:
    told = bench.findings()["set stones"].found
    assert told.startswith("is enrolled, 2 pictures; never named, because not enrolled: ")
    assert "shield" in told
    assert "crown" not in told
    assert told.endswith("; never checked, which referee enrol does at its end")
    files = list(bench.set.glob(broken))
    for file in files:
        file.write_bytes(b"broken")
    finding = bench.findings()["set stones"]
    assert not finding.ok
    assert all(file.name in finding.found for file in files)
    assert "referee enrol stones" in finding.remedy


def test_pieces_that_are_not_enrolled_and_a_journal(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(bench.set)
    with Journal(bench.settings.state_dir / "journal.db"):
        pass
    found = bench.findings()
    assert "referee enrol stones" in found["set stones"].remedy
    bench.set.mkdir()
    assert bench.findings()["set stones"].found == "is not enrolled", "enrolling was begun and given up"
    assert "holds 0 matches" in found["state_dir"].found
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda path, mode: path.name != "journal.db")
        assert "you cannot write it" in bench.findings()["state_dir"].found
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=0))
        assert "the disk is full" in bench.findings()["state_dir"].found
    (bench.settings.state_dir / "journal.db").write_bytes(b"noise" * 999)
    assert not bench.findings()["state_dir"].ok


def test_pages_are_told_of_if_the_table_has_them(bench: Bench) -> None:
    assert "pages" not in bench.findings()
    wanted = PagesSettings(on=True, hosts=("table.local",), port=9000)
    bench.settings = msgspec.structs.replace(bench.settings, pages=wanted)
    assert bench.findings()["pages"].found == "are to be at http://table.local:9000/, once the service runs"
    local = bench.settings
    bench.settings = msgspec.structs.replace(local, pages=PagesSettings(on=True, hosts=("fd00::5",)))
    assert "at http://[fd00::5]:8139/, once" in bench.findings()["pages"].found
    bench.settings = local
    tell(bench, pages=None)
    assert "no sockets" in bench.findings()["pages"].found
    tell(bench, pages={"a": 1, "b": 0, "table": 0})
    nobody = bench.findings()["pages"]
    assert (nobody.ok, nobody.found) == (False, "nobody serves those of b, table")
    assert "restart referee-pages" in nobody.remedy
    tell(bench, pages={"a": 1, "b": 2})
    assert bench.findings()["pages"].ok
