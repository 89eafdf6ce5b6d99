"""`referee simulate` for people: the shipped daemon with a simulated table, in real time.

`device.daemon.assembly` builds it as for `referee run`; only its connections differ."""

from __future__ import annotations

import asyncio
import logging
import secrets
import signal
from collections.abc import Callable, Coroutine, Iterator, Mapping
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import msgspec

from device import games
from device.clock import Clock, WallClock
from device.daemon import assembly
from device.daemon.core import Core, Store
from device.daemon.displays import Waking
from device.daemon.maintenance import Inventory, Maintenance
from device.daemon.match_identity import simulated_chance
from device.daemon.referee import Ports, Referee, VisionPort, together
from device.daemon.systemd_notify import SystemdNotifier
from device.daemon.vision_supervisor import VisionWorker
from device.displays.oled import Oled
from device.journal import Journal
from device.locale import LANGUAGES
from device.owner.claim import BITS
from device.owner.claim_files import OwnerFiles
from device.session.match_start import start_of
from device.session.state import Session, Setup, SetupPage
from device.session.table import KnownGame, Table
from device.settings import TableSettings
from device.settings.table import Display, PagesSettings, Switch
from device.temporary_folders import scratch
from device.web.audiences import OWNER, port_of
from device.web.serving import in_url, url
from engine.entry import Start
from engine.errors import Invalid
from engine.table import Health
from engine.text import Text, many, say
from referee_phones.app import TABLE, Demo
from referee_phones.daemon.page_server import Address, OwnerParts
from referee_simulator.hardware.buzzer import SimulatedBuzzer
from referee_simulator.hardware.oled import SimulatedOled
from referee_simulator.hardware.pins import Pins, at_once, wiring_of
from referee_simulator.harness.plan import settings_of
from referee_simulator.live.autoplay import CHEAT_RATE, AutoPlay
from referee_simulator.live.camera_feed import LiveLens
from referee_simulator.live.dealing import Dealing
from referee_simulator.live.eyes import Eyes, IdealEyes, Sight, Sights
from referee_simulator.live.gateway import Doors, Gateway, check_ports, first_port
from referee_simulator.live.helping import Helping
from referee_simulator.live.live_stage import LiveStage
from referee_simulator.live.phone_server import Vetting
from referee_simulator.live.pieces import enrol_missing, enrol_pieces, missing
from referee_simulator.live.table_parts import Parts
from referee_simulator.live.teaching import Teaching
from referee_simulator.panel import Auto, Bench
from referee_simulator.panel.files import cards, drawer
from referee_simulator.table.scenes import draw, load_scenes
from vision.mat import Mat
from vision.messages import Picture
from vision.messages import VisionSetup as LookAt

PORT = 8137
CONTACT_S = 0.002
TRAIN_S = 0.03

BELIEVED_S = 0.015

SET_OUT_S = 0.2
AGAIN_S = 1.0

TRUE_EYES = say("The referee sees the table itself, not the camera's picture.")
CAMERA_EYES = say("The referee sees only the camera's picture.")
BUTTONS_ALONE = say("This match needs no camera: enter each move with the buttons.")
_log = logging.getLogger(__name__)


class LivePlan(msgspec.Struct, frozen=True):
    """The request to `referee simulate`.

    auto: automatic play, until somebody takes a seat
    language: of displays and pages; None is English, and the browser's own
    ideal: ideal eyes
    helped: a hand carries out orders (`helping`)
    laid: answer the set-up up to its last question
    picture: show the camera's picture on the table's page"""

    game: str = msgspec.field(default_factory=games.usual)
    seats: int = 2
    scene: str = "normal"
    seed: int = 1
    language: str | None = None
    auto: Auto = "off"
    cheat_rate: float = CHEAT_RATE
    host: str = "127.0.0.1"
    port: int = PORT
    ideal: bool = False
    helped: bool = False
    laid: bool = False
    picture: bool = False


class Live:
    """A live table, with its files in a private folder."""

    def __init__(
        self,
        plan: LivePlan,
        folder: Path,
        clock: Clock | None = None,
        enrolling: Callable[[float], None] = lambda _share: None,
    ) -> None:
        """enrolling: callback with the share of pieces enrolled. Raises UnknownGame, Invalid, BadFile, NotEnrolled,
        OSError."""
        clock = clock or WallClock()
        settings = table_settings(plan, folder)
        rules = assembly.session_table(settings)
        places = tuple(sorted({*settings.seats} & {*rules.places}))
        rules = msgspec.structs.replace(rules, game=plan.game, places=places, simulated=True)
        known, mat = _game(rules, plan)
        displays = assembly.displays(settings)
        pins = Pins(wiring_of(settings), plan.seed)
        self._buzzer = assembly.buzzer(settings, pins.factory)
        parts = Parts(pins, {n: _oled(n, each) for n, each in displays.items()}, _make_buzzer(settings, pins))
        scene = draw(load_scenes()[plan.scene], plan.seed)
        self.played = played = Played(rules)
        self.stage = LiveStage(played, known.spec.name, rules.panels, mat, scene=scene, parts=parts, clock=clock)
        self._lens = LiveLens(self.stage, clock, folder / "frames")
        self._journal = Journal(folder / "journal.db")
        self.players = AutoPlay(
            self.stage,
            self._journal,
            clock,
            played,
            plan.game,
            seed=plan.seed,
            cheats=plan.cheat_rate,
            session=self._session_now,
        )
        self.dealing = Dealing(self.stage, played, self._journal, clock, helped=plan.helped)
        self._teaching = Teaching(self.players, self.stage, self.dealing, self._journal, self._session_now, plan.seed)
        if plan.helped:
            self.players.options = self._teaching.options(plan.game, plan.seats)
        self._clock, self._rules, self._settings = clock, rules, settings
        self._plan, self._enrolled = plan, folder / "enrolled"
        if not self._sight(mat.name).ideal and missing(mat, self._enrolled):
            _log.info("the camera is shown the pieces of %s; this takes some seconds", known.spec.title)
            enrol_missing(mat, plan.seed, self._enrolled, enrolling)
        self._sockets = settings.runtime_dir / "pages"
        vision = Sights(mat.name, asked=self._look, sight=self._sight, port=self._eyes, ready=self._ready)
        self._deed = OwnerFiles(folder, folder / "card")
        self._deed.furnish(secrets.randbits(BITS))
        maintenance = Maintenance(self._inventory(vision), clock)
        self._pages = maintenance.pages = self._receive_pages(maintenance)
        wires, notifier = {each: parts.oleds[name] for name, each in displays.items()}, SystemdNotifier()
        self.panes = assembly.panes(
            settings, clock, notifier, told=lambda _name, _there: None, build=lambda each: Oled(each, wires[each])
        )
        waking = Waking(self.panes)
        ports = Ports(
            displays=self.panes,
            outlets=(self.players.note_screen,),
            vision=vision,
            waking=waking,
            buzzer=self._buzzer,
            pages=self._pages,
            maintenance=maintenance,
        )
        cared, store = msgspec.structs.replace(rules, maintenance=True), Store(self._journal)
        core = Core(cared, store, simulated_chance(plan.seed), ports, now=clock.now)
        self.referee = Referee(core, ports, clock, notifier=notifier)
        played.now = lambda: self.referee.core.table
        self._buttons = assembly.panels(
            settings, self.referee.listen, now=clock.now, post=at_once, factory=parts.pins.factory
        )
        seated = self._pages.back
        self.bench = Bench(
            self.stage,
            plan.host,
            plan.port,
            sits=lambda seat, proof: seated(seat, proof) is None,
            worked=waking.hand,
        )

    def _session_now(self) -> Session:
        return self.referee.core.session

    def _receive_pages(self, maintenance: Maintenance) -> Vetting:
        pages, drawn = self._settings.pages, partial(secrets.randbits, BITS)
        made = Vetting(
            self._sockets,
            self._clock,
            drawn=drawn,
            address=Address(pages.hosts[0], pages.port),
            owner=OwnerParts(maintenance, self._deed),
        )
        made.able, made.listed = self.dealing.able, self.dealing.list_actions
        return made

    def _inventory(self, vision: Sights) -> Inventory:
        def camera_state() -> tuple[Health | None, float]:
            state = vision.state
            return (Health(state.health) if state.health else None, state.frame_ms)

        camera = None if self._plan.ideal else vision
        return Inventory(
            self._settings,
            self._settings.runtime_dir,
            camera=camera,
            seen=camera_state,
        )

    def _claim(self) -> str:
        code = self._deed.code()
        return f"{self._page(OWNER)}#{code}" if code else ""

    async def run(self, ready: Callable[[Doors], None], stop: asyncio.Event) -> None:
        """Run until `stop`. ready: called when pages can be opened. Raises OSError for a taken port, EndpointError
        without a place for sockets."""
        try:
            await self.bench.start()
            await self._pages.listen()
            gateway = Gateway(self._settings, self._sockets, self._plan.host, self._demo())
            helping = Helping(
                self.stage, self.dealing, self._clock, self._plan.seed, lambda: self._session_now().phones
            )
            loops = [
                self.referee.run(self._buttons),
                gateway.run(),
                self._open(ready),
                self._upkeep(self._lens.run),
                self._upkeep(self.players.run),
                self._upkeep(self.dealing.run),
                self._upkeep(self._set_out),
                self._upkeep(self._pages.know_hands),
                self._move_contacts(),
                *([self._upkeep(helping.run), self._upkeep(self._teaching.run)] if self._plan.helped else []),
            ]
            await together(loops, stop)
        finally:
            await self.bench.close()
            for panel in self._buttons:
                panel.close()
            if self._buzzer is not None:
                self._buzzer.close()
            self._lens.close()
            self._journal.close()

    async def _open(self, ready: Callable[[Doors], None]) -> None:
        while not self.referee.core.session.invited.keys() >= set(self.stage.seats):
            await self._clock.sleep_until(self._clock.now() + SET_OUT_S)
        if self._plan.laid:
            for wish in self.players.to_check():
                await self.players.grant(wish)
        self.stage.play(self._plan.auto)
        while self.stage.auto() != "off" and not self.players.entries():
            await self._clock.sleep_until(self._clock.now() + SET_OUT_S)
        ready(self.doors)
        await asyncio.Event().wait()

    @property
    def doors(self) -> Doors:
        host, invited = self._plan.host, self.referee.core.session.invited
        seats = {seat: self._page(seat) + _mark(invited.get(seat, "")) for seat in self.stage.seats}
        table, owner = self._page("table"), self._claim() or self._page(OWNER)
        return Doors(table, seats, f"{table}#{self.bench.token}", owner, abroad=not _alone(host))

    def _page(self, audience: str) -> str:
        return url(self._plan.host, port_of(audience, self._settings.pages.port))

    def _demo(self) -> Demo:
        """Return the pages' additions. The simulator reveals secrets, so only local browsers get its token; others need
        the printed address."""
        alone, port = _alone(self._plan.host), self.bench.port
        seats = {seat: self._page(seat) for seat in self.stage.seats}
        beside = dict.fromkeys(self.stage.seats, cards(port))
        beside[TABLE] = drawer(port, self.bench.token if alone else "")
        lessons = tuple(self._teaching.lessons) if self._plan.helped else ()
        return Demo(seats, not alone, beside, self._plan.language, lessons)

    def _look(self, setup: LookAt) -> None:
        self.stage.change_mat(self._rules.mats[setup.mat])

    def _sight(self, mat: str) -> Sight:
        ideal = self._plan.ideal
        return Sight(ideal, () if ideal else tuple(sorted({zone.set for zone in self._rules.mats[mat].zones})))

    def _eyes(self, sight: Sight) -> VisionPort:
        if sight.ideal:
            return IdealEyes(self.stage, self._rules.mats, self.players.note_report)
        command, folder = assembly.worker_command(self._settings), self._settings.runtime_dir
        worker = VisionWorker(command, folder, pictures=self._on_picture)
        return Eyes(worker, self.players.note_report)

    def _on_picture(self, picture: Picture) -> None:
        """Pass on the mat at rest; the first eyes open before the server of pages."""
        self._pages.on_picture(picture)

    def told_eyes(self) -> Text:
        start = self.dealing.start
        if start is not None:
            table = self._rules.games[start.game].spec.table(start.options, len(start.seats))
            if table is None or table.mat is None:
                return BUTTONS_ALONE
        return TRUE_EYES if self._sight(self.stage.mat.name).ideal else CAMERA_EYES

    async def _ready(self, mat: str) -> None:
        if not self._sight(mat).ideal:
            await enrol_pieces(self._rules.mats[mat], self._plan.seed, self._enrolled)

    async def _upkeep(self, loop: Callable[[], Coroutine[Any, Any, None]]) -> None:
        while True:
            with self.stage.mending():
                await loop()
            await self._clock.sleep_until(self._clock.now() + AGAIN_S)

    async def _set_out(self) -> None:
        prepared: Start | None = None
        while True:
            session = self.referee.core.session
            self.stage.note = self.told_eyes()
            self.stage.chosen = session.stage.game if isinstance(session.stage, Setup) else ""
            if isinstance(session.stage, Setup) and session.stage.page is SetupPage.CHECK:
                start = start_of(self.played[session.stage.game], session.stage, session.seed)
                if start != prepared:
                    prepared = start
                    self.stage.prepare(start)
            else:
                prepared = None
            await self._clock.sleep_until(self._clock.now() + SET_OUT_S)

    async def _move_contacts(self) -> None:
        """Drive due contacts, with time to debounce between, so that a late machine loses no press."""
        pins = self.stage.pins
        while True:
            now, due = self._clock.now(), pins.due()
            stirred = due is not None and due <= now
            if due is not None and stirred:
                pins.advance(min(now, due + TRAIN_S))
            await self._clock.sleep_until(self._clock.now() + (BELIEVED_S if stirred else CONTACT_S))


def simulate(
    plan: LivePlan, ready: Callable[[Doors], None], enrolling: Callable[[float], None] = lambda _share: None
) -> None:
    """Run a live table until SIGINT or SIGTERM, then remove its files. Raises as `Live`, and PageError. While the
    table is being laid, signals end the program at once."""
    asyncio.run(check_ports(plan.port, plan.host))
    with scratch() as folder:
        asyncio.run(_until_told(Live(plan, folder, enrolling=enrolling), ready))


async def _until_told(live: Live, ready: Callable[[Doors], None]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await live.run(ready, stop)


def table_settings(plan: LivePlan, folder: Path) -> TableSettings:
    """Return a plan's table file, with pages and all files in a folder. Raises PageError."""
    port = first_port(plan.port, plan.host)
    picture: Switch = "on" if plan.picture else "off"
    return msgspec.structs.replace(
        settings_of(plan.seats, folder),
        pages=PagesSettings(on=True, hosts=(in_url(plan.host),), port=port, group="", picture=picture),
        language=plan.language or LANGUAGES[0],
    )


def _alone(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _mark(invitation: str) -> str:
    """Return an invitation's fragment."""
    _, mark, code = invitation.partition("#")
    return mark + code


def _game(rules: Table, plan: LivePlan) -> tuple[KnownGame, Mat]:
    spec = games.spec(plan.game)
    mats = [table.mat for table in spec.tables if table.mat and plan.seats in table.seats]
    if not mats:
        raise Invalid(
            many(
                "{game} has no mat for one player.",
                "{game} has no mat for {count} players.",
                plan.seats,
                game=spec.title,
            )
        )
    return rules.games[spec.name], rules.mats[mats[0]]


def _make_buzzer(settings: TableSettings, pins: Pins) -> SimulatedBuzzer | None:
    return None if settings.buzzer is None else SimulatedBuzzer(pins.factory.pin(settings.buzzer.pin))


def _oled(name: str, display: Display) -> SimulatedOled:
    return SimulatedOled(display.controller, display.pixels, seed=sum(map(ord, name)))


class Played(Mapping[str, KnownGame]):
    """The games with the owner's present corrections. now: returns the session's table."""

    def __init__(self, table: Table) -> None:
        self.now: Callable[[], Table] = lambda: table

    def __getitem__(self, name: str) -> KnownGame:
        return self.now().games[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.now().games)

    def __len__(self) -> int:
        return len(self.now().games)
