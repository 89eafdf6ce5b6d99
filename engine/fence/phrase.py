"""The fencing phrase as a state machine: openings, answers, speeds, costs and results. Transitions follow section 6 of
the rules."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from engine.errors import Violation
from engine.fence.bout import OFFER, Finish, Order, Over, Phase, Rulings, Stage, State, with_fencer
from engine.fence.cards import ATTACKS, KINDS, LUNGE, ONE_DISTANCE, PRICE, WEAPONS, Colour, Weapon, side_name
from engine.fence.table import TRACK, Fencer, Pair, difference, marker_put, track
from engine.game import Attempt, ZonePrefilter
from engine.rules import verb
from engine.text import Text, say

MUST_ANSWER = "F60"

PHRASE_ENDS = "F85"

TO_INFIGHTING = "F162"
"""Clause on the answers to Infighting and to its riposte."""


class Role(StrEnum):
    """The role of an incoming action; with its kind, a row of section 5 of the rules."""

    ATTACK = "attack"  # the first card
    RENEWED = "renewed"
    RIPOSTE = "riposte"
    CLOSE_RIPOSTE = "close-riposte"  # of Infighting
    COUNTER = "counter"  # a faster cyan card
    COUNTER_TIME = "counter-time"


class Speed(msgspec.Struct, frozen=True):
    base: int
    parts: tuple[tuple[str, int], ...] = ()

    @property
    def total(self) -> int:
        return self.base + sum(value for _, value in self.parts)


class Blade(msgspec.Struct, frozen=True):
    side: int
    role: Role
    kind: str
    speed: Speed | None = None

    @property
    def total(self) -> int:
        return 0 if self.speed is None else self.speed.total


class Beat(msgspec.Struct, frozen=True):
    side: int
    what: str
    cards: tuple[str, ...] = ()
    speed: Speed | None = None


class Phrase(Phase, frozen=True, tag="phrase"):
    """A phrase in which side `turn` acts next.

    opener: side that played `first` at distance `gap`
    incoming: action to answer; None after a plain defence
    stopped: speed that a Feint must beat, if any
    cards: counted cards of each side
    barred: sides that may do nothing more
    defended: sides that used their card-less defence
    kept_away: Distance was the last defence"""

    opener: int
    gap: int
    first: Blade
    incoming: Blade | None
    turn: int
    stopped: int | None = None
    cards: Pair = (0, 0)
    barred: tuple[bool, bool] = (False, False)
    defended: tuple[bool, bool] = (False, False)
    spent: Pair = (0, 0)
    kept_away: bool = False
    beats: tuple[Beat, ...] = ()

    def sides(self, state: State) -> tuple[int, ...]:
        return (self.turn,)

    def out_of_turn(self, state: State, action: Order, who: Text) -> Violation:
        return Violation(MUST_ANSWER, say("{seat} must answer.", seat=who))

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation(MUST_ANSWER, say("The phrase must be answered first."))

    def question(self, state: State) -> Text:
        incoming = self.incoming
        if incoming is None:
            return say("The attack was stopped: follow it up, or let it be.")
        if incoming.role is Role.COUNTER_TIME or incoming.speed is None:
            return say("Answer the Counter-Time.")
        speed = incoming.speed.total
        match incoming.role:
            case Role.RIPOSTE | Role.CLOSE_RIPOSTE:
                return say("Answer the riposte of speed {speed}.", speed=speed)
            case Role.COUNTER:
                return say("Answer the counter-attack of speed {speed}.", speed=speed)
            case _:
                return say("Answer the attack of speed {speed}.", speed=speed)

    def waiting(self, state: State, who: Text) -> Text:
        return say("{side} answers.", side=who)

    def add_step(self, side: int, what: str, cards: tuple[str, ...] = (), speed: Speed | None = None) -> Phrase:
        return replace(self, beats=(*self.beats, Beat(side, what, cards, speed)))

    def must_be_answered(self) -> Violation:
        """Return the violation of not answering (F60)."""
        return Violation(MUST_ANSWER, say("The attack must be answered: a card-less defence is possible."))

    @property
    def coming(self) -> int:
        return self.incoming.total if self.incoming is not None else 0

    @property
    def stopped_the_first(self) -> bool:
        """True if the opener's first attack was just stopped."""
        if self.turn != self.opener or self.cards[self.opener] != 1:
            return False
        return self.incoming is None or self.incoming.side != self.opener


def phrase_of(state: State) -> Phrase:
    if not isinstance(state.phase, Phrase):
        raise ValueError("no phrase: judge the action before applying it")
    return state.phase


FOULS = {
    **dict.fromkeys((ONE_DISTANCE, "F71", KINDS["fleche"].clause, KINDS["infighting"].clause), "wrong distance"),
    PRICE: "stamina too low",
}

# --- openings


def against_opening(rules: Rulings, kind: str, distance: int, other: Weapon) -> Iterator[Violation]:
    """Yield violations of opening with `kind` (F25, F71). other: the opponent's weapon."""
    card = KINDS[kind]
    if kind not in ATTACKS:
        yield from _not_red(kind, card.name)
        return
    if rules.variant.one_distance and distance != LUNGE:
        yield Violation(ONE_DISTANCE, say("A phrase is opened at a distance of one square."))
    elif distance != card.gap:
        yield _wrong_distance(kind, card.name, distance)
    if other not in card.against and not (kind == "disengage" and rules.disengage == "always"):
        position = WEAPONS[other]
        text = say("{card} cannot be played against {position}.", card=card.name, position=position)
        yield Violation(card.clause, text)


def _not_red(kind: str, name: Text) -> Iterator[Violation]:
    """Yield the card's own clause, if any, then F25."""
    clause = KINDS[kind].clause
    match kind:
        case "joker":
            yield Violation(clause, say("A Joker is never the first card."))
        case "parry-riposte":
            yield Violation("F49", say("{card} is first used as a parry.", card=name))
        case "renewed-attack" | "feint":
            yield Violation(clause, say("{card} is played after a defence.", card=name))
        case "angulations":
            yield goes_with_another()
        case _:
            pass
    yield Violation("F25", say("The first card must be an attack, not {card}.", card=name))


def goes_with_another() -> Violation:
    return Violation(KINDS["angulations"].clause, say("Angulations go with another card."))


def _wrong_distance(kind: str, name: Text, distance: int) -> Violation:
    clause = KINDS[kind].clause if kind in ("fleche", "infighting") else "F71"
    gap = KINDS[kind].gap or 0
    text = say("{card} needs a distance of {gap}, not {distance}.", card=name, gap=gap, distance=distance)
    return Violation(clause, text)


# --- legal answers (section 5 of the rules)


class AnswerRow(msgspec.Struct, frozen=True):
    cards: frozenset[str]
    parry: bool = False
    distance: bool = False


def _row(*cards: str, parry: bool = False, distance: bool = False) -> AnswerRow:
    return AnswerRow(frozenset(cards), parry, distance)


_PLAIN = ("parry-riposte", "ceding-parry", "infighting", "joker")

OPENING: dict[str, AnswerRow] = {
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

FOLLOWING: dict[Role, AnswerRow] = {
    Role.RIPOSTE: _row("stop-hit", "parry-riposte", "ceding-parry", "joker", parry=True),  # F158
    Role.CLOSE_RIPOSTE: _row("infighting", "joker", parry=True),
    Role.COUNTER: _row("counter-time", "joker"),
    Role.COUNTER_TIME: _row("feint-in-time"),
}

SCORING_CEDING = frozenset({"glide-attack", "flanconade"})

NO_ROW = AnswerRow(frozenset())


def row(rules: Rulings, blade: Blade) -> AnswerRow:
    """Return the legal answers to an action (F38)."""
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
    return AnswerRow(
        cards,
        parry=found.parry and rules.variant.parry and (not late or rules.late_defence),
        distance=found.distance and not late,
    )


def row_of(state: State, phrase: Phrase) -> AnswerRow:
    """Return the legal answers now; none after a plain defence (F85)."""
    return row(state.rules, phrase.incoming) if phrase.incoming is not None else NO_ROW


def check_barred(phrase: Phrase, side: int) -> Iterator[Violation]:
    """Yield the violation of a side barred by a Fleche (F153) or card-less Parry (F87)."""
    if not phrase.barred[side]:
        return
    if phrase.first.kind == "fleche" and side == phrase.opener:
        yield Violation("F153", say("After a Fleche its player may do nothing more in this phrase."))
    else:
        yield Violation("F87", say("After a card-less Parry nothing more may be done in this phrase."))


def scores_by_ceding(kind: str, incoming: Blade | None) -> bool:
    """Return True for a Ceding Parry against Glide or Flanconade (F159)."""
    return (
        kind == "ceding-parry"
        and incoming is not None
        and incoming.role in (Role.ATTACK, Role.RENEWED)
        and incoming.kind in SCORING_CEDING
    )


def no_answer(kind: str, incoming: Blade | None) -> Iterator[Violation]:
    """Yield violations of a card that is no answer, then of its colour."""
    name = KINDS[kind].name
    if incoming is None:
        yield Violation(PHRASE_ENDS, say("There is nothing to answer."))
        return
    if kind == "angulations":
        yield goes_with_another()
    else:
        text = say("{card} does not answer {other}.", card=name, other=KINDS[incoming.kind].name)
        yield Violation(_forbidding(kind, incoming), text)
    yield from _wrong_colour(kind, incoming)


def _forbidding(kind: str, incoming: Blade) -> str:
    """Return the clause by which the card is no answer: the incoming action's, if it lists answers, else its own."""
    attacks = incoming.role in (Role.ATTACK, Role.RENEWED)
    if attacks and incoming.kind == "toe-touch":
        return KINDS["toe-touch"].clause
    match kind:
        case "disengage":
            return "F143"
        case "parry-riposte" | "ceding-parry" if incoming.kind == "infighting":
            return TO_INFIGHTING
        case "infighting" if attacks:
            return KINDS[kind].clause  # a Fleche comes from too far
        case "infighting":
            return "F158" if incoming.role is Role.RIPOSTE else TO_INFIGHTING
        case _:
            return "F32" if kind in ATTACKS else KINDS[kind].clause


def _wrong_colour(kind: str, incoming: Blade) -> Iterator[Violation]:
    colours = KINDS[kind].colours
    if Colour.GOLD in colours:
        return
    if incoming.role is Role.COUNTER and Colour.BLUE not in colours:
        yield Violation("F38", say("A cyan card is countered only by a blue one."))
    if incoming.role is Role.COUNTER_TIME and Colour.CYAN not in colours:
        yield Violation("F38", say("A blue card is countered only by a cyan one."))


# --- speeds (section 6 of the rules)

EXTRA = 2
"""Speed added by Angulations and Renewed Attack."""

GLIDE_RIPOSTE = 4

POSITION, INVITATION, ENGAGEMENT = "position", "invitation", "engagement"
ANGULATIONS, RENEWED = "angulations", "renewed"


class Arms(msgspec.Struct, frozen=True):
    """The weapon positions of a player and the opponent (F72)."""

    own: Weapon
    other: Weapon


def arms(state: State, side: int) -> Arms:
    return Arms(state.fencers[side].weapon, state.fencers[1 - side].weapon)


_BEATS = {
    Weapon.LINE: Weapon.INVITATION,
    Weapon.INVITATION: Weapon.ENGAGEMENT,
    Weapon.ENGAGEMENT: Weapon.LINE,
}
"""Each position with the one it beats (F72)."""


def _holds(rules: Rulings, holder: Weapon, position: Weapon, other: Weapon) -> bool:
    """Return True if a weapon is in this position with effect: always, or if it beats the other's (F72a)."""
    return holder is position and (rules.positions == "always" or _BEATS[position] is other)


def attack(rules: Rulings, kind: str, base: int, held: Arms, boosted: bool = False) -> Speed:
    """Return an attack's speed; the opponent's Engagement costs all but Disengage 1 (F72a). boosted: by Angulations."""
    card = KINDS[kind]
    parts: list[tuple[str, int]] = []
    if card.boost and held.own in card.own and held.other in card.other:
        parts.append((POSITION, card.boost))
    if boosted:
        parts.append((ANGULATIONS, EXTRA))
    if kind != "disengage" and _holds(rules, held.other, Weapon.ENGAGEMENT, held.own):
        parts.append((ENGAGEMENT, -1))
    return Speed(base, tuple(parts))


def answer(rules: Rulings, base: int, held: Arms, boosted: bool = False) -> Speed:
    """Return a defence card's speed: +1 in Invitation, +2 with Angulations (boosted)."""
    parts: list[tuple[str, int]] = []
    if _holds(rules, held.own, Weapon.INVITATION, held.other):
        parts.append((INVITATION, 1))
    if boosted:
        parts.append((ANGULATIONS, EXTRA))
    return Speed(base, tuple(parts))


def riposte(rules: Rulings, kind: str, printed: int, held: Arms, with_glide: bool = False) -> Speed:
    """Return a riposte's speed, as a Straight Thrust (F157): printed less 2, or 4 with Glide; options vary it."""
    slower = 0 if kind == "infighting" and rules.infighting_riposte == "full" else 2
    base = GLIDE_RIPOSTE if with_glide else printed - slower
    if not rules.riposte_position:
        return Speed(base)
    return attack(rules, "straight-thrust", base, held)


def speed_up_attack(first: Speed) -> Speed:
    return Speed(first.base, (*first.parts, (RENEWED, EXTRA)))


def parry_cost(rules: Rulings, speed: int, held: Arms) -> int:
    """Return a card-less Parry's stamina: half the speed (first less 1 in Invitation), rounded by option (F86, F88)."""
    against = speed - (1 if _holds(rules, held.own, Weapon.INVITATION, held.other) else 0)
    return max(0, (against + 1) // 2 if rules.parry_rounding == "up" else against // 2)


# --- stamina, paid and regained


def printed_points(state: State, cards: tuple[str, ...]) -> int:
    """Return the cards' total stamina cost; 0 if not counted (F41)."""
    if state.rules.stamina != "enforced" or not state.rules.variant.stamina:
        return 0
    return sum(state.pool[name].sp for name in cards)


def price(state: State, cards: tuple[str, ...]) -> int:
    return printed_points(state, cards) if state.rules.payment == "paid" else 0


def short(state: State, side: int, needed: int, card_less: bool = False) -> Iterator[Violation]:
    """Yield the violation of too little stamina (card-less: F91)."""
    have = state.fencers[side].stamina
    if needed > have:
        clause = state.rules.clause("F45", "F91") if card_less else PRICE
        yield Violation(clause, say("Stamina needed: {needed}. Left: {have}.", needed=needed, have=have))


def unpaid() -> Violation:
    return Violation(PRICE, say("The stamina points of the card must be paid."))


def pay(state: State, side: int, points: int) -> State:
    fencer = state.fencers[side]
    after = with_fencer(state, side, replace(fencer, stamina=max(0, fencer.stamina - points)))
    if not isinstance(after.phase, Phrase):
        return after
    spent = list(after.phase.spent)
    spent[side] += points
    return replace(after, phase=replace(after.phase, spent=(spent[0], spent[1])))


def rest_fencer(fencer: Fencer, points: int) -> Fencer:
    """Add stamina, up to 6 (F8)."""
    return replace(fencer, stamina=min(TRACK, fencer.stamina + points))


def recover(state: State, spent: Pair) -> State:
    """Give 1 stamina point (F81) to each side that spent none (F82), in modes with stamina."""
    if not state.rules.variant.stamina:
        return state
    for side in (0, 1):
        if spent[side] == 0:
            state = with_fencer(state, side, rest_fencer(state.fencers[side], 1))
    return state


def regains_none(side: int) -> Violation:
    return Violation("F82", say("{side} spent stamina points and regains none.", side=side_name(side)))


def points_taken(state: State, side: int, look: ZonePrefilter) -> Iterator[Attempt]:
    if not look.only(track(side)):
        return
    fencer, seat = state.fencers[side], state.seats[side]
    breach = Violation("F8", say("Nothing gave {side} stamina points.", side=side_name(side)))
    for points in range(fencer.stamina + 1, min(TRACK, fencer.stamina + 2) + 1):
        seen = difference(state, with_fencer(state, side, replace(fencer, stamina=points)), frozenset({seat}))
        yield Attempt("stamina taken", seat, seen, (breach,), what=marker_put(side, points))


# --- results


def comes_in(state: State, phrase: Phrase, blade: Blade) -> State:
    return replace(state, phase=replace(phrase, incoming=blade, turn=1 - blade.side))


def nothing_comes_in(state: State, phrase: Phrase) -> State:
    """Let the opener follow up (F85)."""
    return replace(state, phase=replace(phrase, incoming=None, turn=phrase.opener))


def strikes_back(state: State, phrase: Phrase, blade: Blade) -> State:
    """Begin the riposte after a parry (F157)."""
    return comes_in(state, phrase.add_step(blade.side, "riposte", (), blade.speed), blade)


def scores(state: State, phrase: Phrase, side: int) -> State:
    return end_phrase(state, phrase, (1, 0) if side == 0 else (0, 1))


def accept(state: State, phrase: Phrase) -> State:
    """End the phrase; the incoming action scores, if any."""
    if phrase.incoming is None:
        return end_phrase(state, phrase, (0, 0))
    return scores(state, phrase, phrase.incoming.side)


def end_phrase(state: State, phrase: Phrase, touches: Pair) -> State:
    counted = touches if counts(state, touches) else (0, 0)
    if counted != touches and state.stage is Stage.BOUT and state.rules.double_level == "sudden-death":
        state = replace(state, stage=Stage.SUDDEN_DEATH)
    return _score(state, Clearing("phrase", counted, phrase, void=counted != touches), counted)


def stepped_out(state: State, side: int) -> State:
    """Score for the opponent of a side off the strip (F54)."""
    touches = (1, 0) if side == 1 else (0, 1)
    return _score(state, Clearing("out", touches), touches)


def counts(state: State, touches: Pair) -> bool:
    """Return True if touches count. A double touch (F55) does not after regular time, nor at 4, 9 or 14 all (F56; by an
    option only one point below the goal)."""
    if touches != (1, 1):
        return True
    green, red = state.fencers
    if state.stage is not Stage.BOUT:
        return False
    if green.score != red.score:
        return True
    if state.rules.double_level == "target":
        return green.score != state.rules.goal - 1
    return green.score % 5 != 4


def stir(state: State) -> State:
    """Restart the count of still turns, so that this turn ends at 0."""
    return replace(state, still=-1, offered=OFFER)


def _score(state: State, clearing: Clearing, touches: Pair) -> State:
    for side in (0, 1):
        fencer = state.fencers[side]
        state = with_fencer(state, side, replace(fencer, score=fencer.score + touches[side]))
    if any(touches):
        level = len({fencer.score - touches[side] for side, fencer in enumerate(state.fencers)}) == 1
        state = replace(stir(state), lead=clearing if level and touches != (1, 1) else state.lead)
    winner = _winner(state, touches)
    if winner is None:
        return replace(state, phase=clearing)
    finish = Finish.POINTS if state.stage is Stage.BOUT else Finish.TOUCH
    return replace(state, phase=Over(winner, finish, clearing))


def _winner(state: State, touches: Pair) -> int | None:
    """Return the side that wins by points or the deciding touch (F102), if any."""
    if state.stage is not Stage.BOUT:
        return touches.index(1) if any(touches) else None
    green, red = state.fencers
    if max(green.score, red.score) < state.rules.goal:
        return None
    return 0 if green.score > red.score else 1


class Clearing(Phase, frozen=True, tag="clearing"):
    """The table must be tidied.

    reason: "phrase", "out", "retreat" (out by one; an exchange is possible), "period" or "overtime"
    touches: points given
    void: an uncounted double touch"""

    reason: str
    touches: Pair = (0, 0)
    phrase: Phrase | None = None
    void: bool = False

    def out_of_turn(self, state: State, action: Order, who: Text) -> Violation:
        if verb(type(action)) == "clear":
            return Violation("F39", say("{seat} confirms when the table is ready.", seat=who))
        return self.not_asked_violation(state, action)

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation("F39", say("Tidy the table first."))

    def question(self, state: State) -> Text:
        return {
            "period": say(
                "Time: shuffle all cards outside the hands, on guard for period {period}.", period=state.period + 1
            ),
            "overtime": say("Level: shuffle the discards anew for overtime; on guard."),
            "retreat": say("Off the strip: exchange a card or not, then on guard."),
            "out": say("Off the strip: back on guard."),
        }.get(self.reason) or self._after_phrase()

    def _after_phrase(self) -> Text:
        if self.void:
            return say("Double touch, void: put the cards away.")
        if any(self.touches):
            return say("Touch: put the cards away, back on guard.")
        return say("No touch: put the cards away.")

    def waiting(self, state: State, who: Text) -> Text:
        return self.question(state)

    def ending_texts(self, before: State) -> Iterator[Text]:
        if self.reason == "phrase" and not isinstance(before.phase, Clearing):
            yield say("The double touch does not count.") if self.void else say("No touch.")


def not_in_order() -> Violation:
    return Violation("F39", say("There is nothing to tidy."))
