"""The state of a match: options, wizards and the present question.

Hands are unseen: the state holds only when each card was drawn."""

from __future__ import annotations

from typing import ClassVar

import msgspec
from msgspec.structs import replace

from engine.errors import Violation
from engine.game import per_state
from engine.runes.cards import Deck
from engine.table import Seat
from engine.text import Text, say, who
from engine.view import Json, Outcome

MOST_LIFE = 12

SEQUENCE = 4

HAND = 5
"""Cards dealt (R4), and a hand's limit."""


class Rulings(msgspec.Struct, frozen=True):
    """The match's options, as in config/games/runes.toml."""

    life_counter: str = "mat"
    excuse: str = "after"
    ace: str = "low"
    casting: str = "optional"
    energy: str = "any"
    energy_cards: str = "named"
    empty_hand: str = "nothing"
    simultaneous: str = "secret"
    resolution: str = "state-before"
    wards: str = "this-turn"
    ward_stacking: str = "later"
    heal_cap: str = "twelve"
    drain_gain: str = "full"
    haste_stacking: str = "later"
    energy_reuse: str = "turn"
    invisible_specials: str = "allowed"
    forgetting: str = "for-good"
    confusion_haste: str = "both"
    confusion_pick: str = "referee"
    decision: str = "in-order"
    payment: str = "counted"
    counter_times: str = "asked"
    counter_target: str = "anyone"
    end_window: bool = True
    counter_running: str = "continue"
    drain_countered: str = "no-gain"
    mirror_user: str = "anyone"
    mirror_invisible: str = "allowed"
    mirror_countered: str = "works"
    mirror_self: str = "refused"
    dead_spells: str = "lost"
    drawing: str = "required"
    draw_order: str = "highest"
    solo_heal: str = "any-gain"
    solo_wards: str = "counts"
    solo_commit: str = "human-first"


class Span(msgspec.Struct, frozen=True):
    """Turns of an effect, inclusive."""

    first: int
    last: int


class Queued(msgspec.Struct, frozen=True):
    """A card of a sequence. down: face down by Forgetfulness."""

    card: str
    down: bool = False


class Wizard(msgspec.Struct, frozen=True):
    """A player.

    start: initial life
    sequence: oldest first
    hand: reshuffles before each card's draw, including the laid card
    laid: a card is face down
    active: card that gives activation runes
    highest: best rank revealed this turn
    used: energy runes used, as (card, suit)
    gone: dead or resigned"""

    seat: Seat
    life: int = MOST_LIFE
    start: int = MOST_LIFE
    sequence: tuple[Queued, ...] = ()
    hand: tuple[int, ...] = (0,) * HAND
    laid: bool = False
    active: str | None = None
    highest: int = 0
    used: tuple[tuple[str, str], ...] = ()
    effects: dict[str, Span] = {}
    gone: bool = False

    automatic: ClassVar[bool] = False

    @property
    def held(self) -> int:
        return len(self.hand) - self.laid

    @property
    def supplied(self) -> bool:
        return bool(self.hand)


class Automaton(Wizard, frozen=True):
    """The automatic opponent (`solo.py`), which plays from the pile without a hand."""

    hand: tuple[int, ...] = ()

    automatic = True

    @property
    def supplied(self) -> bool:
        return True


class Slot(msgspec.Struct, frozen=True):
    rune: str
    rank: int
    seats: tuple[Seat, ...]


class Announced(msgspec.Struct, frozen=True):
    """A pending basic spell. by: original caster; caster, target: after any Mirrors."""

    by: Seat
    spell: str
    caster: Seat
    target: Seat
    cards: tuple[str, ...] = ()


class Phase(msgspec.Struct, frozen=True):
    """The present question, and the seats it is for."""

    def asked_seats(self, state: State) -> frozenset[Seat]:
        raise NotImplementedError

    def turn_clause(self, state: State) -> str:
        """Return the clause on who acts."""
        raise NotImplementedError

    def wanted_text(self, state: State) -> Text:
        raise NotImplementedError

    def question(self, state: State, seat: Seat) -> Text:
        return self.wanted_text(state)

    def waiting_text(self, state: State, who: Text) -> Text:
        return self.wanted_text(state)

    def places(self, state: State) -> tuple[Slot, ...]:
        return ()

    def pending(self, state: State) -> tuple[Announced, ...]:
        return ()

    def secret(self, state: State, seat: Seat) -> Json:
        """Return the seat's choice, if any, while others still choose."""
        return None


class Over(Phase, frozen=True, tag="over"):
    """The match is over; no winner is a draw."""

    winner: Seat | None
    resigned: bool = False

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return frozenset()

    def wanted_text(self, state: State) -> Text:
        return say("The match is over.")

    def result(self) -> Text:
        return say("{seat} wins.", seat=who(self.winner)) if self.winner else say("All are dead: a draw.")


class State(msgspec.Struct, frozen=True):
    """A match.

    wizards: clockwise
    extra: the hasted wizards' phase
    discards: oldest first
    buried: draws of unknown discards from dead wizards' hands
    returned: reshuffle that returned each card
    story: this turn's events
    plan: secret spells by seat and activation rune; None is no spell
    announced: a spell was announced in this phase"""

    rules: Rulings
    deck: Deck
    seed: int
    wizards: tuple[Wizard, ...]
    phase: Phase
    turn: int = 1
    extra: bool = False
    discards: tuple[str, ...] = ()
    buried: tuple[int, ...] = ()
    shuffles: int = 0
    returned: dict[str, int] = {}
    story: tuple[Text, ...] = ()
    plan: dict[Seat, dict[str, Announced | None]] = {}
    announced: bool = False


def wizard_at(state: State, seat: Seat) -> Wizard:
    for wizard in state.wizards:
        if wizard.seat == seat:
            return wizard
    raise KeyError(seat)


def with_wizard(state: State, wizard: Wizard) -> State:
    wizards = tuple(wizard if other.seat == wizard.seat else other for other in state.wizards)
    return msgspec.structs.replace(state, wizards=wizards)


def living(state: State) -> tuple[Wizard, ...]:
    return tuple(wizard for wizard in state.wizards if not wizard.gone)


def people(state: State) -> tuple[Wizard, ...]:
    return tuple(wizard for wizard in living(state) if not wizard.automatic)


def is_automatic(state: State, seat: Seat) -> bool:
    return wizard_at(state, seat).automatic


def clockwise(state: State, seat: Seat) -> tuple[Wizard, ...]:
    number = next(n for n, wizard in enumerate(state.wizards) if wizard.seat == seat)
    turned = (*state.wizards[number:], *state.wizards[:number])
    return tuple(wizard for wizard in turned if not wizard.gone)


def pile(state: State) -> int:
    away = sum(len(wizard.hand) + len(wizard.sequence) for wizard in state.wizards)
    return len(state.deck) - away - len(state.discards) - len(state.buried)


def face_up_cards(wizard: Wizard) -> tuple[str, ...]:
    return tuple(queued.card for queued in wizard.sequence if not queued.down)


@per_state
def asked_seats(state: State) -> frozenset[Seat]:
    return state.phase.asked_seats(state)


def not_there(seat: Seat) -> Violation:
    return Violation("R59", say("{seat} is no longer there.", seat=who(seat)))


def is_over(state: State) -> Violation:
    return Violation("R59", state.phase.wanted_text(state))


def end_if_last(state: State) -> Over | None:
    """Return the end if at most one wizard lives; none is a draw (R59)."""
    left = living(state)
    return None if len(left) > 1 else Over(left[0].seat if left else None)


def remove_dead(state: State) -> tuple[State, tuple[Text, ...]]:
    """Remove wizards without life (R59), with a sentence each."""
    steps = []
    for wizard in living(state):
        if wizard.life <= 0:
            state = remove_wizard(state, wizard)
            steps.append(say("{seat} dies.", seat=who(wizard.seat)))
    return state, tuple(steps)


def remove_wizard(state: State, wizard: Wizard) -> State:
    """Remove a wizard; the unread hand goes to the discards (R59), then the sequence."""
    left = replace(wizard, gone=True, hand=(), laid=False, sequence=(), active=None)
    cards = tuple(queued.card for queued in wizard.sequence)
    after = with_wizard(state, left)
    return replace(after, discards=(*state.discards, *cards), buried=(*state.buried, *wizard.hand))


def outcome(state: State) -> Outcome | None:
    """Return the outcome, if any; the automatic opponent never counts as a winner (R59)."""
    if not isinstance(state.phase, Over):
        return None
    winner = state.phase.winner
    winners = frozenset[Seat]() if winner is None or is_automatic(state, winner) else frozenset({winner})
    return Outcome(winners, state.phase.result())
