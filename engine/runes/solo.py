"""The automatic opponent's choices: fair, and the same for the same seed (R60-R67).

It knows what everybody sees: lives, effects, and the sequences.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from engine.draws import draw
from engine.runes.actions import Cast
from engine.runes.casting import castings
from engine.runes.effects import active, granted, stopped
from engine.runes.resolve import forgettable, most_life
from engine.runes.spells import SPELLS, Does
from engine.runes.state import Announced, Slot, State, Wizard, people, shown, wizard_at
from engine.table import Seat

HEALTHY = 7
"""Life from which the opponent prefers lasting effects to attacks (R64, R65)."""


def decide(state: State, seat: Seat, slot: Slot) -> Cast | None:
    """The spell that the opponent casts in a slot, or None."""
    legal = castings(state, seat, slot)
    choose = {"moons": _moons, "wyrms": _wyrms, "knots": _knots}[slot.rune]
    found = choose(state, seat, [cast for cast in legal if _useful(state, seat, cast)])
    if found is None and legal and state.rules.casting == "required":
        return min(legal, key=lambda cast: _regret(state, seat, cast))
    return found


def _regret(state: State, seat: Seat, cast: Cast) -> tuple[bool, bool, int]:
    """R19: what it would rather not cast, if it must cast: nothing that hinders itself, and no energy for nothing."""
    works = stopped(state, Announced(seat, cast.spell, seat, cast.target, cast.cards)) is None
    hindering = cast.spell in ("forgetfulness", "confusion") and cast.target == seat
    return hindering, works, len(cast.cards)


def forgets(state: State, announced: Announced) -> tuple[str, ...]:
    """The cards that its Forgetfulness turns down: those with the most energy, of equal ones the newest (R45)."""
    cards = forgettable(state, announced)
    ranked = sorted(range(len(cards)), key=lambda n: (len(state.deck[cards[n]].energy), n), reverse=True)
    chosen = sorted(ranked[: len(announced.cards)])
    return tuple(cards[n] for n in chosen)


def _useful(state: State, seat: Seat, cast: Cast) -> bool:
    """R63: nothing that is stopped, aims at the wrong side, or changes nothing."""
    spell, target = SPELLS[cast.spell], wizard_at(state, cast.target)
    own = cast.spell in ("haste", "invisibility")
    if stopped(state, Announced(seat, cast.spell, seat, cast.target, cast.cards)) is not None:
        return False
    if spell.rune == "knots" and own != (cast.target == seat):
        return False
    if spell.does is Does.FORGET:
        return bool(shown(target))
    if spell.does is Does.HEAL:
        missing = most_life(state, target) - target.life
        return missing > 0 and (len(cast.cards) <= missing or state.rules.energy == "all")
    if spell.does is Does.EFFECT:
        return granted(state, target, spell, len(cast.cards)).effects != target.effects
    return True


def _moons(state: State, seat: Seat, casts: list[Cast]) -> Cast | None:
    """Heal, then what the human's sequence suggests (R64-R67)."""
    low = wizard_at(state, seat).life < HEALTHY
    if low or state.rules.solo_heal == "any-gain":
        healing = _strongest(state, (cast for cast in casts if cast.spell == "heal"))
        if healing is not None:
            return healing
    for spells in _suggested(state):
        found = _strongest(state, (cast for cast in casts if cast.spell in spells))
        if found is not None:
            return found
    return None


def _suggested(state: State) -> list[tuple[str, ...]]:
    """R67: Suns call for a Heat Ward, Waves for a Cold Ward, Leaves or nothing for a Shield; the most comes first."""
    counts = {"heat-ward": 0, "cold-ward": 0, "shield": 0}
    wards = {"suns": "heat-ward", "waves": "cold-ward", "leaves": "shield"}
    for human in people(state):
        cards = shown(human) if state.rules.solo_wards == "counts" else shown(human)[-1:]
        for name in cards:
            for suit in state.deck[name].energy:
                counts[wards[suit]] += 1
    if not any(counts.values()):
        return [("shield",)]
    ranked = sorted((spell for spell in counts if counts[spell]), key=lambda spell: -counts[spell])
    return [tuple(group) for _, group in groupby(ranked, key=lambda spell: counts[spell])]


def _wyrms(state: State, _seat: Seat, casts: list[Cast]) -> Cast | None:
    """Whatever hurts most (R64, R65)."""
    return _strongest(state, casts)


def _knots(state: State, seat: Seat, casts: list[Cast]) -> Cast | None:
    """Healthy: to hide, to hasten, then to hinder; otherwise the other way round (R64, R65)."""
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
    """The casting that uses most energy; the seed decides between equals."""
    every = list(casts)
    most = max((_force(cast) for cast in every), default=0)
    best = sorted((cast for cast in every if _force(cast) == most), key=lambda cast: (cast.spell, cast.cards))
    return best[_tie(state, "strongest", len(best))] if best else None


def _force(cast: Cast) -> int:
    return max(1, len(cast.cards))


def _tie(state: State, purpose: str, count: int) -> int:
    return draw(f"runes/{state.seed}/{purpose}/{state.turn}/{state.extra}", count)


def takes_part(state: State) -> Wizard | None:
    """The opponent, if it plays a card in this phase (R41, R42, R60)."""
    seat = state.rules.opponent
    wizard = wizard_at(state, seat) if seat is not None else None
    if wizard is None or wizard.gone or (state.extra and not active(state, wizard, "haste")):
        return None
    return wizard


def confused(state: State) -> bool:
    """R61: the human may have another card turned up."""
    wizard = takes_part(state)
    if wizard is None or (state.extra and state.rules.confusion_haste == "normal"):
        return False
    return active(state, wizard, "confused")
