"""Screens to look at: one of every kind, in sentences that the program says; and games as they are played."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from device import games
from device.locale import NAMES
from device.screens.screen import Menu, Screen
from engine.catalogue import AnyGame, GameSpec, complete
from engine.errors import Invalid
from engine.table import Seat
from engine.text import Text, say, who
from engine.view import Cells, Gauge, Glyphs, Line, Ring, Score
from tests.device.screens.correcting import correcting
from tests.device.screens.dueling import dueling
from tests.device.screens.evening import evening
from tests.device.screens.fencing import fencing
from tests.device.screens.stargazing import stargazing

SIZES = ((128, 64), (256, 64))
STONES = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")
PLACES = tuple("1234567")
CLOCKS = tuple(
    Text("{seat} {time}", (("seat", who(seat)), ("time", time))) for seat, time in (("a", "10:00"), ("b", "9:59"))
)
TURN = Text("{seat}: your turn", (("seat", "A"),))
WAIT = Text("{seat} to play.", (("seat", "B"),))
SKY = ("C", "a", "", "?", "G", "E", "", "A", "c", "", "g", "X")
ACTIONS = tuple(map(Text, ("Place", "Hide", "Swap", "Peek", "Challenge", "Boast")))


def galleries() -> dict[str, dict[str, Screen]]:
    """The screens whose text is kept, by the name of their file, and there by their own."""
    return {
        "kinds": _kinds(),
        "evening": evening(),
        "stargazing": stargazing(),
        "fencing": fencing(),
        "dueling": dueling(),
        "correcting": correcting(),
    }


def _kinds() -> dict[str, Screen]:
    line = Glyphs(say("Line"), STONES, PLACES, frozenset({2}))
    half = Glyphs(say("Line"), ("crown", "down", "unknown", "flag", "empty"), PLACES[:5])
    score = Score(say("Points"), (("A", 2), ("B", 0)), 3)
    strip = Cells(say("Strip"), ("", "", "A", "", "", "", "B", "", ""))
    pawns = say("Sky, pawns {pawns}", pawns="A 1, B 5, C 5, D 9")
    sky = Ring(pawns, SKY, frozenset(range(3, 9)), ((1, "a"), (5, "bc"), (9, "d")))
    return {
        "language": Screen(Text("Language"), menu=Menu(tuple(map(Text, NAMES.values())), 1)),
        "options": Screen(Text("Rules"), menu=Menu(_options(), 2)),
        "actions": Screen(TURN, ("4:59",), menu=Menu(ACTIONS, 2)),
        "submenu": Screen(TURN, ("4:59",), menu=Menu(tuple(map(Text, ("left end", "right end"))), 0, _path())),
        "confirm": Screen(TURN, menu=Menu((Text("Yes"), Text("No")), 0), prompt=_sure()),
        "turn": Screen(TURN, ("4:59", "5:00"), (line, score), prompt=Text("Choose a move.")),
        "waiting": Screen(WAIT, panels=(half, score), prompt=Text("{seat} proves the boast.", (("seat", "B"),))),
        "long prompt": Screen(
            TURN, panels=(line, score), prompt=say("Choose a move. You may peek at {count}.", count=3)
        ),
        "refusal": Screen(
            TURN, panels=(_back(),), alert=Text("A stone goes to an end of the Line, never between two stones.")
        ),
        "camera": Screen(
            TURN,
            panels=(Line(Text("Too dark for the camera."), strong=True), half),
            prompt=Text("Choose the first stone of the Line."),
        ),
        "unkept": Screen(alert=Text("The journal cannot be written. Nothing was accepted: make room on the disk.")),
        "help": Screen(Text("Help"), panels=tuple(map(Line, _reference())), page=(2, 4)),
        "gauges": Screen(
            panels=(
                Gauge(Text("Crown"), 7, 10),
                Gauge(Text("Stones for a boast"), 0, 3),
                Score(say("Points"), (("A", 12), ("B", 7))),
            )
        ),
        "ring": Screen(TURN, panels=(sky,), prompt=WAIT),
        "strip": Screen(TURN, panels=(strip, score), prompt=WAIT),
        "phone": Screen(
            say("Seat {seat}", seat="A"),
            prompt=say("Scan with a phone."),
            code="HTTP://192.168.178.123:8140/#ABCDEFGHIJKLMNOP",
        ),
        "over": Screen(Text("Tellstones"), menu=Menu((Text("Rematch"), Text("New match")), 0), prompt=_won()),
    }


def _options() -> tuple[Text, ...]:
    shown = (
        ("First turn", "Toss a coin"),
        ("First stone", "Drawn"),
        ("Peek at three", "Rival's turn or yours"),
        ("Clock", "No clock"),
    )
    return tuple(Text("{option}: {value}", (("option", Text(o)), ("value", Text(v)))) for o, v in shown)


def _path() -> tuple[Text, ...]:
    return Text("Place"), Text("Scales")


def _sure() -> Text:
    action = Text("{action}: {rest}", (("action", Text("Challenge")), ("rest", "3")))
    return Text("Sure? {action}", (("action", action),))


def _back() -> Line:
    place = Text("place {place} of {zone}", (("place", 1), ("zone", Text("line"))))
    return Line(Text("Move {piece} to {place}.", (("piece", Text("crown")), ("place", place))))


def _won() -> Text:
    return Text("{side} wins with three points.", (("side", "A+C"),))


def _reference() -> tuple[Text, ...]:
    spec = games.spec("tellstones")
    return games.game(spec).reference(complete(spec.options, {}))[1]


def _begun(spec: GameSpec, game: AnyGame, dice: random.Random, seed: int) -> tuple[tuple[Seat, ...], Any]:
    """A match at a table drawn at random, once one is drawn at which the usual rules go together."""
    while True:
        table = dice.choice(spec.tables)
        seats = ("a", "b", "c", "d")[: dice.choice(table.seats)]
        with suppress(Invalid):
            return seats, game.setup(complete(spec.options, dict(table.when)), seats, seed)


def played(name: str, seed: int, actions: int) -> Iterator[Screen]:
    """Screens of a game played at random: every seat's view, everybody's, and each menu on the way to an action."""
    spec = games.spec(name)
    game, dice = games.game(spec), random.Random(seed)
    seats, state = _begun(spec, game, dice, seed)
    for _ in range(actions):
        for seat in (*seats, None):
            view = game.view(state, seat)
            yield Screen(say("{seat}: your turn", seat=who("a")), CLOCKS, view.panels, prompt=view.prompt)
        actors = sorted(game.actors(state))
        if not actors:
            return
        seat, final = dice.choice(actors), False
        words: tuple[str, ...] = ()
        path: tuple[Text, ...] = ()
        while not final:
            choices = game.choices(state, seat, words)
            yield Screen(
                say("{seat}: your turn", seat=who("a")), CLOCKS, menu=Menu(tuple(c.text for c in choices), 0, path)
            )
            choice = dice.choice(choices)
            words, path, final = (*words, choice.word), (*path, choice.text), choice.final
        state, events = game.apply(state, seat, game.read(state, seat, words))
        for event in events:
            yield Screen(say("{seat}: your turn", seat=who("a")), alert=event.text)
