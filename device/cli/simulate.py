"""`referee simulate`: the virtual table, in the browser or headless."""

from __future__ import annotations

import os
import sys
import webbrowser
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress

from device import games
from device.cli.common import AsJson, known_language, log_to_stderr
from engine.game import OptionValue
from engine.options import complete

if TYPE_CHECKING:
    from device.sim.live.run import Evening
    from device.sim.panel import Panel
    from device.sim.plan import Plan
    from device.sim.presses.run import PressPlan

PANEL = "At the table"
MOST_MATCHES, MOST_JOBS = 100_000, 256


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


def command(
    *,
    game: Annotated[str, typer.Option("--game", "-g", help="The game that lies on the table.")] = "tellstones",
    seats: Annotated[
        str | None,
        typer.Option(help="How many play, or all: match by match. 2; drawn without a camera.", show_default=False),
    ] = None,
    scene: Annotated[SceneName, typer.Option(help="How hard light, camera and hands are.")] = SceneName.NORMAL,
    seed: Annotated[int, typer.Option(min=0, help="Everything that is drawn follows from it.")] = 1,
    cheat_rate: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Share of actions that are cheats.", show_default=False)
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(help="en, zh_Hant, zh_Hans or ru. English; pages as the browser asks.", show_default=False),
    ] = None,
    auto: Annotated[bool, typer.Option("--auto", help="The table plays by itself.")] = False,
    host: Annotated[str, typer.Option(help="From where the pages can be opened: this machine alone.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8137,
    headless: Annotated[bool, typer.Option("--headless", help="No browser: whole matches, as fast as may be.")] = False,
    matches: Annotated[int, typer.Option(min=1, max=MOST_MATCHES, help="Headless: how many.")] = 1,
    orders: Annotated[Orders, typer.Option(help="Headless: who declares; both: match by match.")] = Orders.BOTH,
    no_camera: Annotated[bool, typer.Option("--no-camera", help="Headless: at the buttons alone.")] = False,
    panels: Annotated[
        Panels, typer.Option(help="No camera: a panel for each, one for all; both in turns.")
    ] = Panels.BOTH,
    option: Annotated[
        list[str] | None, typer.Option(help="Headless: name=value of a rule.", show_default=False)
    ] = None,
    mode: Annotated[
        str | None, typer.Option(help="Headless: of games that have modes; all: match by match.", show_default=False)
    ] = None,
    ideal: Annotated[
        bool | None,
        typer.Option(
            "--ideal/--pictures",
            help="The referee sees the truth, or pictures. Usual: pictures; in the browser, the truth for runes.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=MOST_JOBS, help="Headless: processes; as many as cores.")
    ] = None,
    journals: Annotated[Path | None, typer.Option(help="Headless: a folder for the journals.")] = None,
    as_json: AsJson = False,
) -> None:
    """Open a virtual table in the browser, or play whole matches (--headless): the same daemon, simulated hardware."""
    from device.sim.live.autoplay import CHEAT_RATE
    from device.sim.live.run import Evening
    from device.sim.plan import SEATS, Plan
    from device.sim.presses.run import PressPlan
    from device.sim.run import cores

    spoken = None if language is None else known_language(language)
    if not (headless or no_camera):
        _refuse_what_is_headless(
            matches=matches > 1, option=option, mode=mode, jobs=jobs, journals=journals, json=as_json
        )
        _serve(
            Evening(
                game=game,
                seats=_count(seats) or SEATS,
                scene=scene.value,
                seed=seed,
                language=spoken,
                auto="off" if not auto else "cheating" if cheat_rate else "honest",
                cheat_rate=CHEAT_RATE if cheat_rate is None else cheat_rate,
                host=host,
                port=port,
                ideal=ideal,
            )
        )
        return
    _refuse_journals(journals, unseen=no_camera or bool(ideal))
    rules = chosen(game, option or [])
    if mode not in (None, "all"):
        chosen(game, [f"mode={mode}"])
    if no_camera:
        _print(PressPlan(game, matches, seed, _count(seats), panels.value, rules, jobs or cores()), as_json)
        return
    plan = Plan(
        game=game,
        matches=matches,
        seed=seed,
        cheat_rate=cheat_rate or 0.0,
        scene=scene.value,
        orders=orders.value,
        seats=SEATS if seats is None else _count(seats),
        options=rules,
        mode=mode,
        ideal=bool(ideal),
        jobs=jobs or cores(),
        journals=str(journals) if journals is not None else None,
    )
    _print(plan, as_json)


def _refuse_what_is_headless(**given: object) -> None:
    """At the page the rules are chosen with the buttons, and nothing is counted. Raises BadParameter."""
    for name, value in given.items():
        if value:
            raise typer.BadParameter("it needs --headless: at the page the buttons choose", param_hint=f"--{name}")


def _refuse_journals(folder: Path | None, *, unseen: bool) -> None:
    """What cannot be kept is refused before it is played. Raises BadParameter."""
    if folder is None:
        return
    if unseen:
        raise typer.BadParameter("they are kept of matches that are seen in pictures", param_hint="--journals")
    if folder.exists() and not folder.is_dir():
        raise typer.BadParameter(f"{folder} is no folder: name one", param_hint="--journals")


def _count(seats: str | None) -> int | None:
    """The number of players; None: whatever the game allows. Raises BadParameter."""
    if seats in (None, "all"):
        return None
    if seats not in ("1", "2", "3", "4"):
        raise typer.BadParameter(f"{seats} is neither 1 to 4 nor all", param_hint="--seats")
    return int(seats)


def chosen(game: str, given: list[str]) -> dict[str, OptionValue]:
    """Options written as name=value, with the values' types. Raises UnknownGame, or Invalid for what is not known."""
    options = {option.name: option for option in games.spec(game).options}
    for each in given:
        if "=" not in each:
            raise typer.BadParameter(f"{each} does not read name=value", param_hint="--option")
    pairs = {name: value for name, _, value in (each.partition("=") for each in given)}
    typed = {
        name: next((v for v in options[name].values if str(v).lower() == value.lower()), value)
        for name, value in pairs.items()
        if name in options
    }
    complete(tuple(options.values()), pairs | typed)
    return typed


def _serve(evening: Evening) -> None:
    from device.sim.live.run import simulate

    log_to_stderr()
    simulate(evening, _announce)


def _print(plan: Plan | PressPlan, as_json: bool) -> None:
    """Plays a plan; progress goes to standard error, the figures to standard output."""
    from device.sim import run
    from device.sim.plan import Plan
    from device.sim.presses import run as pressed

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"{plan.matches} matches of {plan.game}", total=plan.matches)

        def told(done: int, _of: int) -> None:
            progress.update(task, completed=done)

        result = run.simulate(plan, told) if isinstance(plan, Plan) else pressed.simulate(plan, told)
    encoded = msgspec.json.encode(result)
    typer.echo((encoded if as_json else msgspec.json.format(encoded, indent=2)).decode())


def _announce(panel: Panel) -> None:
    for seat, address in panel.addresses().items():
        typer.echo(f"{'the table' if seat is None else f'seat {seat}':10} {address}")
    if sys.stdout.isatty() and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        webbrowser.open(panel.addresses()[None])
