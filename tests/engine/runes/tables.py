"""Matches of Dueling Runes with real hands: what the referee may not know, and what it makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from engine.catalogue import complete
from engine.errors import Illegal
from engine.game import OptionValue, Words
from engine.runes import Runes
from engine.runes.match import State
from engine.table import Seat
from engine.view import Event
from referee_simulator.dealers.runes import CardLocations, RunesDealer, deal, follow
from tests.engine.runes.turns import GAME, SPEC

assert isinstance(GAME, Runes)
DEALER = RunesDealer(GAME)

SELDOM = frozenset({"counter", "mirror", "withdraw"})

EVIDENCE: Mapping[str, str] = {
    "laid out of turn": "a face-down card on a spot while no card is due there",
    "fifth card kept": "a card laid before a sequence that still holds four",
    "other card discarded": "a card other than the oldest, or than the one announced, on the discards",
    "drew too many": "the pile's top card taken by a hand that is not due",
    "life counter moved": "a life counter on another cell than the referee's number",
    "life counter misplaced": "a life counter one cell beside where an order moves it",
    "revealed early": "a card turned up while others still lay theirs",
    "impossible card": "a revealed card that went back into the pile after the hand's last draw",
    "other card revealed": "another face than the one that was announced",
    "card exchanged": "another face at the end of a sequence than the one revealed",
    "second card": "a card more at the end of a sequence than was laid",
    "turned up again": "a face where Forgetfulness turned a card down",
    "card taken back": "a card less in a sequence",
    "discarded unasked": "a new card on the discards while no special spell is paid",
    "useless payment": "a card on the discards that cannot count for the payment",
    "discard taken": "the top card of the discards gone",
}
"""Kinds of cheats with the evidence that reveals them."""


def start(seats: str = "ab", seed: int = 1, **options: OptionValue) -> State:
    """A new match; one seat plays against the automatic opponent."""
    solo: dict[str, OptionValue] = {"opponent": "automatic"} if len(seats) == 1 else {}
    state: State = GAME.setup(complete(SPEC.options, {**solo, **options}), tuple(seats), seed)
    return state


def say(state: State, line: str) -> tuple[State, tuple[Event, ...]]:
    """One legal line, such as "a: cast heal forest". Raises Illegal if it is not."""
    seat, _, words = line.partition(": ")
    action = GAME.read(state, seat, tuple(words.split()))
    violations = GAME.judge(state, seat, action)
    if violations:
        raise Illegal(violations)
    result: tuple[State, tuple[Event, ...]] = GAME.apply(state, seat, action)
    return result


def play(state: State, *lines: str) -> State:
    """Several legal lines."""
    for line in lines:
        state, _ = say(state, line)
    return state


def refused(state: State, line: str) -> tuple[str, ...]:
    """The clauses that a line breaks; () if it is legal."""
    seat, _, words = line.partition(": ")
    return tuple(b.clause for b in GAME.judge(state, seat, GAME.read(state, seat, tuple(words.split()))))


def told(events: tuple[Event, ...], seat: Seat | None) -> tuple[str, ...]:
    """What an audience hears."""
    return tuple(str(e.text) for e in events if e.audience is None or (seat is not None and seat in e.audience))


def words_of(state: State, seat: Seat, *prefix: str) -> list[str]:
    """The words of a menu."""
    return [choice.word for choice in GAME.choices(state, seat, prefix)]


def honest_match(seats: str, seed: int, cap: int = 20000, **options: Any) -> tuple[State, list[tuple[Seat, Words]]]:
    """A match at random with real cards, of players who keep to the rules."""
    rng = Random(seed)
    state = start(seats, seed, **options)
    table = deal(state.deck, tuple(seats), seed, state.rules.excuse)
    lines: list[tuple[Seat, Words]] = []
    while GAME.outcome(state) is None and len(lines) < cap:
        seat = rng.choice([each for each in sorted(GAME.actors(state)) if DEALER.honest(table, state, each)])
        words = chosen_words(rng, table, state, seat)
        lines.append((seat, words))
        state, table = stepped(rng, table, state, seat, words)
    return state, lines


def chosen_words(rng: Random, table: CardLocations, state: State, seat: Seat) -> Words:
    """A random action that the real cards allow; special spells are rare."""
    words: Words = ()
    while True:
        allowed = DEALER.honest(table, state, seat, words)
        often = [word for word in allowed if word not in SELDOM]
        word = rng.choice(often if often and rng.random() < 0.9 else allowed)
        choice = next(c for c in GAME.choices(state, seat, words) if c.word == word)
        words = (*words, word)
        if choice.final:
            return words


def stepped(rng: Random, table: CardLocations, state: State, seat: Seat, words: Words) -> tuple[State, CardLocations]:
    """One legal action, in the match and on the table. Raises Illegal if the referee refuses it."""
    action = GAME.read(state, seat, words)
    violations = GAME.judge(state, seat, action)
    if violations:
        raise Illegal(violations)
    after: State = GAME.apply(state, seat, action)[0]
    laid = rng.choice(table.hands[seat]) if words == ("lay",) else None
    return after, follow(table, state, seat, action, after, laid=laid)
