"""Basic spells: effects, duration, defences and joint resolution.

Clauses are in the table; Forgetfulness, Confusion and Invisibility have theirs where they apply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from engine.runes.cards import list_cards
from engine.runes.match import (
    MOST_LIFE,
    Announced,
    Queued,
    Rulings,
    Span,
    State,
    Wizard,
    face_up_cards,
    living,
    remove_dead,
    with_wizard,
    wizard_at,
)
from engine.table import Seat
from engine.text import Text, in_context, many, say, who


class Does(StrEnum):
    EFFECT = "effect"  # starts or prolongs `effect`
    HEAL = "heal"
    HURT = "hurt"
    DRAIN = "drain"
    FORGET = "forget"


class Spell(msgspec.Struct, frozen=True):
    """A basic spell.

    suit: of its energy; None for none
    guard: effect that protects against it
    delay: turns until its effect begins"""

    name: str
    rune: str
    suit: str | None
    does: Does
    effect: str = ""
    guard: str = ""
    physical: bool = False
    delay: int = 0


SPELLS: dict[str, Spell] = {
    spell.name: spell
    for spell in (
        Spell("cold-ward", "moons", "suns", Does.EFFECT, effect="cold-ward"),  # R33
        Spell("heat-ward", "moons", "waves", Does.EFFECT, effect="heat-ward"),  # R34
        Spell("heal", "moons", "leaves", Does.HEAL),  # R35
        Spell("shield", "moons", None, Does.EFFECT, effect="shield"),  # R36
        Spell("fireball", "wyrms", "suns", Does.HURT, guard="heat-ward", physical=True),  # R37
        Spell("ice-bolt", "wyrms", "waves", Does.HURT, guard="cold-ward", physical=True),  # R38
        Spell("drain", "wyrms", "leaves", Does.DRAIN, guard="shield"),  # R39
        Spell("jab", "wyrms", None, Does.HURT, guard="shield", physical=True),  # R40
        Spell("haste", "knots", "suns", Does.EFFECT, effect="haste", delay=1),  # R41
        Spell("invisibility", "knots", "waves", Does.EFFECT, effect="invisible", delay=1),
        Spell("forgetfulness", "knots", "leaves", Does.FORGET),
        Spell("confusion", "knots", None, Does.EFFECT, effect="confused", guard="shield", delay=1),
    )
}


def of_rune(rune: str) -> tuple[Spell, ...]:
    return tuple(spell for spell in SPELLS.values() if spell.rune == rune)


# --- for people

SHIELD = in_context("a spell", "Shield")

EFFECTS: dict[str, Text] = {
    "cold-ward": say("Cold Ward"),
    "heat-ward": say("Heat Ward"),
    "shield": SHIELD,
    "countered": say("Countered"),
    "haste": say("Haste"),
    "invisible": say("Invisible"),
    "confused": say("Confused"),
}

NAMES: dict[str, Text] = {
    "cold-ward": say("Cold Ward"),
    "heat-ward": say("Heat Ward"),
    "heal": say("Heal"),
    "shield": SHIELD,
    "fireball": say("Fireball"),
    "ice-bolt": say("Ice Bolt"),
    "drain": say("Drain"),
    "jab": say("Jab"),
    "haste": say("Haste"),
    "invisibility": say("Invisibility"),
    "forgetfulness": say("Forgetfulness"),
    "confusion": say("Confusion"),
    "counter": say("Counter Spell"),
    "mirror": say("Magic Mirror"),
}


# --- lasting effects

GUARDS = frozenset({"cold-ward", "heat-ward", "shield", "invisible"})


def active(state: State, wizard: Wizard, effect: str) -> bool:
    span = wizard.effects.get(effect)
    holds = span is not None and span.first <= state.turn <= span.last
    if holds and effect in GUARDS and state.rules.counter_running == "suspended":
        return not active(state, wizard, "countered")
    return holds


def remaining(state: State, wizard: Wizard) -> dict[str, int]:
    return {
        effect: span.last - max(state.turn, span.first) + 1
        for effect, span in sorted(wizard.effects.items())
        if span.last >= state.turn
    }


def coming(state: State, wizard: Wizard) -> tuple[str, ...]:
    return tuple(effect for effect, span in sorted(wizard.effects.items()) if span.first > state.turn)


def grant_effect(state: State, wizard: Wizard, spell: Spell, x: int) -> Wizard:
    first = state.turn + spell.delay
    turns = max(x, 1)
    if spell.effect in ("cold-ward", "heat-ward") and state.rules.wards == "next-turn":
        turns += 1  # the turn of casting does not count
    return replace(wizard, effects=_with(state, wizard, spell.effect, Span(first, first + turns - 1)))


def counter(state: State, wizard: Wizard) -> Wizard:
    """Put a wizard under a Counter Spell for this turn (R52)."""
    return replace(wizard, effects={**wizard.effects, "countered": Span(state.turn, state.turn)})


def without_expired(state: State, wizard: Wizard) -> Wizard:
    return replace(wizard, effects={e: span for e, span in wizard.effects.items() if span.last >= state.turn})


def _with(state: State, wizard: Wizard, effect: str, span: Span) -> dict[str, Span]:
    """Add a span; castings that overlap or adjoin become one (R33, R41)."""
    old = wizard.effects.get(effect)
    if old is not None and old.last >= span.first - 1:
        span = Span(old.first, _last(state.rules, effect, old, span))
    return {**wizard.effects, effect: span}


def _last(rules: Rulings, effect: str, old: Span, span: Span) -> int:
    if effect == "haste" and rules.haste_stacking == "ignored":
        return old.last
    if effect in ("cold-ward", "heat-ward") and rules.ward_stacking == "add":
        return old.last + span.last - span.first + (rules.wards == "this-turn")  # this turn is warded already
    return max(old.last, span.last)


def stop_reason(state: State, announced: Announced) -> Text | None:
    """Return why a spell has no effect when it resolves (R48), or None."""
    spell, target = SPELLS[announced.spell], wizard_at(state, announced.target)
    caster = () if state.rules.dead_spells == "resolve" else (wizard_at(state, announced.by),)
    for wizard in (*caster, target):
        if wizard.gone:
            return say("{seat} is no longer there", seat=who(wizard.seat))
    if active(state, target, "countered") and not spell.physical:
        return NAMES["counter"]
    if spell.guard and active(state, target, spell.guard):
        return EFFECTS[spell.guard]
    if spell.effect == "haste" and state.rules.haste_stacking == "ignored" and "haste" in target.effects:
        return EFFECTS["haste"]
    return None


# --- taking effect

Forgotten = Mapping[Seat, tuple[str, ...]]

Told = tuple[State, tuple[Text, ...]]


def resolve_spells(state: State, spells: tuple[Announced, ...], forgotten: Forgotten) -> Told:
    """Resolve a slot's spells and deaths (R31), with sentences. forgotten: cards to turn face down, by announcer."""
    groups = [(spell,) for spell in spells] if state.rules.resolution == "in-turn" else [spells]
    steps: tuple[Text, ...] = ()
    for group in groups:
        state, told = _together(state, group, forgotten)
        state, deaths = remove_dead(state)
        steps = (*steps, *told, *deaths)
    return state, steps


def _together(before: State, spells: tuple[Announced, ...], forgotten: Forgotten) -> Told:
    """Sum losses and gains, apply once, and cap (R31)."""
    state, steps = before, []
    reasons = {spell.by: stop_reason(before, spell) for spell in spells}
    life = _without_losses(before, [spell for spell in spells if reasons[spell.by] is None])
    for announced in spells:
        reason = reasons[announced.by]
        if reason is not None:
            steps.append(say("{spell}: no effect ({reason}).", spell=spell_text(announced), reason=reason))
            continue
        seat, gain = _gain(before, announced)
        gain = max(0, min(gain, most_life(before, wizard_at(before, seat)) - life[seat]))
        life[seat] += gain
        state = _mark_effects(before, state, announced, forgotten)
        steps.append(_step(state, announced, gain, forgotten))
    for wizard in living(before):
        state = with_wizard(state, replace(wizard_at(state, wizard.seat), life=life[wizard.seat]))
    return state, tuple(steps)


def most_life(state: State, wizard: Wizard) -> int:
    """Return the limit of healing (R35)."""
    return wizard.start if state.rules.heal_cap == "start" else MOST_LIFE


def _without_losses(before: State, spells: Sequence[Announced]) -> dict[Seat, int]:
    life = {wizard.seat: wizard.life for wizard in before.wizards}
    for announced in spells:
        life[announced.target] -= _loss(announced)
    return life


def _loss(announced: Announced) -> int:
    if SPELLS[announced.spell].does in (Does.HURT, Does.DRAIN):
        return max(len(announced.cards), 1)
    return 0


def _gain(state: State, announced: Announced) -> tuple[Seat, int]:
    """Return the seat that gains life, and the uncapped gain (R35, R39)."""
    match SPELLS[announced.spell].does:
        case Does.HEAL:
            return announced.target, len(announced.cards)
        case Does.DRAIN:
            return announced.caster, _drain(state, announced)
        case _:
            return announced.caster, 0


def _drain(state: State, announced: Announced) -> int:
    """Return Drain's gain (R39); nothing under a Counter Spell (R52)."""
    x, caster = len(announced.cards), wizard_at(state, announced.caster)
    if caster.gone or (active(state, caster, "countered") and state.rules.drain_countered == "no-gain"):
        return 0
    return min(x, wizard_at(state, announced.target).life) if state.rules.drain_gain == "lost" else x


def _mark_effects(before: State, state: State, announced: Announced, forgotten: Forgotten) -> State:
    spell, target = SPELLS[announced.spell], wizard_at(state, announced.target)
    if spell.does is Does.EFFECT:
        return with_wizard(state, grant_effect(before, target, spell, len(announced.cards)))
    if spell.does is Does.FORGET:
        down = forgotten.get(announced.by, ())
        queue = tuple(Queued(q.card, q.down or q.card in down) for q in target.sequence)
        return with_wizard(state, replace(target, sequence=queue))
    return state


def forgettable(state: State, announced: Announced) -> tuple[str, ...]:
    """Return the cards that a working Forgetfulness can choose from."""
    if SPELLS[announced.spell].does is not Does.FORGET or stop_reason(state, announced) is not None:
        return ()
    return face_up_cards(wizard_at(state, announced.target))


def spell_text(announced: Announced) -> Text:
    spell, caster = NAMES[announced.spell], who(announced.caster)
    if announced.caster == announced.target:
        return say("{seat}'s {spell}", seat=caster, spell=spell)
    return say("{seat}'s {spell} at {target}", seat=caster, spell=spell, target=who(announced.target))


def _step(after: State, announced: Announced, gain: int, forgotten: Forgotten) -> Text:
    spell, target = SPELLS[announced.spell], wizard_at(after, announced.target)
    match spell.does:
        case Does.HEAL:
            return say("{spell}: {seat} gains {x}.", spell=spell_text(announced), seat=who(target.seat), x=gain)
        case Does.HURT:
            lost = _loss(announced)
            return say("{spell}: {seat} loses {x}.", spell=spell_text(announced), seat=who(target.seat), x=lost)
        case Does.DRAIN:
            lost = _loss(announced)
            return say("{spell}: {x} lost, {gain} gained.", spell=spell_text(announced), x=lost, gain=gain)
        case Does.FORGET:
            cards = list_cards(forgotten.get(announced.by, ()))
            return say("{spell}: face down: {cards}.", spell=spell_text(announced), cards=cards)
        case _:
            effect, turns = EFFECTS[spell.effect], remaining(after, target)[spell.effect]
            return many(
                "{spell}: {effect}, turns: {count}.",
                "{spell}: {effect}, turns: {count}.",
                turns,
                spell=spell_text(announced),
                effect=effect,
            )
