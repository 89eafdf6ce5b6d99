"""`referee simulate`: the virtual table, in the browser or headless."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress

from device import games
from device.cli.common import known_language
from device.cli.linux import require_linux
from device.logs import log_to_stderr
from engine.catalogue import complete
from engine.game import OptionValue
from referee_simulator.grouped import group_options
from referee_simulator.options import Buttons, FaultRuns, Hall, Matches, Orders, Page, Panels, SceneName, Table

if TYPE_CHECKING:
    from referee_simulator.harness.plan import Plan
    from referee_simulator.live.gateway import Doors
    from referee_simulator.live.run import LivePlan

PANEL = "At the table"


@group_options
def command(table: Table, page: Page, matches: Matches, buttons: Buttons, runs: FaultRuns, hall: Hall) -> None:
    """Open a virtual table in the browser, or play whole matches (--headless): the same daemon, simulated hardware."""
    require_linux("simulate")
    if hall.tables is not None:
        if matches.headless or runs.faults is not None:
            raise typer.BadParameter(
                "they play in real time, without a camera and without a page", param_hint="--tables"
            )
        _refuse_what_a_club_draws(table, matches, buttons)
        _fill(hall.tables, hall.club, table.seed)
        return
    if runs.faults is not None:
        _pass_runs(table, matches, buttons, runs)
        return
    _refuse_without_faults(runs)
    table = msgspec.structs.replace(table, game=table.game or games.usual())
    if not (matches.headless or buttons.no_camera):
        _refuse_what_is_headless(matches)
        _serve(live_plan(table, page))
        return
    _refuse_journals(matches.journals, unseen=buttons.no_camera or table.ideal)
    if buttons.no_camera:
        _refuse(
            {
                "--ideal": table.ideal,
                "--scene": table.scene is not SceneName.NORMAL,
                "--cheat-rate": table.cheat_rate is not None,
                "--orders": matches.orders is not Orders.BOTH,
                "--mode": matches.mode is not None,
            },
            "it needs a camera; for the buttons alone, --option chooses rules",
        )
    if matches.bump is not None and (buttons.no_camera or table.ideal):
        raise typer.BadParameter("there is no camera to bump", param_hint="--bump")
    if matches.tremble is not None and (buttons.no_camera or table.ideal):
        raise typer.BadParameter("there is no camera to tremble", param_hint="--tremble")
    if page.language is not None:
        known_language(page.language)
    if matches.mode not in (None, "all"):
        parse_options(table.game, [f"mode={matches.mode}"])
    _print(_presses(table, matches, buttons) if buttons.no_camera else _plan(table, matches), matches.as_json)


def _fill(count: int, club: Path, seed: int) -> None:
    """Play at a club's virtual tables until SIGINT or SIGTERM."""
    import asyncio
    import signal
    from contextlib import suppress

    from device.temporary_folders import scratch
    from referee_simulator.live import hall

    async def play(folder: Path) -> None:
        tables = hall.add_tables(count, club.expanduser(), folder, seed)
        playing = asyncio.ensure_future(hall.run(tables, lambda name: typer.echo(f"{name} plays")))
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, playing.cancel)
        with suppress(asyncio.CancelledError):
            await playing

    log_to_stderr()
    with scratch() as folder:
        asyncio.run(play(folder))


def live_plan(table: Table, page: Page) -> LivePlan:
    from referee_simulator.harness.plan import USUAL_SEATS
    from referee_simulator.live.autoplay import CHEAT_RATE
    from referee_simulator.live.run import LivePlan

    auto = not page.by_hand if page.auto is None else page.auto
    return LivePlan(
        game=table.game,
        seats=_count(table.seats) or USUAL_SEATS,
        scene=table.scene.value,
        seed=table.seed,
        language=None if page.language is None else known_language(page.language),
        auto="off" if not auto else "cheating" if table.cheat_rate else "honest",
        cheat_rate=CHEAT_RATE if table.cheat_rate is None else table.cheat_rate,
        host=page.host,
        port=page.port,
        ideal=table.ideal,
        helped=not page.by_hand,
        laid=not page.by_hand,
        picture=page.picture,
    )


def _plan(table: Table, matches: Matches) -> Plan:
    from referee_simulator.harness.plan import USUAL_SEATS, Eyes, Plan
    from referee_simulator.harness.run import cores

    return Plan(
        game=table.game,
        matches=matches.matches,
        seed=table.seed,
        cheat_rate=table.cheat_rate or 0.0,
        bump_s=matches.bump,
        tremble=matches.tremble,
        scene=table.scene.value,
        orders=matches.orders.value,
        seats=USUAL_SEATS if table.seats is None else _count(table.seats),
        options=parse_options(table.game, matches.option or []),
        mode=matches.mode,
        eyes=Eyes.IDEAL if table.ideal else Eyes.PICTURES,
        jobs=matches.jobs or cores(),
        journals=str(matches.journals) if matches.journals is not None else None,
        only=matches.only,
    )


def _presses(table: Table, matches: Matches, buttons: Buttons) -> Plan:
    from referee_simulator.harness.plan import Eyes, Plan
    from referee_simulator.harness.run import cores

    return Plan(
        game=table.game,
        matches=matches.matches,
        seed=table.seed,
        seats=_count(table.seats),
        panels=buttons.panels.value,
        options=parse_options(table.game, matches.option or []),
        eyes=Eyes.NONE,
        jobs=matches.jobs or cores(),
        only=matches.only,
    )


def _refuse_what_is_headless(matches: Matches) -> None:
    """Refuse options of headless runs. Raises BadParameter."""
    for field in msgspec.structs.fields(Matches):
        value = getattr(matches, field.name)
        if value not in (field.default, []):
            name = field.name.removeprefix("as_")
            raise typer.BadParameter("it needs --headless: at the page the buttons choose", param_hint=f"--{name}")


def _refuse_without_faults(runs: FaultRuns) -> None:
    if runs.pictures or runs.folder is not None:
        name = "--pictures" if runs.pictures else "--folder"
        raise typer.BadParameter("it is for nights of faults: name their seed with --faults", param_hint=name)


def _pass_runs(table: Table, matches: Matches, buttons: Buttons, runs: FaultRuns) -> None:
    from referee_simulator.disk.shim import start_over
    from referee_simulator.fault_runs.run import simulate
    from referee_simulator.harness.plan import Plan
    from referee_simulator.harness.run import cores

    _refuse_what_is_drawn(table, matches, buttons)
    start_over()
    plan = Plan(
        game=table.game,
        matches=matches.matches,
        seed=runs.faults or 0,
        seats=None,
        jobs=matches.jobs or cores(),
        only=matches.only,
        faults=True,
        pictures=runs.pictures,
    )
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"{plan.matches} fault runs", total=plan.matches)
        found = simulate(plan, lambda done, of: progress.update(task, completed=done, total=of), runs.folder)
    encoded = msgspec.json.encode(found)
    typer.echo((encoded if matches.as_json else msgspec.json.format(encoded, indent=2)).decode())
    if found.wrong:
        raise typer.Exit(1)


def _refuse_what_a_club_draws(table: Table, matches: Matches, buttons: Buttons) -> None:
    """Refuse options that tables of a club do not heed. Raises BadParameter."""
    given = {
        "--game": table.game is not None,
        "--seats": table.seats is not None,
        "--scene": table.scene is not SceneName.NORMAL,
        "--ideal": table.ideal,
        "--cheat-rate": table.cheat_rate is not None,
        "--no-camera": buttons.no_camera,
        "--option": bool(matches.option),
        "--mode": matches.mode is not None,
    }
    _refuse(given, "each of a club's tables chooses it by itself")


def _refuse_what_is_drawn(table: Table, matches: Matches, buttons: Buttons) -> None:
    """Refuse options that --faults draws. Raises BadParameter."""
    if not matches.headless:
        raise typer.BadParameter("it needs --headless", param_hint="--faults")
    given = {
        "--ideal": table.ideal,
        "--scene": table.scene is not SceneName.NORMAL,
        "--no-camera": buttons.no_camera,
        "--panels": buttons.panels is not Panels.BOTH,
        "--seats": table.seats is not None,
        "--cheat-rate": table.cheat_rate is not None,
        "--orders": matches.orders is not Orders.BOTH,
        "--option": bool(matches.option),
        "--mode": matches.mode is not None,
        "--bump": matches.bump is not None,
        "--tremble": matches.tremble is not None,
        "--journals": matches.journals is not None,
    }
    _refuse(given, "with --faults the seed draws it")


def _refuse(given: Mapping[str, bool], why: str) -> None:
    """Raise BadParameter for the first given option."""
    for name, is_given in given.items():
        if is_given:
            raise typer.BadParameter(why, param_hint=name)


def _refuse_journals(folder: Path | None, *, unseen: bool) -> None:
    """Refuse an unusable folder for journals. Raises BadParameter."""
    if folder is None:
        return
    if unseen:
        raise typer.BadParameter("they are kept of matches that are seen in pictures", param_hint="--journals")
    if folder.exists() and not folder.is_dir():
        raise typer.BadParameter(f"{folder} is no folder: name one", param_hint="--journals")


def _count(seats: str | None) -> int | None:
    if seats in (None, "all"):
        return None
    if seats not in ("1", "2", "3", "4"):
        raise typer.BadParameter(f"{seats} is neither 1 to 4 nor all", param_hint="--seats")
    return int(seats)


def parse_options(game: str, given: list[str]) -> dict[str, OptionValue]:
    """Parse options written as name=value. Raises BadParameter for one without "=", UnknownGame, or Invalid."""
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


def _serve(plan: LivePlan) -> None:
    from referee_simulator.live.run import simulate

    log_to_stderr()
    console = Console(stderr=True)
    progress = Progress(console=console, transient=True, disable=not console.is_terminal)
    task = progress.add_task("pieces shown to the camera", total=1.0)

    def enrolling(share: float) -> None:
        progress.start()
        progress.update(task, completed=share)
        if progress.finished:
            progress.stop()

    try:
        simulate(plan, _announce, enrolling)
    finally:
        progress.stop()


def _print(plan: Plan, as_json: bool) -> None:
    from referee_simulator.harness import run

    with Progress(console=Console(stderr=True), transient=True) as progress:
        matches = f"{plan.matches} matches" if plan.only is None else f"match {plan.only}"
        task = progress.add_task(f"{matches} of {plan.game}", total=plan.matches)

        def show_progress(done: int, of: int) -> None:
            progress.update(task, completed=done, total=of)

        result = run.simulate(plan, show_progress)
    encoded = msgspec.json.encode(result)
    typer.echo((encoded if as_json else msgspec.json.format(encoded, indent=2)).decode())


def _announce(doors: Doors) -> None:
    """Print pages' addresses, the bench's only if others can reach the table's page; open that page on a desktop."""
    terminal = sys.stdout.isatty()
    _tell("the table", doors.table)
    for seat, address in doors.seats.items():
        _tell(f"play as {seat.upper()}", address)
        if terminal and doors.abroad:
            _draw(address)
    _tell("the owner", doors.owner)
    if doors.abroad:
        _tell("the bench", doors.bench)
    sys.stdout.flush()
    if terminal and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        webbrowser.open(doors.table)


def _tell(name: str, address: str) -> None:
    typer.echo(f"{name:10} {address}")


def _draw(address: str) -> None:
    import segno

    segno.make(address, error="l", micro=False).terminal(compact=True)
