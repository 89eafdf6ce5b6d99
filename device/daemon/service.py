"""Runs `referee run`: the daemon on real hardware."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import secrets
import signal
import sys
import time
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec
import zmq

from device.bus.display_sockets import Endpoints
from device.bus.endpoints import alone, runtime_dir
from device.buzzer import Buzzer
from device.clock import Clock, WallClock, wall_time
from device.daemon import assembly, safe_mode, status
from device.daemon.core import Core, Store
from device.daemon.displays import Pane, Waking, run_until, show_fault
from device.daemon.forgetting import Retention
from device.daemon.hooks import PagesSetup, SigningPort, SigningSetup, open_pages, open_signing
from device.daemon.kept_pictures import KeptPictures
from device.daemon.maintenance import Inventory, Maintenance
from device.daemon.match_identity import Chance, Identity
from device.daemon.referee import PagesPort, Ports, Referee
from device.daemon.safe_mode import Begun
from device.daemon.systemd_notify import SystemdNotifier, Watchdog, come_to, watchdog_s
from device.daemon.vision_supervisor import CameraState, VisionWorker, WorkerTimeout
from device.displays import oled
from device.displays.oled import note
from device.journal.opening import Opened, open_at_power_on
from device.logs import log_to_stderr
from device.owner import health
from device.owner.backup import sweep
from device.session.table import TABLE, Table
from device.settings.table import NoCamera, TableSettings
from device.version import version
from engine.errors import RefereeError
from engine.rules import Rules
from engine.table import Health, Seat
from engine.text import say
from vision.device_nodes import LATE, forbidden_node
from vision.files import private_dir

WATCHDOG_S = 30.0
SWITCH_S = 0.0005
"""Python's thread switch interval in seconds: its default 5 ms would delay display buses."""

PREPARED_S = 2.0
"""Seconds after the start before match preparations, once displays have screens."""

NO_PAGES = say("Phones can't join. The service's log says why.")
_log = logging.getLogger(__name__)


def run(table: Path | str, *, verbose: bool = False, lit: int | None = None) -> None:
    """Run the service on a table file, logging to standard error. lit: file descriptor for
    `device.displays.switch_off.fork_switch_off`."""
    log_to_stderr(verbose)
    sys.setswitchinterval(SWITCH_S)
    come_to("reading the table file")
    asyncio.run(serve(safe_mode.begin(Path(table), time.monotonic()), lit))


async def serve(begun: Begun, lit: int | None = None) -> None:
    """Run until SIGTERM or SIGINT. Raises RefereeError or zmq.ZMQError for unusable equipment."""
    settings = begun.table
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        folder = runtime_dir(settings.runtime_dir)
    except RefereeError as error:
        _log.error("%s", error)
        clock = WallClock()
        panes = assembly.panes(settings, clock, SystemdNotifier(), told=partial(_report_end, settings))
        await show_fault(panes, error, settings.language, clock, stop)
        raise
    with suppress(OSError):  # the journal names the fault; its seeds are every secret of a match
        private_dir(settings.state_dir)
    with alone(folder, settings.state_dir):
        _sweep(settings.state_dir)
        _note_lit(settings, folder, lit)
        start = begun.start or safe_mode.record_start(folder, time.monotonic())
        if start.pause_s > 0:
            _log.warning("started too often; waiting %.0f s", start.pause_s)
            come_to("waiting, as it was started too often")
            panes = assembly.panes(settings, WallClock(), SystemdNotifier(), told=partial(_report_end, settings))
            await dark(panes, start.pause_s, stop)
        if not stop.is_set():
            await _referee(begun._replace(start=start), folder, stop)
        safe_mode.clear_starts(folder)


def _sweep(state: Path) -> None:
    try:
        if left := sweep(state):
            _log.info("removed what a power cut left: %s", ", ".join(map(str, left)))
    except OSError as error:
        _log.warning("what a power cut left of pieces and cards stays there: %s", error)


def _note_lit(settings: TableSettings, folder: Path, lit: int | None) -> None:
    try:
        path = note(folder, assembly.displays(settings))
        if lit is not None:
            os.write(lit, f"{path.absolute()}\n".encode())
    except OSError as error:
        _log.warning("after a kill displays would stay lit until the next start: %s", error)


async def _referee(begun: Begun, folder: Path, stop: asyncio.Event) -> None:
    filed, begun = begun.table, safe_mode.with_choices(begun)
    period = watchdog_s() or WATCHDOG_S
    settings, clock, notifier = begun.table, WallClock(), SystemdNotifier(round_s=period / 6)
    panes = assembly.panes(settings, clock, notifier, told=partial(_report_end, settings))
    come_to("reading the journal")
    opened = _journal(begun)
    come_to("making ready for its owner and for phones")
    worker = _vision(settings, notifier, KeptPictures(settings.state_dir, opened.journal))
    signing = await open_signing(SigningSetup(settings, folder, clock))
    maintenance = Maintenance(_inventory(begun, filed, folder, panes, worker, signing), clock)
    displayed = partial(_working_displays, settings, panes)
    pages = await open_pages(PagesSetup(settings, folder, clock, maintenance, displayed))
    if settings.pages.on and pages is None:
        begun = begun._replace(told=(*begun.told, NO_PAGES))
    if worker is not None and pages is not None:
        worker.pictures = pages.on_picture
    with opened.journal, zmq.Context() as context, ExitStack() as parts:
        if pages is not None:
            parts.callback(pages.close)
        async with _fault_shown(panes, settings, clock, stop):
            endpoints = Endpoints(context, folder, tuple(dict.fromkeys((*panes, TABLE))))
            parts.callback(endpoints.close)
            ports = Ports(
                displays=panes,
                outlets=(endpoints.publish,),
                vision=worker,
                waking=Waking(panes),
                buzzer=_buzzer(settings, parts),
                pages=pages,
                maintenance=maintenance,
            )
            core = _core(begun, opened, ports, signing, clock)
            tidy = Retention(opened.journal, settings.keep_days, wall_time).drop_old
            referee = Referee(core, ports, clock, notifier=notifier, tidy=tidy)
            if signing is not None:
                signing.connect(core, lambda: health.wrong(maintenance.facts()))
            come_to("asking for its pins")
            post = asyncio.get_running_loop().call_soon_threadsafe
            panels = assembly.panels(settings, referee.listen, now=clock.now, post=post)
        for panel in panels:
            parts.callback(panel.close)
        telling = _telling(begun, folder, panes, worker, clock, pages)
        ready = _ready_to_begin(signing, core.table, clock)
        for meanwhile in (_welcome(endpoints, clock), _steady(folder, clock), ready, telling, _publish(signing)):
            parts.callback(asyncio.ensure_future(meanwhile).cancel)
        try:
            await _note_run(referee.run(panels, Watchdog(notifier, clock, period / 3), stop), begun, folder, clock)
        finally:
            if signing is not None:
                await signing.close()


async def _publish(signing: SigningPort | None) -> None:
    if signing is not None:
        await signing.run()


def _buzzer(settings: TableSettings, parts: ExitStack) -> Buzzer | None:
    buzzer = assembly.buzzer(settings)
    if buzzer is not None:
        parts.callback(buzzer.close)
    return buzzer


@asynccontextmanager
async def _fault_shown(
    panes: Mapping[str, Pane], settings: TableSettings, clock: Clock, stop: asyncio.Event
) -> AsyncIterator[None]:
    """Show and log a fault of starting, then raise it."""
    try:
        yield
    except (RefereeError, zmq.ZMQError) as error:
        _log.error("%s", error)
        await show_fault(panes, error, settings.language, clock, stop)
        raise


def _telling(
    begun: Begun,
    folder: Path,
    panes: Mapping[str, Pane],
    worker: VisionWorker | None,
    clock: Clock,
    pages: PagesPort | None,
) -> Coroutine[None, None, None]:
    """Return the loop that writes the status file."""
    first = status.initial_status(time.process_time(), version(), safe=begun.start is not None and begun.start.safe)
    shut = partial(_shut, begun.table)
    return status.tell(folder, first, panes, worker, shut, clock, partial(_workers, pages))


async def _note_run(running: Coroutine[None, None, None], begun: Begun, folder: Path, clock: Clock) -> None:
    assert begun.start is not None
    safe_mode.record_ready(folder, begun.start)
    gc.freeze()
    gc.enable()
    ready = clock.now()
    try:
        await running
    except Exception:
        if clock.now() < ready + safe_mode.STEADY_S:
            safe_mode.note_broken(folder, begun.start)
        raise


async def _steady(folder: Path, clock: Clock) -> None:
    await clock.sleep_until(clock.now() + safe_mode.STEADY_S)
    safe_mode.clear_failures(folder)


def _journal(begun: Begun) -> Opened:
    if begun.start is None or not begun.start.safe:
        return open_at_power_on(begun.table.state_dir / "journal.db")
    return safe_mode.open_journal(begun.table.state_dir, begun.start.failed)


def _core(begun: Begun, opened: Opened, ports: Ports, signing: SigningPort | None, clock: Clock) -> Core:
    come_to("reading the games")
    settings, shipped = begun.table, begun.start is not None and begun.start.safe
    wrong = [*((safe_mode.TOLD,) if shipped else ()), *begun.told, *((opened.mended,) if opened.mended else ())]
    table = assembly.session_table(settings, wrong.append, shipped=shipped)
    come_to("going on with what was played")
    drawn = partial(secrets.randbits, 62)
    identity = Identity(
        partial(secrets.randbits, 128), wall_time, settings.name, None if signing is None else signing.secret
    )
    return Core(
        msgspec.structs.replace(table, maintenance=True, pages=table.pages and ports.pages is not None),
        Store(opened.journal, opened.unsaved, settings.state_dir if opened.unsaved is None and not shipped else None),
        Chance(drawn(), drawn, drawn, identity),
        ports,
        now=clock.now,
        told=tuple(wrong),
        goes_on=True,
        listener=None if signing is None else signing.listener,
    )


async def _ready_to_begin(signing: SigningPort | None, table: Table, clock: Clock) -> None:
    await clock.sleep_until(clock.now() + PREPARED_S)
    if signing is not None:
        await asyncio.to_thread(signing.prepare, tuple(table.games.values()))
    await asyncio.to_thread(_learn, table)
    gc.freeze()  # all of it stays


def _learn(table: Table) -> None:
    for name, known in table.games.items():
        if isinstance(known.game, Rules):
            try:
                known.game.learn()
            except Exception:  # noqa: BLE001  whatever an installed game raises, the others are learned
                _log.exception("the menus of the game %s cannot be made: put its commands right", name)


def _inventory(
    begun: Begun,
    filed: TableSettings,
    folder: Path,
    panes: Mapping[str, Pane],
    worker: VisionWorker | None,
    signing: SigningPort | None,
) -> Inventory:
    def on_report() -> tuple[Health | None, float]:
        state = worker.state if worker is not None else CameraState()
        return (Health(state.health) if state.health else None, state.frame_ms)

    return Inventory(
        begun.table,
        folder,
        displays=lambda: {name: pane.keeper.there for name, pane in panes.items()},
        camera=worker,
        seen=on_report,
        filed=filed,
        key=signing.shown_key if signing is not None else lambda: ("", ""),
        safe=begun.start is not None and begun.start.safe,
        file=begun.file,
    )


def _working_displays(settings: TableSettings, panes: Mapping[str, Pane]) -> frozenset[Seat]:
    """Return the seats whose display answers."""
    return frozenset(seat for seat in settings.seats if panes[seat].keeper.there)


def _workers(pages: PagesPort | None) -> dict[str, int] | None:
    return None if pages is None else dict(pages.workers)


async def dark(panes: Mapping[str, Pane], seconds: float, stop: asyncio.Event) -> None:
    """Keep displays dark, as they may show a secret, for these seconds or until `stop`."""
    clock = WallClock()
    await run_until(panes, clock.sleep_until(clock.now() + seconds), stop)


def _vision(settings: TableSettings, notifier: SystemdNotifier, kept: KeptPictures) -> VisionWorker | None:
    if isinstance(settings.camera, NoCamera):
        return None
    notifier.watch("vision")
    return VisionWorker(
        assembly.worker_command(settings),
        settings.runtime_dir,
        beat=partial(notifier.beat, "vision"),
        kept=kept.keep,
        timeout=WorkerTimeout(time.process_time()),
    )


async def _welcome(endpoints: Endpoints, clock: Clock) -> None:
    while True:
        endpoints.welcome()
        await clock.sleep_until(clock.now() + 0.5)


def _report_end(settings: TableSettings, display: str, there: bool) -> None:
    if there:
        _log.info("display %s answers", display)
    elif (shut := _shut(settings, display)) is not None:
        _log.error("display %s: %s may not be used: %s", display, shut, LATE)
    else:
        _log.warning("display %s does not answer; it is tried again", display)


def _shut(settings: TableSettings, display: str) -> Path | None:
    return forbidden_node([oled.node(assembly.displays(settings)[display])])
