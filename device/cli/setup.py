"""Runs `referee setup`: writes a table file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.prompt import Prompt
from rich.table import Table as RichTable

from device.displays.controllers import CONTROLLERS
from device.locale import LANGUAGES
from device.settings import DEFAULT_TABLE, load, parse
from device.settings.wiring_list import groups
from engine.table import SEATS
from vision.files import rewrite

PANEL = "Wiring"


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
    """Check and write a table file atomically; the service's users must read it. Raises BadFile, OSError."""
    parse(text, path)
    rewrite(path, text.encode(), 0o644)


def _refuse_closed(path: Path) -> None:
    """Exit with code 2, before any question, if the file can't be written."""
    there = next((each for each in (path, *path.absolute().parents) if each.exists()), path)
    if not os.access(there, os.W_OK):
        typer.echo(f"referee: {path} cannot be written: use sudo, or name another file", err=True)
        raise typer.Exit(2)


def command(
    path: Annotated[Path, typer.Argument(help="The table file to write.")] = DEFAULT_TABLE,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Do not ask whether a file may be replaced.")] = False,
) -> None:
    """Write a table file: ask what is wired, and say which pin goes where."""
    _refuse_closed(path)
    if path.is_dir():
        raise typer.BadParameter(f"{path} is a folder: name a file, such as {path / 'table.toml'}", param_hint="PATH")
    if path.exists() and not overwrite and _ask(f"{path} exists. Overwrite it?", ("yes", "no"), "no") == "no":
        typer.echo(f"{path} stays as it is.")
        raise typer.Exit(1)
    answers = interview(_ask)
    try:
        write(path, compose(answers))
    except PermissionError as error:
        typer.echo(f"referee: {path} cannot be written ({error.strerror}): use sudo, or name another file", err=True)
        raise typer.Exit(2) from error
    typer.echo(f"{path} is written. It wants these wires:")
    _list(path)
    typer.echo(f"As pictures: referee print wiring --table {path}")
    typer.echo(f"To check the wires: referee doctor --table {path}")


def _ask(question: str, values: Sequence[str], usual: str) -> str:
    return Prompt.ask(escape(question), choices=[*values], default=usual)


def _list(path: Path) -> None:
    table = RichTable("Part", "Contact", "To")
    for part in (part for group in groups(load(path)) for part in group.parts):
        address = "" if part.address is None else f" at 0x{part.address:02X}"
        for number, contact in enumerate(part.contacts):
            table.add_row("" if number else part.key + address, contact.name, str(contact))
        table.add_section()
    Console(markup=False).print(table)
