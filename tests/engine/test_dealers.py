"""Whoever holds the real cards beside a match: what the referee believes of them is never untrue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec
import pytest

from engine.catalogue import AnyGame
from engine.game import Words
from engine.grammar import sentences
from engine.table import Arrangement, Layout, Piece, Seat, ZoneLayout
from referee_simulator.conformance.playouts import draw_action, load
from referee_simulator.dealers import AnyDealer, HiddenNumber, dealer, marked_cell
from tests.engine.specs import spec

MATCHES: Mapping[str, tuple[str, tuple[Seat, ...], Mapping[str, Any]]] = {
    "fence tutorial": ("fence", ("a", "b"), {"mode": "tutorial"}),
    "fence advanced": ("fence", ("a", "b"), {"mode": "advanced"}),
    "runes": ("runes", ("a", "b", "c"), {}),
    "runes, own counters": ("runes", ("a", "b"), {"life_counter": "own"}),
    "runes alone": ("runes", ("a",), {"opponent": "automatic"}),
}
ACTIONS = 60


class Honest:
    """A match played with real cards, an action at a time."""

    def __init__(self, name: str) -> None:
        game, self.seats, given = MATCHES[name]
        self.rules: AnyGame
        self.rules, options = load(game, given)
        self.state = self.rules.setup(options, self.seats, 5)
        found = dealer(spec(game), self.rules)
        assert found is not None
        self.dealer: AnyDealer = found
        self.table = self.dealer.deal(self.state, self.seats, 5)
        self.rng = Random(5)
        self.told: list[str] = []

    def act(self) -> None:
        seat = self.rng.choice(sorted(self.rules.actors(self.state)))
        self.do(seat, self._real(seat))

    def do(self, seat: Seat, words: Words) -> None:
        brought = self.dealer.face_down_cards(self.table, self.state, seat, words, self.rng.random())
        after, _ = self.rules.apply(self.state, seat, self.rules.read(self.state, seat, words))
        self.table = self.dealer.follow(self.table, (self.state, after), seat, words, brought)
        self.state = after
        self.told.append(f"{seat}: {' '.join(words)} {' '.join(brought)}".strip())

    def _real(self, seat: Seat) -> Words:
        for _ in range(500):
            said = draw_action(self.rules, self.state, seat, self.rng, frozenset({"pass"}))
            words: Words | None = self.dealer.real(self.table, self.state, seat, said)
            if words is not None:
                return words
        raise AssertionError(f"nothing that {seat} can do")


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", MATCHES)
def test_the_truth_is_one_that_the_referee_allows(name: str) -> None:
    play = Honest(name)
    for _ in range(ACTIONS):
        if play.rules.outcome(play.state) is not None:
            break
        assert play.dealer.agrees(play.table, play.state), play.told
        figures = play.dealer.figures(play.table, play.state, play.rules.layout(play.state))
        assert figures
        assert all(figure.true == figure.believed for figure in figures), (play.told, figures)
        stacks = play.dealer.stacks(play.table)
        for zone in play.rules.layout(play.state).zones:
            if zone.zone in stacks and zone.pieces:
                top = zone.pieces[-1]
                assert stacks[zone.zone], zone
                assert top is None or top.kind in (None, stacks[zone.zone][-1]), (play.told, zone)
        held = Counter(card for seat in play.seats for card in play.dealer.hand(play.table, seat))
        assert held <= Counter(play.dealer.away(play.table))
        play.act()
    assert len(play.told) > 20


def test_a_deal_and_what_is_brought_depend_on_the_seed_alone() -> None:
    for name in MATCHES:
        one, other = Honest(name), Honest(name)
        for _ in range(8):
            one.act()
            other.act()
        assert (one.told, one.table) == (other.told, other.table)


def test_another_hand_cannot_do_what_it_does_not_hold() -> None:
    play = Honest("runes")
    for seat in "abc":
        assert len(play.dealer.hand(play.table, seat)) == 5
        play.do(seat, ("lay",))
    assert play.dealer.hand(play.table, "d") == ()
    for card in play.dealer.hand(play.table, "b"):
        assert play.dealer.real(play.table, play.state, "a", ("reveal", card)) is None


@pytest.mark.parametrize(("chance", "place"), [(0.0, 0), (0.19, 0), (0.2, 1), (0.99, 4), (1.0, 4)])
def test_chance_chooses_the_card_that_is_laid(chance: float, place: int) -> None:
    play = Honest("runes")
    hand = play.dealer.hand(play.table, "a")
    assert play.dealer.face_down_cards(play.table, play.state, "a", ("lay",), chance) == (hand[place],)
    assert play.dealer.face_down_cards(play.table, play.state, "a", ("counter", "b"), chance) == ()


FIGURES = {
    "fence advanced": ["timer", "discards", "set aside", "stamina", "stamina", "hand", "hand"],
    "runes": ["pile", "discards", "hand", "hand", "hand", "life", "life", "life"],
    "runes, own counters": ["pile", "discards", "hand", "hand"],
    "runes alone": ["pile", "discards", "hand", "life", "life"],
}


@pytest.mark.parametrize("name", FIGURES)
def test_which_numbers_are_kept(name: str) -> None:
    play = Honest(name)
    figures = play.dealer.figures(play.table, play.state, play.rules.layout(play.state))
    assert [figure.name for figure in figures] == FIGURES[name]
    assert all(isinstance(figure, HiddenNumber) for figure in figures)


MARK = Piece("life")


@pytest.mark.parametrize(
    ("order", "pieces", "place"),
    [
        (Arrangement.CELLS, (MARK, None, None), 0),
        (Arrangement.CELLS, (None, None, MARK), 2),
        (Arrangement.CELLS, (None, None), -1),
        (Arrangement.CELLS, (MARK, MARK), -1),
        (Arrangement.AREA, (MARK,), -1),
    ],
)
def test_where_the_marker_of_a_track_lies(order: Arrangement, pieces: tuple[Piece | None, ...], place: int) -> None:
    assert marked_cell(Layout((ZoneLayout("track", order, pieces),)), "track") == place


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", MATCHES)
def test_what_a_seat_is_offered_depends_on_nothing_that_it_does_not_know(name: str) -> None:
    """Neither on what piles hide nor on what others hold: a list that did would tell it."""

    def listed(table: Any, seat: Seat) -> list[Words]:
        return [w for w in sentences(play.rules, play.state, seat) if play.dealer.holds(table, play.state, seat, w)]

    play = Honest(name)
    for _ in range(ACTIONS // 2):
        if play.rules.outcome(play.state) is not None:
            break
        for seat in sorted(play.rules.actors(play.state)):
            found = listed(play.table, seat)
            assert found, (play.told, seat)
            assert found == listed(_otherwise(play.table, seat), seat), (play.told, seat)
        play.act()


def _otherwise(table: Any, seat: Seat) -> Any:
    """The same table with piles in another order, and each other hand exchanged with cards of the pile."""
    pile = "pile" if hasattr(table, "pile") else "timer"
    hidden = list(reversed(getattr(table, pile)))
    hands = dict(table.hands) if isinstance(table.hands, dict) else dict(zip("ab", table.hands, strict=True))
    for other in sorted(hands.keys() - {seat}):
        count = min(len(hands[other]), len(hidden))
        hidden, hands[other] = [*hidden[count:], *hands[other][:count]], (*hands[other][count:], *hidden[:count])
    held = hands if isinstance(table.hands, dict) else tuple(hands.values())
    return msgspec.structs.replace(table, **{pile: tuple(hidden), "hands": held})
