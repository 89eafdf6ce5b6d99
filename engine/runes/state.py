"""The state of a match: wizards, sequences, effects, and what is asked of whom.

The referee sees no hand: the state holds how many cards a hand has and when each was drawn, never which they are.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.runes.cards import Deck
from engine.table import Seat
from engine.text import Text

MOST_LIFE = 12
"""Where life begins and what it never exceeds (R5, R35)."""

SEQUENCE = 4
"""Cards that a sequence holds (R18)."""

HAND = 5
"""Cards dealt, and the most that a hand is filled up to (R4, R57)."""


class Rules(msgspec.Struct, frozen=True):
    """The options of the match, by their names in config/games/runes.toml. opponent: the automatic one's seat."""

    opponent: Seat | None = None
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
    """A card of a sequence; down: turned face down by Forgetfulness (R45)."""

    card: str
    down: bool = False


class Wizard(msgspec.Struct, frozen=True):
    """A player, or the automatic opponent.

    start: life at the beginning (R6). sequence: oldest first. hand: for each card of the hand, how many reshuffles
    there had been when it was drawn; the card laid down is still among them. laid: a card lies face down. active: the
    card that gives activation runes in this phase (R14). highest: rank of the best card revealed this turn (R58).
    used: energy runes used this turn, as (card, suit) (R15). gone: dead or resigned (R59).
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

    @property
    def held(self) -> int:
        """Cards still in the hand."""
        return len(self.hand) - self.laid


class Slot(msgspec.Struct, frozen=True):
    """A place in the order of resolution: an activation rune, a rank, and who shares it (R25-R27)."""

    rune: str
    rank: int
    seats: tuple[Seat, ...]


class Announced(msgspec.Struct, frozen=True):
    """A basic spell on its way. by: who cast it; caster, target: their parts now, after any Mirrors (R53)."""

    by: Seat
    spell: str
    caster: Seat
    target: Seat
    cards: tuple[str, ...] = ()


class Laying(msgspec.Struct, frozen=True, tag="laying"):
    """Cards are laid face down (R21)."""


class Turning(msgspec.Struct, frozen=True, tag="turning"):
    """The pile's top card is turned up for the opponent (R60). again: the first was discarded (R61)."""

    again: bool = False


class Keeping(msgspec.Struct, frozen=True, tag="keeping"):
    """Is the confused opponent's card kept? (R61)"""


class Revealing(msgspec.Struct, frozen=True, tag="revealing"):
    """The cards laid down are turned up (R24)."""


class Planning(msgspec.Struct, frozen=True, tag="planning"):
    """All spells of this phase are chosen in secret, each seat its own one after another (R32, as an option)."""

    slots: tuple[Slot, ...]


class Casting(msgspec.Struct, frozen=True, tag="casting"):
    """The first slot's casters announce a spell or pass (R32). chosen: secret until all have chosen (R30)."""

    slots: tuple[Slot, ...]
    chosen: dict[Seat, Announced | None] = {}


class Responding(msgspec.Struct, frozen=True, tag="responding"):
    """Spells have been announced and not yet taken effect (R51, R53). waiting: who is still asked."""

    slots: tuple[Slot, ...]
    spells: tuple[Announced, ...]
    waiting: tuple[Seat, ...]


class Forgetting(msgspec.Struct, frozen=True, tag="forgetting"):
    """Cards are chosen that Forgetfulness turns down (R45). chosen: by who cast the spell; secret until complete."""

    slots: tuple[Slot, ...]
    spells: tuple[Announced, ...]
    chosen: dict[Seat, tuple[str, ...]] = {}


class Last(msgspec.Struct, frozen=True, tag="last"):
    """The last chance for a Counter Spell before the end phase (R51)."""

    waiting: tuple[Seat, ...]


class Drawing(msgspec.Struct, frozen=True, tag="drawing"):
    """Cards are drawn one by one (R57, R58)."""

    order: tuple[Seat, ...]


class Paying(msgspec.Struct, frozen=True, tag="paying"):
    """A special spell is being paid card by card (R49, R50). at: its target, or whose spell is mirrored."""

    seat: Seat
    special: str
    at: Seat
    then: Laying | Casting | Responding | Last
    paid: tuple[str, ...] = ()


class Over(msgspec.Struct, frozen=True, tag="over"):
    """The match has ended; no winner: a draw (R59)."""

    winner: Seat | None
    resigned: bool = False


Phase: TypeAlias = (
    Laying
    | Turning
    | Keeping
    | Revealing
    | Planning
    | Casting
    | Responding
    | Forgetting
    | Last
    | Drawing
    | Paying
    | Over
)


class State(msgspec.Struct, frozen=True):
    """A match. wizards sit clockwise. extra: this is the phase of the hasted (R41).

    discards: oldest first. buried: unknown cards in the discards, from hands
    of the dead (R59), as draws like those of a hand. shuffles: how often the
    Excuse was drawn; returned: at which of them a card went back into the pile. story: what happened this turn. plan:
    spells chosen in secret by seat and activation rune, None for none (R32). announced: a spell was, in this phase.
    """

    rules: Rules
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
    """Who is still there, clockwise from the lowest seat."""
    return tuple(wizard for wizard in state.wizards if not wizard.gone)


def people(state: State) -> tuple[Wizard, ...]:
    """The living who have a hand: all but the automatic opponent (R60)."""
    return tuple(wizard for wizard in living(state) if wizard.seat != state.rules.opponent)


def clockwise(state: State, seat: Seat) -> tuple[Wizard, ...]:
    """The living from a seat on, clockwise."""
    number = next(n for n, wizard in enumerate(state.wizards) if wizard.seat == seat)
    turned = (*state.wizards[number:], *state.wizards[:number])
    return tuple(wizard for wizard in turned if not wizard.gone)


def pile(state: State) -> int:
    """Cards in the draw pile, the Excuse among them."""
    away = sum(len(wizard.hand) + len(wizard.sequence) for wizard in state.wizards)
    return len(state.deck) - away - len(state.discards) - len(state.buried)


def shown(wizard: Wizard) -> tuple[str, ...]:
    """The face-up cards of a sequence, oldest first."""
    return tuple(queued.card for queued in wizard.sequence if not queued.down)
