"""A match: its options, its wizards, what the table shows of it, and what all actions have in common (R5, R59).

The referee sees no hand: the state holds how many cards a hand has and when each was drawn, never which they are.
On the table each wizard has a spot for the card laid face down, the spell sequence, and, if it is kept on the mat, a
life track of twelve cells; in the middle lie the draw pile and the discards (design law 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from engine.errors import Breach, Invalid, Refusal
from engine.game import Attempt, Glance, Look, Words
from engine.memo import per_state
from engine.rules import Action, Values, Word, verb
from engine.runes.cards import CARDS, Deck, ranked
from engine.table import Face, Layout, Move, Piece, Seat, Spot, Trace, ZoneLayout
from engine.table import Order as Arrangement
from engine.text import Text, say, seat_of, who
from engine.view import Event, Json, Outcome

MOST_LIFE = 12
"""Where life begins and what it never exceeds."""

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
        """Whether there is a card to play."""
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
    """What is asked now, and of whom: each room that asks something has phases of its own."""

    def asked(self, state: State) -> frozenset[Seat]:
        """Whose answer the match waits for; nobody's, if it goes on of itself."""
        raise NotImplementedError

    def turn_clause(self, state: State) -> str:
        """The clause that says who acts now."""
        raise NotImplementedError

    def wanted(self, state: State) -> Text:
        """What has its place now, for everybody."""
        raise NotImplementedError

    def question(self, state: State, seat: Seat) -> Text:
        """What a seat is asked."""
        return self.wanted(state)

    def meanwhile(self, state: State, who: Text) -> Text:
        """What the others read meanwhile."""
        return self.wanted(state)

    def places(self, state: State) -> tuple[Slot, ...]:
        """The places in the order of resolution that are still to come."""
        return ()

    def pending(self, state: State) -> tuple[Announced, ...]:
        """Spells that were announced before everybody and wait to take effect."""
        return ()

    def secret(self, state: State, seat: Seat) -> Json:
        """What a seat has chosen while the others still choose; None for nothing."""
        return None


class Over(Phase, frozen=True, tag="over"):
    """The match has ended; no winner: a draw (R59)."""

    winner: Seat | None
    resigned: bool = False

    def asked(self, state: State) -> frozenset[Seat]:
        return frozenset()

    def wanted(self, state: State) -> Text:
        return say("The match is over.")

    def result(self) -> Text:
        """How it ended."""
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
    """Who is still there, clockwise from the lowest seat."""
    return tuple(wizard for wizard in state.wizards if not wizard.gone)


def people(state: State) -> tuple[Wizard, ...]:
    """The living who have a hand: all but the automatic opponent."""
    return tuple(wizard for wizard in living(state) if not wizard.automatic)


def is_automatic(state: State, seat: Seat) -> bool:
    """Whether a wizard is the automatic opponent. Raises KeyError if there is no such wizard."""
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


def shown(wizard: Wizard) -> tuple[str, ...]:
    """The face-up cards of a sequence, oldest first."""
    return tuple(queued.card for queued in wizard.sequence if not queued.down)


@per_state
def asked(state: State) -> frozenset[Seat]:
    """Whose answer the match waits for."""
    return state.phase.asked(state)


# --- who leaves


def not_there(seat: Seat) -> Breach:
    """Who is dead or has resigned does nothing, and nothing is done to them."""
    return Breach("R59", say("{seat} is no longer there.", seat=who(seat)))


def is_over(state: State) -> Breach:
    """After the end nobody does anything."""
    return Breach("R59", state.phase.wanted(state))


def ended(state: State) -> Over | None:
    """The last survivor wins; if nobody is left it is a draw (R59). None while several live."""
    left = living(state)
    return None if len(left) > 1 else Over(left[0].seat if left else None)


def buried(state: State) -> tuple[State, tuple[Text, ...]]:
    """Who has no life left leaves at once (R59)."""
    steps = []
    for wizard in living(state):
        if wizard.life <= 0:
            state = removed(state, wizard)
            steps.append(say("{seat} dies.", seat=who(wizard.seat)))
    return state, tuple(steps)


def removed(state: State, wizard: Wizard) -> State:
    """The state without a wizard: the hand goes to the discards unread (R59), the sequence on top of it."""
    left = replace(wizard, gone=True, hand=(), laid=False, sequence=(), active=None)
    cards = tuple(queued.card for queued in wizard.sequence)
    after = with_wizard(state, left)
    return replace(after, discards=(*state.discards, *cards), buried=(*state.buried, *wizard.hand))


def outcome(state: State) -> Outcome | None:
    """The survivor, or nobody; the automatic opponent wins nothing, but the text names it (R59)."""
    if not isinstance(state.phase, Over):
        return None
    winner = state.phase.winner
    winners = frozenset[Seat]() if winner is None or is_automatic(state, winner) else frozenset({winner})
    return Outcome(winners, state.phase.result())


# --- what an honest table shows, and what a camera sees of a change


PILE, DISCARDS = "pile", "discards"
LIFE = "life"
"""The kind of a life counter."""

LAID = Piece(None, Face.DOWN)
"""A card that lies face down."""

Places = dict[str, Spot]
"""Where each named piece lies: a card by its id, a life counter by its track."""


def spot_zone(seat: Seat) -> str:
    """The place for a card laid face down."""
    return f"card-{seat}"


def sequence_zone(seat: Seat) -> str:
    """The spell sequence."""
    return f"sequence-{seat}"


def life_zone(seat: Seat) -> str:
    """The life track (R5)."""
    return f"life-{seat}"


def cards_alone(state: State, glance: Glance) -> bool:
    """False if something else than a card is not where it was: nothing but spells moves life counters."""
    return glance.only(*_card_zones(tuple(wizard.seat for wizard in state.wizards)))


@cache
def _card_zones(seats: tuple[Seat, ...]) -> tuple[str, ...]:
    return (PILE, DISCARDS, *map(spot_zone, seats), *map(sequence_zone, seats))


def layout(state: State) -> Layout:
    """Every wizard's zones, then pile and discards; of these two only the top card shows."""
    zones: list[ZoneLayout] = []
    tracked = state.rules.life_counter == "mat"
    for wizard in state.wizards:
        if not wizard.automatic:
            zones.append(spot_layout(wizard.seat, wizard.laid))
        zones.append(sequence_layout(wizard.seat, wizard.sequence))
        if tracked:
            zones.append(track_layout(wizard.seat, 0 if wizard.gone else wizard.life))
    zones.append(_top(PILE, LAID if pile(state) else None))
    zones.append(discards_layout(state.discards))
    return Layout(tuple(zones))


# Zones are few and seen again and again: the arbiter compares hundreds of layouts that differ in one or two of them.


@cache
def spot_layout(seat: Seat, laid: bool) -> ZoneLayout:
    """The place for a card laid face down."""
    zone = spot_zone(seat)
    return ZoneLayout(zone, Arrangement.CELLS, (LAID if laid else None,), places=(Text(zone),))


@lru_cache(256)
def sequence_layout(seat: Seat, sequence: tuple[Queued, ...]) -> ZoneLayout:
    """A spell sequence."""
    queue = tuple(LAID if queued.down else Piece(queued.card) for queued in sequence)
    return ZoneLayout(sequence_zone(seat), Arrangement.SPLAY, queue)


@cache
def track_layout(seat: Seat, life: int) -> ZoneLayout:
    """A life track with its counter; without one if there is no life left (R5)."""
    cells = tuple(Piece(LIFE) if life == number + 1 else None for number in range(MOST_LIFE))
    return ZoneLayout(life_zone(seat), Arrangement.CELLS, cells)


def discards_layout(discards: tuple[str, ...]) -> ZoneLayout:
    """The discards, the newest last and alone in sight."""
    return _top(DISCARDS, Piece(discards[-1]) if discards else None)


@cache
def _top(zone: str, piece: Piece | None) -> ZoneLayout:
    return ZoneLayout(zone, Arrangement.PILE, () if piece is None else (piece,))


def seen(
    state: State, seat: Seat, *changed: ZoneLayout, moves: tuple[Move, ...], turned: frozenset[Spot] = frozenset()
) -> Trace:
    """The trace of one hand that does something which no action stands for. changed: the zones that look otherwise."""
    zones = _zones(state) | {zone.zone: zone for zone in changed}
    return Trace(Layout(tuple(zones.values())), moves=moves, turned=turned, hands=frozenset({seat}))


@per_state
def _zones(state: State) -> dict[str, ZoneLayout]:
    return {zone.zone: zone for zone in layout(state).zones}


def difference(
    before: State,
    after: State,
    *,
    came: Mapping[str, Spot] | None = None,
    first: tuple[Move, ...] = (),
    last: tuple[Move, ...] = (),
    swept: bool = False,
    lifted: frozenset[Spot] = frozenset(),
    hands: frozenset[Seat] = frozenset(),
    declared: bool,
) -> Trace:
    """The trace that leads from one state to another.

    came: where cards come from that nobody could name before. first, last: moves of pieces that have no name. swept:
    the discards are taken up as one. hands: where the zones do not tell whose.
    """
    moves = (*first, *_moved(before, after, came or {}, swept), *last)
    turned = _turned(before, after, moves)
    return Trace(layout(after), moves=moves, turned=turned, lifted=lifted, hands=hands, declared=declared)


def _places(state: State) -> Places:
    """Every piece that can be told from others."""
    places: Places = {name: Spot(DISCARDS, 0) for name in state.discards}
    for wizard in state.wizards:
        for number, queued in enumerate(wizard.sequence):
            places[queued.card] = Spot(sequence_zone(wizard.seat), number)
        if state.rules.life_counter == "mat" and wizard.life > 0 and not wizard.gone:
            places[life_zone(wizard.seat)] = Spot(life_zone(wizard.seat), wizard.life - 1)
    return places


_places_before = per_state(_places)


def _moved(state: State, after: State, came: Mapping[str, Spot], swept: bool) -> tuple[Move, ...]:
    """Pieces that lie in another zone, or on another cell, than before; what closes ranks is not listed."""
    before, now = _places_before(state), _places(after)
    moves = []
    for name in (*(name for name in before if name not in now), *now):
        source, target = before.get(name), now.get(name)
        if swept and target is None and source is not None and source.zone == DISCARDS:
            continue
        if source is None or target is None or source.zone != target.zone or _carried(source, target):
            moves.append(Move(source if source is not None else came.get(name), target))
    return tuple(moves)


def _carried(source: Spot, target: Spot) -> bool:
    return source.zone.startswith(LIFE) and source != target


def _turned(state: State, after: State, moves: tuple[Move, ...]) -> frozenset[Spot]:
    """Pieces whose other face shows: what is revealed, and what was turned face down."""
    shown = {move.source for move in moves if move.source and move.source.zone.startswith((PILE, "card-"))}
    shown = {source for source in shown if any(m.source == source and m.target for m in moves)}
    old = {q.card: (n, w.seat, q.down) for w in state.wizards for n, q in enumerate(w.sequence)}
    new = {q.card: q.down for w in after.wizards for q in w.sequence} | dict.fromkeys(after.discards, False)
    flipped = {Spot(sequence_zone(s), n) for name, (n, s, down) in old.items() if new.get(name, down) != down}
    shuffled = {move.source for move in moves if move.source and move.source.zone == DISCARDS}
    return frozenset(shown | flipped | shuffled)


# --- life counters


def counters_moved(state: State, seat: Seat, look: Look) -> Iterator[Attempt]:
    """A hand puts a life counter on another number: life changes by spells alone."""
    if state.rules.life_counter != "mat":
        return
    for owner in (wizard for wizard in state.wizards if not wizard.gone):
        zone, whose = life_zone(owner.seat), who(owner.seat)
        if not look.only(zone):
            continue
        breach = Breach("R5", say("{seat} has {life} life.", seat=whose, life=owner.life))
        for cell in range(12):
            track = track_layout(owner.seat, cell + 1)
            if cell != owner.life - 1 and look.allows(track):
                moves = (Move(Spot(zone, owner.life - 1), Spot(zone, cell)),)
                trace = seen(state, seat, track, moves=moves)
                what = say("The life counter of {seat} went to {life}.", seat=whose, life=cell + 1)
                yield Attempt("life counter moved", seat, trace, (breach,), what=what)


def counters_misplaced(due: Trace, seat: Seat) -> Iterator[Attempt]:
    """A life counter that an order moves is put one too far, or one short."""
    for number, move in enumerate(due.moves):
        if move.target is None or not move.target.zone.startswith(f"{LIFE}-"):
            continue
        owner = move.target.zone.removeprefix(f"{LIFE}-")
        text = say("The life counter of {seat} stands on the wrong number.", seat=who(owner))
        for cell in (move.target.index - 1, move.target.index + 1):
            target = Spot(move.target.zone, cell)
            if 0 <= cell < MOST_LIFE and target != move.source:
                moves = (*due.moves[:number], Move(move.source, target), *due.moves[number + 1 :])
                trace = replace(due, layout=_with_counter(due.layout, target), moves=moves, declared=False)
                what = say("A life counter was put beside its number.")
                yield Attempt("life counter misplaced", seat, trace, (Breach("R5", text),), what=what)


def _with_counter(before: Layout, spot: Spot) -> Layout:
    cells = tuple(Piece(LIFE) if number == spot.index else None for number in range(MOST_LIFE))
    track = ZoneLayout(spot.zone, Arrangement.CELLS, cells)
    return Layout(tuple(track if zone.zone == spot.zone else zone for zone in before.zones))


# --- actions: when one has its place, what a camera sees of it, how a hand errs


JOIN = "+"
"""Between the cards of one word."""


class Order(Action[State], frozen=True):
    """An action of Dueling Runes."""

    when: ClassVar[tuple[type[Phase], ...]]
    """The phases in which it has its place."""

    clause: ClassVar[str]
    """The clause that says so."""

    reveals: ClassVar[bool] = False
    """Whether somebody learns something by it."""

    time_first = True
    declared = True

    def untimely(self, state: State, seat: Seat) -> Iterator[Breach]:
        if isinstance(state.phase, Over):
            yield is_over(state)
        elif wizard_at(state, seat).gone:
            yield not_there(seat)
        elif not isinstance(state.phase, self.when):
            yield from self.uncalled(state, seat)
            yield Breach(self.clause, state.phase.wanted(state))
        elif seat not in self.askers(state):
            unasked = Breach(self.turn_clause(state), say("{seat} is not asked now.", seat=who(seat)))
            yield from tuple(self.uncalled(state, seat)) or (unasked,)

    def askers(self, state: State) -> frozenset[Seat]:
        """Who may do it now."""
        return asked(state)

    def turn_clause(self, state: State) -> str:
        """The clause that says who may do it now."""
        return state.phase.turn_clause(state)

    def uncalled(self, state: State, seat: Seat) -> Iterator[Breach]:
        """Why nothing of the kind is asked of a seat, where a clause of its own says so."""
        return iter(())

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(self.sentence(before, seat), None, reveals=self.reveals)

    def seen(self, state: State, after: State, seat: Seat) -> Trace:
        """What a camera sees of it and of all that follows of itself. after: the state that everything leads to."""
        return difference(state, after, declared=self.declared)

    @classmethod
    def too_many(cls, rest: Words) -> Refusal:
        return Invalid(say("Too many words after {verb}: {words}", verb=verb(cls), words=" ".join(rest)))


# --- words


class CardWord(Word[State, str]):
    """A card by its name without the article."""

    def __init__(self, verb: str) -> None:
        self.missing = say("Which card? {verb} {card}", verb=verb, card="…")

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return CARDS[value]

    def under(self, state: State, value: str, number: int) -> Text | None:
        return ranked(state.deck[value])

    def read(self, state: State, word: str, before: Values) -> str:
        return card_read(state, word)


class SeatWord(Word[State, Seat]):
    """A seat of the match."""

    def text(self, state: State, value: Seat, before: Values, number: int) -> Text:
        return seat_text(value)

    def read(self, state: State, word: str, before: Values) -> Seat:
        return seat_read(state, word)


def card_read(state: State, word: str) -> str:
    """The card of that name. Raises Invalid."""
    name = word.removeprefix("the-")
    if name not in state.deck:
        raise Invalid(say("{word} is no card of the Decktet. Cards are written so: mountain, light-keeper.", word=name))
    return name


def cards_read(state: State, words: Words) -> tuple[str, ...]:
    """Cards joined in one word or written apart, in the order in which they lie on the table. Raises Invalid."""
    names = [card_read(state, name) for word in words for name in word.split(JOIN)]
    if len(set(names)) != len(names):
        raise Invalid(say("A card is written twice: {words}", words=" ".join(words)))
    place = {q.card: n for wizard in state.wizards for n, q in enumerate(wizard.sequence)}
    deck = {name: n for n, name in enumerate(state.deck)}
    return tuple(sorted(names, key=lambda name: (place.get(name, len(place)), deck[name])))


def seat_read(state: State, word: str) -> Seat:
    """The seat of that name. Raises Invalid."""
    if word not in {wizard.seat for wizard in state.wizards}:
        raise Invalid(say("There is no seat {seat} in this match.", seat=word.upper()))
    return word


def seat_text(seat: Seat) -> Text:
    return seat_of(seat)


# --- how a hand errs


def foul(kind: str, seat: Seat, seen: Trace, breach: Breach, what: Text) -> Attempt:
    """Something that no action stands for. what: what was done; breach: the rule that it breaks."""
    return Attempt(kind, seat, seen, (breach,), what=what)


def at_wrong_time(
    state: State, kind: str, seat: Seat, seen: Callable[[], Trace], action: Order, what: Text
) -> Iterator[Attempt]:
    """An action that something speaks against, if anything does."""
    breaches = action.judge(state, seat)
    if breaches:
        yield Attempt(kind, seat, seen(), breaches, action.notation(state), what)


def discarded_text(seat: Seat, card: str) -> Text:
    return say("{seat} discarded {card}.", seat=who(seat), card=CARDS[card])


def turned_up_text(card: str) -> Text:
    return say("{card} was turned up.", card=CARDS[card])
