"""Actions of a phrase: Parry, Distance, no answer, and playing a card with its bonuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, product, starmap
from typing import Annotated

from msgspec.structs import replace

from engine.errors import Ambiguous, Illegal, Invalid, Violation
from engine.fence.bout import (
    BONUS,
    CARD,
    OfCard,
    Order,
    State,
    Turn,
    ahead,
    gap,
    off,
    only_advanced,
    read_card,
    side_of,
    surplus,
    turn_for,
    went,
    with_fencer,
)
from engine.fence.cards import (
    ATTACKS,
    KINDS,
    UNKNOWN,
    CardFace,
    any_card,
    card_text,
    card_words,
    colour_name,
    faces_of,
    kind_name,
    kind_of,
    named_card,
    number_text,
    read_cards,
    side_name,
)
from engine.fence.hands import laid_aside, lay_cards, left_to_draw, missing
from engine.fence.phrase import (
    PHRASE_ENDS,
    TO_INFIGHTING,
    Blade,
    Phrase,
    Role,
    Speed,
    accept,
    against_opening,
    answer,
    arms,
    attack,
    check_barred,
    comes_in,
    end_phrase,
    no_answer,
    nothing_comes_in,
    parry_cost,
    pay,
    phrase_of,
    price,
    printed_points,
    riposte,
    row,
    row_of,
    scores,
    scores_by_ceding,
    short,
    speed_up_attack,
    strikes_back,
    unpaid,
)
from engine.fence.table import BESIDE, STRIP, difference, lane, marker_left, track
from engine.fence.turn import given_up
from engine.game import Attempt, Choice, Prefilter, Words, ZonePrefilter, per_state
from engine.rules import Values, legal, menu_of, verb
from engine.table import Piece, Seat
from engine.text import Text, say
from engine.view import NamedCard

# --- defence without a card


BACK = 2

FAST = 5
"""Highest speed that Distance evades."""

DISTANCE_COST = 1


def _used_cards(flags: tuple[bool, bool], side: int) -> tuple[bool, bool]:
    return (flags[0] or side == 0, flags[1] or side == 1)


class CardLess(Order, frozen=True):
    """A card-less defence, once per phrase (F84)."""

    when = (Phrase,)

    def cost(self, state: State, side: int) -> int:
        raise NotImplementedError

    def against(self, state: State, phrase: Phrase) -> Iterator[Violation]:
        raise NotImplementedError

    def besides(self, state: State, side: int) -> Iterator[Violation]:
        raise NotImplementedError

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        phrase = state.phase
        yield from missing(state, side, self.named_cards())
        if isinstance(phrase, Phrase):
            yield from check_barred(phrase, side)
            yield from self.against(state, phrase)
            if phrase.defended[side]:
                yield Violation("F84", say("One card-less defence a phrase."))
            yield from self.besides(state, side)
        else:
            yield from surplus(state, side)
        yield from short(state, side, printed_points(state, self.cards()) + self.cost(state, side), card_less=True)


class Parry(CardLess, frozen=True, tag="parry"):
    """A card-less Parry, perhaps with Glide (F147); it always succeeds, for stamina."""

    glide: Annotated[str | None, BONUS] = None

    name = say("Parry without a card")
    clauses = ("F43", "F147")

    def words(self, state: State) -> Words:
        return () if self.glide is None else (*super().words(state), "parry")

    def notation(self, state: State) -> Words:
        return ("parry" if self.glide is None else "play", *self.words(state))

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Parry:
        if rest:
            raise Invalid(say("Too many words: {words}", words=" ".join(rest)))
        return Parry()

    def cards(self) -> tuple[str, ...]:
        return (self.glide,) if self.glide is not None else ()

    def against(self, state: State, phrase: Phrase) -> Iterator[Violation]:
        if not state.rules.variant.parry:
            yield Violation("F43", say("In the tutorial Distance is the only card-less defence."))
        elif not row_of(state, phrase).parry:
            yield _not_parried(phrase)

    def besides(self, state: State, side: int) -> Iterator[Violation]:
        if self.glide is not None and not state.rules.glide_after_parry:
            yield Violation(PHRASE_ENDS, say("A card-less Parry ends the phrase: no riposte follows."))

    def cost(self, state: State, side: int) -> int:
        phrase = state.phase
        if not isinstance(phrase, Phrase) or phrase.incoming is None or phrase.incoming.speed is None:
            return 0
        return parry_cost(state.rules, phrase.coming, arms(state, side))

    def after(self, state: State, seat: Seat) -> State:
        side = side_of(state, seat)
        state = pay(lay_cards(state, side, self.cards()), side, price(state, self.cards()) + self.cost(state, side))
        phrase = phrase_of(state)
        after = replace(
            phrase,
            barred=_used_cards(phrase.barred, side),
            defended=_used_cards(phrase.defended, side),
            stopped=phrase.coming,
        ).add_step(side, "parry", self.cards())
        if self.glide is None:
            return nothing_comes_in(state, after)
        speed = riposte(state.rules, "glide-attack", 0, arms(state, side), with_glide=True)
        return strikes_back(state, after, Blade(side, Role.RIPOSTE, "glide-attack", speed))

    def public_text(self, state: State, who: Text) -> Text:
        if self.glide is None:
            return say("{side} parries without a card.", side=who)
        return say("{side} parries without a card, and glides.", side=who)


def _not_parried(phrase: Phrase) -> Violation:
    incoming = phrase.incoming
    clause = KINDS["toe-touch"].clause if incoming is not None and incoming.kind == "toe-touch" else "F83"
    return Violation(clause, say("This cannot be parried without a card."))


class Distance(OfCard, CardLess, frozen=True, tag="distance"):
    """Card-less Distance, two squares back (F90). card: the discarded hand card."""

    name = say("Distance")
    clauses = ("F89", "F90")

    def cost(self, state: State, side: int) -> int:
        return DISTANCE_COST

    def against(self, state: State, phrase: Phrase) -> Iterator[Violation]:
        incoming, rules = phrase.incoming, state.rules
        if not row_of(state, phrase).distance:
            yield Violation(_late(incoming), say("Distance answers only the first card of a phrase."))
        elif incoming is not None and incoming.speed is not None and rules.variant.outrun:
            speed = incoming.speed.base if rules.distance_speed == "printed" else incoming.total
            if speed > FAST:
                yield Violation("F89", say("Distance can't escape a speed above {speed}.", speed=FAST))

    def besides(self, state: State, side: int) -> Iterator[Violation]:
        if left_to_draw(state, side) < 1:
            clause = state.rules.clause("F43", "F90")
            yield Violation(clause, say("Distance costs a hand card, and you have none."))
        yield from laid_aside(state, side, self.card)

    def after(self, state: State, seat: Seat) -> State:
        """Go two squares back; off the strip this costs a point (F47)."""
        side = side_of(state, seat)
        state = went(given_up(pay(state, side, DISTANCE_COST), side, self.card, blind=True), side, -BACK)
        phrase = phrase_of(state)
        after = replace(phrase, defended=_used_cards(phrase.defended, side), kept_away=True, stopped=None)
        after = after.add_step(side, "distance")
        return scores(state, after, 1 - side) if off(state.fencers[side].square) else nothing_comes_in(state, after)

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} keeps distance and loses {card}.", side=who, card=card_text(state.pool, self.card))

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Distance:
        return Distance(read_card(state, rest))


def _late(incoming: Blade | None) -> str:
    later = {Role.RIPOSTE: "F50", Role.CLOSE_RIPOSTE: TO_INFIGHTING, Role.RENEWED: "F171"}
    return later.get(incoming.role, "F44") if incoming is not None else "F44"


PLAIN_DEFENCES: tuple[Order, ...] = (Parry(), Distance(UNKNOWN))


def defences(state: State) -> Iterator[Order]:
    """Yield Parry, and Distance with each card of the mode, legal or not (F84)."""
    yield Parry()
    yield from (Distance(card) for card in any_card(state.pool))


class AcceptTouch(Order, frozen=True, tag="accept"):
    """Give no answer; an incoming action scores (F36)."""

    name = say("No answer")
    clauses = ("F36",)
    when = (Phrase,)

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        """Yield a violation if the option demands a legal card-less defence."""
        if not isinstance(state.phase, Phrase):
            yield from surplus(state, side)
        elif state.rules.must_answer and any(each.is_legal(state, side) for each in PLAIN_DEFENCES):
            yield state.phase.must_be_answered()

    def after(self, state: State, seat: Seat) -> State:
        return accept(state, phrase_of(state))

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} does not answer.", side=who)


# --- playing a card


FOULS = {"F28": "third card"}

CARDS = 2

NEAR = 1
"""Widest distance at which Infighting defends."""

PARRIES = ("parry-riposte", "ceding-parry")

AFTER_DEFENCE = frozenset({"renewed-attack", "feint"})

MARKS = frozenset({"parry", "end"})
"""Words that are no cards: Parry with Glide, and a Feint that ends the phrase."""


class PlayCard(Order, frozen=True, tag="play"):
    """Lay a card with its bonuses.

    boost: Angulations
    glide: Glide with a Parry card
    attack: a Feint's new attack, which gets the boost; without it a Feint ends the phrase"""

    card: Annotated[str, CARD]
    boost: Annotated[str | None, BONUS] = None
    glide: Annotated[str | None, BONUS] = None
    attack: Annotated[str | None, BONUS] = None

    name = say("Play a card")
    clauses = ("F28", "F140", "F147", "F152", "F172")
    when = (Turn, Phrase)
    declared = False
    game_action = True
    law = "F28"
    reveals = True

    # --- words

    @classmethod
    def candidates(cls, state: State, seat: Seat, before: Values = ()) -> Iterator[Order]:
        """Yield possible plays, and in a phrase Parries with Glide, which are played like cards."""
        return answers(state, state.phase) if isinstance(state.phase, Phrase) else _openings(state)

    @classmethod
    def menu(cls, state: State, seat: Seat, rest: Words) -> Iterator[Choice]:
        def label(words: Words, depth: int) -> Text:
            return _label(state, words, depth)

        return menu_of(_legal(state, seat), label, state, seat, rest, _colour, _card_meant(state))

    def words(self, state: State) -> Words:
        """Return the words in order: Angulations, Glide, card. A Feint comes first, and its attack, or "end", last."""
        pool = state.pool
        before = tuple(word for card in (self.boost, self.glide) if card is not None for word in card_words(pool, card))
        own = card_words(pool, self.card)
        if self.attack is not None:
            return (*own, *before, *card_words(pool, self.attack))
        return (*own, *before, "end") if kind_of(pool, self.card) == "feint" else (*before, *own)

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Order:
        """Read cards in any order; their kinds decide their roles."""
        cards, marks = read_cards(state.pool, tuple(word for word in rest if word != UNKNOWN), MARKS)
        if not rest or UNKNOWN in rest:
            raise Ambiguous(say("Which card is played?"))
        return _understand(state, cards, marks)

    def cards(self) -> tuple[str, ...]:
        return tuple(each for each in (self.card, self.attack, self.glide, self.boost) if each is not None)

    def costs(self, state: State, seat: Seat) -> bool:
        """Return True for a Joker, which is gone for good."""
        return state.pool[self.card].kind == "joker"

    # --- violations

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        cards = self.cards()
        yield from missing(state, side, cards)
        if isinstance(state.phase, Phrase):
            yield from check_barred(state.phase, side)
            yield from self._against_answer(state, state.phase, side)
        else:
            yield from surplus(state, side)
            if turn_for(state, side) is not None:
                yield from self._against_first(state, side)
        yield from short(state, side, printed_points(state, cards))

    def _against_first(self, state: State, side: int) -> Iterator[Violation]:
        kind = state.pool[self.card].kind
        yield from against_opening(state.rules, kind, gap(state), state.fencers[1 - side].weapon)
        if kind != "feint":  # its attack is judged later
            yield from self._against_additions(state, None)

    def _against_answer(self, state: State, phrase: Phrase, side: int) -> Iterator[Violation]:
        kind = state.pool[self.card].kind
        if phrase.cards[side] >= CARDS:
            yield Violation("F28", say("Two cards each in a phrase: this would be the third."))
        if phrase.first.kind == "fleche" and side != phrase.opener and phrase.cards[side] > 0:
            yield Violation("F152", say("A Fleche is answered by one card only."))
        if kind in AFTER_DEFENCE:
            yield from self._after_defence(state, phrase, side, kind)
        elif kind not in row_of(state, phrase).cards:
            yield from no_answer(kind, phrase.incoming)
        elif kind == "infighting":
            yield from _too_far(state)
        yield from self._against_additions(state, phrase.incoming)

    def _after_defence(self, state: State, phrase: Phrase, side: int, kind: str) -> Iterator[Violation]:
        card = KINDS[kind]
        if side != phrase.opener:
            yield Violation(card.clause, say("{card} is for the player who opened the phrase.", card=card.name))
        if not phrase.stopped_the_first:
            yield Violation(card.clause, say("{card} is played after a defence.", card=card.name))
        if kind == "feint":
            yield from self._against_feint(state, phrase, side)
        elif phrase.kept_away and not state.rules.renewed_after_distance:
            yield Violation("F172", say("{card} does not follow Distance.", card=card.name))

    def _against_feint(self, state: State, phrase: Phrase, side: int) -> Iterator[Violation]:
        if not state.rules.variant.feint:
            yield only_advanced()
        if phrase.defended[1 - side] and not state.rules.feint_after_defence:
            yield Violation("F140", say("Feint follows a defence card."))
        if self.attack is None:
            return
        if phrase.stopped is None:
            yield Violation("F140", say("After Distance a Feint can only end the phrase."))
        kind = state.pool[self.attack].kind
        yield from against_opening(state.rules, kind, phrase.gap, state.fencers[1 - side].weapon)

    def _against_additions(self, state: State, incoming: Blade | None) -> Iterator[Violation]:
        """Yield violations by a second card (F28), Glide (F147) or Angulations. incoming: the answered action."""
        kind = state.pool[self.card].kind
        carrier = state.pool[self.attack].kind if self.attack is not None else kind
        if self.attack is not None and kind != "feint":
            yield _one_at_a_time()
        if self.glide is not None and (kind not in PARRIES or scores_by_ceding(kind, incoming)):
            text = say("Glide goes with Parry and Riposte, a plain Ceding Parry, or a Parry without a card.")
            yield Violation("F147", text)
        if self.boost is None:
            return
        if not KINDS[carrier].timed:
            yield _angulations(say("Angulations go with a card that has a speed."))
        elif state.rules.angulations == "red-cyan" and incoming is not None and self.attack is None and _is_blue(kind):
            yield _angulations(say("Angulations go with red and cyan cards only."))

    # --- what it does

    def after(self, state: State, seat: Seat) -> State:
        side = side_of(state, seat)
        points = price(state, self.cards())
        if not isinstance(state.phase, Phrase):
            return pay(self._open_phrase(lay_cards(state, side, self.cards()), side), side, points)
        state = pay(lay_cards(state, side, self.cards()), side, points)
        return self._after_answer(state, phrase_of(state), side)

    def _open_phrase(self, state: State, side: int) -> State:
        """Open a phrase; a Fleche's figure goes beside the opponent (F151)."""
        speed, kind = self._attack_speed(state, side, self.card), state.pool[self.card].kind
        first = Blade(side, Role.ATTACK, kind, speed)
        fleche = kind == "fleche"
        if fleche:
            placed = replace(state.fencers[side], beside=state.fencers[1 - side].square)
            state = with_fencer(state, side, placed)
        phrase = Phrase(
            opener=side,
            gap=gap(state),
            first=first,
            incoming=first,
            turn=1 - side,
            cards=_one_more((0, 0), side),
            barred=(fleche and side == 0, fleche and side == 1),
        )
        return replace(state, phase=phrase.add_step(side, "attack", self.cards(), speed))

    def _attack_speed(self, state: State, side: int, card: str) -> Speed:
        figures = state.pool[card]
        boosted = self.boost is not None
        return attack(state.rules, figures.kind, figures.speed or 0, arms(state, side), boosted)

    def _after_answer(self, state: State, phrase: Phrase, side: int) -> State:
        """Play an answer or follow-up; some score at once (F174)."""
        kind = state.pool[self.card].kind
        counted = replace(phrase, cards=_one_more(phrase.cards, side))
        match kind:
            case "joker" | "feint-in-time":
                return scores(state, counted.add_step(side, "hit", self.cards()), side)
            case "counter-time":
                told = counted.add_step(side, "counter-time", self.cards())
                return comes_in(state, told, Blade(side, Role.COUNTER_TIME, kind))
            case "renewed-attack":
                return self._renew_attack(state, counted, side)
            case "feint":
                return self._feint(state, counted, side)
            case _ if scores_by_ceding(kind, phrase.incoming):
                return scores(state, counted.add_step(side, "hit", self.cards()), side)
            case _:
                return self._compare_speed(state, counted, side)

    def _compare_speed(self, state: State, phrase: Phrase, side: int) -> State:
        """Compare a defence card's speed with the incoming one; a slower card loses the point (F37)."""
        figures = state.pool[self.card]
        speed = answer(state.rules, figures.speed or 0, arms(state, side), self.boost is not None)
        told = phrase.add_step(side, "answer", self.cards(), speed)
        if speed.total < phrase.coming:
            return scores(state, told, 1 - side)
        parry = figures.kind not in ("stop-hit", "disengage")
        if not parry and speed.total == phrase.coming:
            return end_phrase(state, told, (1, 1))
        told = replace(told, stopped=speed.total)
        if not parry:
            return comes_in(state, told, Blade(side, Role.COUNTER, figures.kind, speed))
        return self._parry(state, told, side, figures)

    def _parry(self, state: State, phrase: Phrase, side: int, figures: CardFace) -> State:
        if figures.kind == "ceding-parry" and self.glide is None:
            return nothing_comes_in(state, phrase)
        role = Role.RIPOSTE
        if figures.kind == "infighting":
            role = Role.CLOSE_RIPOSTE
            if gap(state) > 0:
                state = went(state, side, 1)
        with_glide = self.glide is not None
        speed = riposte(state.rules, figures.kind, figures.speed or 0, arms(state, side), with_glide)
        return strikes_back(state, phrase, Blade(side, role, figures.kind, speed))

    def _renew_attack(self, state: State, phrase: Phrase, side: int) -> State:
        """Repeat the first attack, 2 faster. After Distance the opener closes to gap 1 (F172)."""
        if phrase.kept_away:
            near = state.fencers[1 - side].square - 2 * ahead(state, side)
            state = with_fencer(state, side, replace(state.fencers[side], square=near))
        speed = speed_up_attack(phrase.first.speed or Speed(0))
        after = replace(phrase.add_step(side, "renewed", self.cards(), speed), stopped=None, kept_away=False)
        return comes_in(state, after, Blade(side, Role.RENEWED, phrase.first.kind, speed))

    def _feint(self, state: State, phrase: Phrase, side: int) -> State:
        """Attack again against the defence's speed (F138), or end the phrase (F139)."""
        if self.attack is None:
            return end_phrase(state, phrase.add_step(side, "feint-end", self.cards()), (0, 0))
        speed = self._attack_speed(state, side, self.attack)
        told = phrase.add_step(side, "feint", self.cards(), speed)
        stopped = phrase.stopped or 0
        if speed.total > stopped:
            return scores(state, told, side)
        if speed.total == stopped:
            return end_phrase(state, told, (1, 1))
        incoming = phrase.incoming
        if incoming is None:
            return end_phrase(state, told, (0, 0))
        if incoming.role is Role.COUNTER:
            return scores(state, told, incoming.side)
        return replace(state, phase=replace(told, turn=side))

    # --- reports and looks

    def text(self, state: State) -> Text:
        first, *others = (card_text(state.pool, card) for card in self.cards())
        for other in others:
            first = say("{card} + {more}", card=first, more=other)
        return first

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} plays {cards}.", side=who, cards=self.text(state))

    def deed(self, state: State, side: int) -> Text:
        return say("{side} laid {cards}.", side=side_name(side), cards=self.text(state))

    def physical(self, state: State, side: int) -> State:
        after = lay_cards(state, side, self.cards())
        fencer = after.fencers[side]
        stamina = max(0, fencer.stamina - price(state, self.cards()))
        return with_fencer(after, side, replace(fencer, stamina=stamina))

    def is_hinted(self, state: State, side: int, glance: Prefilter) -> bool:
        own = lane(side)
        only = glance.only(own, track(side), STRIP, BESIDE)
        return only and all(glance.lies(own, Piece(card)) for card in self.cards())

    def instead(self, state: State, side: int) -> Iterator[tuple[str, Order]]:
        if self.is_plain:
            yield from (("another card", PlayCard(card)) for card in state.pool if card != self.card)

    @property
    def is_plain(self) -> bool:
        return self.boost is None and self.glide is None and self.attack is None


def _one_more(cards: tuple[int, int], side: int) -> tuple[int, int]:
    return (cards[0] + (side == 0), cards[1] + (side == 1))


def _too_far(state: State) -> Iterator[Violation]:
    clause = KINDS["infighting"].clause
    if state.rules.infighting_defence == "short":
        if gap(state) > 0:
            yield Violation(clause, say("Infighting defends at the short distance only."))
    elif gap(state) > NEAR:
        text = say("Infighting defends at the short distance, or steps forward from the lunge distance.")
        yield Violation(clause, text)


def _is_blue(kind: str) -> bool:
    return kind in ("parry-riposte", "ceding-parry", "infighting")


def _one_at_a_time() -> Violation:
    return Violation("F28", say("One card at a time."))


def _angulations(text: Text) -> Violation:
    return Violation(KINDS["angulations"].clause, text)


# --- candidates


def _openings(state: State) -> Iterator[PlayCard]:
    return starmap(PlayCard, product(faces_of(state.pool, *ATTACKS), _boosts(state)))


def answers(state: State, phrase: Phrase) -> Iterator[Order]:
    if phrase.incoming is not None:
        wanted = row(state.rules, phrase.incoming)
        for card in faces_of(state.pool, *wanted.cards):
            yield from _with_bonus(state, card)
        if wanted.parry:
            for glide in faces_of(state.pool, "glide-attack"):
                yield Parry(glide)
    if phrase.stopped_the_first:
        yield from (PlayCard(card) for card in faces_of(state.pool, "renewed-attack"))
        yield from _feints(state)


def _with_bonus(state: State, card: str) -> Iterator[PlayCard]:
    kind = state.pool[card].kind
    glides = (None, *faces_of(state.pool, "glide-attack")) if kind in PARRIES else (None,)
    for boost in _boosts(state) if state.pool[card].speed is not None else (None,):
        for glide in glides:
            yield PlayCard(card, boost, glide)


def _feints(state: State) -> Iterator[PlayCard]:
    for feint in faces_of(state.pool, "feint"):
        yield PlayCard(feint)
        for new, boost in product(faces_of(state.pool, *ATTACKS), _boosts(state)):
            yield PlayCard(feint, boost, attack=new)


def _boosts(state: State) -> tuple[str | None, ...]:
    return (None, *faces_of(state.pool, "angulations"))


def plays(state: State) -> Iterator[PlayCard]:
    return map(PlayCard, state.pool)


def played_unpaid(state: State, look: ZonePrefilter) -> Iterator[Attempt]:
    if not isinstance(state.phase, Turn | Phrase):
        return
    for side in state.phase.sides(state):
        seat = state.seats[side]
        for card in _plain_plays(state):
            seen = card.is_hinted(state, side, look) and price(state, card.cards())
            if seen and card.is_legal(state, side):
                table = card.after(state, seat)
                left = with_fencer(table, side, replace(table.fencers[side], stamina=state.fencers[side].stamina))
                trace = difference(state, left, frozenset({seat}))
                yield Attempt("unpaid", seat, trace, (unpaid(),), what=marker_left(side))


def _plain_plays(state: State) -> Iterator[PlayCard]:
    found = answers(state, state.phase) if isinstance(state.phase, Phrase) else _openings(state)
    return (play for play in found if isinstance(play, PlayCard) and play.is_plain)


@per_state
def _legal(state: State, seat: Seat) -> tuple[Order, ...]:
    return tuple(legal(PlayCard.candidates(state, seat), state, seat))


def _label(state: State, words: Words, depth: int) -> Text:
    word = words[depth]
    if word in KINDS:
        return kind_name(word)
    if word in MARKS:
        return say("Parry without a card") if word == "parry" else say("End")
    return number_text(state.pool, f"{words[depth - 1]}-{word}")


def _card_meant(state: State) -> Callable[[Words, int], tuple[NamedCard, ...]]:
    """Return a function that finds a card by its last word's depth."""

    def means(words: Words, depth: int) -> tuple[NamedCard, ...]:
        whole = "-".join(words[depth - 1 : depth + 1]) if depth else words[0]
        names = (whole, words[depth])
        return next(((named_card(state.pool, name),) for name in names if name in state.pool), ())

    return means


def _colour(word: str) -> Text | None:
    return colour_name(word) if word in KINDS else None


def accept_unanswerable(state: State) -> State:
    """End a phrase that no hand can continue, by public knowledge; an incoming action scores."""
    while isinstance(state.phase, Phrase) and not _may_answer(state, state.phase):
        state = accept(state, state.phase)
    return state


def _may_answer(state: State, phrase: Phrase) -> bool:
    return any(action.is_legal(state, phrase.turn) for action in chain(defences(state), answers(state, phrase)))


def legal_kinds(state: State, side: int) -> tuple[str, ...]:
    phrase = state.phase
    if not isinstance(phrase, Phrase) or side not in phrase.sides(state):
        return ()
    found: dict[str, None] = {}
    for action in answers(state, phrase):
        if isinstance(action, PlayCard) and state.pool[action.card].kind not in found and action.is_legal(state, side):
            found[state.pool[action.card].kind] = None
    return (*found, *(verb(type(action)) for action in PLAIN_DEFENCES if action.is_legal(state, side)))


# --- what words mean


def _understand(state: State, cards: tuple[str, ...], marks: tuple[str, ...]) -> Order:
    kinds = {card: kind_of(state.pool, card) for card in cards}
    boosts = [card for card in cards if kinds[card] == "angulations"]
    feints = [card for card in cards if kinds[card] == "feint"]
    others = [card for card in cards if kinds[card] not in ("angulations", "feint")]
    if len(boosts) > 1:
        raise Illegal((_angulations(say("One card of Angulations goes with a card.")),))
    if len(feints) > 1:
        raise Illegal((_one_at_a_time(),))
    boost = boosts[0] if boosts else None
    if "parry" in marks:
        return _parry_with(others, boosts or feints or marks.count("parry") > 1 or "end" in marks)
    if feints:
        return _feint_with(feints[0], boost, others, marks)
    if marks:
        raise Invalid(say("Only a Feint ends a phrase."))
    return _card_with(kinds, boost, others)


def _card_with(kinds: dict[str, str], boost: str | None, others: list[str]) -> PlayCard:
    """Assign bonuses. Angulations alone are the card; two cards at once are read too."""
    if not others and boost is not None:
        return PlayCard(boost)
    if len(others) == 1:
        return PlayCard(others[0], boost)
    if len(others) > 2:
        raise Illegal((_one_at_a_time(),))
    carriers = [card for card in others if kinds[card] != "glide-attack"]
    glides = [card for card in others if kinds[card] == "glide-attack"]
    if carriers and glides:
        return PlayCard(carriers[0], boost, glides[0])
    return PlayCard(others[0], boost, attack=others[1])


def _feint_with(feint: str, boost: str | None, others: list[str], marks: tuple[str, ...]) -> PlayCard:
    if "end" in marks:
        if others or boost or len(marks) > 1:
            raise Invalid(say("A Feint ends the phrase, or brings another attack."))
        return PlayCard(feint)
    if not others:
        raise Ambiguous(say("Does the Feint end the phrase, or bring an attack?"))
    if len(others) > 1:
        raise Illegal((Violation("F138", say("A Feint brings one attack.")),))
    return PlayCard(feint, boost, attack=others[0])


def _parry_with(cards: list[str], extra: object) -> Parry:
    if extra or len(cards) > 1 or (cards and not cards[0].startswith("glide-attack")):
        raise Illegal((Violation("F147", say("Only Glide goes with a card-less Parry.")),))
    return Parry(cards[0] if cards else None)
