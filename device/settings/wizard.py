"""Composes a table file from a few questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec

from device.displays.controllers import CONTROLLERS
from device.locale import LANGUAGES
from device.settings.load import parse
from engine.table import SEATS
from vision.files import write_whole

Ask: TypeAlias = Callable[[str, tuple[str, ...], str], str]
"""Asks a question with its answers and default; returns an answer."""

BUTTONS = ((17, 27, 22), (5, 6, 13), (12, 16, 19), (20, 21, 26))
"""Pins of back, next and choose for seats a to d."""
MUX_PORTS = ('"1-0070/channel-0"', '"1-0070/channel-1"')

_HEAD = """\
# Written by `referee setup`. Pins are BCM numbers; buttons go to ground. docs/wiring.md shows the header.

language = "{language}"
runtime_dir = "/run/referee"
state_dir = "/var/lib/referee"

[camera]
source = "{camera}"
{camera_key}
"""
_INPUT = """
[{panel}.input]
kind = "buttons"
back = {pins[0]}
next = {pins[1]}
choose = {pins[2]}

[{panel}.display]
controller = "{controller}"
bus = {{ kind = "i2c", port = {port}, address = 0x{address:02X} }}
"""
_TABLE_DISPLAY = """
[table_display]
controller = "ssd1322"
bus = { kind = "spi", port = 0, device = 0, dc = 24, reset = 25 }
"""
_PAGES = """
[pages]
on = true
"""
_CAMERA_KEY = {"picamera2": "number = 0", "v4l2": "index = 0", "none": ""}


ON_I2C = tuple(name for name, controller in CONTROLLERS.items() if "i2c" in controller.buses)


class WizardAnswers(msgspec.Struct, frozen=True):
    """The answers. panels: 1 means shared, 0 phones only."""

    language: str
    panels: int
    controller: str
    camera: str
    table_display: bool
    phones: bool = False


def interview(ask: Ask) -> WizardAnswers:
    """Ask the questions in order."""
    language = ask("Language of the table", LANGUAGES, LANGUAGES[0])
    few = "OLEDs with three buttons (0: everybody plays by phone, 1: handed from seat to seat)"
    panels = int(ask(few, ("0", "1", "2", "3", "4"), "2"))
    return WizardAnswers(
        language=language,
        panels=panels,
        controller=ask("Their controller", ON_I2C, ON_I2C[0]) if panels else ON_I2C[0],
        camera=ask("Camera: Raspberry Pi camera, USB camera, or none", ("picamera2", "v4l2", "none"), "picamera2"),
        table_display=ask("A 256x64 SSD1322 on SPI for the whole table", ("yes", "no"), "no") == "yes",
        phones=not panels or ask("May phones of this network take seats", ("yes", "no"), "no") == "yes",
    )


def compose(answers: WizardAnswers) -> str:
    """Return the table file; three panels or more use a multiplexer."""
    text = _HEAD.format(language=answers.language, camera=answers.camera, camera_key=_CAMERA_KEY[answers.camera])
    for place in range(answers.panels):
        text += _INPUT.format(
            panel="shared" if answers.panels == 1 else f"seats.{SEATS[place]}",
            pins=BUTTONS[place],
            controller=answers.controller,
            port=1 if answers.panels <= 2 else MUX_PORTS[place // 2],
            address=0x3C + place % 2,
        )
    return text + (_TABLE_DISPLAY if answers.table_display else "") + (_PAGES if answers.phones else "")


def write(path: Path, text: str) -> None:
    """Check and write a table file atomically. Raises BadFile, OSError."""
    parse(text, path)
    write_whole(path, text.encode())
