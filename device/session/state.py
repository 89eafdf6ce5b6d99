"""The state of a session: frozen data, and small steps from one to another."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import msgspec

from device.owner.steps import TaskStep
from device.session.aim import Aim, TapLists
from device.session.messages import Able
from device.session.table import KnownGame
from engine.arbiter import Case
from engine.clocks import ClockKind, Clocks
from engine.evening import Evening
from engine.game import OptionValue, Words
from engine.match import Match, reveals
from engine.table import Health, Observation, Seat, Spot
from engine.text import Text


class SetupPage(StrEnum):
    """The questions before a match, in their order, and the pages on which its cards are corrected."""

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
    """Somebody who plays at this table. leaves: the name may leave it in a public record."""

    name: str
    leaves: bool = False


People: TypeAlias = "dict[str, Person]"
"""Who plays: by seat, or in an evening by the player's number from 1. Who has no name is left out."""

CARD_PAGES = frozenset({SetupPage.CARDS, SetupPage.NUMBERS, SetupPage.NUMBER})


class Setup(msgspec.Struct, frozen=True, tag="setup"):
    """What was answered so far.

    trail: the setups that BACK leads to. option: the one that VALUE asks for. card, number: those that are corrected.
    phone: the seat whose phone is asked about.
    evening: before this match, if it is one of several. moved: everybody goes one seat on first.
    people: the names so far. asked: whose name is asked, spelt: as much of it as is spelled, letters: those to choose
    from.
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
    """One answer on a page of the set-up, and the set-up that it leads to; None: the match begins."""

    text: Text
    then: Setup | None


class PanelMode(StrEnum):
    """What a seat's panel is busy with."""

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
"""Pages that hold nothing private."""


def page_of(seat: Seat) -> str:
    """The desk of a seat's page, beside the one of its buttons, which has the seat's own letter."""
    return f"page:{seat}"


def owner_of(panel: str) -> Seat:
    """The seat whose desk this is."""
    return panel.removeprefix("page:")


class MenuState(msgspec.Struct, frozen=True):
    """A seat's panel: what it is busy with, where its cursor stands, the words chosen so far, an alert (`plain`: it may
    be read by others), and how far its view was leafed on. steps: on a page, how many words each tap there added.

    within: the groups of a long list that were opened, each by its place. before: the list that BACK leads to.
    begun: how much had been told in the match when its reader opened the history; there the cursor counts from the page
    that was the newest then.
    looks: its reader wants the view, or has learned something alone that has to be read, although the menu of a turn
    would open by itself. turn: how many actions in a row were given here, so that one menu is told from the next.
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
    """Something that needs the consent of all seats.

    by: whose wish it is; None: the camera saw it, as `because` says. again: the order that is owed counts once more,
    from the state that was put right.
    """

    kind: ProposalKind
    by: Seat | None
    words: Words = ()
    agreed: frozenset[Seat] = frozenset()
    because: Text | None = None
    again: bool = False


class LogEvent(msgspec.Struct, frozen=True):
    """Something that was told. audience None: everybody. reveals: somebody learned something of it; what a seat alone
    is told otherwise is only what it has just pressed."""

    at: float
    text: Text
    audience: frozenset[Seat] | None
    reveals: bool = False


class SharedPanel(msgspec.Struct, frozen=True):
    """The shared panel, which goes from hand to hand.

    holder: whose it is now; held: its owner holds BACK, or who takes it does; dark: it is on its way to the holder,
    who has not taken it yet; acted: the holder has acted there since; sticky: it was handed on by wish; news: what the
    holder alone has just learned, and has to read first.
    """

    holder: Seat | None = None
    held: bool = False
    dark: bool = False
    acted: bool = False
    sticky: bool = False
    news: tuple[Text, ...] = ()


class EndPage(StrEnum):
    """What stands on the page at the end of a match."""

    MENU = "menu"
    TABLE = "table"
    EVENING = "evening"


class Play(msgspec.Struct, frozen=True, tag="play"):
    """A match under way, or over.

    known: the game that is played, with the cards of this match.
    epoch: the session's time at which the match began; None while time stands still after a restart.
    desks: a panel for each seat, and one for its page. case: all evidence of what is done at the table.
    alert: what the case objects to, or everybody has to read; attempt: it is of a refused attempt; expires: when it
    goes by itself, if nothing has to be put right.
    order: how the order that is owed was told; sealed: what is told only once it is carried out.
    held: the clocks as they stood when an order was given that turns pieces up; until a hand did, nobody reads in them
    whether it was right.
    points: the places in `told` at which actions begin that can be taken back. marked: what the last action touched.
    declined: a camera's proposal that was not agreed to.
    people: the names of those who play.
    shared: the panel of all who have none of their own.
    cursor, closing: of the menu at the end, and what stands in its place.
    head: what everybody may note before the first move, to prove the match by; or why there is nothing.
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

    def menu_state(self, panel: str) -> MenuState:
        """Return the desk of a panel: a seat's letter, or its page."""
        return self.desks.get(panel, MenuState())

    def put(self, panel: str, menu_state: MenuState) -> Play:
        """The play with this desk."""
        return msgspec.structs.replace(self, desks={**self.desks, panel: menu_state})

    def announce(self, at: float, *texts: Text, audience: frozenset[Seat] | None = None) -> Play:
        """The play in whose history these sentences follow. audience None: everybody's."""
        return msgspec.structs.replace(self, told=(*self.told, *(LogEvent(at, text, audience) for text in texts)))

    def time(self, now: float) -> float:
        """Seconds from the beginning of the match to a moment of the session, in whole milliseconds; they stand still
        while the match is held, and never run back."""
        return self.match.at if self.epoch is None else max(self.match.at, round(now - self.epoch, 3))

    @property
    def mat(self) -> str:
        """The name of the mat that the match is played on; "": of none."""
        start = self.match.start
        laid = self.known.spec.table(start.options, len(start.seats))
        return "" if laid is None else laid.mat or ""

    @property
    def clocks(self) -> Clocks:
        """The clocks as everybody may see them."""
        return self.match.clocks if self.held is None or not reveals(self.match.owed) else self.held

    @property
    def pending(self) -> bool:
        """True if something is open that is no entry."""
        return bool(self.alert or self.proposal or self.declined or self.case.disorder or self.case.question)

    @property
    def resting(self) -> bool:
        """True while clocks that should run stand still after a restart."""
        wound = self.clocks
        return self.epoch is None and bool(wound.running) and wound.rules.kind is not ClockKind.NONE

    @property
    def missing(self) -> tuple[Seat, ...]:
        """Seats that have not agreed yet to what is proposed, in order."""
        agreed = self.proposal.agreed if self.proposal is not None else frozenset(self.match.start.seats)
        return tuple(seat for seat in self.match.start.seats if seat not in agreed)

    def asks(self, seat: Seat) -> bool:
        """True if the seat has to answer something before it goes on."""
        if self.case.question is not None:
            return self.case.question.seat == seat
        return self.proposal is not None and seat in self.missing


Stage: TypeAlias = "Setup | Play"


class Session(msgspec.Struct, frozen=True):
    """Everything that a session knows.

    seed: the next match's; whoever runs the session puts in another one as soon as it is used. lots: those of an
    evening that begins with the next match, put in anew likewise. languages: of displays
    that differ. people: the names that are remembered, those that played last first. instead: the name of the mat
    that lies there in place of the right one. seen: the last observation of the table before a match; in a match its
    case has it. motion: vision saw something move whose rest it has not told yet. sighted: the camera gave a picture
    once, so that it can be missed. silence: why vision does not answer; starting: it
    only gets ready. unkept: why nothing can be accepted.
    unsaved: why nothing that is accepted outlasts power-off. aims: what each panel offers, by the name of its display.
    phones: the seats that have one; lists: what stands on their pages to be
    tapped, also of those that had one. invited: the address that a phone opens to take a seat, by the seat.
    displayed: seats whose own display answers; no page but their own shows their address.
    care: what the owner is shown who looks after the table at its buttons. able: what the cards of each seat can do,
    where they are known.
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
        """True while nothing is known to be wrong with the camera."""
        return self.health is Health.OK and self.silence is None

    @property
    def watched(self) -> bool:
        """True if the camera's newest look may still be judged."""
        return self.seen is not None or (isinstance(self.stage, Play) and self.stage.case.seen is not None)
