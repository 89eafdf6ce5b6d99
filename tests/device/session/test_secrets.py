"""Law 5 on every display: what a seat must not know changes no byte of what it reads, private panel or shared one."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import msgspec
import pytest

from device.key_gestures import Button, Gesture, Key
from device.session.match_start import power_on
from device.session.messages import Tick
from device.session.screens import screens
from device.session.state import Play
from device.session.step import step
from device.session.table import SHARED, TABLE, KnownGame, Table
from engine.catalogue import GameSpec
from engine.catalogue import TableSetup as GameTable
from engine.entry import Start
from engine.errors import Invalid, Violation
from engine.game import ANYTHING, Attempt, Choice, Options, Words, ZonePrefilter
from engine.table import Layout, Seat, Spot, Trace
from engine.text import Text, say
from engine.view import Event, Line, Outcome, View
from tests.pairing import seeds

CARDS = ("fox", "hare", "wolf")


class Hands(msgspec.Struct, frozen=True):
    """A card for each seat, known to it alone, and how often it looked at it."""

    cards: tuple[tuple[Seat, str], ...]
    turn: int = 0


class Played(msgspec.Struct, frozen=True):
    word: str


class Cards:
    """A game of secrets: on its turn a seat keeps its card (its menu names it) or draws the next one."""

    name = "cards"

    def setup(self, options: Options, seats: tuple[Seat, ...], seed: int) -> Hands:
        return Hands(tuple((seat, CARDS[seed // 3**place % 3]) for place, seat in enumerate(seats)))

    def actors(self, state: Hands) -> frozenset[Seat]:
        return frozenset({state.cards[state.turn % len(state.cards)][0]})

    def choices(self, state: Hands, seat: Seat, prefix: Words = ()) -> tuple[Choice, ...]:
        if prefix or seat not in self.actors(state):
            return ()
        own = dict(state.cards)[seat]
        return (Choice("keep", say("Keep the {card}", card=own), True), Choice("draw", say("Draw"), True, costs=True))

    def read(self, state: Hands, seat: Seat, words: Words) -> Played:
        if words not in (("keep",), ("draw",)):
            raise Invalid(say("There is no such action."))
        return Played(words[0])

    def clauses(self, state: Hands, seat: Seat, words: Words) -> tuple[str, ...]:
        return ()

    def words(self, state: Hands, action: Played) -> Words:
        return (action.word,)

    def judge(self, state: Hands, seat: Seat, action: Played) -> tuple[Violation, ...]:
        return ()

    def apply(self, state: Hands, seat: Seat, action: Played) -> tuple[Hands, tuple[Event, ...]]:
        own = dict(state.cards)[seat]
        new = CARDS[(CARDS.index(own) + 1) % 3] if action.word == "draw" else own
        cards = tuple((s, new if s == seat else card) for s, card in state.cards)
        told = Event(say("You hold the {card}.", card=new), frozenset({seat}), reveals=action.word == "draw")
        return Hands(cards, state.turn + 1), (told, Event(say("{seat} has played.", seat=seat), None))

    def resign(self, state: Hands, seat: Seat) -> tuple[Hands, tuple[Event, ...]]:
        return state, ()

    def layout(self, state: Hands) -> Layout:
        return Layout(())

    def trace(self, state: Hands, seat: Seat, action: Played) -> Trace:
        return Trace(Layout(()))

    def attempts(self, state: Hands, look: ZonePrefilter = ANYTHING) -> Iterable[Attempt]:
        return ()

    def misexecutions(self, state: Hands, seat: Seat, action: Played) -> Iterable[Attempt]:
        return ()

    def corrections(self, state: Hands, prefix: Words = ()) -> tuple[Choice, ...]:
        return () if prefix else (Choice("turn", say("It is the other's turn"), True),)

    def correct(self, state: Hands, words: Words) -> tuple[Hands, tuple[Event, ...]]:
        return Hands(state.cards, state.turn + 1), (Event(say("The turn is corrected."), None),)

    def identify(self, state: Hands, spot: Spot, kind: str) -> Words | None:
        return None

    def view(self, state: Hands, seat: Seat | None) -> View:
        own = dict(state.cards).get(seat or "")
        panels = (Line(say("Your card: {card}", card=own)),) if own else (Line(say("Cards are hidden.")),)
        return View({"card": own}, panels, say("Play on."))

    def outcome(self, state: Hands) -> Outcome | None:
        return None

    def reference(self, options: Options) -> tuple[tuple[Text, ...], ...]:
        return ((say("Keep or draw."),),)


KNOWN = KnownGame(GameSpec("cards", "Cards", "none", "Z", (GameTable(seats=(2,)),)), Cards())
BUTTONS = tuple(Button)[:3]
GESTURES = (Gesture.PRESS, Gesture.PRESS, Gesture.PRESS, Gesture.LONG, Gesture.REPEAT)


def shown(shared: bool, seed: int, keys: Iterable[Key]) -> tuple[list[dict[str, bytes]], list[Play]]:
    """Every display after every key, as bytes, for the match of that seed."""
    table = Table(() if shared else ("a", "b"), {"cards": KNOWN}, shared=shared, screen=True)
    session, _ = power_on(table, (Start(0.0, "cards", {}, ("a", "b"), seed),), seed=1, lots=2, now=0.0)
    session, _ = step(table, session, Tick(0.5))
    found, plays = [], []
    for key in keys:
        session, _ = step(table, session, key)
        if not isinstance(session.stage, Play) or session.stage.match.result is not None:
            break
        found.append({name: msgspec.json.encode(screen) for name, screen in screens(table, session).items()})
        plays.append(session.stage)
    return found, plays


def presses(rng: Random, panels: tuple[Seat | None, ...], count: int) -> list[Key]:
    keys: list[Key] = []
    held = False
    for number in range(count):
        at = 1.0 + number
        if panels == (None,) and rng.random() < 0.2:
            held = not held
            keys.append(Key(None, Button.BACK, Gesture.DOWN if held else Gesture.UP, at))
        else:
            keys.append(Key(rng.choice(panels), rng.choice(BUTTONS), rng.choice(GESTURES), at))
    return keys


@pytest.mark.parametrize("case", seeds(4, 15, 60))
def test_another_seats_secret_changes_nothing_that_a_seat_reads(case: int) -> None:
    rng = Random(case)
    mine, one, other = rng.randrange(3), *rng.sample(range(3), 2)
    keys = presses(rng, ("a", "b"), 60)
    left, _ = shown(False, mine + 3 * one, keys)
    right, _ = shown(False, mine + 3 * other, keys)
    assert len(left) == len(right) > 0
    for here, there in zip(left, right, strict=True):
        assert here["a"] == there["a"]
        assert here[TABLE] == there[TABLE]
    assert any(here["b"] != there["b"] for here, there in zip(left, right, strict=True)), "b reads its own card"


@pytest.mark.parametrize("case", seeds(4, 15, 60))
def test_on_a_shared_display_a_secret_shows_only_while_its_owner_holds_back(case: int) -> None:
    rng = Random(1000 + case)
    mine, one, other = rng.randrange(3), *rng.sample(range(3), 2)
    keys = presses(rng, (None,), 80)
    left, plays = shown(True, mine + 3 * one, keys)
    right, _ = shown(True, mine + 3 * other, keys)
    differed = False
    for here, there, play in zip(left, right, plays, strict=True):
        assert here[TABLE] == there[TABLE]
        if not (play.shared.held and play.shared.holder == "b"):
            assert here[SHARED] == there[SHARED]
        differed |= here[SHARED] != there[SHARED]
    read = (play.shared.held and play.shared.holder == "b" and not play.shared.dark for play in plays)
    assert differed or not any(read), "a display on its way to its holder shows nothing"
