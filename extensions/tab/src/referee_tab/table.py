"""A table in a browser's tab: the session runs beside its pages, and nothing leaves the tab.

All share one device, so a page proves nothing to the table; the page covers what a player may not see.
"""

from __future__ import annotations

import base64
import logging
import random
import time
from collections.abc import Callable
from enum import Enum
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec

from device import games
from device.daemon.core import Core, Store
from device.daemon.match_identity import Chance, Identity
from device.journal import About, Journal
from device.journal.match_info import Secret
from device.lessons import lessons
from device.locale import LANGUAGES, translate
from device.records.public_match import begins
from device.records.public_record import write_record
from device.screens.page_view import PageView, wire
from device.screens.screen import Screen
from device.session import names, tapping
from device.session.aim import READING_S
from device.session.matches import add_notes, over
from device.session.messages import Dismiss, Input, Invite, Joined, NameGiven, Tap, Tend, Tick
from device.session.page_views import sheet
from device.session.state import Play, Setup, SetupPage
from device.session.table import TABLE, KnownGame, Table
from device.version import version
from engine.catalogue import Colour, GameSpec
from engine.entry import Entry
from engine.errors import Refusal
from engine.table import SEATS, Seat
from engine.text import Text
from referee_record.public_entries import FORMAT, SALT
from referee_tab.opponent import Opponent
from vision.files import BadFile
from vision.mat import Mat
from vision.messages import ToWorker

_RANDOM = random.SystemRandom()
_log = logging.getLogger(__name__)

KEY_SEED = "key seed"
"""Journal setting with the seed of the tab's key."""

Send = Callable[[int, str], None]
"""Sends JSON text to a page, by its link's number."""


class Way(Enum):
    """Players of the other seats: people, or the table, which may teach."""

    TOGETHER = "together"
    TABLE = "table"
    LESSON = "lesson"


class TapMessage(msgspec.Struct, frozen=True):
    """A touched line: see `device.session.messages.Tap`."""

    serial: int
    line: int
    menu: bool = False


class PageMessage(msgspec.Struct, frozen=True):
    """A page's message: a tap, language, name with colour, request to save the match, or lesson's wish. Requests for
    signed records go elsewhere (static/worker.js)."""

    tap: TapMessage | None = None
    speak: str | None = None
    name: str | None = None
    colour: Colour | None = None
    save: bool = False
    learn: str | None = None


class Nothing:
    """Ignores what a tab's table has no use for."""

    def show(self, display: str, screen: Screen, language: str) -> None: ...

    def look(self, message: ToWorker) -> None: ...

    def wish(self, wish: Invite | Dismiss | Tend) -> None: ...


class Page:
    """An open page. sent: its fields; lesson: its card; seen: each list's serial and time, by `menu`."""

    def __init__(self, audience: str, language: str) -> None:
        self.audience, self.language = audience, language
        self.sent: dict[str, Any] = {}
        self.lesson: dict[str, Any] | None = None
        self.count = 0
        self.seen: dict[bool, tuple[int, float]] = {}


class Tab:
    """A table with a page at every seat.

    folder: of the journal. seats: number of players. leave: leaves an open match. draw: gives random bits.
    """

    def __init__(
        self,
        send: Send,
        folder: Path,
        *,
        language: str,
        seats: int = len(SEATS),
        leave: bool = False,
        now: Callable[[], float] = time.monotonic,
        draw: Callable[[int], int] = _RANDOM.getrandbits,
    ) -> None:
        self._send, self._clock, self._draw, self._ahead = send, now, draw, 0.0
        self._pages: dict[int, Page] = {}
        self._opponent: Opponent | None = None
        self._noted: tuple[int | None, float | None] | None = None
        identity = Identity(partial(draw, 128), secret=self._new_secret)
        chance = Chance(draw(62), partial(draw, 62), partial(draw, 62), identity)
        journal = Journal(folder / "journal.db")
        journal.write(settings={"language": language}, leave=leave)
        self._core = Core(_table(SEATS[:seats]), Store(journal), chance, Nothing(), now=self._now)
        for seat in self._core.table.places:
            self._core.take(Joined(seat, self._now(), again=True))

    def set_up(self, game: str, players: int, way: Way = Way.TOGETHER) -> None:
        """Answer the questions before a match as most would, and begin it, unless one goes on.

        way: who plays at all seats but the first."""
        known = self._core.table.games[game]
        while isinstance(stage := self._core.session.stage, Setup):
            match stage.page:
                case SetupPage.LAST:
                    line = 1  # something else
                case SetupPage.LANGUAGE:
                    line = LANGUAGES.index(self._core.session.language)
                case SetupPage.GAME:
                    line = list(self._core.table.games).index(game)
                case SetupPage.SEATS:
                    line = seat_counts(known.spec).index(players)
                case _:  # the first answer goes on
                    line = 0
            shown, audience = self._now(), SEATS[0]
            serial = sheet(self._core.table, self._core.session, audience).answers.serial
            self._ahead += READING_S
            self._core.take(Tap(audience, serial, line, menu=False, at=self._now(), shown=shown))
        if way is not Way.TOGETHER:
            self._opponent = self._new_opponent(way)
            cardless = {name: each for name, each in self._core.table.games.items() if each.spec.dealer is None}
            self._core.table = msgspec.structs.replace(self._core.table, games=cardless)  # it holds no cards in hand
        self._show_all()

    def _new_secret(self) -> Secret:
        return Secret(self._draw(8 * SALT).to_bytes(SALT, "big").hex(), version(), format=FORMAT)

    def _new_opponent(self, way: Way) -> Opponent:
        play = self._core.session.stage
        assert isinstance(play, Play)
        start = play.match.start
        found = lessons().get(start.game, ()) if way is Way.LESSON else ()
        lesson = next((each for each in found if each.fits(start.options, len(start.seats))), None)
        return Opponent(SEATS[1 : len(start.seats)], SEATS[0], lesson, random.Random(self._draw(62)))

    def _now(self) -> float:
        return self._clock() + self._ahead

    def open(self, link: int, audience: str, language: str) -> None:
        """Connect a seat's page or the table's."""
        self._pages[link] = Page(audience, language.replace("-", "_"))
        if audience != TABLE:
            self._say(link, {"joined": audience})
        self._show(link)

    def close(self, link: int) -> None:
        """Forget a page."""
        self._pages.pop(link, None)

    def hear(self, link: int, text: str) -> None:
        """Take a page's message. Raises ValueError for what is none."""
        page, said, now = self._pages[link], msgspec.json.decode(text, type=PageMessage), self._now()
        if said.speak is not None:
            page.language = said.speak.replace("-", "_")
            self._show(link)
        elif said.tap is not None and page.audience != TABLE:
            self._tap(link, said.tap)
        elif said.name is not None and page.audience != TABLE:
            try:
                names.name_seat(self._core.table, self._core.session, page.audience, said.name, colour=said.colour)
            except Refusal as refusal:
                self._refuse(link, refusal.text, "name")
                return
            self._take(NameGiven(now, page.audience, said.name, colour=said.colour))
        elif said.learn is not None and self._opponent is not None:
            self._opponent.wish(said.learn)
            self._show_all()
        elif said.save and (finished := self.last_match()) is not None:
            self.send_file(link, write_record(*finished).encode())

    def tick(self) -> float | None:
        """Let time pass; return the seconds to the next call, None if only a page can change something."""
        if self._is_past(self._core.wake_at()):
            self._take(Tick(self._now()))
        self._act()
        times = (self._core.wake_at(), self._due())
        return min((max(0.0, due - self._now()) for due in times if due is not None), default=None)

    def _due(self) -> float | None:
        return None if self._opponent is None else self._opponent.due(self._core.session, self._now())

    def _act(self) -> None:
        if self._opponent is not None and self._is_past(self._due()):
            tap = self._opponent.tap(self._core.table, self._core.session, self._now())
            if tap is not None:
                self._take(tap)

    def _is_past(self, due: float | None) -> bool:
        return due is not None and due <= self._now()

    def _tap(self, link: int, touch: TapMessage) -> None:
        page = self._pages[link]
        serial, since = page.seen.get(touch.menu, (-1, self._now()))
        tap = Tap(page.audience, touch.serial, touch.line, touch.menu, self._now(), since)
        if touch.serial != serial or not tapping.is_meant(self._core.session, tap):
            self._refuse(link, tapping.CHANGED, "stale")
            return
        self._take(tap)

    def lacks_heads(self) -> bool:
        """Return True if the pages don't show yet what players need to verify the match later."""
        return isinstance(self._core.session.stage, Play) and self._noted != self._notable()

    def note_heads(self, first: Text | None, last: Text | None) -> None:
        """Show everybody the shown match's first head, and the last one if it is over. None: it has no such head."""
        play = self._core.session.stage
        assert isinstance(play, Play)
        noted = add_notes(play, first if play.head is None else None, last if over(play) else None)
        self._core.session = msgspec.structs.replace(self._core.session, stage=noted)
        self._noted = self._notable()
        self._show_all()

    def _notable(self) -> tuple[int | None, float | None]:
        """Return the match, and the time of its end, which may be taken back."""
        play = self._core.session.stage
        return self._core.journal.current, play.match.at if isinstance(play, Play) and over(play) else None

    def shown_match(self) -> tuple[KnownGame, tuple[Entry, ...], About]:
        """Return game, entries so far and description of the shown match."""
        journal = self._core.journal
        assert journal.current is not None
        entries = journal.current_entries()
        return self._core.table.games[begins(entries).game], entries, journal.about(journal.current)

    def last_match(self) -> tuple[KnownGame, tuple[Entry, ...], About] | None:
        """Return game, entries and description of the shown match; None unless it is over."""
        match, journal = self._core.finished, self._core.journal
        if match is None:
            return None
        entries = journal.entries(match)
        return self._core.table.games[begins(entries).game], entries, journal.about(match)

    def key_seed(self) -> str:
        """Return the seed of the tab's signing key, hexadecimal; draw it at first use."""
        seed = self._core.load_setting(KEY_SEED)
        if seed is None:
            seed = self._draw(256).to_bytes(32, "big").hex()
            self._core.keep(KEY_SEED, seed)
        return seed

    def send_file(self, link: int, data: bytes) -> None:
        """Give a page a file to save."""
        self._say(link, {"part": base64.b64encode(data).decode(), "at": 0, "of": 1})

    def _take(self, given: Input) -> None:
        self._core.take(given)
        self._core.publish()
        self._show_all()

    def _show_all(self) -> None:
        for link in self._pages:
            self._show(link)

    def _show(self, link: int) -> None:
        """Send what changed on a page."""
        page = self._pages[link]
        view = sheet(self._core.table, self._core.session, None if page.audience == TABLE else page.audience)
        language = page.language if page.language in LANGUAGES else self._core.session.language
        whole = wire(view, language)
        self._show_lesson(link, language)
        news = {name: value for name, value in whole.items() if page.sent.get(name, page) != value}
        if not news:
            return
        page.sent, page.count = whole, page.count + 1
        self._note_lists(page, view)
        self._say(link, {"sheet": news, "number": page.count, "at": self._now()})

    def _show_lesson(self, link: int, language: str) -> None:
        page, play = self._pages[link], self._core.session.stage
        if self._opponent is None or page.audience == TABLE:
            return
        shown = None
        if isinstance(play, Play):
            self._opponent.follow(self._core.journal.current_entries())
            shown = self._opponent.card(play, page.audience)
        card = None if shown is None else shown.put_into_words(partial(translate, language=language))
        if card != page.lesson:
            page.lesson = card
            self._say(link, {"lesson": card})

    def _note_lists(self, page: Page, view: PageView) -> None:
        for menu, answers in ((False, view.answers), (True, view.menu)):
            if menu not in page.seen or page.seen[menu][0] != answers.serial:
                page.seen[menu] = (answers.serial, self._now())

    def _refuse(self, link: int, text: Text, why: str) -> None:
        self._say(link, {"refused": translate(text, self._pages[link].language), "why": why})

    def _say(self, link: int, message: object) -> None:
        self._send(link, msgspec.json.encode(message).decode())


def seat_counts(spec: GameSpec) -> tuple[int, ...]:
    """Return the numbers of players, as offered."""
    return tuple(sorted({count for table in spec.tables for count in table.seats}))


def prepare() -> None:
    """Load the games, for an image of Python's memory; no journal may be open, as SQLite would keep its locks."""
    _table(SEATS)


def begin(
    send: Send, folder: str, game: str, players: int, language: str, leave: bool, way: str = Way.TOGETHER.value
) -> Tab:
    """Make a table and begin a game, or go on with the folder's open match. leave: end that first."""
    tab = Tab(send, Path(folder), language=language, seats=players, leave=leave)
    tab.set_up(game, players, Way(way))
    return tab


def _table(places: tuple[Seat, ...]) -> Table:
    games, mats = _known_games(), _mats()
    return Table((), games, pages=True, places=places, one_device=True, screen=True, mats=mats, sounds=True)


@cache
def _mats() -> dict[str, Mat]:
    return games.mats(sorted({laid.mat for each in _known_games().values() for laid in each.spec.tables if laid.mat}))


@cache
def _known_games() -> dict[str, KnownGame]:
    found = {}
    for name, spec in games.specs(lambda path, error: _log.error("%s: %s", path, error)).items():
        try:
            found[name] = KnownGame(spec, *games.build(spec))
        except BadFile as error:
            _log.error("%s is left out: %s", name, error)
    return found
