"""Spells take effect: all of one place in the order together, from the state before (R27, R31, R35-R47, R59)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from engine.runes.effects import active, granted, remaining, stopped
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
    reasons = {spell.by: stopped(before, spell) for spell in spells}
    life = _without_losses(before, [spell for spell in spells if reasons[spell.by] is None])
    for announced in spells:
        reason = reasons[announced.by]
        if reason is not None:
            steps.append(say("{spell}: no effect ({reason}).", spell=named(announced), reason=reason))
            continue
        seat, gain = _gain(before, announced)
        gain = max(0, min(gain, most_life(before, wizard_at(before, seat)) - life[seat]))
        life[seat] += gain
        state = _marked(before, state, announced, forgotten)
        steps.append(_step(state, announced, gain, forgotten))
    for wizard in living(before):
        state = with_wizard(state, replace(wizard_at(state, wizard.seat), life=life[wizard.seat]))
    return state, tuple(steps)


def most_life(state: State, wizard: Wizard) -> int:
    """What healing cannot exceed (R35)."""
    return wizard.start if state.rules.heal_cap == "start" else MOST_LIFE


def _without_losses(before: State, spells: Sequence[Announced]) -> dict[Seat, int]:
    """Lives after what the spells that work take, before what they give (R37-R40)."""
    life = {wizard.seat: wizard.life for wizard in before.wizards}
    for announced in spells:
        life[announced.target] -= _loss(announced)
    return life


def _loss(announced: Announced) -> int:
    if SPELLS[announced.spell].does in (Does.HURT, Does.DRAIN):
        return max(len(announced.cards), 1)
    return 0


def _gain(state: State, announced: Announced) -> tuple[Seat, int]:
    """Who gains life by a spell that works, and how much without a cap (R35, R39)."""
    match SPELLS[announced.spell].does:
        case Does.HEAL:
            return announced.target, len(announced.cards)
        case Does.DRAIN:
            return announced.caster, _drained(state, announced)
        case _:
            return announced.caster, 0


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


def _step(after: State, announced: Announced, gain: int, forgotten: Forgotten) -> Text:
    """What a spell that works does, and by how much. after: with the effect that it began."""
    spell, target = SPELLS[announced.spell], wizard_at(after, announced.target)
    match spell.does:
        case Does.HEAL:
            return say("{spell}: {seat} gains {x}.", spell=named(announced), seat=target.seat.upper(), x=gain)
        case Does.HURT:
            lost = _loss(announced)
            return say("{spell}: {seat} loses {x}.", spell=named(announced), seat=target.seat.upper(), x=lost)
        case Does.DRAIN:
            lost = _loss(announced)
            return say("{spell}: {x} lost, {gain} gained.", spell=named(announced), x=lost, gain=gain)
        case Does.FORGET:
            cards = listed(forgotten.get(announced.by, ()))
            return say("{spell}: face down: {cards}.", spell=named(announced), cards=cards)
        case _:
            effect, turns = EFFECTS[spell.effect], remaining(after, target)[spell.effect]
            return say("{spell}: {effect}, turns: {x}.", spell=named(announced), effect=effect, x=turns)
