"""A session under test: somebody who presses its buttons, and a table that a perfect camera sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import msgspec
import pytest

from device import games
from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from device.session.match_start import power_on
from device.session.messages import Append, Effect, Input, KeepDeck
from device.session.screens import screens
from device.session.state import Play, Setup
from device.session.step import step
from device.session.table import KnownGame, Table
from engine.arbiter.expectation import Expectation, ExpectedPiece, carry
from engine.entry import Entry, Start
from engine.game import Words
from engine.grammar import phrase_words
from engine.match import Match
from engine.rules import Rules
from engine.table import Health, Layout, Observation, Seat, Sight, Sighting, Touch, Trace, ZoneSight
from engine.text import Text
from vision.messages import Report


@cache
def tellstones() -> KnownGame:
    spec = games.spec("tellstones")
    return KnownGame(spec, games.game(spec))


@cache
def verbs() -> dict[str, Text]:
    """Return the verbs of every shipped game by how they read, with how menus read their actions."""
    every = (games.game(spec) for spec in games.specs().values())
    kinds = [kind for game in every if isinstance(game, Rules) for kind in game.actions]
    return {str(kind.name): kind.name for kind in kinds if hasattr(kind, "name")}


def line_of(texts: tuple[str, ...]) -> str:
    """Return the menu line that says these words."""
    first, *rest = texts
    return str(phrase_words([verbs().get(first, Text(first)), *map(Text, rest)]))


def _sighting(held: ExpectedPiece) -> Sighting:
    """Each in a place of its own."""
    track = held.track or 0
    return Sighting(track, held.piece.kind, held.piece.face, Sight.SEEN, 0.99, 20.0 * track, 0.0, 0.0)


class Mat:
    """Pieces with tracks, as an honest hand and a perfect camera would have them."""

    def __init__(self, layout: Layout) -> None:
        numbers = iter(range(1, 1000))
        holdings = tuple(
            (zone.zone, zone.order, tuple((piece, next(numbers)) for piece in zone.pieces if piece is not None))
            for zone in layout.zones
        )
        self.now = Expectation(tuple((n, o, tuple(ExpectedPiece(p, t) for p, t in hs)) for n, o, hs in holdings))
        self.serial = 0

    def do(self, trace: Trace) -> None:
        self.now = carry(self.now, trace)

    def observe(self, at: float, hands: frozenset[Seat] = frozenset(), health: Health = Health.OK) -> Observation:
        self.serial += 1
        zones = tuple(
            ZoneSight(
                name,
                order,
                tuple(_sighting(h) for h in holdings if h is not None),
            )
            for name, order, holdings in self.now.zones
        )
        touched = tuple(
            Touch(h.track, h.lifted, 1.0, hands & h.hands or hands) for h in self.now.handled if h.track is not None
        )
        self.now = msgspec.structs.replace(self.now, handled=())
        return Observation(self.serial, at, zones, touched, hands=hands, health=health)


class Seated:
    """Drives one session. `entries` collects what would be in the journal."""

    def __init__(self, table: Table, entries: Iterable[Entry] = (), seed: int = 5) -> None:
        self.table, self.now = table, 0.0
        self.entries = list(entries)
        self.session, first = power_on(table, tuple(self.entries), seed=seed, lots=seed + 7, now=self.now)
        self.effects: tuple[Effect, ...] = first

    def give(self, given: Input) -> None:
        self.session, self.effects = step(self.table, self.session, given)
        for effect in self.effects:
            if isinstance(effect, Append):
                self.entries.extend(effect.entries)
                if isinstance(effect.entries[0], Start):
                    self.session = msgspec.structs.replace(self.session, seed=self.session.seed + 1)
            elif isinstance(effect, KeepDeck):
                known = msgspec.structs.replace(self.table.games[effect.game], deck=effect.deck)
                self.table = msgspec.structs.replace(self.table, games={**self.table.games, effect.game: known})

    def press(self, seat: Seat | None, *buttons: str, gesture: Gesture = Gesture.PRESS, wait: float = 1.0) -> None:
        for button in buttons:
            self.now += wait
            self.give(Key(seat, Button(button), gesture, self.now))

    def long(self, seat: Seat | None) -> None:
        self.press(seat, "choose", gesture=Gesture.LONG)

    def pick(self, seat: Seat | None, *texts: str) -> None:
        """Chooses menu items by their text, one after another, or several at once where a line says them all."""
        left = texts
        while left:
            menu = self.screen(seat).menu
            assert menu is not None, (left, self.screen(seat))
            names = [str(item) for item in menu.items]
            said = (count for count in range(len(left), 0, -1) if line_of(left[:count]) in names)
            count = next(said, 0)
            assert count, (left, names)
            for _ in range((names.index(line_of(left[:count])) - menu.cursor) % len(names)):
                self.press(seat, "next")
            self.press(seat, "choose")
            left = left[count:]

    def act(self, seat: Seat | None, *texts: str) -> None:
        """An action through the menu of a panel."""
        if self.screen(seat).menu is None:
            self.press(seat, "choose")
        self.pick(seat, *texts)

    def start(self, clock: str = "No clock", **options: str | int | bool) -> None:
        """Through the set-up with the usual rules; seat A begins."""
        self.pick(self.any, "English")
        self.pick(self.any, *(("2 players",) if len(self.table.seats) > 3 else ()))
        assert isinstance(self.session.stage, Setup)
        begins = {"starter": "a"} if "starter" in self.session.stage.options else {}
        chosen = {**self.session.stage.options, **begins, **options}
        self.session = msgspec.structs.replace(
            self.session, stage=msgspec.structs.replace(self.session.stage, options=chosen)
        )
        self.pick(self.any, "Continue", clock, "Continue")
        self.press(self.any, "choose")
        assert isinstance(self.session.stage, Play), self.session.stage

    @property
    def any(self) -> Seat | None:
        return None if self.table.shared else self.table.panels[0]

    @property
    def play(self) -> Play:
        assert isinstance(self.session.stage, Play)
        return self.session.stage

    @property
    def match(self) -> Match:
        return self.play.match

    def layout(self) -> Layout:
        return tellstones().game.layout(self.match.state)

    def trace(self, seat: Seat, words: Words) -> Trace:
        game = tellstones().game
        return game.trace(self.match.state, seat, game.read(self.match.state, seat, words))

    def see(self, observation: Observation | None, wait: float = 1.0) -> None:
        self.now += wait
        health = observation.health if observation else Health.OK
        if observation is not None:
            observation = msgspec.structs.replace(observation, at=self.now)
        self.give(Report(0, self.now, False, health, observation))

    def screen(self, seat: Seat | str | None) -> Screen:
        return screens(self.table, self.session)["shared" if seat is None else seat]

    def alert(self, seat: Seat | str | None) -> str:
        return str(self.screen(seat).alert)

    def text(self, seat: Seat | str | None) -> str:
        """Everything on a display, in English, as one string."""
        return " | ".join(_read(self.screen(seat)))


def _read(value: object) -> Iterator[str]:
    if isinstance(value, Text | str):
        yield str(value)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _read(getattr(value, name))
    elif isinstance(value, tuple):
        for part in value:
            yield from _read(part)


@pytest.fixture
def seated() -> Callable[..., Seated]:
    def make(entries: Iterable[Entry] = (), **kinds: Any) -> Seated:
        camera = bool(kinds.pop("camera", False))
        shared = bool(kinds.pop("shared", False))
        clock = kinds.pop("clock", {})
        panels = () if shared else ("a", "b")
        mats = games.mats(["tellstones"])
        table = Table(
            panels, {"tellstones": tellstones()}, shared=shared, screen=True, camera=camera, mats=mats, clock=clock
        )
        return Seated(table, entries, **kinds)

    return make


@pytest.fixture
def mat() -> Callable[[Layout], Mat]:
    return Mat


@pytest.fixture
def begun(seated: Callable[..., Seated]) -> tuple[Seated, Mat]:
    """Under a camera the Scales lie on the Line, and were seen there; a is to order."""
    table = seated(camera=True)
    table.start(first_stone="scales")
    lying = Mat(table.layout())
    table.see(lying.observe(0.0))
    return table, lying
