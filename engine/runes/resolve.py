"""Spells take effect: all of one place in the order together, from the state before (R27, R31, R35-R47, R59)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from engine.runes.effects import active, granted, stopped
from engine.runes.names import EFFECTS, listed
from engine.runes.names import SPELLS as NAMES
from engine.runes.spells import SPELLS, Does
from engine.runes.state import MOST_LIFE, Announced, Queued, State, Wizard, living, shown, with_wizard, wizard_at
from engine.table import Seat
from engine.text import Text, say

Forgotten = Mapping[Seat, tuple[str, ...]]
"""Cards that each Forgetfulness turns down, by who cast it."""

Told = tuple[State, tuple[Text, ...]]
"""A state, and the steps that led to it, each with its reason."""


def resolved(state: State, spells: tuple[Announced, ...], forgotten: Forgotten) -> Told:
    """The state after the spells of one place, deaths included."""
    groups = [(spell,) for spell in spells] if state.rules.resolution == "in-turn" else [spells]
    steps: tuple[Text, ...] = ()
    for group in groups:
        state, told = _together(state, group, forgotten)
        state, deaths = buried(state)
        steps = (*steps, *told, *deaths)
    return state, steps


def _together(before: State, spells: tuple[Announced, ...], forgotten: Forgotten) -> Told:
    """R31: losses and gains are summed, applied once, and capped."""
    state, steps = before, []
    life = {wizard.seat: 0 for wizard in before.wizards}
    for announced in spells:
        reason = stopped(before, announced)
        if reason is not None:
            steps.append(say("{spell}: no effect ({reason}).", spell=named(announced), reason=reason))
            continue
        for seat, change in _changes(before, announced):
            life[seat] += change
        state = _marked(before, state, announced, forgotten)
        steps.append(_step(before, announced, forgotten))
    for wizard in living(before):
        if life[wizard.seat]:
            now = wizard_at(state, wizard.seat)
            state = with_wizard(state, replace(now, life=min(most_life(before, now), now.life + life[now.seat])))
    return state, tuple(steps)


def most_life(state: State, wizard: Wizard) -> int:
    """What healing cannot exceed (R35)."""
    return wizard.start if state.rules.heal_cap == "start" else MOST_LIFE


def _changes(state: State, announced: Announced) -> tuple[tuple[Seat, int], ...]:
    """Life gained and lost by a spell that works (R35, R37-R40)."""
    x = len(announced.cards)
    match SPELLS[announced.spell].does:
        case Does.HEAL:
            return ((announced.target, x),)
        case Does.HURT:
            return ((announced.target, -max(x, 1)),)
        case Does.DRAIN:
            return ((announced.target, -x), (announced.caster, _drained(state, announced)))
        case _:
            return ()


def _drained(state: State, announced: Announced) -> int:
    """R39: what Drain gives its caster; R52: nothing under a Counter Spell."""
    x, caster = len(announced.cards), wizard_at(state, announced.caster)
    if caster.gone or (active(state, caster, "countered") and state.rules.drain_countered == "no-gain"):
        return 0
    return min(x, wizard_at(state, announced.target).life) if state.rules.drain_gain == "lost" else x


def _marked(before: State, state: State, announced: Announced, forgotten: Forgotten) -> State:
    """Effects begun (R33-R36, R41, R44, R47) and cards turned down (R45)."""
    spell, target = SPELLS[announced.spell], wizard_at(state, announced.target)
    if spell.does is Does.EFFECT:
        return with_wizard(state, granted(before, target, spell, len(announced.cards)))
    if spell.does is Does.FORGET:
        down = forgotten.get(announced.by, ())
        queue = tuple(Queued(q.card, q.down or q.card in down) for q in target.sequence)
        return with_wizard(state, replace(target, sequence=queue))
    return state


def forgettable(state: State, announced: Announced) -> tuple[str, ...]:
    """The cards among which a Forgetfulness that works can choose; () if there is nothing to choose (R45)."""
    if SPELLS[announced.spell].does is not Does.FORGET or stopped(state, announced) is not None:
        return ()
    return shown(wizard_at(state, announced.target))


def buried(state: State) -> Told:
    """R59: who has no life left leaves; hand and sequence are discarded."""
    steps = []
    for wizard in living(state):
        if wizard.life <= 0:
            state = removed(state, wizard)
            steps.append(say("{seat} dies.", seat=wizard.seat.upper()))
    return state, tuple(steps)


def removed(state: State, wizard: Wizard) -> State:
    """The state without a wizard: the hand goes to the discards unread, the sequence on top of it."""
    left = replace(wizard, gone=True, hand=(), laid=False, sequence=(), active=None)
    cards = tuple(queued.card for queued in wizard.sequence)
    after = with_wizard(state, left)
    return replace(after, discards=(*state.discards, *cards), buried=(*state.buried, *wizard.hand))


def named(announced: Announced) -> Text:
    """A spell with its caster and its target."""
    spell, caster = NAMES[announced.spell], announced.caster.upper()
    if announced.caster == announced.target:
        return say("{seat}'s {spell}", seat=caster, spell=spell)
    return say("{seat}'s {spell} at {target}", seat=caster, spell=spell, target=announced.target.upper())


def _step(state: State, announced: Announced, forgotten: Forgotten) -> Text:
    """What a spell that works does, and by how much."""
    spell, x = SPELLS[announced.spell], len(announced.cards)
    match spell.does:
        case Does.HEAL:
            return say("{spell}: {seat} gains {x}.", spell=named(announced), seat=announced.target.upper(), x=x)
        case Does.HURT:
            lost = max(x, 1)
            return say("{spell}: {seat} loses {x}.", spell=named(announced), seat=announced.target.upper(), x=lost)
        case Does.DRAIN:
            gain = _drained(state, announced)
            return say("{spell}: {x} lost, {gain} gained.", spell=named(announced), x=x, gain=gain)
        case Does.FORGET:
            cards = listed(forgotten.get(announced.by, ()))
            return say("{spell}: face down: {cards}.", spell=named(announced), cards=cards)
        case _:
            effect, turns = EFFECTS[spell.effect], max(x, 1)
            return say("{spell}: {effect}, turns: {x}.", spell=named(announced), effect=effect, x=turns)
