"""Runs the owner's maintenance tasks (`device.owner.context.OwnerContext`).

They get the camera only outside matches and set-up checks.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from device.camera_preview import CameraPreview
from device.clock import Clock, wait
from device.daemon.assembly import enrolled_folders
from device.daemon.jobs import (
    NEEDED,
    NOBODY,
    ROUND_S,
    WIDTH,
    CameraLender,
    Looking,
    Remote,
    RunningTask,
    printing,
    saving,
)
from device.daemon.status import free_bytes, free_memory_bytes, heat_c, throttling
from device.journal import JournalError
from device.owner.camera_job import command
from device.owner.context import Facts, KnownItem
from device.owner.start_page import home
from device.owner.steps import Notice, Task, TaskMenu, TaskStep, question_signature
from device.session.check import STARTING, is_lost, trouble
from device.session.messages import LanguageChosen, MaintenanceShown, Tend
from device.session.state import CARD_PAGES, Session, Setup, SetupPage
from device.settings import DEFAULT_TABLE, owner_settings
from device.settings.table import NoCamera, Shared, TableSettings, Value
from device.version import version
from device.web.audiences import AUDIENCES
from engine.table import Health
from engine.text import Text, say
from vision.files import exists
from vision.recognition.index import INDEX

if TYPE_CHECKING:
    from device.daemon.referee import PagesPort, Referee

STAGE = "owner-stage"
"""The journal's setting for progress of the first run."""

FACTS_S = 3.0
"""Seconds that looked-up facts stay valid."""

BUSY_PAGES = frozenset({SetupPage.CHECK}) | CARD_PAGES
"""Set-up pages that need the camera."""

UNCHECKED = say(
    "The table is receiving the pictures. To check them, open “The camera's picture” in the table settings."
)

_log = logging.getLogger(__name__)


class Inventory(msgspec.Struct, frozen=True):
    """The table's equipment.

    displays: returns by name True if it answers.
    seen: returns the camera's health, or None, and milliseconds per picture.
    filed: settings without the owner's choices.
    scratch: folder in memory.
    key: returns the public key as text and for a QR code; raises OSError.
    safe: in safe mode.
    file: the table file.
    """

    settings: TableSettings
    scratch: Path
    displays: Callable[[], dict[str, bool]] = dict
    camera: CameraLender | None = None
    seen: Callable[[], tuple[Health | None, float]] = lambda: (None, 0.0)
    filed: TableSettings | None = None
    key: Callable[[], tuple[str, str]] = lambda: ("", "")
    safe: bool = False
    file: Path = DEFAULT_TABLE


class Maintenance:
    """The owner's maintenance menu, connected to a referee by `begin`. pages: None without any."""

    def __init__(self, inventory: Inventory, clock: Clock) -> None:
        self._inventory, self._clock = inventory, clock
        self._referee: Referee | None = None
        self._home: TaskMenu | None = None
        self._running: dict[asyncio.Future[None], RunningTask] = {}
        self._woken = asyncio.Event()
        self._spoken: str | None = None
        self._shown: TaskStep | None = None
        self._pressed = False
        self._settings: tuple[owner_settings.OwnedSetting, ...] | None = None
        self._facts: tuple[float, Facts] | None = None
        self.pages: PagesPort | None = None
        self.serial = 1
        """Increases when a tap's effect changes."""
        self._asked: tuple[object, ...] = ()

    def begin(self, referee: Referee) -> None:
        self._referee = referee

    async def run(self) -> None:
        referee = self._at
        try:
            while True:
                due = self._clock.now() + ROUND_S if self._attended else None
                await wait(self._clock, self._woken, referee.rests(due))
                self.look()
                referee.notifier.beat("owner")
        finally:
            for work, job in self._running.items():
                _leave(work, job)
            await asyncio.gather(*self._running, return_exceptions=True)

    # The menu.

    @property
    def step(self) -> TaskStep:
        """The owner's current step; reading it increases `serial` after a change."""
        step = self._desk.step()
        if question_signature(step) != self._asked:
            self._asked = question_signature(step)
            self.serial += 1
        return step

    @property
    def language(self) -> str:
        """The table's language, as last chosen."""
        known = self._at.core.session.language
        if self._spoken == known:
            self._spoken = None
        return self._spoken or known

    def choose(self, line: int) -> None:
        self._desk.choose(line)
        self.wake()

    def on_tend(self, wish: Tend) -> None:
        """Choose a line at the buttons, or open the page; ignore outdated presses."""
        if (
            wish.line is not None
            and wish.step is not None
            and question_signature(wish.step) == question_signature(self.step)
        ):
            self._pressed = True
            try:
                self._desk.choose(wish.line)
            finally:
                self._pressed = False
        self._shown = None
        self.wake()

    def wake(self) -> None:
        """Wake the loop after a possible change."""
        self._woken.set()

    def look(self) -> None:
        """Drop finished tasks, cancel those that the owner has left, show changes."""
        doing = self.step.doing if self._running else None
        for work, job in tuple(self._running.items()):
            if work.done():
                del self._running[work]
                if not work.cancelled() and (error := work.exception()) is not None:
                    _log.error("a task of the owner's failed: %s", error)
                    job.note_failure()
            elif job.shown and job.step().doing != doing:
                _leave(work, job)  # the owner left it
            elif job.over and not isinstance(job, Looking):
                _leave(work, job)
            else:
                job.shown = job.step().doing == doing
        if self._attended:
            step = self.step
            if step != self._shown:
                before, self._shown = self._shown, step
                if before is None or _plain(before) != _plain(step):
                    self._tell_displays(step)
                if self.pages is not None:
                    self.pages.renew_step()

    def _tell_displays(self, step: TaskStep) -> None:
        if self._at_buttons:
            self._at.give(MaintenanceShown(self._clock.now(), _plain(step)))

    @property
    def _attended(self) -> bool:
        return bool(self._running) or self._seen_step()

    @property
    def _at_buttons(self) -> bool:
        stage = self._at.core.session.stage
        return isinstance(stage, Setup) and stage.page is SetupPage.CARE

    @property
    def _desk(self) -> TaskMenu:
        if self._home is None:
            self._home = home(self)
        return self._home

    @property
    def _at(self) -> Referee:
        assert self._referee is not None, "nobody asks before there is a referee"
        return self._referee

    def free(self) -> bool:
        """Return True if neither a match nor a set-up page needs the camera."""
        return _free(self._at.core.session)

    def _unseen(self) -> Text | None:
        if not self.free():
            return NEEDED
        return None if self._seen_step() else NOBODY

    def _seen_step(self) -> bool:
        return self._at_buttons or (self.pages is not None and self.pages.watched)

    def on_claim(self) -> None:
        """Reset the menu for a new owner, unless a task is open."""
        if self._home is not None and not self._home.inside:
            self._home = None
        self.wake()

    def camera_words(self) -> tuple[Text, ...]:
        """Return sentences about the camera's picture: hints while the owner looks at it, else its health."""
        looking = next((job for job in self._running.values() if isinstance(job, Looking)), None)
        if looking is not None and (step := looking.step()).picture is not None:
            return step.remarks or (step.now,)
        health, _ = self._inventory.seen()
        if health is Health.OK and self.free():  # no mat is looked for yet
            return (UNCHECKED,)
        return (STARTING if health is None else trouble(health),)

    # `device.owner.context.OwnerContext`.

    @property
    def buttons(self) -> bool:
        table = self._at.core.table
        return bool(table.panels or table.shared)

    def settings(self) -> tuple[owner_settings.OwnedSetting, ...]:
        if self._inventory.safe:
            return ()
        if self._settings is None:
            self._settings = owner_settings.settings_of(owner_settings.laid_over(self._filed).table)
        return self._settings

    def change(self, key: str, value: Value | None) -> None:
        if self._inventory.safe:
            raise OSError("in safe mode nothing that was chosen is written")
        owner_settings.keep(self._filed.state_dir, key, value)
        self._settings = None

    @property
    def _filed(self) -> TableSettings:
        return self._inventory.filed or self._inventory.settings

    def speak(self, code: str) -> None:
        self._spoken = code
        self._at.give(LanguageChosen(self._clock.now(), code))

    def facts(self) -> Facts:
        """Return facts about the table, at most FACTS_S old."""
        now = self._clock.now()
        if self._facts is None or now >= self._facts[0] + FACTS_S:
            self._facts = now, self._looked_up()
        return self._facts[1]

    def _looked_up(self) -> Facts:
        health, frame_ms = self._inventory.seen()
        if is_lost(self._at.core.session) and not (health is not None and health.lost):
            health = Health.NO_FRAMES
        state = self._inventory.settings.state_dir
        return Facts(
            displays=self._inventory.displays(),
            looks=not isinstance(self._inventory.settings.camera, NoCamera),
            camera=health,
            frame_ms=frame_ms,
            sets=self._sets(),
            pages=self._pages(),
            free_bytes=free_bytes(state),
            free_memory_bytes=free_memory_bytes(),
            heat_c=heat_c(),
            throttled=throttling(),
            saved=self._at.core.session.unsaved is None and self._at.core.session.unkept is None,
            safe=self._inventory.safe,
            version=version(),
        )

    def _pages(self) -> dict[str, int] | None:
        if self.pages is not None:
            return dict(self.pages.workers)
        return dict.fromkeys(AUDIENCES, 0) if self._inventory.settings.pages.on else None

    def _sets(self) -> tuple[KnownItem, ...]:
        taken = {
            name for name, folder in enrolled_folders(self._inventory.settings).items() if exists(Path(folder) / INDEX)
        }
        found: dict[str, Text] = {}
        table = self._at.core.table
        for known in table.games.values():
            laid = (table.mats.get(each.mat or "") for each in known.spec.tables)
            names = sorted({zone.set for mat in laid if mat is not None for zone in mat.zones})
            for name in names:
                title = Text(known.spec.title)
                found.setdefault(name, title if len(names) == 1 else say("{game}: {set}", game=title, set=Text(name)))
        return tuple(KnownItem(name, title, name in taken) for name, title in found.items())

    def games(self) -> tuple[KnownItem, ...]:
        return tuple(KnownItem(name, Text(known.spec.title)) for name, known in self._at.core.table.games.items())

    def owner_page(self) -> str:
        return "" if self.pages is None else self.pages.claim_address()

    def key(self) -> tuple[str, str]:
        try:
            return self._inventory.key()
        except (OSError, ImportError) as error:
            _log.error("the table's key cannot be shown: %s", error)
            return "", ""

    def table_page(self) -> str:
        return "" if self.pages is None else self.pages.address

    def stage(self) -> int:
        kept = self._at.core.load_setting(STAGE) or "0"
        return int(kept) if kept.isdecimal() else 0

    def reach_step(self, stage: int) -> None:
        try:
            self._at.core.keep(STAGE, str(stage))
        except JournalError as error:
            _log.error("how far the first run has come is not kept: %s", error)

    def at_the_table(self) -> bool:
        return self._pressed

    def looking(self) -> Task:
        specs = [known.spec for known in self._at.core.table.games.values()]
        folder = self._inventory.scratch / "owner"
        make = partial(CameraPreview, self._inventory.settings, specs, folder, WIDTH)
        looking = Looking(self._clock, self._inventory.camera, make, self._unseen, self._camera_address)
        return self._begin_job(looking)

    def _camera_address(self) -> str:
        return "" if self.pages is None else self.pages.camera_address()

    def enrolling(self, name: str) -> Task:
        camera, settings = self._inventory.camera, self._inventory.settings
        if camera is None or isinstance(settings.camera, Shared):
            told = say("The pieces of a simulated table are enrolled already.")
            return Notice(lambda: TaskStep(say("Enrol pieces"), told))
        doing = say("Enrol: {set}", set=Text(name))
        return self._begin_job(Remote(self._clock, doing, camera, command(settings, name), self.free))

    def names(self) -> tuple[str, ...]:
        return self._at.core.names()

    def forget(self, name: str) -> None:
        self._at.forget(name)

    def saving(self) -> Task:
        return self._begin_job(saving(self._clock, self._inventory.settings.state_dir, self._inventory.file))

    def printing(self, game: str, paper: str) -> Task:
        title = Text(self._at.core.table.games[game].spec.title)
        words = (game, "--paper", paper, "--language", self.language)
        return self._begin_job(printing(self._clock, title, words, self._inventory.scratch))

    def _begin_job(self, job: RunningTask) -> RunningTask:
        self._running[asyncio.ensure_future(job.run())] = job
        self.wake()
        return job


def _leave(work: asyncio.Future[None], job: RunningTask) -> None:
    if not job.left:
        job.left = True
        work.cancel()


def _free(session: Session) -> bool:
    return isinstance(session.stage, Setup) and session.stage.page not in BUSY_PAGES


def _plain(step: TaskStep) -> TaskStep:
    return msgspec.structs.replace(step, picture=None, file=None)
