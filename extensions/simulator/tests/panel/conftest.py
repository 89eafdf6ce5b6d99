"""A stage to try the panel on: real pieces on a real mat, and a note of every button pressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import msgspec
import pytest

from device.key_gestures import Button
from device.lessons import LessonCard
from device.printing.mat import load
from engine.table import Face, Seat
from engine.text import Text, in_context, say
from referee_simulator.hardware.buzzer import Tones
from referee_simulator.panel import Auto, Knob, Pixels, Shot, Switch
from referee_simulator.table.ground_truth import Body, Shape, Truth, lift, move, put, remove, turn
from referee_simulator.table.virtual import AT_WORK, Refused
from vision.mat import Mat

KINDS = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")


class TableStage:
    """Two seats, seven stones: the sword lies face down in the line."""

    def __init__(self) -> None:
        self.seats: tuple[Seat, ...] = ("a", "b")
        self.mat: Mat = load("tellstones")
        bodies = [Body(n, kind, "stones", 70.0 + 46 * n, 56.0, angle=7.0 * n - 20) for n, kind in enumerate(KINDS)]
        bodies[2] = msgspec.structs.replace(bodies[2], x=210.0, y=160.0, face=Face.DOWN)
        self.now = Truth(tuple(bodies))
        self.pressed: list[tuple[str, Button, bool]] = []
        self.held: dict[Seat, int] = {}
        self.note: Text | None = None
        self.trouble: Text | None = None
        self.at_work = self.broken = False
        self.conceals = True
        self.held_cards: dict[Seat, tuple[Body, ...]] = {}
        self.lit: dict[str, Pixels] = {name: Pixels(128, 64, bytes([n]) * 1024) for n, name in enumerate(("a", "b"))}
        self.lit["table"] = Pixels(256, 64, b"\xf0" * 2048)
        self.frame = Shot(1, b"\xff\xd8 frame")
        self.noise = Knob("noise", in_context("in a picture", "Noise"), 0.0, 10.0, 0.5, 2.0)
        self.glare = Switch("glare", say("Lamp shines into the camera"), False)
        self.players: Auto = "off"
        self.piled = False
        self.heard: Tones | None = Tones()
        self.chosen: dict[Seat, int] = {}
        self.pickers: set[Seat] = set()
        self.looked: dict[Seat, tuple[Body, ...]] = {}
        self.says: dict[Seat, tuple[Text, ...]] = {}
        self.wishes: tuple[tuple[Seat, str], ...] = ()

    def deal(self) -> None:
        """Two cards for A, one for B."""
        kinds = {"a": ("ace-of-moons", "ace-of-suns"), "b": ("ace-of-waves",)}
        number = 20
        for seat, names in kinds.items():
            cards = [Body(number + n, kind, "decktet", 0.0, 0.0, shape=Shape.CARD) for n, kind in enumerate(names)]
            self.held_cards[seat] = tuple(cards)
            number += len(names)
        self.now = Truth(self.now.bodies, tuple(card for cards in self.held_cards.values() for card in cards))

    @contextmanager
    def mending(self) -> Iterator[None]:
        try:
            yield
        except ValueError:
            self.trouble = say("mended")

    def truth(self) -> Truth:
        return self.now

    def shot(self) -> Shot | None:
        return self.frame

    def tones(self) -> Tones | None:
        return self.heard

    def screens(self) -> Mapping[str, Pixels]:
        return self.lit

    def press(self, panel: str, button: Button) -> None:
        if panel not in self.seats:
            raise KeyError(panel)
        self.pressed.append((panel, button, True))

    def release(self, panel: str, button: Button) -> None:
        self.pressed.append((panel, button, False))

    def hands(self) -> Mapping[Seat, tuple[Body, ...]]:
        return self.held_cards

    def bring(self, seat: Seat, ident: int, up: bool, x: float, y: float) -> None:
        card = next((card for card in self.held_cards[seat] if card.id == ident), None)
        if card is None:
            raise KeyError(ident)
        self.held_cards[seat] = tuple(each for each in self.held_cards[seat] if each != card)
        face = Face.UP if up else Face.DOWN
        self.now = put(self.now, msgspec.structs.replace(card, x=x, y=y, face=face, lift_mm=25.0))
        self.held[seat] = ident

    def keep(self, seat: Seat) -> None:
        card = self.now.body(self.held.pop(seat))
        self.now = remove(self.now, card.id)
        self.held_cards[seat] = (*self.held_cards[seat], card)

    def pick(self, seat: Seat, ident: int) -> None:
        if all(card.id != ident for card in self.held_cards[seat]):
            raise KeyError(ident)
        self.chosen[seat] = ident

    def picked_piece(self, seat: Seat) -> int | None:
        return self.chosen.get(seat)

    def told_to(self, seat: Seat) -> tuple[Text, ...]:
        return self.says.get(seat, ())

    def shown_to(self, seat: Seat) -> tuple[Body, ...]:
        return self.looked.get(seat, ())

    def take(self, seat: Seat, ident: int, pile: bool = False) -> None:
        if self.at_work:
            raise Refused(AT_WORK)
        self.piled = pile
        self.held[seat] = ident
        self.now = lift(self.now, ident, 25.0)

    def carry(self, seat: Seat, x: float, y: float) -> None:
        self.now = lift(move(self.now, self.held[seat], x, y), self.held[seat], 25.0)

    def drop(self, seat: Seat, x: float, y: float) -> None:
        self.now = move(self.now, self.held.pop(seat), x, y)

    def flip(self, seat: Seat, ident: int) -> None:
        if self.broken:
            self.broken = False
            raise ValueError("broken")
        self.now = turn(self.now, ident)

    def peek(self, seat: Seat, ident: int) -> str:
        self.held[seat] = ident
        self.now = lift(self.now, ident, 20.0, 60.0)
        return self.now.body(ident).kind

    def lower(self, seat: Seat) -> None:
        ident = self.held.pop(seat)
        body = self.now.body(ident)
        self.now = move(self.now, ident, body.x, body.y)

    def lay(self) -> None:
        self.now = Truth(tuple(move(self.now, n, 70.0 + 46 * n, 56.0).body(n) for n in range(7)))

    def knobs(self) -> tuple[Knob, ...]:
        return (self.noise,)

    def turn(self, knob: str, value: float) -> None:
        if knob != "noise":
            raise KeyError(knob)
        self.noise = msgspec.structs.replace(self.noise, value=value)

    def switches(self) -> tuple[Switch, ...]:
        return (self.glare,)

    def throw(self, switch: str, on: bool) -> None:
        if switch != "glare":
            raise KeyError(switch)
        self.glare = msgspec.structs.replace(self.glare, on=on)

    def auto(self) -> Auto:
        return self.players

    def play(self, auto: Auto) -> None:
        self.players = auto

    def must_pick(self, seat: Seat) -> bool:
        return seat in self.pickers

    def learn(self, seat: Seat, wish: str) -> None:
        self.wishes = (*self.wishes, (seat, wish))

    def lesson(self, seat: Seat) -> LessonCard | None:
        moves = ((say("Hide"), Text("crown")),)
        card = LessonCard(0, 2, ((Text("crown"), "T20"),), moves, None, False, False)
        return card if self.wishes and self.wishes[-1] == (seat, "begin") else None

    def teaches(self, seat: Seat) -> bool:
        return bool(self.wishes) and self.wishes[-1] == (seat, "leave")


@pytest.fixture
def stage() -> TableStage:
    return TableStage()
