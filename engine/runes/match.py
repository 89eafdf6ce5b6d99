"""A match: its options, its wizards, and the question that they answer.

The referee sees no hand: the state holds how many cards a hand has and when each was drawn, never which they are.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from engine.cache import per_state
from engine.runes.cards import Deck
from engine.table import Seat
from engine.text import Text, say, who
from engine.view import Json

MOST_LIFE = 12
"""Life at the beginning, and the most that anybody has."""

SEQUENCE = 4
"""Cards that a sequence holds."""

HAND = 5
"""Cards dealt (R4), and the most that a hand is filled up to."""


class Rulings(msgspec.Struct, frozen=True):
    """The options of the match, by their names in config/games/runes.toml."""

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
    """Turns in which an effect holds, both ends included."""

    first: int
    last: int


class Queued(msgspec.Struct, frozen=True):
    """A card of a sequence; down: turned face down by Forgetfulness."""

    card: str
    down: bool = False


class Wizard(msgspec.Struct, frozen=True):
    """A player.

    start: life at the beginning. sequence: oldest first. hand: for each card of the hand, how many reshuffles
    there had been when it was drawn; the card laid down is still among them. laid: a card lies face down. active: the
    card that gives activation runes in this phase. highest: rank of the best card revealed this turn.
    used: energy runes used this turn, as (card, suit). gone: dead or resigned.
    """

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
    """Nobody sits there: no press, no secret and no victory is this one's."""

    @property
    def held(self) -> int:
        """Cards still in the hand."""
        return len(self.hand) - self.laid

    @property
    def supplied(self) -> bool:
        """True if there is a card to play."""
        return bool(self.hand)


class Automaton(Wizard, frozen=True):
    """The automatic opponent (`solo.py`): its cards come off the pile, so it never has a hand."""

    hand: tuple[int, ...] = ()

    automatic = True

    @property
    def supplied(self) -> bool:
        return True


class Slot(msgspec.Struct, frozen=True):
    """A place in the order of resolution: an activation rune, a rank, and who shares it."""

    rune: str
    rank: int
    seats: tuple[Seat, ...]


class Announced(msgspec.Struct, frozen=True):
    """A basic spell on its way. by: who cast it; caster, target: their parts now, after any Mirrors."""

    by: Seat
    spell: str
    caster: Seat
    target: Seat
    cards: tuple[str, ...] = ()


class Phase(msgspec.Struct, frozen=True):
    """A question, and the seats that answer it: each room that asks something has phases of its own."""

    def asked_seats(self, state: State) -> frozenset[Seat]:
        """Return the seats whose answer the match waits for; none, if it goes on by itself."""
        raise NotImplementedError

    def turn_clause(self, state: State) -> str:
        """The clause that says who acts now."""
        raise NotImplementedError

    def wanted_text(self, state: State) -> Text:
        """Say to everybody what can be done now."""
        raise NotImplementedError

    def question(self, state: State, seat: Seat) -> Text:
        """Say what a seat is asked."""
        return self.wanted_text(state)

    def meanwhile(self, state: State, who: Text) -> Text:
        """Say to the others what they wait for."""
        return self.wanted_text(state)

    def places(self, state: State) -> tuple[Slot, ...]:
        """The places in the order of resolution that are still to come."""
        return ()

    def pending(self, state: State) -> tuple[Announced, ...]:
        """Spells that were announced before everybody and wait to take effect."""
        return ()

    def secret(self, state: State, seat: Seat) -> Json:
        """Return what a seat has chosen while the others still choose; None for nothing."""
        return None


class Over(Phase, frozen=True, tag="over"):
    """The match has ended; no winner: a draw."""

    winner: Seat | None
    resigned: bool = False

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return frozenset()

    def wanted_text(self, state: State) -> Text:
        return say("The match is over.")

    def result(self) -> Text:
        """Say how it ended."""
        return say("{seat} wins.", seat=who(self.winner)) if self.winner else say("All are dead: a draw.")


class State(msgspec.Struct, frozen=True):
    """A match. wizards sit clockwise. extra: this is the phase of the hasted.

    discards: oldest first. buried: unknown cards in the discards, from hands
    of the dead, as draws like those of a hand. shuffles: how often the
    Excuse was drawn; returned: at which of them a card went back into the pile. story: what happened this turn. plan:
    spells chosen in secret by seat and activation rune, None for none. announced: a spell was, in this phase.
    """

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
    """The wizard at a seat. Raises KeyError if nobody sits there."""
    for wizard in state.wizards:
        if wizard.seat == seat:
            return wizard
    raise KeyError(seat)


def with_wizard(state: State, wizard: Wizard) -> State:
    """The state with one wizard replaced."""
    wizards = tuple(wizard if other.seat == wizard.seat else other for other in state.wizards)
    return msgspec.structs.replace(state, wizards=wizards)


def living(state: State) -> tuple[Wizard, ...]:
    """Return the wizards who are still there, clockwise from the lowest seat."""
    return tuple(wizard for wizard in state.wizards if not wizard.gone)


def people(state: State) -> tuple[Wizard, ...]:
    """The living who have a hand: all but the automatic opponent."""
    return tuple(wizard for wizard in living(state) if not wizard.automatic)


def is_automatic(state: State, seat: Seat) -> bool:
    """True for the automatic opponent. Raises KeyError if there is no such wizard."""
    return wizard_at(state, seat).automatic


def clockwise(state: State, seat: Seat) -> tuple[Wizard, ...]:
    """The living from a seat on, clockwise."""
    number = next(n for n, wizard in enumerate(state.wizards) if wizard.seat == seat)
    turned = (*state.wizards[number:], *state.wizards[:number])
    return tuple(wizard for wizard in turned if not wizard.gone)


def pile(state: State) -> int:
    """Cards in the draw pile, the Excuse among them."""
    away = sum(len(wizard.hand) + len(wizard.sequence) for wizard in state.wizards)
    return len(state.deck) - away - len(state.discards) - len(state.buried)


def face_up_cards(wizard: Wizard) -> tuple[str, ...]:
    """The face-up cards of a sequence, oldest first."""
    return tuple(queued.card for queued in wizard.sequence if not queued.down)


@per_state
def asked_seats(state: State) -> frozenset[Seat]:
    """Return the seats whose answer the match waits for."""
    return state.phase.asked_seats(state)
