"""The options of `referee simulate`, by topic."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from device.cli.common import AsJson

MOST_MATCHES, MOST_JOBS = 100_000, 256
HEADLESS = "Whole matches (--headless)"
BUTTONS = "At the buttons alone"


class SceneName(StrEnum):
    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"


class Panels(StrEnum):
    OWN = "own"
    SHARED = "shared"
    BOTH = "both"


class Orders(StrEnum):
    SEEN = "seen"
    DECLARED = "declared"
    BOTH = "both"


class Table(msgspec.Struct, frozen=True):
    """What is played, and what the table is like."""

    game: Annotated[str, typer.Option("--game", "-g", help="The game that lies on the table.")] = "tellstones"
    seats: Annotated[
        str | None,
        typer.Option(help="How many play, or all: match by match. 2; drawn without a camera.", show_default=False),
    ] = None
    scene: Annotated[SceneName, typer.Option(help="How hard light, camera and hands are.")] = SceneName.NORMAL
    seed: Annotated[int, typer.Option(min=0, help="Everything that is drawn follows from it.")] = 1
    cheat_rate: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Share of actions that are cheats.", show_default=False)
    ] = None
    ideal: Annotated[
        bool, typer.Option("--ideal", help="The referee sees the table's truth, not the camera's pictures.")
    ] = False


class Page(msgspec.Struct, frozen=True):
    """The virtual table in the browser."""

    language: Annotated[
        str | None,
        typer.Option(help="en, zh_Hant, zh_Hans or ru. English; pages as the browser asks.", show_default=False),
    ] = None
    auto: Annotated[bool, typer.Option("--auto", help="The table plays by itself.")] = False
    host: Annotated[str, typer.Option(help="From where the pages can be opened: this machine alone.")] = "127.0.0.1"
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8137


class Matches(msgspec.Struct, frozen=True):
    """Whole matches, without a page."""

    headless: Annotated[
        bool,
        typer.Option("--headless", help="No browser: whole matches, as fast as may be.", rich_help_panel=HEADLESS),
    ] = False
    matches: Annotated[int, typer.Option(min=1, max=MOST_MATCHES, help="How many.", rich_help_panel=HEADLESS)] = 1
    only: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST_MATCHES - 1,
            help="This match alone, as a run of many plays it: its number in the notes, from 0.",
            show_default=False,
            rich_help_panel=HEADLESS,
        ),
    ] = None
    orders: Annotated[Orders, typer.Option(help="Who declares; both: match by match.", rich_help_panel=HEADLESS)] = (
        Orders.BOTH
    )
    option: Annotated[
        list[str] | None,
        typer.Option(help="name=value of a rule.", show_default=False, rich_help_panel=HEADLESS),
    ] = None
    mode: Annotated[
        str | None,
        typer.Option(
            help="Of games that have modes; all: match by match.", show_default=False, rich_help_panel=HEADLESS
        ),
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_JOBS, help="Processes; as many as cores.", rich_help_panel=HEADLESS),
    ] = None
    journals: Annotated[Path | None, typer.Option(help="A folder for the journals.", rich_help_panel=HEADLESS)] = None
    as_json: AsJson = False


class Buttons(msgspec.Struct, frozen=True):
    """Whole matches in which no camera is."""

    no_camera: Annotated[
        bool, typer.Option("--no-camera", help="Whole matches at the buttons alone.", rich_help_panel=BUTTONS)
    ] = False
    panels: Annotated[
        Panels, typer.Option(help="A panel for each, one for all; both in turns.", rich_help_panel=BUTTONS)
    ] = Panels.BOTH
