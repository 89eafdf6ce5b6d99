"""What speaks against an answer: who may still act, section 5's row, and what goes with which card."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import Breach
from engine.fence.actions import Action, Distance, Parry, Play
from engine.fence.cards import KINDS, PARRIES, Colour
from engine.fence.knowledge import spare_yellow
from engine.fence.phrase.opening import against_opening
from engine.fence.phrase.state import Blade, Phrase, Role
from engine.fence.phrase.table import AFTER_DEFENCE, SCORING_CEDING, Row, row
from engine.fence.state import State, gap
from engine.text import say

CARDS = 2
"""Cards that a side may play in a phrase (F28)."""

NEAR = 1
"""The widest distance at which Infighting defends, by a step forward (F161)."""

FAST = 5
"""The highest speed that Distance gets away from (F89)."""


def against_answer(state: State, phrase: Phrase, side: int, action: Action) -> Iterator[Breach]:
    """Every breach of an answer of `side`, apart from its price and from what can be in a hand."""
    match action:
        case Play():
            yield from _barred(phrase, side)
            yield from _card(state, phrase, side, action)
        case Parry():
            yield from _barred(phrase, side)
            yield from _parry(state, phrase, side, action)
        case Distance():
            yield from _barred(phrase, side)
            yield from _distance(state, phrase, side)
            yield from _laid_aside(state, side, action.card)
        case _:
            return


def _barred(phrase: Phrase, side: int) -> Iterator[Breach]:
    if not phrase.barred[side]:
        return
    if phrase.first.kind == "fleche" and side == phrase.opener:
        yield Breach("F153", say("After a Fleche its player may do nothing more in this phrase."))
    else:
        yield Breach("F87", say("After a card-less Parry nothing more may be done in this phrase."))


def _row(state: State, phrase: Phrase) -> Row:
    return row(state.rules, phrase.incoming) if phrase.incoming is not None else Row(frozenset())


def _card(state: State, phrase: Phrase, side: int, play: Play) -> Iterator[Breach]:
    kind = state.pool[play.card].kind
    if phrase.cards[side] >= CARDS:
        yield Breach("F28", say("Two cards each in a phrase: this would be the third."))
    if phrase.first.kind == "fleche" and side != phrase.opener and phrase.cards[side] > 0:
        yield Breach("F152", say("A Fleche is answered by one card only."))
    if kind in AFTER_DEFENCE:
        yield from _after_defence(state, phrase, side, play, kind)
    elif kind not in _row(state, phrase).cards:
        yield _no_answer(kind, phrase.incoming)
        yield from _wrong_colour(kind, phrase.incoming)
    elif kind == "infighting" and gap(state) > (NEAR if state.rules.infighting_defence == "short-or-lunge" else 0):
        yield _too_far(state)
    yield from against_bonus(state, phrase.incoming, play)


def _too_far(state: State) -> Breach:
    """F161."""
    if state.rules.infighting_defence == "short":
        return Breach("F161", say("Infighting defends at the short distance only."))
    return Breach("F161", say("Infighting defends at the short distance, or steps forward from the lunge distance."))


_ANSWER_CLAUSE = {"disengage": "F143", "ceding-parry": "F159", "infighting": "F162"}


def _no_answer(kind: str, incoming: Blade | None) -> Breach:
    """The clause that says what the card, or what the incoming action, allows."""
    name = KINDS[kind].name
    if incoming is None:
        return Breach("F85", say("There is nothing to answer."))
    if kind == "angulations":
        return Breach("F169", say("Angulations go with another card."))
    other = KINDS[incoming.kind].name
    clause = _ANSWER_CLAUSE.get(kind, KINDS[kind].clause)
    if incoming.kind == "toe-touch" and incoming.role in (Role.ATTACK, Role.RENEWED):
        clause = "F145"
    elif KINDS[kind].gap is not None and kind not in ("disengage", "infighting"):
        clause = "F32"
    return Breach(clause, say("{card} does not answer {other}.", card=name, other=other))


def _wrong_colour(kind: str, incoming: Blade | None) -> Iterator[Breach]:
    """F38: blue against cyan and cyan against blue, apart from what the cards themselves say."""
    colours = KINDS[kind].colours
    if incoming is None or Colour.GOLD in colours:
        return
    if incoming.role is Role.COUNTER and Colour.BLUE not in colours:
        yield Breach("F38", say("A cyan card is countered only by a blue one."))
    if incoming.role is Role.COUNTER_TIME and Colour.CYAN not in colours:
        yield Breach("F38", say("A blue card is countered only by a cyan one."))


def _after_defence(state: State, phrase: Phrase, side: int, play: Play, kind: str) -> Iterator[Breach]:
    """F137, F170: only by the opener, and only once a defence has succeeded."""
    name = KINDS[kind].name
    clause = KINDS[kind].clause
    if side != phrase.opener:
        yield Breach(clause, say("{card} is for the player who opened the phrase.", card=name))
    if not defended(phrase):
        yield Breach(clause, say("{card} is played after a defence.", card=name))
    if kind == "feint":
        yield from _feint(state, phrase, side, play)
    elif phrase.kept_away and not state.rules.renewed_after_distance:
        yield Breach("F172", say("{card} does not follow Distance.", card=name))


def defended(phrase: Phrase) -> bool:
    """Whether the last answer was a successful defence against the opener's first attack."""
    if phrase.turn != phrase.opener or phrase.cards[phrase.opener] != 1:
        return False
    return phrase.incoming is None or phrase.incoming.side != phrase.opener


def _feint(state: State, phrase: Phrase, side: int, play: Play) -> Iterator[Breach]:
    if not state.rules.advanced:
        yield Breach("F137", say("Feint is used in the advanced mode only."))
    if phrase.defended[1 - side] and not state.rules.feint_after_defence:
        yield Breach("F140", say("Feint follows a defence card."))
    if play.attack is None:
        return
    if phrase.stopped is None:
        yield Breach("F140", say("After Distance a Feint can only end the phrase."))
    kind = state.pool[play.attack].kind
    yield from against_opening(state.rules, kind, phrase.gap, state.fencers[1 - side].weapon)


def against_bonus(state: State, incoming: Blade | None, play: Play) -> Iterator[Breach]:
    """F147: Glide with a Parry card. F169: Angulations with a card that has a speed."""
    kind = state.pool[play.card].kind
    carrier = state.pool[play.attack].kind if play.attack is not None else kind
    if play.attack is not None and kind != "feint":
        yield Breach("F28", say("One card at a time."))
    if play.glide is not None and (kind not in PARRIES or scores_by_ceding(kind, incoming)):
        yield Breach("F147", say("Glide goes with Parry and Riposte, a plain Ceding Parry, or a Parry without a card."))
    if play.boost is None:
        return
    if not KINDS[carrier].timed:
        yield Breach("F169", say("Angulations go with a card that has a speed."))
    elif state.rules.angulations == "red-cyan" and incoming is not None and play.attack is None and _blue(kind):
        yield Breach("F169", say("Angulations go with red and cyan cards only."))


def _blue(kind: str) -> bool:
    return kind in ("parry-riposte", "ceding-parry", "infighting")


def scores_by_ceding(kind: str, incoming: Blade | None) -> bool:
    """F159: a Ceding Parry against Glide or Flanconade."""
    return (
        kind == "ceding-parry"
        and incoming is not None
        and incoming.role in (Role.ATTACK, Role.RENEWED)
        and incoming.kind in SCORING_CEDING
    )


def _parry(state: State, phrase: Phrase, side: int, action: Parry) -> Iterator[Breach]:
    if state.rules.tutorial:
        yield Breach("F43", say("In the tutorial Distance is the only card-less defence."))
    elif not _row(state, phrase).parry:
        toe = phrase.incoming is not None and phrase.incoming.kind == "toe-touch"
        yield Breach("F145" if toe else "F83", say("This cannot be parried without a card."))
    yield from _once(phrase, side)
    if action.glide is not None and not state.rules.glide_after_parry:
        yield Breach("F85", say("A card-less Parry ends the phrase: no riposte follows."))


def _once(phrase: Phrase, side: int) -> Iterator[Breach]:
    if phrase.defended[side]:
        yield Breach("F84", say("One card-less defence a phrase."))


def _distance(state: State, phrase: Phrase, side: int) -> Iterator[Breach]:
    incoming, rules = phrase.incoming, state.rules
    if not _row(state, phrase).distance:
        riposte = incoming is not None and incoming.role in (Role.RIPOSTE, Role.CLOSE_RIPOSTE)
        clause = "F50" if riposte else "F171" if incoming and incoming.role is Role.RENEWED else "F44"
        yield Breach(clause, say("Distance answers only the first card of a phrase."))
    elif incoming is not None and incoming.speed is not None and not rules.tutorial:
        speed = incoming.speed.base if rules.distance_speed == "printed" else incoming.speed.total
        if speed > FAST:
            yield Breach("F89", say("Distance does not get away from a speed above {speed}.", speed=FAST))
    yield from _once(phrase, side)
    if state.fencers[side].hand < 1 + (1 if keeps_aside(state, side) else 0):
        yield Breach("F43" if rules.tutorial else "F90", say("Distance costs a hand card, and there is none."))


def _laid_aside(state: State, side: int, card: str) -> Iterator[Breach]:
    """F90: the mandatory card is not among those of which the opponent draws one; a second yellow one is."""
    if state.rules.basic and card in state.pool and state.pool[card].mandatory and not spare_yellow(state, side, card):
        yield Breach("F90", say("The yellow Straight Thrust is laid aside before a card is drawn."))


def keeps_aside(state: State, side: int) -> bool:
    """F90: whether the mandatory card is in the hand and laid aside."""
    fencer = state.fencers[side]
    return state.rules.basic and any(state.pool[name].mandatory for name in fencer.known)
