"""The state of a session: frozen data, and small steps from one to another."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import msgspec

from device.session.aim import Aim
from engine.arbiter.expectation import Expectation
from engine.arbiter.overrule import Overruled
from engine.arbiter.verdict import Step
from engine.arbiter.watch import Watch
from engine.game import OptionValue, Words
from engine.match import Match
from engine.table import Health, Observation, Seat
from engine.text import Text


class Page(StrEnum):
    """The questions before a match, in their order, and the pages on which its cards are corrected."""

    LANGUAGE = "language"
    GAME = "game"
    SEATS = "seats"
    PLACES = "places"
    OPTIONS = "options"
    MORE = "more"
    VALUE = "value"
    CLOCK = "clock"
    CHECK = "check"
    CARDS = "cards"
    NUMBERS = "numbers"
    NUMBER = "number"


CARD_PAGES = frozenset({Page.CARDS, Page.NUMBERS, Page.NUMBER})


class Setup(msgspec.Struct, frozen=True, tag="setup"):
    """What was answered so far.

    trail: the setups that BACK leads to. option: the one that VALUE asks for. card, number: those that are corrected.
    """

    page: Page = Page.LANGUAGE
    game: str = ""
    seats: tuple[Seat, ...] = ()
    options: dict[str, OptionValue] = {}
    clock: dict[str, OptionValue] = {}
    option: str = ""
    card: str = ""
    number: str = ""
    cursor: int = 0
    trail: tuple[Setup, ...] = ()
    alert: Text | None = None


class Item(msgspec.Struct, frozen=True):
    """One answer on a page of the set-up, and the set-up that it leads to; None: the match begins."""

    text: Text
    then: Setup | None


class Mode(StrEnum):
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


OPEN = frozenset({Mode.MENU, Mode.HELP, Mode.LANGUAGE, Mode.RESIGN, Mode.CORRECT, Mode.DONE})
"""Pages that hold nothing private."""


class Desk(msgspec.Struct, frozen=True):
    """A seat's panel: what it is busy with, where its cursor stands, the words chosen so far, an alert (`plain`: it may
    be read by others), and how far its view was leafed on.

    begun: how much had been told in the match when its reader opened the history; there the cursor counts from the page
    that was the newest then.
    """

    mode: Mode = Mode.VIEW
    cursor: int = 0
    words: Words = ()
    path: tuple[Text, ...] = ()
    alert: Text | None = None
    plain: bool = False
    leaf: int = 0
    begun: int = 0


class Proposed(StrEnum):
    UNDO = "undo"
    CORRECT = "correct"
    DRAW = "draw"
    LEAVE = "leave"
    RESTORED = "restored"


class Proposal(msgspec.Struct, frozen=True):
    """Something that needs the consent of all seats.

    by: whose wish it is; None: the camera saw it, as `because` says. again: the order that is owed counts once more,
    from the state that was put right.
    """

    kind: Proposed
    by: Seat | None
    words: Words = ()
    agreed: frozenset[Seat] = frozenset()
    because: Text | None = None
    again: bool = False


FEW = 5
"""Readings that are offered at first, if there are many."""


class Question(msgspec.Struct, frozen=True):
    """What the arbiter asks `seat`: which of several readings is what happened. missing: what it does not see.

    whole: all of them are shown, also if they are many.
    """

    seat: Seat
    readings: tuple[tuple[Step, ...], ...]
    settles: bool = False
    missing: Text | None = None
    whole: bool = False

    @property
    def shown(self) -> tuple[tuple[Step, ...], ...]:
        """The readings on the menu: of many only the likeliest, until more are wished for."""
        return self.readings if self.whole or len(self.readings) <= FEW + 1 else self.readings[:FEW]


class Objected(msgspec.Struct, frozen=True):
    """What was refused, or denied by whoever was asked: the evidence until then, and how the table lay."""

    watch: Watch
    seen: Observation


class Told(msgspec.Struct, frozen=True):
    """Something that was told. audience None: everybody."""

    at: float
    text: Text
    audience: frozenset[Seat] | None


class Play(msgspec.Struct, frozen=True, tag="play"):
    """A match under way, or over.

    epoch: the session's time at which the match began; None while time stands still after a restart.
    desks: a panel for each seat. watch: the evidence since the table last agreed; None without a camera, and until the
    table was first seen. bases: what the table looked like before each action that undo can take back.
    waiting: something was begun at the table, or an order stands; due: when somebody is reminded of it.
    question, alert: what the camera's last verdict asks or objects to; disorder: something must be put back first;
    objected: to what; overruled: what the camera sees otherwise although a seat said that everything was put right;
    expires: when an alert goes by itself, if there is nothing to put back.
    order: how the order that is owed was told; sealed: what is told only once it is carried out.
    gap: since when the camera does not see the table well. declined: a camera's proposal that was not agreed to.
    holder: whose the shared panel is now; held: its owner holds BACK; dark: it is on its way to the holder, who has
    not pressed yet; sticky: it was handed on by wish; news: what the holder alone was just told, and has to read first.
    cursor, looking: of the menu at the end, and whether the table is looked at instead.
    """

    match: Match
    epoch: float | None
    desks: dict[Seat, Desk] = {}
    told: tuple[Told, ...] = ()
    watch: Watch | None = None
    bases: tuple[Expectation | None, ...] = ()
    waiting: Text | None = None
    due: float | None = None
    question: Question | None = None
    alert: tuple[Text, ...] = ()
    disorder: bool = False
    objected: Objected | None = None
    overruled: tuple[Overruled, ...] = ()
    expires: float | None = None
    order: tuple[Told, ...] = ()
    sealed: tuple[Told, ...] = ()
    gap: float | None = None
    proposal: Proposal | None = None
    declined: Words = ()
    holder: Seat | None = None
    held: bool = False
    dark: bool = False
    sticky: bool = False
    news: tuple[Text, ...] = ()
    cursor: int = 0
    looking: bool = False

    def desk(self, seat: Seat) -> Desk:
        return self.desks.get(seat, Desk())


Stage: TypeAlias = "Setup | Play"


class Session(msgspec.Struct, frozen=True):
    """Everything that a session knows.

    seed: the next match's; whoever runs the session puts in another one as soon as it is used. languages: of displays
    that differ. instead: the name of the mat that lies there in place of the right one. seen: the last observation of
    the table as it is set up. motion: vision saw something move that it has not reported on yet. silence: why vision
    does not answer. unkept: why nothing can be accepted. unsaved: why nothing
    that is accepted outlasts power-off. aims: what each panel offers, by the name of its display.
    """

    stage: Stage
    now: float
    seed: int
    language: str
    languages: dict[str, str] = {}
    health: Health = Health.OK
    instead: str = ""
    silence: Text | None = None
    unkept: Text | None = None
    unsaved: Text | None = None
    seen: Observation | None = None
    motion: bool = False
    aims: dict[str, Aim] = {}
