"""Forgetfulness: its caster turns cards of the target's sequence face down, and they stay so (R45)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Annotated

import msgspec
from msgspec.structs import replace

from engine.errors import Ambiguous, Breach
from engine.game import Attempt, Words
from engine.rules import Values, Word
from engine.runes.action import JOIN, Order, cards_read, foul, turned_up_text
from engine.runes.cards import CARDS, listed
from engine.runes.spells import forgettable
from engine.runes.state import Announced, Phase, Queued, Slot, State, Wizard, with_wizard, wizard_at
from engine.runes.tabletop import seen, sequence_zone
from engine.table import Seat, Spot
from engine.text import Text, say, who
from engine.view import Json

NONE = "none"
"""No card, where some may be chosen."""


class Forgetting(Phase, frozen=True, tag="forgetting"):
    """Cards are chosen that Forgetfulness turns down. chosen: by who cast the spell; secret until complete."""

    slots: tuple[Slot, ...]
    spells: tuple[Announced, ...]
    chosen: dict[Seat, tuple[str, ...]] = msgspec.field(default_factory=dict)

    def asked(self, state: State) -> frozenset[Seat]:
        casters = (spell.caster for spell in self.unchosen(state))
        return frozenset(caster for caster in casters if caster != state.rules.opponent)

    def unchosen(self, state: State) -> Iterator[Announced]:
        """Forgetfulness whose cards are still to be chosen; who is gone turns nothing down."""
        for spell in self.spells:
            here = not wizard_at(state, spell.caster).gone and spell.by not in self.chosen
            if here and forgettable(state, spell):
                yield spell

    def of(self, state: State, seat: Seat) -> Announced | None:
        """The spell whose cards a seat chooses now."""
        return next((spell for spell in self.unchosen(state) if spell.caster == seat), None)

    def with_choice(self, spell: Announced, cards: tuple[str, ...]) -> Forgetting:
        """The phase once the cards of a spell are chosen."""
        return replace(self, chosen={**self.chosen, spell.by: cards})

    def turn_clause(self, state: State) -> str:
        return "R45"

    def wanted(self, state: State) -> Text:
        return say("Cards to be turned down are chosen now.")

    def question(self, state: State, seat: Seat) -> Text:
        spell = self.of(state, seat)
        return say("Cards to turn down: up to {count}.", count=len(spell.cards) if spell is not None else 0)

    def meanwhile(self, state: State, who: Text) -> Text:
        return say("{seat} chooses what is turned down.", seat=who)

    def places(self, state: State) -> tuple[Slot, ...]:
        return self.slots

    def pending(self, state: State) -> tuple[Announced, ...]:
        return self.spells

    def secret(self, state: State, seat: Seat) -> Json:
        own = {s.by: self.chosen[s.by] for s in self.spells if s.caster == seat and s.by in self.chosen}
        return {by: cards for by, cards in own.items()} or None


class Chosen(Word[State, tuple[str, ...]]):
    """Up to as many cards as Leaves were used (R45), as one word; in a menu the most first, and none at last."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterator[tuple[str, ...]]:
        spell = _asked_for(state, seat)
        if spell is not None:
            cards = forgettable(state, spell)
            for count in range(len(spell.cards), -1, -1):
                yield from combinations(cards, count)

    def write(self, state: State, value: tuple[str, ...], before: Values) -> Words:
        return (JOIN.join(value) if value else NONE,)

    def text(self, state: State, value: tuple[str, ...], before: Values, number: int) -> Text:
        return listed(value) if value else say("None")


_CARDS: Word[State, tuple[str, ...]] = Chosen()


class Forget(Order, frozen=True, tag="forget"):
    """The cards that Forgetfulness turns face down."""

    cards: Annotated[tuple[str, ...], _CARDS] = ()

    name = say("Turn down")
    when = (Forgetting,)
    clause = "R45"

    def breaches(self, state: State, seat: Seat) -> Iterator[Breach]:
        """At most as many as Leaves were used, face-up ones of the target."""
        spell = _asked_for(state, seat)
        if spell is None:
            return
        there, target = forgettable(state, spell), who(spell.target)
        for name in self.cards:
            if name not in there:
                text = say("{card} does not lie open in the sequence of {seat}.", card=CARDS[name], seat=target)
                yield Breach("R45", text)
        if len(self.cards) > len(spell.cards):
            yield Breach("R45", say("Cards turned down: at most {count}.", count=len(spell.cards)))

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Forget:
        """`forget mill+sea`, or `forget none`."""
        if not rest:
            raise Ambiguous(say("Which card? {verb} {card}", verb="forget", card="…"))
        if len(rest) > 4:
            raise cls.too_many(rest)
        return Forget() if rest == (NONE,) else Forget(cards_read(state, rest))

    def after(self, state: State, seat: Seat) -> State:
        """Of two at the same time the first choice stays secret."""
        spell = _asked_for(state, seat)
        if spell is None or not isinstance(state.phase, Forgetting):
            raise ValueError("nobody forgets: judge the action before applying it")
        return replace(state, phase=state.phase.with_choice(spell, self.cards))

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} has chosen.", seat=who(seat))


def _asked_for(state: State, seat: Seat) -> Announced | None:
    return state.phase.of(state, seat) if isinstance(state.phase, Forgetting) else None


def lies_down(card: str) -> Breach:
    """The runes of a card that was turned down cannot be used."""
    return Breach("R45", say("{card} lies face down.", card=CARDS[card]))


def turned_back(state: State) -> State:
    """As an option, what was turned down lies open again at the end of the turn (R45)."""
    if state.rules.forgetting != "turn":
        return state
    wizards = tuple(replace(w, sequence=tuple(Queued(q.card) for q in w.sequence)) for w in state.wizards)
    return replace(state, wizards=wizards)


def turned_up_again(state: State, wizard: Wizard, number: int) -> Iterator[Attempt]:
    """A hand turns up what has to stay face down."""
    queued, seat = wizard.sequence[number], wizard.seat
    if not queued.down:
        return
    queue = (*wizard.sequence[:number], Queued(queued.card), *wizard.sequence[number + 1 :])
    after = with_wizard(state, replace(wizard, sequence=queue))
    trace = seen(after, seat, turned=frozenset({Spot(sequence_zone(seat), number)}))
    breach = Breach("R45", say("{card} stays face down.", card=CARDS[queued.card]))
    yield foul("turned up again", seat, trace, breach, turned_up_text(queued.card))
