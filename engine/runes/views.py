"""What may be shown: the duel for everybody, and for a seat its own secret choice (R30)."""

from __future__ import annotations

from engine.runes.asking import asked
from engine.runes.casting import powers
from engine.runes.effects import coming, remaining
from engine.runes.hands import runes_of
from engine.runes.lots import lot_text
from engine.runes.names import EFFECTS, SUITS, listed
from engine.runes.order import slots, still_shown
from engine.runes.phases import announcement, result
from engine.runes.prompts import prompt
from engine.runes.resolve import named
from engine.runes.state import (
    MOST_LIFE,
    Announced,
    Casting,
    Forgetting,
    Over,
    Paying,
    Planning,
    Responding,
    Revealing,
    Slot,
    State,
    Wizard,
    pile,
    shown,
    wizard_at,
)
from engine.table import Seat
from engine.text import Text, say
from engine.view import Gauge, Json, Line, Outcome, Panel, View

STEPS = 6
"""Steps of the turn that a display shows, the newest ones."""


def view(state: State, seat: Seat | None) -> View:
    """What `seat` may know; None: everybody at the table."""
    return View(facts=_facts(state, seat), panels=_panels(state, seat), prompt=prompt(state, seat))


def outcome(state: State) -> Outcome | None:
    """R59: the survivor, or nobody; the automatic opponent wins nothing, but the text names it."""
    if not isinstance(state.phase, Over):
        return None
    winners = {state.phase.winner} - {None, state.rules.opponent}
    return Outcome(frozenset(seat for seat in winners if seat is not None), result(state.phase))


def _facts(state: State, seat: Seat | None) -> dict[str, Json]:
    own = _secret(state, seat)
    return {
        "turn": state.turn,
        "extra": state.extra,
        "phase": str(state.phase.__struct_config__.tag),
        "asked": tuple(sorted(asked(state))),
        "wizards": {wizard.seat: _wizard_facts(state, wizard) for wizard in state.wizards},
        "order": tuple(_slot_facts(slot) for slot in _slots(state)),
        "spells": tuple(_spell_facts(spell) for spell in _pending(state)),
        "pile": pile(state),
        "discards": state.discards,
        "paying": _paying_facts(state),
        "story": tuple(str(step) for step in state.story),
        **({"own": own} if own is not None else {}),
    }


def _wizard_facts(state: State, wizard: Wizard) -> dict[str, Json]:
    return {
        "life": max(wizard.life, 0),
        "alive": not wizard.gone,
        "hand": wizard.held,
        "laid": wizard.laid,
        "sequence": tuple("down" if queued.down else queued.card for queued in wizard.sequence),
        "effects": dict(remaining(state, wizard)),
        "coming": coming(state, wizard),
        "energy": {suit: len(cards) for suit, cards in powers(state, wizard).items()},
        "activation": tuple(_activation(state, wizard)),
        "lot": _lot(state, wizard),
    }


def _lot(state: State, wizard: Wizard) -> str | None:
    text = lot_text(state, wizard) if wizard.hand and not wizard.gone else None
    return None if text is None else str(text)


def _activation(state: State, wizard: Wizard) -> tuple[str, ...]:
    """Activation runes whose place in the order has not come yet."""
    here = [slot for slot in _slots(state) if wizard.seat in slot.seats]
    return tuple(slot.rune for slot in here if still_shown(state, wizard.seat, slot))


def _slots(state: State) -> tuple[Slot, ...]:
    if isinstance(state.phase, Paying):
        phase = state.phase.then
        return phase.slots if isinstance(phase, Casting | Responding) else ()
    if isinstance(state.phase, Revealing):
        return slots(state)
    return state.phase.slots if isinstance(state.phase, Planning | Casting | Responding | Forgetting) else ()


def _pending(state: State) -> tuple[Announced, ...]:
    phase = state.phase.then if isinstance(state.phase, Paying) else state.phase
    if isinstance(phase, Casting) and state.rules.simultaneous == "open":
        return tuple(spell for spell in phase.chosen.values() if spell is not None)
    return phase.spells if isinstance(phase, Responding | Forgetting) else ()


def _slot_facts(slot: Slot) -> dict[str, Json]:
    return {"rune": slot.rune, "rank": slot.rank, "seats": slot.seats}


def _spell_facts(spell: Announced) -> dict[str, Json]:
    return {"by": spell.by, "spell": spell.spell, "caster": spell.caster, "target": spell.target, "x": len(spell.cards)}


def _paying_facts(state: State) -> Json:
    phase = state.phase
    if not isinstance(phase, Paying):
        return None
    runes = tuple(sorted(runes_of(state, phase.paid)))
    return {"seat": phase.seat, "special": phase.special, "at": phase.at, "paid": phase.paid, "runes": runes}


def _secret(state: State, seat: Seat | None) -> Json:
    """What the seat itself has chosen while the others still choose (R30), or for the whole phase (R32)."""
    if seat is not None and seat in state.plan:
        return {rune: _choice(spell) for rune, spell in state.plan[seat].items()}
    phase = state.phase.then if isinstance(state.phase, Paying) else state.phase
    if isinstance(phase, Casting) and seat in phase.chosen:
        return _choice(phase.chosen[seat])
    if isinstance(phase, Forgetting):
        own = {s.by: phase.chosen[s.by] for s in phase.spells if s.caster == seat and s.by in phase.chosen}
        return {by: cards for by, cards in own.items()} or None
    return None


def _choice(spell: Announced | None) -> str:
    return "pass" if spell is None else str(announcement(spell))


def _panels(state: State, seat: Seat | None) -> tuple[Panel, ...]:
    if seat is None or seat not in {wizard.seat for wizard in state.wizards}:
        return _duel(state)
    return (*_spells(state), *_own(state, wizard_at(state, seat)), *_others(state, seat), *_steps(state, 2))


def _own(state: State, wizard: Wizard) -> tuple[Panel, ...]:
    """Life, lasting effects with the turns left, and the runes that can be used."""
    panels: list[Panel] = [Gauge(say("Life"), max(wizard.life, 0), MOST_LIFE)]
    effects = _effects(state, wizard)
    if effects is not None:
        panels.append(Line(effects))
    energy = [
        say("{suit} {count}", suit=SUITS[suit], count=len(cards)) for suit, cards in powers(state, wizard).items()
    ]
    panels += [Line(_joined(energy))] if energy else []
    runes = [SUITS[rune] for rune in _activation(state, wizard)]
    panels += [Line(_joined(runes), strong=True)] if runes else []
    return tuple(panels)


def _effects(state: State, wizard: Wizard) -> Text | None:
    texts = [
        say("{effect}: {turns} from next turn", effect=EFFECTS[effect], turns=turns)
        if effect in coming(state, wizard)
        else say("{effect}: {turns}", effect=EFFECTS[effect], turns=turns)
        for effect, turns in remaining(state, wizard).items()
    ]
    return _joined(texts) if texts else None


def _joined(texts: list[Text]) -> Text:
    first, *rest = texts
    return say("{first}, {rest}", first=first, rest=_joined(rest)) if rest else first


def _others(state: State, seat: Seat) -> tuple[Panel, ...]:
    return tuple(_gauge(wizard) for wizard in state.wizards if wizard.seat != seat and not wizard.gone)


def _gauge(wizard: Wizard) -> Gauge:
    return Gauge(say("Life of {seat}", seat=wizard.seat.upper()), max(wizard.life, 0), MOST_LIFE)


def _duel(state: State) -> tuple[Panel, ...]:
    """For the whole table: what waits, lives, effects and sequences, the order, and what happened, step by step."""
    alive = [wizard for wizard in state.wizards if not wizard.gone]
    lives = tuple(_gauge(wizard) for wizard in alive)
    effects = tuple(_told_of(wizard, text) for wizard in alive if (text := _effects(state, wizard)) is not None)
    sequences = tuple(_told_of(wizard, listed(cards)) for wizard in alive if (cards := shown(wizard)))
    return (*_spells(state), *lives, *effects, *sequences, *_order(state), *_steps(state, STEPS))


def _told_of(wizard: Wizard, text: Text) -> Line:
    return Line(say("{seat}: {text}", seat=wizard.seat.upper(), text=text))


def _spells(state: State) -> tuple[Panel, ...]:
    return tuple(Line(named(spell), strong=True) for spell in _pending(state))


def _order(state: State) -> tuple[Panel, ...]:
    """R25-R27: who comes when, and why."""
    return tuple(Line(_place(state, slot)) for slot in _slots(state))


def _place(state: State, slot: Slot) -> Text:
    """A place with its reason: the rune, and the card whose rank counts."""
    seats = " + ".join(seat.upper() for seat in slot.seats)
    active = tuple(card for seat in slot.seats if (card := wizard_at(state, seat).active) is not None)
    if not active:
        return say("{rune}: {seats}", rune=SUITS[slot.rune], seats=seats)
    return say("{rune}: {seats} ({cards})", rune=SUITS[slot.rune], seats=seats, cards=listed(active))


def _steps(state: State, count: int) -> tuple[Panel, ...]:
    """What happened this turn, without the announcements that still wait and stand above."""
    waiting = [announcement(spell) for spell in _pending(state)]
    return tuple(Line(step) for step in [step for step in state.story if step not in waiting][-count:])
