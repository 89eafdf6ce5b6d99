"""Lasting effects: when they begin and end, and what they stop (R33-R36, R41, R44, R47, R51, R52)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.runes.names import EFFECTS
from engine.runes.names import SPELLS as NAMES
from engine.runes.spells import SPELLS, Spell
from engine.runes.state import Announced, Rules, Span, State, Wizard, wizard_at
from engine.text import Text, say

GUARDS = frozenset({"cold-ward", "heat-ward", "shield", "invisible"})


def active(state: State, wizard: Wizard, effect: str) -> bool:
    """Whether an effect holds in this turn."""
    span = wizard.effects.get(effect)
    holds = span is not None and span.first <= state.turn <= span.last
    if holds and effect in GUARDS and state.rules.counter_running == "suspended":
        return not active(state, wizard, "countered")  # R52
    return holds


def remaining(state: State, wizard: Wizard) -> dict[str, int]:
    """Turns that each effect still holds, this one included if it has begun."""
    return {
        effect: span.last - max(state.turn, span.first) + 1
        for effect, span in sorted(wizard.effects.items())
        if span.last >= state.turn
    }


def coming(state: State, wizard: Wizard) -> tuple[str, ...]:
    """Effects that have not begun: they hold from the next turn on (R41, R44, R47)."""
    return tuple(effect for effect, span in sorted(wizard.effects.items()) if span.first > state.turn)


def granted(state: State, wizard: Wizard, spell: Spell, x: int) -> Wizard:
    """The wizard with the effect of a spell that used `x` energy runes."""
    first = state.turn + spell.delay
    turns = max(x, 1)
    if spell.effect in ("cold-ward", "heat-ward") and state.rules.wards == "next-turn":
        turns += 1  # R33: the turn of casting does not count
    return replace(wizard, effects=_with(state, wizard, spell.effect, Span(first, first + turns - 1)))


def countered(state: State, wizard: Wizard) -> Wizard:
    """The wizard under a Counter Spell for the rest of the turn (R51)."""
    return replace(wizard, effects={**wizard.effects, "countered": Span(state.turn, state.turn)})


def without_expired(state: State, wizard: Wizard) -> Wizard:
    """The wizard without the effects whose last turn is over."""
    return replace(wizard, effects={e: span for e, span in wizard.effects.items() if span.last >= state.turn})


def _with(state: State, wizard: Wizard, effect: str, span: Span) -> dict[str, Span]:
    """R33, R41: a second casting does not add, the later end counts."""
    old = wizard.effects.get(effect)
    if old is not None and old.last >= span.first - 1:
        span = Span(old.first, _last(state.rules, effect, old, span))
    return {**wizard.effects, effect: span}


def _last(rules: Rules, effect: str, old: Span, span: Span) -> int:
    if effect == "haste" and rules.haste_stacking == "ignored":
        return old.last
    if effect in ("cold-ward", "heat-ward") and rules.ward_stacking == "add":
        return old.last + span.last - span.first + (rules.wards == "this-turn")  # this turn is warded already
    return max(old.last, span.last)


def stopped(state: State, announced: Announced) -> Text | None:
    """Why a spell does nothing to its target, tested when it resolves (R48); None if it works."""
    spell, target = SPELLS[announced.spell], wizard_at(state, announced.target)
    caster = () if state.rules.dead_spells == "resolve" else (wizard_at(state, announced.by),)
    for wizard in (*caster, target):
        if wizard.gone:
            return say("{seat} is no longer there", seat=wizard.seat.upper())  # R59
    if active(state, target, "countered") and not spell.physical:
        return NAMES["counter"]  # R51
    if spell.guard and active(state, target, spell.guard):
        return EFFECTS[spell.guard]  # R36-R40, R47
    if spell.effect == "haste" and state.rules.haste_stacking == "ignored" and "haste" in target.effects:
        return EFFECTS["haste"]  # R41, as an option
    return None
