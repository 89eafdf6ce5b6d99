"""The inputs and outputs of a session, as data."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from device.keys import Key
from device.owner.steps import TaskStep
from engine.deck import Deck
from engine.entry import Entry
from engine.game import Words
from engine.table import Seat
from engine.text import Text
from vision.messages import Rebase, Report, VisionSetup


class Tap(msgspec.Struct, frozen=True, tag="tap"):
    """A line of a list on the page of a seat's phone was tapped.

    serial: the list's, as the page showed it; line: which of its lines, -1 for one step back; menu: of the menu, else
    of the answers. at: when the tap came; shown: when that list was sent to the page.
    """

    seat: Seat
    serial: int
    line: int
    menu: bool
    at: float
    shown: float = 0.0


class Joined(msgspec.Struct, frozen=True, tag="joined"):
    """A seat has a phone from now on. again: it had it before power-off already, so nobody has to be told."""

    seat: Seat
    at: float
    again: bool = False


class Left(msgspec.Struct, frozen=True, tag="left"):
    """A seat has no phone any longer."""

    seat: Seat
    at: float


class Invited(msgspec.Struct, frozen=True, tag="invited"):
    """The addresses that a phone can open now to take a seat, by the seat. told: what everybody has to know of it.
    displayed: seats with a display of their own that answers."""

    at: float
    addresses: dict[Seat, str]
    told: Text | None = None
    displayed: frozenset[Seat] = frozenset()


class Tick(msgspec.Struct, frozen=True, tag="tick"):
    """Time went on."""

    at: float


class Silence(msgspec.Struct, frozen=True, tag="silence"):
    """The vision worker does not answer (`text`), or answers again (None). starting: it only gets ready."""

    at: float
    text: Text | None
    starting: bool = False


class Restarted(msgspec.Struct, frozen=True, tag="restarted"):
    """A new vision worker looks at the table. It knows nothing of the pieces' past, and its tracks are new numbers."""

    at: float


class Unkept(msgspec.Struct, frozen=True, tag="unkept"):
    """The journal could not keep what was to be accepted: nothing of it happened."""

    at: float
    text: Text


class LanguageChosen(msgspec.Struct, frozen=True, tag="speaks"):
    """The owner chose the table's language, which holds for every display."""

    at: float
    language: str


class MaintenanceShown(msgspec.Struct, frozen=True, tag="cared"):
    """What the owner who looks after the table at its buttons is shown now."""

    at: float
    step: TaskStep


class NameGiven(msgspec.Struct, frozen=True, tag="naming"):
    """The player at a seat gives a name, "" for none any more; leaves: see `device.session.names.name_seat`."""

    at: float
    seat: Seat
    text: str
    leaves: bool | None = None


class Able(msgspec.Struct, frozen=True, tag="able"):
    """What the cards of a seat can do in a state of the game, where they are known: at the virtual table. words: its
    actions; None: nobody knows, and whatever the rules allow is offered."""

    at: float
    seat: Seat
    state: Any
    words: frozenset[Words] | None


class Objected(msgspec.Struct, frozen=True, tag="objected"):
    """Nothing comes of what a seat's page chose last; why."""

    at: float
    seat: Seat
    text: Text


class NameForgotten(msgspec.Struct, frozen=True, tag="forgotten"):
    """The owner removed a name from all that the table keeps."""

    at: float
    name: str


Given: TypeAlias = Key | Tap
"""What a player gives: at buttons or on a page."""

Input: TypeAlias = (
    Key
    | Tap
    | Able
    | Objected
    | NameGiven
    | NameForgotten
    | LanguageChosen
    | MaintenanceShown
    | Joined
    | Left
    | Invited
    | Report
    | Tick
    | Silence
    | Restarted
    | Unkept
)


class Append(msgspec.Struct, frozen=True, tag="append"):
    """Entries to be on disk before anything else of this step is carried out (law 2)."""

    entries: tuple[Entry, ...]


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """The current match is not gone on with."""


class Keep(msgspec.Struct, frozen=True, tag="keep"):
    """A small setting for the next power-on."""

    name: str
    value: str


class KeepDeck(msgspec.Struct, frozen=True, tag="deck"):
    """The owner corrected cards of a game: they are kept, and the game is played with them from now on."""

    game: str
    deck: Deck


class Look(msgspec.Struct, frozen=True, tag="look"):
    """A message for the vision worker."""

    message: VisionSetup | Rebase


class Invite(msgspec.Struct, frozen=True, tag="invite"):
    """A new code for this seat. Its phone, if it has one, keeps the seat until the code is used. absent: only if its
    phone is not there: otherwise it can pass the seat on itself."""

    seat: Seat
    absent: bool = False


class Dismiss(msgspec.Struct, frozen=True, tag="dismiss"):
    """The phone of this seat is to have it no longer."""

    seat: Seat


class Tend(msgspec.Struct, frozen=True, tag="tend"):
    """The owner looks after the table at its buttons: a line of the step that the display shows was chosen; None: the
    page was opened."""

    line: int | None
    step: TaskStep | None = None


Effect: TypeAlias = "Append | Leave | Keep | KeepDeck | Look | Invite | Dismiss | Tend"
