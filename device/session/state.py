"""Defines the state of a session as frozen data."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias

import msgspec

from device.owner.steps import TaskStep
from device.session.aim import Aim, TapLists
from device.session.messages import Able
from device.session.table import KnownGame
from engine.arbiter import Case
from engine.catalogue import Colour
from engine.clocks import ClockKind, Clocks
from engine.evening import Evening
from engine.game import OptionValue, Words
from engine.match import Match, reveals
from engine.table import Health, Observation, Seat, Spot
from engine.text import Text


class SetupPage(StrEnum):
    """The set-up's pages, questions in order."""

    LAST = "last"
    LANGUAGE = "language"
    GAME = "game"
    SEATS = "seats"
    PLACES = "places"
    OPTIONS = "options"
    MORE = "more"
    VALUE = "value"
    EVENING = "evening"
    CLOCK = "clock"
    PHONES = "phones"
    PHONE = "phone"
    NAMES = "names"
    NAME = "name"
    SPELL = "spell"
    LETTERS = "letters"
    CONSENT = "consent"
    FORGET = "forget"
    CHECK = "check"
    CARDS = "cards"
    NUMBERS = "numbers"
    NUMBER = "number"
    CARE = "care"


PHONE_PAGES = frozenset({SetupPage.PHONES, SetupPage.PHONE})


class Person(msgspec.Struct, frozen=True):
    """A player. leaves: public records may name them. colour: asked for; "" if none was."""

    name: str
    leaves: bool = False
    colour: Colour | Literal[""] = ""


People: TypeAlias = "dict[str, Person]"
"""Named players: by seat or, in an evening, by number from 1."""

CARD_PAGES = frozenset({SetupPage.CARDS, SetupPage.NUMBERS, SetupPage.NUMBER})


class Setup(msgspec.Struct, frozen=True, tag="setup"):
    """The set-up's page, and the answers so far.

    trail: set-ups for BACK.
    option, card, number, phone, asked: the page's subject.
    moved: everybody moves one seat on.
    spelt, letters: name being entered, and the chosen line of the letter wheel.
    """

    page: SetupPage = SetupPage.LANGUAGE
    game: str = ""
    seats: tuple[Seat, ...] = ()
    options: dict[str, OptionValue] = {}
    clock: dict[str, OptionValue] = {}
    option: str = ""
    card: str = ""
    number: str = ""
    phone: Seat = ""
    cursor: int = 0
    evening: Evening | None = None
    moved: bool = False
    people: People = {}
    asked: str = ""
    spelt: str = ""
    letters: str = ""
    trail: tuple[Setup, ...] = ()
    alert: Text | None = None


class Item(msgspec.Struct, frozen=True):
    """One answer and the set-up it leads to; None begins the match."""

    text: Text
    then: Setup | None


class PanelMode(StrEnum):
    """The modes of a seat's panel."""

    VIEW = "view"
    ACT = "act"
    CONFIRM = "confirm"
    MENU = "menu"
    CORRECT = "correct"
    DONE = "done"
    LANGUAGE = "language"
    RESIGN = "resign"
    HELP = "help"
    HISTORY = "history"
    EVENING = "evening"
    PHONE = "phone"


OPEN = frozenset(
    {
        PanelMode.MENU,
        PanelMode.HELP,
        PanelMode.LANGUAGE,
        PanelMode.RESIGN,
        PanelMode.CORRECT,
        PanelMode.DONE,
        PanelMode.EVENING,
        PanelMode.PHONE,
    }
)
"""Modes without private content."""


def page_of(seat: Seat) -> str:
    """Return the key of a seat's phone page in `Play.desks`."""
    return f"page:{seat}"


def owner_of(panel: str) -> Seat:
    """Return a panel's or page's seat."""
    return panel.removeprefix("page:")


class MenuState(msgspec.Struct, frozen=True):
    """The state of a seat's menu.

    words, path: chosen so far, and their texts.
    plain: others may read the alert.
    leaf: pages turned in the view.
    begun: messages when the history was opened.
    steps: words added by each tap on a page.
    within: opened groups, by index.
    before: the list that BACK returns to.
    looks: show the view, not the turn's menu.
    turn: counts consecutive actions, to tell menus apart.
    """

    mode: PanelMode = PanelMode.VIEW
    cursor: int = 0
    words: Words = ()
    path: tuple[Text, ...] = ()
    alert: Text | None = None
    plain: bool = False
    leaf: int = 0
    begun: int = 0
    steps: tuple[int, ...] = ()
    within: tuple[int, ...] = ()
    before: MenuState | None = None
    looks: bool = False
    turn: int = 0


class ProposalKind(StrEnum):
    UNDO = "undo"
    CORRECT = "correct"
    DRAW = "draw"
    LEAVE = "leave"
    RESTORED = "restored"
    PHONE = "phone"


class Proposal(msgspec.Struct, frozen=True):
    """A request that all seats must agree to.

    by: None if the camera caused it, as `because` says.
    words: the correction, or the seat that wants a phone.
    again: apply the pending order again afterwards.
    """

    kind: ProposalKind
    by: Seat | None
    words: Words = ()
    agreed: frozenset[Seat] = frozenset()
    because: Text | None = None
    again: bool = False


class LogEvent(msgspec.Struct, frozen=True):
    """A message in the history. audience: None for everybody. reveals: news to its readers."""

    at: float
    text: Text
    audience: frozenset[Seat] | None
    reveals: bool = False


class SharedPanel(msgspec.Struct, frozen=True):
    """The shared panel.

    held: BACK is held down.
    dark: not yet taken by its holder.
    acted: the holder acted since it was passed.
    sticky: passed on by wish.
    news: private, for the holder to read first.
    """

    holder: Seat | None = None
    held: bool = False
    dark: bool = False
    acted: bool = False
    sticky: bool = False
    news: tuple[Text, ...] = ()


class EndPage(StrEnum):
    """The pages at the end of a match."""

    MENU = "menu"
    TABLE = "table"
    EVENING = "evening"


class Play(msgspec.Struct, frozen=True, tag="play"):
    """A current or finished match.

    epoch: session time of the start; None while time rests after a restart.
    desks: menu states by panel and phone page.
    told: the history.
    attempt: the alert reports a refused attempt.
    expires: when the alert ends by itself.
    order, sealed: the pending order's messages, shown and withheld.
    held: clocks to show until ordered pieces are turned up.
    points: places in `told` where undoable actions begin.
    marked: places of the last action.
    declined: a rejected camera proposal.
    closing: the page in the end menu's place.
    head, last_head: notes before and after the match that prove it, or say why none does.
    heard_at: match time of the last public entry.
    thoughts: public actions, each with its seat and the seconds before it.
    mover: seat of the last public entry; None if nobody's.
    decided: public messages of the entry that ended the match.
    regretted: seat and match time of the last entry, if its seat may undo it at once.
    """

    known: KnownGame
    match: Match
    epoch: float | None
    desks: dict[Seat, MenuState] = {}
    told: tuple[LogEvent, ...] = ()
    case: Case = Case()
    alert: tuple[Text, ...] = ()
    attempt: bool = False
    expires: float | None = None
    order: tuple[LogEvent, ...] = ()
    sealed: tuple[LogEvent, ...] = ()
    held: Clocks | None = None
    points: tuple[int, ...] = ()
    marked: frozenset[Spot] = frozenset()
    proposal: Proposal | None = None
    declined: Words = ()
    shared: SharedPanel = SharedPanel()
    people: People = {}
    cursor: int = 0
    closing: EndPage = EndPage.MENU
    head: Text | None = None
    last_head: Text | None = None
    heard_at: float = 0.0
    thoughts: tuple[tuple[Seat, float], ...] = ()
    mover: Seat | None = None
    decided: tuple[Text, ...] = ()
    regretted: tuple[Seat, float] | None = None

    def menu_state(self, panel: str) -> MenuState:
        return self.desks.get(panel, MenuState())

    def put(self, panel: str, menu_state: MenuState) -> Play:
        return msgspec.structs.replace(self, desks={**self.desks, panel: menu_state})

    def announce(self, at: float, *texts: Text, audience: frozenset[Seat] | None = None) -> Play:
        """Return the play with these messages. audience: None for everybody."""
        return msgspec.structs.replace(self, told=(*self.told, *(LogEvent(at, text, audience) for text in texts)))

    def time(self, now: float) -> float:
        """Return seconds since the match began, to the millisecond; they never decrease."""
        return self.match.at if self.epoch is None else max(self.match.at, round(now - self.epoch, 3))

    @property
    def mat(self) -> str:
        """The mat's name; "" without one."""
        start = self.match.start
        laid = self.known.spec.table(start.options, len(start.seats))
        return "" if laid is None else laid.mat or ""

    @property
    def clocks(self) -> Clocks:
        """The clocks that everybody may see."""
        return self.match.clocks if self.held is None or not reveals(self.match.pending) else self.held

    @property
    def pending(self) -> bool:
        """True if matters are open that no entry records (`match_start.Pending`)."""
        return bool(self.alert or self.proposal or self.declined or self.case.disorder or self.case.question)

    @property
    def resting(self) -> bool:
        """True while clocks rest after a restart."""
        wound = self.clocks
        return self.epoch is None and bool(wound.running) and wound.rules.kind is not ClockKind.NONE

    @property
    def missing(self) -> tuple[Seat, ...]:
        """Seats yet to agree to the proposal, in order; () without one."""
        agreed = self.proposal.agreed if self.proposal is not None else frozenset(self.match.start.seats)
        return tuple(seat for seat in self.match.start.seats if seat not in agreed)

    def asks(self, seat: Seat) -> bool:
        """Return True if the seat must answer a question or proposal."""
        if self.case.question is not None:
            return self.case.question.seat == seat
        return self.proposal is not None and seat in self.missing


Stage: TypeAlias = "Setup | Play"


class Session(msgspec.Struct, frozen=True):
    """A session's state.

    seed, lots: for the next match and evening.
    languages: of displays that differ.
    people: remembered names.
    instead: a wrong mat's name.
    seen: last observation before a match.
    motion: a reported motion has not settled.
    sighted: the camera has worked once.
    silence, starting: why vision doesn't answer; it is only starting.
    unkept, unsaved: why nothing can be accepted, or won't survive power-off.
    aims, lists: offers by panel, and by page.
    invited: joining addresses by seat.
    displayed: seats with a working display.
    maintenance: the owner's step.
    able: actions that seats' cards allow.
    """

    stage: Stage
    now: float
    seed: int
    language: str
    lots: int = 0
    languages: dict[str, str] = {}
    people: tuple[Person, ...] = ()
    health: Health = Health.OK
    instead: str = ""
    silence: Text | None = None
    starting: bool = False
    unkept: Text | None = None
    unsaved: Text | None = None
    seen: Observation | None = None
    motion: bool = False
    sighted: bool = False
    aims: dict[str, Aim] = {}
    phones: frozenset[Seat] = frozenset()
    lists: dict[Seat, TapLists] = {}
    invited: dict[Seat, str] = {}
    displayed: frozenset[Seat] = frozenset()
    maintenance: TaskStep | None = None
    able: dict[Seat, Able] = {}

    @property
    def camera_ok(self) -> bool:
        """True while the camera has no known fault."""
        return self.health is Health.OK and self.silence is None

    @property
    def watched(self) -> bool:
        """True if a step may judge a kept observation."""
        return self.seen is not None or (isinstance(self.stage, Play) and self.stage.case.seen is not None)
