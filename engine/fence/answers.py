"""Which card may open a phrase, and which answer is legal against what: section 5 of the rules as data."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from engine.errors import Breach
from engine.fence.bout import Rulings, State
from engine.fence.cards import ATTACKS, KINDS, LUNGE, ONE_DISTANCE, WEAPONS, Colour, Weapon
from engine.fence.phrase import PHRASE_ENDS, Blade, Phrase, Role
from engine.text import Text, say

FOULS = dict.fromkeys((ONE_DISTANCE, "F71", KINDS["fleche"].clause, KINDS["infighting"].clause), "wrong distance")

# --- the first card


def against_opening(rules: Rulings, kind: str, distance: int, other: Weapon) -> Iterator[Breach]:
    """Every breach of playing an attack of `kind` at `distance` against a weapon in position `other`."""
    card = KINDS[kind]
    if kind not in ATTACKS:
        yield from _not_red(kind, card.name)
        return
    if rules.tutorial and distance != LUNGE:
        yield Breach(ONE_DISTANCE, say("A phrase is opened at a distance of one square."))
    elif distance != card.gap:
        yield _wrong_distance(kind, card.name, distance)
    if other not in card.against and not (kind == "disengage" and rules.disengage == "always"):
        position = WEAPONS[other]
        text = say("{card} cannot be played against {position}.", card=card.name, position=position)
        yield Breach(card.clause, text)


def _not_red(kind: str, name: Text) -> Iterator[Breach]:
    """What the card itself says of being first, if anything, then F25."""
    clause = KINDS[kind].clause
    match kind:
        case "joker":
            yield Breach(clause, say("A Joker is never the first card."))
        case "parry-riposte":
            yield Breach("F49", say("{card} is first used as a parry.", card=name))
        case "renewed-attack" | "feint":
            yield Breach(clause, say("{card} is played after a defence.", card=name))
        case "angulations":
            yield goes_with_another()
        case _:
            pass
    yield Breach("F25", say("The first card must be an attack, not {card}.", card=name))


def goes_with_another() -> Breach:
    return Breach(KINDS["angulations"].clause, say("Angulations go with another card."))


def _wrong_distance(kind: str, name: Text, distance: int) -> Breach:
    """What the card says of its distance, or what holds for every card (F71)."""
    clause = KINDS[kind].clause if kind in ("fleche", "infighting") else "F71"
    gap = KINDS[kind].gap or 0
    text = say("{card} is played at a distance of {gap}, not of {distance}.", card=name, gap=gap, distance=distance)
    return Breach(clause, text)


# --- answers


class Row(msgspec.Struct, frozen=True):
    """The cards that may answer, and whether the card-less defences may."""

    cards: frozenset[str]
    parry: bool = False
    distance: bool = False


def _row(*cards: str, parry: bool = False, distance: bool = False) -> Row:
    return Row(frozenset(cards), parry, distance)


_PLAIN = ("parry-riposte", "ceding-parry", "infighting", "joker")

OPENING: dict[str, Row] = {
    "straight-thrust": _row("stop-hit", *_PLAIN, parry=True, distance=True),
    "beat-thrust": _row("stop-hit", "disengage", *_PLAIN, parry=True, distance=True),
    "flick": _row("stop-hit", *_PLAIN, parry=True, distance=True),
    "disengage": _row(*_PLAIN, parry=True, distance=True),
    "toe-touch": _row("stop-hit", "joker", distance=True),
    "glide-attack": _row("disengage", *_PLAIN, parry=True, distance=True),
    "flanconade": _row("disengage", *_PLAIN, parry=True, distance=True),
    "fleche": _row("stop-hit", "parry-riposte", "ceding-parry", "joker", parry=True, distance=True),
    "infighting": _row("infighting", "joker", parry=True, distance=True),
}
"""Answers to an attack, by its kind; to a Renewed Attack the same without Distance."""

FOLLOWING: dict[Role, Row] = {
    Role.RIPOSTE: _row("stop-hit", "parry-riposte", "ceding-parry", "joker", parry=True),  # F158
    Role.CLOSE_RIPOSTE: _row("infighting", "joker", parry=True),
    Role.COUNTER: _row("counter-time", "joker"),
    Role.COUNTER_TIME: _row("feint-in-time"),
}
"""Answers to everything later."""

SCORING_CEDING = frozenset({"glide-attack", "flanconade"})
"""Attacks that a Ceding Parry scores against at once."""

NO_ROW = Row(frozenset())


def row(rules: Rulings, blade: Blade) -> Row:
    """What may answer an incoming action, under the match's rulings."""
    if blade.role in (Role.ATTACK, Role.RENEWED):
        found = OPENING[blade.kind]
        late = blade.role is Role.RENEWED
    else:
        found, late = FOLLOWING[blade.role], True
    cards = found.cards
    if blade.kind == "toe-touch" and not rules.joker_toe_touch:
        cards = cards - {"joker"}
    if blade.role is Role.COUNTER_TIME and rules.joker_beats_all:
        cards = cards | {"joker"}
    if blade.role is Role.RIPOSTE and rules.counter_time == "ripostes-too":
        cards = cards | {"counter-time"}
    return Row(
        cards,
        parry=found.parry and not rules.tutorial and (not late or rules.late_defence),
        distance=found.distance and not late,
    )


def row_of(state: State, phrase: Phrase) -> Row:
    """What may answer now; nothing to a plain defence."""
    return row(state.rules, phrase.incoming) if phrase.incoming is not None else NO_ROW


def barred(phrase: Phrase, side: int) -> Iterator[Breach]:
    """Who may do nothing more: after a Fleche (F153), or after a card-less Parry (F87)."""
    if not phrase.barred[side]:
        return
    if phrase.first.kind == "fleche" and side == phrase.opener:
        yield Breach("F153", say("After a Fleche its player may do nothing more in this phrase."))
    else:
        yield Breach("F87", say("After a card-less Parry nothing more may be done in this phrase."))


def scores_by_ceding(kind: str, incoming: Blade | None) -> bool:
    """A Ceding Parry against Glide or Flanconade."""
    return (
        kind == "ceding-parry"
        and incoming is not None
        and incoming.role in (Role.ATTACK, Role.RENEWED)
        and incoming.kind in SCORING_CEDING
    )


def no_answer(kind: str, incoming: Blade | None) -> Iterator[Breach]:
    """The clause that says what the card (F143, F159, F162), or what the incoming action, allows; then its colour."""
    name = KINDS[kind].name
    if incoming is None:
        yield Breach(PHRASE_ENDS, say("There is nothing to answer."))
        return
    if kind == "angulations":
        yield goes_with_another()
    else:
        text = say("{card} does not answer {other}.", card=name, other=KINDS[incoming.kind].name)
        yield Breach(_allowing(kind, incoming), text)
    yield from _wrong_colour(kind, incoming)


_ANSWER_CLAUSE = {"disengage": "F143", "ceding-parry": "F159", "infighting": "F162"}


def _allowing(kind: str, incoming: Blade) -> str:
    if incoming.kind == "toe-touch" and incoming.role in (Role.ATTACK, Role.RENEWED):
        return KINDS["toe-touch"].clause
    if KINDS[kind].gap is not None and kind not in ("disengage", "infighting"):
        return "F32"
    return _ANSWER_CLAUSE.get(kind, KINDS[kind].clause)


def _wrong_colour(kind: str, incoming: Blade) -> Iterator[Breach]:
    """F38: blue against cyan and cyan against blue, apart from what the cards themselves say."""
    colours = KINDS[kind].colours
    if Colour.GOLD in colours:
        return
    if incoming.role is Role.COUNTER and Colour.BLUE not in colours:
        yield Breach("F38", say("A cyan card is countered only by a blue one."))
    if incoming.role is Role.COUNTER_TIME and Colour.CYAN not in colours:
        yield Breach("F38", say("A blue card is countered only by a cyan one."))
