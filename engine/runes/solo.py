"""The automatic opponent: it plays from the pile, by public knowledge and the seed (R60-R68)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Annotated

from msgspec.structs import replace

from engine.draws import draw
from engine.errors import Invalid, Violation
from engine.game import Options, Prefilter
from engine.rules import Word
from engine.runes.cards import CARDS
from engine.runes.casting import Cast, castings
from engine.runes.hands import TakePhase, TopCard, not_on_top, with_shuffle
from engine.runes.laying import Laying, Revealing, join_sequence, layers, without_oldest
from engine.runes.mat import PILE, cards_alone, difference, sequence_zone
from engine.runes.match import Announced, Phase, Slot, State, Wizard, face_up_cards, people, with_wizard, wizard_at
from engine.runes.order import Order
from engine.runes.spells import SPELLS, Does, active, forgettable, grant_effect, most_life, stop_reason
from engine.table import Piece, Seat, Spot, Trace
from engine.text import Text, say, who


def opponent_of(options: Options, seats: tuple[Seat, ...], every: tuple[Seat, ...]) -> Seat | None:
    """Return the automatic opponent's seat, or None. Raises Invalid if option and seats conflict."""
    solo = options["opponent"] == "automatic"
    if solo != (len(seats) == 1):
        raise Invalid(say("One player plays against the automatic opponent; several play each other."), ("R60",))
    return next(seat for seat in every if seat not in seats) if solo else None


# --- its card


def _human(state: State) -> frozenset[Seat]:
    return frozenset(wizard.seat for wizard in people(state)[:1])


def automaton(state: State) -> Wizard | None:
    return next((wizard for wizard in state.wizards if wizard.automatic), None)


def opponent_seat(state: State) -> Seat:
    machine = automaton(state)
    assert machine is not None
    return machine.seat


class Turning(TakePhase, frozen=True, tag="turning"):
    """The pile's top card is turned up for it (R60). again: the first was discarded."""

    again: bool = False

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return _human(state)

    def turn_clause(self, state: State) -> str:
        return "R60"

    def wanted_text(self, state: State) -> Text:
        return say("Turn up the top card of the pile for {seat}.", seat=who(opponent_seat(state)))

    def question(self, state: State, seat: Seat) -> Text:
        return with_shuffle(state, self.wanted_text(state))

    def waiting_text(self, state: State, who: Text) -> Text:
        return self.question(state, opponent_seat(state))


class Keeping(Phase, frozen=True, tag="keeping"):
    """The human keeps or discards the confused opponent's card (R61)."""

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return _human(state)

    def turn_clause(self, state: State) -> str:
        return "R61"

    def wanted_text(self, state: State) -> Text:
        return say("{seat} is confused: keep the card, or turn another.", seat=who(opponent_seat(state)))


_CARD: Word[State, str] = TopCard("turn")


class TurnUp(Order, frozen=True, tag="turn"):
    """Turn up the opponent's card (R60)."""

    card: Annotated[str, _CARD]

    name = say("Card turned up")
    clauses = ("R60", "R68")
    when = (Turning,)
    declared = False
    clause = "R60"
    reveals = True

    def out_of_turn_violation(self, state: State, seat: Seat) -> Iterator[Violation]:
        if isinstance(state.phase, Laying) and automaton(state) is not None:
            yield Violation("R68", state.phase.wanted_text(state))

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        return not_on_top(state, self.card)

    def after(self, state: State, seat: Seat) -> State:
        state = join_sequence(without_oldest(state, opponent_seat(state)), opponent_seat(state), self.card)
        if may_be_confused(state) and isinstance(state.phase, Turning) and not state.phase.again:
            return replace(state, phase=Keeping())
        return _settle_card(state)

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} plays {card}.", seat=who(opponent_seat(state)), card=CARDS[self.card])

    def trace_of(self, state: State, after: State, seat: Seat) -> Trace:
        return difference(state, after, came={self.card: Spot(PILE, 0)}, declared=self.declared)

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        return cards_alone(state, glance) and glance.lies(sequence_zone(opponent_seat(state)), Piece(self.card))


def _settle_card(state: State) -> State:
    """Keep the opponent's card; the human lays or has laid one (R68)."""
    return replace(state, phase=Laying() if layers(state) else Revealing())


class KeepCard(Order, frozen=True, tag="keep"):
    """Keep the confused opponent's card (R61)."""

    name = say("Keep it")
    clauses = ("R61",)
    when = (Keeping,)
    clause = "R61"

    def after(self, state: State, seat: Seat) -> State:
        return _settle_card(state)

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("The card stays.")


class Again(Order, frozen=True, tag="again"):
    """Discard the confused opponent's card and turn another (R61)."""

    name = say("Discard it, turn another")
    clauses = ("R61",)
    when = (Keeping,)
    declared = False
    clause = "R61"

    def costs(self, state: State, seat: Seat) -> bool:
        return True

    def after(self, state: State, seat: Seat) -> State:
        wizard = wizard_at(state, opponent_seat(state))
        left = replace(wizard, sequence=wizard.sequence[:-1], active=None)
        state = replace(with_wizard(state, left), discards=(*state.discards, wizard.sequence[-1].card))
        return replace(state, phase=Turning(again=True))

    def sentence(self, state: State, seat: Seat) -> Text:
        first = wizard_at(state, opponent_seat(state)).sequence[-1].card
        return say("{card} is discarded; another card is turned up.", card=CARDS[first])

    def trace_of(self, state: State, after: State, seat: Seat) -> Trace:
        return difference(state, after, declared=self.declared)


def takes_part(state: State) -> Wizard | None:
    """Return the opponent if it plays in this phase (R60)."""
    wizard = automaton(state)
    if wizard is None or wizard.gone or (state.extra and not active(state, wizard, "haste")):
        return None
    return wizard


def may_be_confused(state: State) -> bool:
    """Return True if its card may be replaced (R61)."""
    wizard = takes_part(state)
    if wizard is None or (state.extra and state.rules.confusion_haste == "normal"):
        return False
    return active(state, wizard, "confused")


# --- its spells

HEALTHY = 7
"""Life from which lasting effects are preferred to attacks (R64, R65)."""


def decide(state: State, seat: Seat, slot: Slot) -> Cast | None:
    """Return the opponent's spell in a slot, or None (R64, R65)."""
    legal = castings(state, seat, slot)
    choose = {"moons": _moons, "wyrms": _wyrms, "knots": _knots}[slot.rune]
    found = choose(state, seat, [cast for cast in legal if _useful(state, seat, cast)])
    if found is None and legal and state.rules.casting == "required":
        return min(legal, key=lambda cast: _regret(state, seat, cast))
    return found


def _regret(state: State, seat: Seat, cast: Cast) -> tuple[bool, bool, int]:
    """Return the sort key of forced spells (R63): least harm to itself, then no effect, then fewest cards."""
    works = stop_reason(state, cast.announce(seat)) is None
    hindering = cast.spell in ("forgetfulness", "confusion") and cast.target == seat
    return hindering, works, len(cast.cards)


def forgets(state: State, announced: Announced) -> tuple[str, ...]:
    """Return the cards it turns down: most energy first, then newest."""
    cards = forgettable(state, announced)
    ranked = sorted(range(len(cards)), key=lambda n: (len(state.deck[cards[n]].energy), n), reverse=True)
    chosen = sorted(ranked[: len(announced.cards)])
    return tuple(cards[n] for n in chosen)


def _useful(state: State, seat: Seat, cast: Cast) -> bool:
    """Return False for spells that are stopped, misaimed, wasteful or without effect (R63)."""
    spell, target = SPELLS[cast.spell], wizard_at(state, cast.target)
    own = cast.spell in ("haste", "invisibility")
    if stop_reason(state, cast.announce(seat)) is not None:
        return False
    if spell.rune == "knots" and own != (cast.target == seat):
        return False
    if spell.does is Does.FORGET:
        return bool(face_up_cards(target))
    if spell.does is Does.HEAL:
        missing = most_life(state, target) - target.life
        return missing > 0 and (len(cast.cards) <= missing or state.rules.energy == "all")
    if spell.does is Does.EFFECT:
        return grant_effect(state, target, spell, len(cast.cards)).effects != target.effects
    return True


def _moons(state: State, seat: Seat, casts: list[Cast]) -> Cast | None:
    """Return Heal, else a ward against the human's sequence (R64-R67)."""
    low = wizard_at(state, seat).life < HEALTHY
    if low or state.rules.solo_heal == "any-gain":
        healing = _strongest(state, (cast for cast in casts if cast.spell == "heal"))
        if healing is not None:
            return healing
    for spells in _suggested_wards(state):
        found = _strongest(state, (cast for cast in casts if cast.spell in spells))
        if found is not None:
            return found
    return None


def _suggested_wards(state: State) -> list[tuple[str, ...]]:
    """Return wards by the human's energy, most first, ties together (R67)."""
    counts = {"heat-ward": 0, "cold-ward": 0, "shield": 0}
    wards = {"suns": "heat-ward", "waves": "cold-ward", "leaves": "shield"}
    for human in people(state):
        cards = face_up_cards(human) if state.rules.solo_wards == "counts" else face_up_cards(human)[-1:]
        for name in cards:
            for suit in state.deck[name].energy:
                counts[wards[suit]] += 1
    if not any(counts.values()):
        return [("shield",)]
    ranked = sorted((spell for spell in counts if counts[spell]), key=lambda spell: -counts[spell])
    return [tuple(group) for _, group in groupby(ranked, key=lambda spell: counts[spell])]


def _wyrms(state: State, _seat: Seat, casts: list[Cast]) -> Cast | None:
    return _strongest(state, casts)


def _knots(state: State, seat: Seat, casts: list[Cast]) -> Cast | None:
    """Return invisibility, haste, then hindrance if healthy, else hindrance first (R64, R65)."""
    helping, hindering = (("invisibility",), ("haste",)), (("forgetfulness", "confusion"),)
    healthy = wizard_at(state, seat).life >= HEALTHY
    groups = (*helping, *hindering) if healthy else (*hindering, ("invisibility", "haste"))
    for spells in groups:
        group = [cast for cast in casts if cast.spell in spells]
        names = sorted({cast.spell for cast in group})
        if names:
            name = names[_tie(state, "knots", len(names))]
            return _strongest(state, (cast for cast in group if cast.spell == name))
    return None


def _strongest(state: State, casts: Iterable[Cast]) -> Cast | None:
    every = list(casts)
    most = max((_force(cast) for cast in every), default=0)
    best = sorted((cast for cast in every if _force(cast) == most), key=lambda cast: (cast.spell, cast.cards))
    return best[_tie(state, "strongest", len(best))] if best else None


def _force(cast: Cast) -> int:
    return max(1, len(cast.cards))


def _tie(state: State, purpose: str, count: int) -> int:
    return draw(f"runes/{state.seed}/{purpose}/{state.turn}/{state.extra}", count)
