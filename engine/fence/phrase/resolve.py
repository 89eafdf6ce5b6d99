"""What an action does in a phrase: section 6 of the rules, row by row.

Each function takes the state in which the action was already paid and its cards laid, and gives the state after it:
another phrase, or the end of this one through `ended`.
"""

from __future__ import annotations

from msgspec.structs import replace

from engine.fence.actions import Parry, Play
from engine.fence.phrase import speeds
from engine.fence.phrase.answers import scores_by_ceding
from engine.fence.phrase.state import Beat, Blade, Phrase, Role, Speed
from engine.fence.scoring import ended
from engine.fence.state import State, ahead, gap, off, with_fencer

BACK = 2
"""Squares of Distance (F43, F90)."""


def opened(state: State, side: int, play: Play) -> State:
    """A: the first red card."""
    figures = state.pool[play.card]
    arms = _arms(state, side)
    speed = speeds.attack(state.rules, figures.kind, figures.speed or 0, arms, play.boost is not None)
    first = Blade(side, Role.ATTACK, figures.kind, speed)
    fleche = figures.kind == "fleche"
    if fleche:  # F151
        placed = replace(state.fencers[side], beside=state.fencers[1 - side].square)
        state = with_fencer(state, side, placed)
    phrase = Phrase(
        opener=side,
        gap=gap(state),
        first=first,
        incoming=first,
        turn=1 - side,
        cards=_add((0, 0), side),
        barred=(fleche and side == 0, fleche and side == 1),  # F153
        beats=(Beat(side, "attack", _laid(play), speed),),
    )
    return replace(state, phase=phrase)


def accepted(state: State, phrase: Phrase) -> State:
    """Anyone: accept. What is incoming scores; after a plain defence nobody does."""
    if phrase.incoming is None:
        return ended(state, phrase, (0, 0))
    return _scores(state, phrase, phrase.incoming.side)


def played(state: State, phrase: Phrase, side: int, play: Play) -> State:
    """An answer by a card, or a card after a defence."""
    kind = state.pool[play.card].kind
    counted = replace(phrase, cards=_add(phrase.cards, side))
    match kind:
        case "joker" | "feint-in-time":  # F166, F167
            return _scores(state, _told(counted, side, "hit", play), side)
        case "counter-time":  # F165
            blade = Blade(side, Role.COUNTER_TIME, kind)
            return _incoming(state, _told(counted, side, "counter-time", play), blade)
        case "renewed-attack":
            return _renewed(state, counted, side, play)
        case "feint":
            return _feint(state, counted, side, play)
        case _ if scores_by_ceding(kind, phrase.incoming):  # F159
            return _scores(state, _told(counted, side, "hit", play), side)
        case _:
            return _compared(state, counted, side, play)


def _compared(state: State, phrase: Phrase, side: int, play: Play) -> State:
    """A blue or cyan card against the speed of what comes in."""
    figures = state.pool[play.card]
    arms = _arms(state, side)
    speed = speeds.answer(state.rules, figures.speed or 0, arms, play.boost is not None)
    told = _told(phrase, side, "answer", play, speed)
    coming = _total(phrase.incoming)
    if speed.total < coming:
        return _scores(state, told, 1 - side)  # no second try
    parry = figures.kind not in ("stop-hit", "disengage")
    if not parry and speed.total == coming:
        return ended(state, told, (1, 1))  # F37, F55
    told = replace(told, stopped=speed.total)
    if not parry:
        return _incoming(state, told, Blade(side, Role.COUNTER, figures.kind, speed))
    return _parried(state, told, side, play)


def _parried(state: State, phrase: Phrase, side: int, play: Play) -> State:
    """F156-F162: a successful parry by a card, and the riposte that follows, if any."""
    figures = state.pool[play.card]
    arms = _arms(state, side)
    if figures.kind == "ceding-parry" and play.glide is None:  # F160
        return _nothing(state, phrase)
    role = Role.RIPOSTE
    if figures.kind == "infighting":
        role = Role.CLOSE_RIPOSTE
        if gap(state) > 0:  # F161
            fencer = state.fencers[side]
            state = with_fencer(state, side, replace(fencer, square=fencer.square + ahead(side)))
    speed = speeds.riposte(state.rules, figures.kind, figures.speed or 0, arms, play.glide is not None)
    blade = Blade(side, role, figures.kind, speed)
    beat = Beat(side, "riposte", (), speed)
    return _incoming(state, replace(phrase, beats=(*phrase.beats, beat)), blade)


def parried(state: State, phrase: Phrase, side: int, action: Parry) -> State:
    """The card-less Parry: bought, not compared (F86); with Glide a riposte follows (F147)."""
    barred, defended = list(phrase.barred), list(phrase.defended)
    barred[side] = defended[side] = True  # F84, F87
    coming = _total(phrase.incoming)
    cards = (action.glide,) if action.glide is not None else ()
    after = replace(
        phrase,
        barred=(barred[0], barred[1]),
        defended=(defended[0], defended[1]),
        stopped=coming,  # F140
        beats=(*phrase.beats, Beat(side, "parry", cards)),
    )
    if action.glide is None:
        return _nothing(state, after)
    arms = _arms(state, side)
    speed = speeds.riposte(state.rules, "glide-attack", 0, arms, with_glide=True)
    after = replace(after, beats=(*after.beats, Beat(side, "riposte", (), speed)))
    return _incoming(state, after, Blade(side, Role.RIPOSTE, "glide-attack", speed))


def kept_distance(state: State, phrase: Phrase, side: int) -> State:
    """Distance: two squares back (F43, F90); off the strip it costs a point (F47)."""
    fencer = state.fencers[side]
    square = max(0, min(11, fencer.square - BACK * ahead(side)))
    state = with_fencer(state, side, replace(fencer, square=square))
    defended = list(phrase.defended)
    defended[side] = True
    after = replace(
        phrase,
        defended=(defended[0], defended[1]),
        kept_away=True,
        stopped=None,
        beats=(*phrase.beats, Beat(side, "distance")),
    )
    return _scores(state, after, 1 - side) if off(square) else _nothing(state, after)


def _renewed(state: State, phrase: Phrase, side: int, play: Play) -> State:
    """F170-F172: the first attack again, 2 faster; the defence is gone. After Distance A comes up to a gap of 1."""
    if phrase.kept_away:
        near = state.fencers[1 - side].square - 2 * ahead(side)
        state = with_fencer(state, side, replace(state.fencers[side], square=near))
    speed = speeds.renewed(phrase.first.speed or Speed(0))
    after = replace(_told(phrase, side, "renewed", play, speed), stopped=None, kept_away=False)
    return _incoming(state, after, Blade(side, Role.RENEWED, phrase.first.kind, speed))


def _feint(state: State, phrase: Phrase, side: int, play: Play) -> State:
    """F138: another attack against the speed of the defence; F139: the end of the phrase."""
    if play.attack is None:
        return ended(state, _told(phrase, side, "feint-end", play), (0, 0))
    figures = state.pool[play.attack]
    arms = _arms(state, side)
    speed = speeds.attack(state.rules, figures.kind, figures.speed or 0, arms, play.boost is not None)
    told = _told(phrase, side, "feint", play, speed)
    stopped = phrase.stopped or 0
    if speed.total > stopped:
        return _scores(state, told, side)
    if speed.total == stopped:
        return ended(state, told, (1, 1))
    incoming = phrase.incoming
    if incoming is None:
        return ended(state, told, (0, 0))
    if incoming.role is Role.COUNTER:
        return _scores(state, told, incoming.side)
    return replace(state, phase=replace(told, turn=side))


def _incoming(state: State, phrase: Phrase, blade: Blade) -> State:
    return replace(state, phase=replace(phrase, incoming=blade, turn=1 - blade.side))


def _nothing(state: State, phrase: Phrase) -> State:
    """A plain defence: nothing comes in, and the opener may still follow it up."""
    return replace(state, phase=replace(phrase, incoming=None, turn=phrase.opener))


def _scores(state: State, phrase: Phrase, side: int) -> State:
    return ended(state, phrase, (1, 0) if side == 0 else (0, 1))


def _arms(state: State, side: int) -> speeds.Arms:
    return speeds.Arms(state.fencers[side].weapon, state.fencers[1 - side].weapon)


def _add(cards: tuple[int, int], side: int) -> tuple[int, int]:
    return (cards[0] + (side == 0), cards[1] + (side == 1))


def _laid(play: Play) -> tuple[str, ...]:
    return tuple(card for card in (play.card, play.attack, play.glide, play.boost) if card is not None)


def _told(phrase: Phrase, side: int, what: str, play: Play, speed: Speed | None = None) -> Phrase:
    return replace(phrase, beats=(*phrase.beats, Beat(side, what, _laid(play), speed)))


def _total(blade: Blade | None) -> int:
    return blade.speed.total if blade is not None and blade.speed is not None else 0
