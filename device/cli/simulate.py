"""`referee simulate`: the virtual table in the browser."""

from __future__ import annotations

import asyncio
import signal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from device.cli.common import log_to_stderr

if TYPE_CHECKING:
    from device.sim.live.run import Evening
    from device.sim.panel import Panel

PANEL = "At the table"


class SceneName(StrEnum):
    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"


def command(
    *,
    game: Annotated[str, typer.Option("--game", "-g", help="The game that lies on the table.")] = "tellstones",
    seats: Annotated[int, typer.Option(min=1, max=4, help="How many play.")] = 2,
    scene: Annotated[
        SceneName, typer.Option(help="How hard the light, the camera and the hands are.")
    ] = SceneName.NORMAL,
    seed: Annotated[int, typer.Option(help="Everything that is drawn follows from it.")] = 1,
    language: Annotated[str, typer.Option(help="en, zh_Hant, zh_Hans or ru.")] = "en",
    auto: Annotated[bool, typer.Option("--auto", help="The table plays by itself.")] = False,
    cheat_rate: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Share of actions that are cheats.", show_default=False)
    ] = None,
    host: Annotated[str, typer.Option(help="From where the pages can be opened: this machine alone.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8137,
) -> None:
    """Open a virtual table in the browser: the same daemon, with simulated pins, displays and camera."""
    from device.sim.live.autoplay import CHEAT_RATE
    from device.sim.live.run import Evening

    log_to_stderr()
    cheating = cheat_rate is not None and cheat_rate > 0
    evening = Evening(
        game=game,
        seats=seats,
        scene=scene.value,
        seed=seed,
        language=language,
        auto="off" if not auto else "cheating" if cheating else "honest",
        cheat_rate=CHEAT_RATE if cheat_rate is None else cheat_rate,
        host=host,
        port=port,
    )
    asyncio.run(_open(evening))


async def _open(evening: Evening) -> None:
    from device.sim.live.run import simulate

    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await simulate(evening, _announce, stop)


def _announce(panel: Panel) -> None:
    for seat, address in panel.addresses().items():
        typer.echo(f"{'the table' if seat is None else f'seat {seat}':10} {address}")
