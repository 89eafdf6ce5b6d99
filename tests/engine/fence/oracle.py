"""An oracle for fencing phrases, written from docs/rules/fence.md alone, without a look at the engine.

The engine is a state machine; this is a recursive descent. `exchange` asks one question - this player is threatened by
that, what comes of it? - and every answer but the last asks it again of the other player. The steps are consumed from a
list: when it runs out, somebody is still asked; when a step does not fit, its index and clause are reported. Every
option of the rules stands at its default. Seats are "green" (low squares) and "red" (high squares).
"""

from tests.engine.fence.oracle_deck import AGAINST, ANSWERS, DECK, REACH, Card
from tests.engine.fence.oracle_strip import (
    FORWARD,
    SEATS,
    Accept,
    Asked,
    Defence,
    Distance,
    Parry,
    Play,
    Refused,
    Report,
    Seat,
    Situation,
    Step,
    Strip,
    Threat,
    lay,
    may_hold,
    other,
    refuse,
    settle,
)


def judge(at: Situation, steps: tuple[Step, ...]) -> Report:
    """What the clauses say of these steps, the first of which opens the phrase."""
    strip = Strip(at, steps, squares=dict(at.squares), stamina=dict(at.stamina))
    try:
        touches = opening(strip)
    except Refused as refused:
        return Report(fault=(strip.read - 1, refused.clause), speeds=tuple(strip.speeds))
    except Asked as asked:
        return Report(asks=asked.seat, threat=strip.threat, speeds=tuple(strip.speeds), stamina=dict(strip.stamina))
    if strip.read < len(steps):
        return Report(fault=(strip.read, "F29"), speeds=tuple(strip.speeds))
    return settle(strip, touches)


def opening(strip: Strip) -> frozenset[Seat]:
    """The first card (F25): an attack that fits the distance and the weapons."""
    seat = strip.at.opener
    step = strip.take(seat)
    if not isinstance(step, Play) or step.attack is not None:
        refuse("F25")
    card = DECK[step.card]
    may_attack(strip, seat, card, strip.gap())
    lay(strip, seat, [step.card, *angulations(step.bonus)])
    strip.counted[seat] = 1
    if card.kind == "Fleche":
        strip.barred.add(seat)  # F153
    speed = attack_speed(strip, seat, card, len(step.bonus))
    strip.note("attack", speed)
    return exchange(strip, other(seat), Threat(seat, card.kind, speed, opening=True), None)


def exchange(strip: Strip, seat: Seat, threat: Threat | None, defence: Defence | None) -> frozenset[Seat]:
    """Who scores, when `seat` is next to act and `threat` (None: nothing) hits unless it is answered."""
    strip.threat = threat
    hits = frozenset({threat.owner}) if threat else frozenset()
    if not can_act(strip, seat, threat):
        return hits
    step = strip.take(seat)
    if isinstance(step, Accept):
        return hits  # F36
    if isinstance(step, Parry):
        return parry(strip, step, threat)
    if isinstance(step, Distance):
        return distance(strip, step, threat)
    card = DECK[step.card]
    if not strip.has_card(seat):
        refuse("F28")
    if card.kind == "Renewed Attack":
        return renewed(strip, step, defence)
    if card.kind == "Feint":
        return feint(strip, step, threat, defence)
    return answer(strip, step, card, threat)


def can_act(strip: Strip, seat: Seat, threat: Threat | None) -> bool:
    """Section 6: by public facts, is there anything that this player could do?"""
    if threat is None:
        return seat == strip.at.opener and strip.has_card(seat)
    return strip.has_card(seat) or (may_parry(strip, seat, threat) and cost(strip, seat, threat) <= strip.stamina[seat])


def answer(strip: Strip, step: Play, card: Card, threat: Threat | None) -> frozenset[Seat]:
    """A card laid against the threat: section 5, then the comparisons of section 6."""
    seat, foe = step.seat, other(step.seat)
    if threat is None or step.attack is not None or card.kind not in ANSWERS[threat.row]:
        refuse("F38")
    scores_at_once = card.kind == "Ceding Parry" and threat.row in ("Glide Attack", "Flanconade")
    extra, glide = bonuses(card, step.bonus, scores_at_once)
    if card.kind == "Infighting" and strip.gap() not in (0, 1):
        refuse("F161")
    lay(strip, seat, [step.card, *step.bonus])
    strip.counted[seat] += 1
    if scores_at_once or card.kind in ("Joker", "Feint in Time"):
        return frozenset({seat})  # F159, F166, F167, F174
    if card.kind == "Counter-Time":
        return exchange(strip, foe, Threat(seat, "counter-time", None), Defence(None))
    if card.speed is None or threat.speed is None:
        refuse("F38")
    if card.kind == "Infighting" and strip.gap() == 1:
        strip.squares[seat] += FORWARD[seat]  # F161
    speed = card.speed + extra + (strip.at.weapons[seat] == "INV")  # F72a, F169
    strip.note("answer", speed)
    if speed < threat.speed:
        return frozenset({threat.owner})  # F37
    if card.kind in ("Stop Hit", "Disengage"):
        if speed == threat.speed:
            return frozenset(SEATS)  # F37
        return exchange(strip, foe, Threat(seat, "counter-attack", speed), Defence(speed))
    return exchange(strip, foe, riposte(strip, seat, card, glide), Defence(speed))


def riposte(strip: Strip, seat: Seat, card: Card | None, glide: bool) -> Threat | None:
    """What a successful parry strikes back with (F147, F157, F160, F162)."""
    if glide:
        speed, row = 4, "riposte"
    elif card is None or card.speed is None or card.kind == "Ceding Parry":
        return None
    else:
        speed, row = card.speed - 2, "close riposte" if card.kind == "Infighting" else "riposte"
    own, foe = strip.at.weapons[seat], strip.at.weapons[other(seat)]
    speed += 2 * (own == "PIL" and foe == "INV") - (foe == "ENG")
    strip.note("riposte", speed)
    return Threat(seat, row, speed)


def may_parry(strip: Strip, seat: Seat, threat: Threat | None) -> bool:
    """Whether a card-less Parry is open to this player, whatever it costs (F43, F83, F84, F87, F153)."""
    open_to = strip.at.mode != "tutorial" and seat not in strip.barred | strip.cardless
    return open_to and threat is not None and "parry" in ANSWERS[threat.row]


def cost(strip: Strip, seat: Seat, threat: Threat) -> int:
    """SP for a card-less Parry (F86, F88)."""
    speed = (threat.speed or 0) - (strip.at.weapons[seat] == "INV")
    return max(0, (speed + 1) // 2)


def parry(strip: Strip, step: Parry, threat: Threat | None) -> frozenset[Seat]:
    """The card-less Parry is bought, not compared; who parries does nothing more in this phrase (F86, F87)."""
    seat = step.seat
    if threat is None or not may_parry(strip, seat, threat):
        refuse("F83")
    if len(step.bonus) > 1 or any(DECK[key].kind != "Glide Attack" for key in step.bonus):
        refuse("F147")
    lay(strip, seat, list(step.bonus), cost(strip, seat, threat))
    strip.barred.add(seat)
    strip.cardless.add(seat)
    back = riposte(strip, seat, None, bool(step.bonus))
    return exchange(strip, other(seat), back, Defence(threat.speed))


def distance(strip: Strip, step: Distance, threat: Threat | None) -> frozenset[Seat]:
    """Two squares back, 1 SP and a card (F43, F89, F90)."""
    seat, tutorial = step.seat, strip.at.mode == "tutorial"
    if threat is None or threat.speed is None or not threat.opening or seat in strip.cardless:
        refuse("F83")
    if threat.speed > 5 and not tutorial:
        refuse("F89")
    if tutorial and strip.at.hands[seat] == 0:
        refuse("F43")
    if step.card is not None:
        may_hold(strip, step.card, 1)
        if strip.at.mode == "basic" and is_yellow(step.card) and not has_both_yellows(strip, seat):
            refuse("F90")
    strip.pay(seat, 1)
    strip.cardless.add(seat)
    strip.squares[seat] -= 2 * FORWARD[seat]
    strip.dropped[seat].append(step.card or "?")
    strip.draw(seat)
    if not 1 <= strip.squares[seat] <= 10:
        return frozenset({threat.owner})  # F47, F54
    return exchange(strip, other(seat), None, Defence(None))


def is_yellow(card: str) -> bool:
    return DECK[card].kind == "Straight Thrust" and DECK[card].speed == 3


def has_both_yellows(strip: Strip, seat: Seat) -> bool:
    """Whether this hand can hold both: one is laid aside, the other can be drawn (F90)."""
    seen = (*strip.at.gone, *strip.laid["green"], *strip.laid["red"])
    return other(seat) not in strip.at.yellow and not any(is_yellow(card) for card in seen)


def renewed(strip: Strip, step: Play, defence: Defence | None) -> frozenset[Seat]:
    """The first attack again at +2; the defence and its riposte are gone (F170-F172)."""
    seat, foe = step.seat, other(step.seat)
    if seat != strip.at.opener or defence is None or step.bonus or step.attack is not None:
        refuse("F170")
    lay(strip, seat, [step.card])
    strip.counted[seat] += 1
    if defence.speed is None:  # it was a Distance
        strip.squares[seat] = strip.squares[foe] - 2 * FORWARD[seat]  # F172
    first = DECK[strip.laid[seat][0]]
    speed = strip.speeds[0][2] + 2
    strip.note("renewed", speed)
    return exchange(strip, foe, Threat(seat, first.kind, speed), None)


def feint(strip: Strip, step: Play, threat: Threat | None, defence: Defence | None) -> frozenset[Seat]:
    """Another attack instead, or the end of the phrase (F137-F140)."""
    seat = step.seat
    if seat != strip.at.opener or defence is None:
        refuse("F137")
    if step.attack is None:
        lay(strip, seat, [step.card])
        return refuse("F169") if step.bonus else frozenset()
    if defence.speed is None:
        refuse("F140")
    card = DECK[step.attack]
    may_attack(strip, seat, card, strip.at.squares["red"] - strip.at.squares["green"] - 1)
    lay(strip, seat, [step.card, step.attack, *angulations(step.bonus)])
    strip.counted[seat] += 1
    speed = attack_speed(strip, seat, card, len(step.bonus))
    strip.note("feint", speed)
    if speed > defence.speed:
        return frozenset({seat})
    if speed == defence.speed:
        return frozenset(SEATS)
    return exchange(strip, seat, threat, None)


def may_attack(strip: Strip, seat: Seat, card: Card, gap: int) -> None:
    """Whether this card may be an attack here (F25, F33, F71, and the card's text)."""
    if card.kind not in AGAINST:
        refuse("F25")
    if gap != REACH.get(card.kind, 1) or (strip.at.mode == "tutorial" and gap != 1):
        refuse("F71")
    if strip.at.weapons[other(seat)] not in AGAINST[card.kind]:
        refuse("F142")


def attack_speed(strip: Strip, seat: Seat, card: Card, added: int) -> int:
    """Base, the card's boost, what was attached, less 1 against Engagement (section 6)."""
    own, foe = strip.at.weapons[seat], strip.at.weapons[other(seat)]
    speed = (card.speed or 0) + 2 * added
    if card.kind == "Straight Thrust" and own == "PIL" and foe == "INV":
        speed += 2  # F141
    if card.kind in ("Beat Thrust", "Flick") and foe == "PIL":
        speed += 1  # F142, F148
    return speed - (foe == "ENG" and card.kind != "Disengage")  # F72a, F144


def angulations(bonus: tuple[str, ...]) -> tuple[str, ...]:
    """The bonus cards of an attack: an Angulation or nothing (F169)."""
    if len(bonus) > 1 or any(DECK[key].kind != "Angulations/Oppositions" for key in bonus):
        refuse("F169")
    return bonus


def bonuses(card: Card, bonus: tuple[str, ...], scores_at_once: bool) -> tuple[int, bool]:
    """Speed added to an answer and whether a Glide gives it a riposte (F147, F169)."""
    kinds = [DECK[key].kind for key in bonus]
    if len(set(kinds)) < len(kinds) or not set(kinds) <= {"Angulations/Oppositions", "Glide Attack"}:
        refuse("F169")
    angled, glide = "Angulations/Oppositions" in kinds, "Glide Attack" in kinds
    if angled and card.speed is None:
        refuse("F169")
    if glide and (scores_at_once or card.kind not in ("Parry and Riposte", "Ceding Parry")):
        refuse("F147")
    return 2 * angled, glide
