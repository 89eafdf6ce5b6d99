"""Defines the inputs and effects of a session, as data."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from device.key_gestures import Key
from device.owner.steps import TaskStep
from engine.catalogue import Colour
from engine.deck import Deck
from engine.entry import Entry
from engine.game import Words
from engine.table import Seat
from engine.text import Text
from vision.messages import Rebase, Report, VisionSetup


class Tap(msgspec.Struct, frozen=True, tag="tap"):
    """A tapped line on a seat's page.

    line: actions by touch follow the lines; -1 is one step back, -2 undoes the last action.
    menu: in the menu, not the answers.
    shown: when the list was sent.
    """

    seat: Seat
    serial: int
    line: int
    menu: bool
    at: float
    shown: float = 0.0


class Joined(msgspec.Struct, frozen=True, tag="joined"):
    """A phone took a seat. again: it had it before power-off, so nothing is announced."""

    seat: Seat
    at: float
    again: bool = False


class Left(msgspec.Struct, frozen=True, tag="left"):
    """A seat no longer has a phone."""

    seat: Seat
    at: float


class Invited(msgspec.Struct, frozen=True, tag="invited"):
    """Addresses by seat, with which phones can join.

    told: announcement to everybody.
    displayed: seats with a working display.
    """

    at: float
    addresses: dict[Seat, str]
    told: Text | None = None
    displayed: frozenset[Seat] = frozenset()


class Tick(msgspec.Struct, frozen=True, tag="tick"):
    """Time passed."""

    at: float


class Silence(msgspec.Struct, frozen=True, tag="silence"):
    """The vision worker does not answer (`text`) or does again (None). starting: it is only starting."""

    at: float
    text: Text | None
    starting: bool = False


class Restarted(msgspec.Struct, frozen=True, tag="restarted"):
    """A new vision worker started: it remembers no pieces and numbers tracks anew."""

    at: float


class Unkept(msgspec.Struct, frozen=True, tag="unkept"):
    """The journal could not store the last entries, so they don't count."""

    at: float
    text: Text


class LanguageChosen(msgspec.Struct, frozen=True, tag="speaks"):
    """The owner chose all displays' language."""

    at: float
    language: str


class MaintenanceShown(msgspec.Struct, frozen=True, tag="cared"):
    """The current maintenance step at the buttons."""

    at: float
    step: TaskStep


class NameGiven(msgspec.Struct, frozen=True, tag="naming"):
    """A player's name, "" to remove it. leaves, colour, by_anyone: see `device.session.names.name_seat`."""

    at: float
    seat: Seat
    text: str
    leaves: bool | None = None
    colour: Colour | None = None
    by_anyone: bool = False


class Able(msgspec.Struct, frozen=True, tag="able"):
    """The actions that a seat's cards allow, at the virtual table. words: None if unknown."""

    at: float
    seat: Seat
    state: Any
    words: frozenset[Words] | None


class Objected(msgspec.Struct, frozen=True, tag="objected"):
    """The seat's last choice failed for this reason."""

    at: float
    seat: Seat
    text: Text


class NameForgotten(msgspec.Struct, frozen=True, tag="forgotten"):
    """The owner deleted a name everywhere."""

    at: float
    name: str


Given: TypeAlias = Key | Tap
"""A player's input, at buttons or on a page."""

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
    """Store these entries before any other effect (law 2)."""

    entries: tuple[Entry, ...]


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """Leave the match, so that power-on does not resume it."""


class Keep(msgspec.Struct, frozen=True, tag="keep"):
    """Store a setting for the next power-on."""

    name: str
    value: str


class KeepDeck(msgspec.Struct, frozen=True, tag="deck"):
    """Store the owner's corrected cards, and play with them from now on."""

    game: str
    deck: Deck


class SendToVision(msgspec.Struct, frozen=True, tag="look"):
    """Send a message to the vision worker."""

    message: VisionSetup | Rebase


class Invite(msgspec.Struct, frozen=True, tag="invite"):
    """Make a new joining code. absent: only if the phone is away."""

    seat: Seat
    absent: bool = False


class Dismiss(msgspec.Struct, frozen=True, tag="dismiss"):
    """Take the seat from its phone."""

    seat: Seat


class Tend(msgspec.Struct, frozen=True, tag="tend"):
    """Choose a line of the displayed maintenance step; None if the page was just opened."""

    line: int | None
    step: TaskStep | None = None


Effect: TypeAlias = "Append | Leave | Keep | KeepDeck | SendToVision | Invite | Dismiss | Tend"
