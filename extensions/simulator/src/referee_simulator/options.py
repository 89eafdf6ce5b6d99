"""The options of `referee simulate`, by topic."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from device.cli.common import AsJson
from device.locale import LANGUAGES

MOST_MATCHES, MOST_JOBS, MOST_TABLES = 100_000, 256, 64
HEADLESS = "Whole matches (--headless)"
BUTTONS = "At the buttons alone"
HALL = "Many tables of a club"
FAULT_RUNS = "Fault runs"


class SceneName(StrEnum):
    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"
    PHONE = "phone"


class Panels(StrEnum):
    OWN = "own"
    SHARED = "shared"
    BOTH = "both"
    PHONE = "phone"


class Orders(StrEnum):
    SEEN = "seen"
    DECLARED = "declared"
    BOTH = "both"


class Table(msgspec.Struct, frozen=True):
    """The game and the table."""

    game: Annotated[
        str,
        typer.Option(
            "--game",
            "-g",
            help="The game that lies on the table. Default: the usual one; with --faults another for each match.",
            show_default=False,
        ),
    ] = ""
    seats: Annotated[
        str | None,
        typer.Option(
            help="Number of players, 1 to 4; all: another number for each match. Default: 2; with --no-camera drawn.",
            show_default=False,
        ),
    ] = None
    scene: Annotated[SceneName, typer.Option(help="How difficult light, camera and hands are.")] = SceneName.NORMAL
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of all random choices: the same seed gives the same matches.")
    ] = 1
    cheat_rate: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Share of actions that are cheats. Default: 0; at the page 0.15 once cheating is on.",
            show_default=False,
        ),
    ] = None
    ideal: Annotated[
        bool, typer.Option("--ideal", help="The referee sees the table's truth, not the camera's pictures.")
    ] = False


class Page(msgspec.Struct, frozen=True):
    """The virtual table in the browser."""

    language: Annotated[
        str | None,
        typer.Option(
            help=f"One of {', '.join(LANGUAGES)}, for displays and all pages. "
            "Default: displays English, pages as the browser asks.",
            show_default=False,
        ),
    ] = None
    auto: Annotated[
        bool | None,
        typer.Option(
            "--auto/--no-auto",
            help="The table plays by itself until somebody takes a seat. Default: --auto, unless with --by-hand.",
            show_default=False,
        ),
    ] = None
    picture: Annotated[bool, typer.Option("--picture", help="The table's page shows the camera's picture.")] = False
    by_hand: Annotated[
        bool,
        typer.Option(
            "--by-hand", help="No simulated hand carries out what is ordered: move every piece yourself, on the bench."
        ),
    ] = False
    host: Annotated[str, typer.Option(help="Address to serve the pages on; 127.0.0.1: for this machine alone.")] = (
        "127.0.0.1"
    )
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65_000, help="Port of the bench; the table's page is at 2 more, seats behind it. 0: free ones."
        ),
    ] = 8137


class Matches(msgspec.Struct, frozen=True):
    """Whole matches without a page."""

    headless: Annotated[
        bool,
        typer.Option(
            "--headless", help="Play whole matches without a browser, as fast as possible.", rich_help_panel=HEADLESS
        ),
    ] = False
    matches: Annotated[
        int, typer.Option(min=1, max=MOST_MATCHES, help="Number of matches.", rich_help_panel=HEADLESS)
    ] = 1
    only: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST_MATCHES - 1,
            help="Play only the match of this number, from 0, as a longer run with the same options plays it.",
            show_default=False,
            rich_help_panel=HEADLESS,
        ),
    ] = None
    orders: Annotated[
        Orders,
        typer.Option(
            help="seen: actions are read from the table; declared: they are ordered at the buttons first;"
            " both: alternately.",
            rich_help_panel=HEADLESS,
        ),
    ] = Orders.BOTH
    option: Annotated[
        list[str] | None,
        typer.Option(
            help="Set a rule: name=value. May be given several times.", show_default=False, rich_help_panel=HEADLESS
        ),
    ] = None
    mode: Annotated[
        str | None,
        typer.Option(
            help="The game's mode, if it has several; all: another one for each match.",
            show_default=False,
            rich_help_panel=HEADLESS,
        ),
    ] = None
    bump: Annotated[
        float | None,
        typer.Option(
            min=1.0,
            metavar="SECONDS",
            help="The camera is bumped about so often, in simulated time. Default: never.",
            show_default=False,
            rich_help_panel=HEADLESS,
        ),
    ] = None
    tremble: Annotated[
        tuple[float, float, float] | None,
        typer.Option(
            metavar="PX PX DEGREES",
            help="The camera trembles, instead of as the scene says: standard deviations at rest and while a hand "
            "moves, in pixels of 1280, and of its turn at rest.",
            show_default=False,
            rich_help_panel=HEADLESS,
        ),
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_JOBS, help="Processes at once. Default: one for each core.", rich_help_panel=HEADLESS
        ),
    ] = None
    journals: Annotated[
        Path | None, typer.Option(help="Keep the journal of every match in this folder.", rich_help_panel=HEADLESS)
    ] = None
    as_json: AsJson = False


class Buttons(msgspec.Struct, frozen=True):
    """Whole matches without a camera."""

    no_camera: Annotated[
        bool,
        typer.Option(
            "--no-camera", help="Play whole matches with the buttons alone, without a camera.", rich_help_panel=BUTTONS
        ),
    ] = False
    panels: Annotated[
        Panels,
        typer.Option(
            help="A panel for each player, or one shared by all; both: alternately; phone: a phone for each, no panel.",
            rich_help_panel=BUTTONS,
        ),
    ] = Panels.BOTH


class FaultRuns(msgspec.Struct, frozen=True):
    """Whole matches with faults."""

    faults: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="SEED",
            help="Draw faults (kills, power cuts, a full disk, bad sectors, lost writes, stuck buttons, a frozen"
            " or bumped camera, a killed worker) and all that a table may choose from this seed."
            " Needs --headless and gcc.",
            show_default=False,
            rich_help_panel=FAULT_RUNS,
        ),
    ] = None
    pictures: Annotated[
        int,
        typer.Option(
            min=0,
            max=MOST_MATCHES,
            help="So many of the matches are seen in pictures; the others with ideal eyes, or at the buttons alone.",
            rich_help_panel=FAULT_RUNS,
        ),
    ] = 0
    folder: Annotated[
        Path | None,
        typer.Option(
            help="Keep the results in this folder, so that an interrupted run can continue.",
            show_default=False,
            rich_help_panel=FAULT_RUNS,
        ),
    ] = None


class Hall(msgspec.Struct, frozen=True):
    """Many tables for a club."""

    tables: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_TABLES,
            help="So many tables, each a process with its herald, for the club that runs on this machine.",
            show_default=False,
            rich_help_panel=HALL,
        ),
    ] = None
    club: Annotated[Path, typer.Option(help="With --tables: the folder of that club.", rich_help_panel=HALL)] = Path(
        "~/referee-club"
    )
