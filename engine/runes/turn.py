"""The turn: automatic steps between phases until a player is asked (R17, R43)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.runes.casting import (
    Casting,
    Forgetting,
    Planning,
    announcement,
    choose,
    chooses,
    is_planned,
    kept_spells,
    order_of_runes,
    place,
    spend_energy,
    turned_back,
)
from engine.runes.hands import DrawPhase, drawing
from engine.runes.laying import Laying, Revealing, lot_text, with_old_cards
from engine.runes.match import (
    Over,
    State,
    asked_seats,
    end_if_last,
    is_automatic,
    living,
    people,
    remove_wizard,
    wizard_at,
)
from engine.runes.solo import Keeping, Turning, automaton, decide, forgets, opponent_seat, takes_part
from engine.runes.specials import LastCounter, Paying, Responding, last_window, window
from engine.runes.spells import active, resolve_spells, without_expired
from engine.table import Seat
from engine.text import Text, say, who
from engine.view import Event

Step = tuple[State, tuple[Event, ...]]


def proceed(state: State) -> Step:
    events: list[Event] = []
    while (step := _of_itself(state)) is not None:
        state, more = step
        events += more
    return state, tuple(events)


def _of_itself(state: State) -> Step | None:  # noqa: PLR0911, PLR0912, C901 -- one line a phase
    if isinstance(state.phase, Over):
        return None
    over = end_if_last(state)
    if over is not None:
        return replace(state, phase=over), public_events(over.result())
    if _opponent_chooses(state):
        return _opponent_chosen(state)
    if asked_seats(state):
        return None
    match state.phase:
        case Laying():
            return _after_laying(state), ()
        case Turning() | Keeping() | Revealing():
            return to_spells(state), ()
        case Planning(order_of_spells):
            return replace(state, phase=Casting(order_of_spells)), ()
        case Casting() as phase:
            return _announce(state, phase)
        case Responding() as phase:
            return replace(state, phase=Forgetting(phase.slots, phase.spells)), ()
        case Forgetting() as phase:
            return _apply_effects(state, phase)
        case LastCounter():
            return _to_draws(state), ()
        case DrawPhase():
            return _next_turn(state)
        case _:
            raise ValueError("somebody pays, or it is over")


# --- play phase


def first_stage(state: State) -> State:
    """Begin a turn, with the extra phase if a hasted wizard has a card."""
    hasted = any(active(state, w, "haste") and w.supplied for w in living(state))
    return _stage(replace(state, story=()), extra=hasted)


def _stage(state: State, *, extra: bool) -> State:
    """Begin a play phase, whose revealed cards alone give activation runes (R43)."""
    fresh = {"used": ()} if state.rules.energy_reuse == "phase" else {}
    wizards = tuple(replace(wizard, laid=False, active=None, **fresh) for wizard in state.wizards)
    state = replace(state, wizards=wizards, extra=extra, plan={}, announced=False)
    turns_first = takes_part(state) is not None and state.rules.solo_commit == "pile-first"
    return replace(state, phase=Turning() if turns_first else Laying())


def _after_laying(state: State) -> State:
    machine = takes_part(state)
    return replace(state, phase=Turning() if machine is not None and machine.active is None else Revealing())


def to_spells(state: State) -> State:
    state = with_old_cards(state)
    order = order_of_runes(state)
    return replace(state, phase=Planning(order) if is_planned(state) else Casting(order))


# --- spell phase


def _opponent_chooses(state: State) -> bool:
    machine = automaton(state)
    if machine is None:
        return False
    if isinstance(state.phase, Forgetting):
        return state.phase.of(state, machine.seat) is not None
    return chooses(state, machine.seat)


def _opponent_chosen(state: State) -> Step:
    machine, phase = opponent_seat(state), state.phase
    if isinstance(phase, Forgetting):
        spell = phase.of(state, machine)
        assert spell is not None
        return replace(state, phase=phase.with_choice(spell, forgets(state, spell))), ()
    found = place(state, machine)
    assert found is not None
    cast = decide(found[0], machine, found[1])
    return choose(state, machine, cast.announce(machine) if cast is not None else None), ()


def _announce(state: State, phase: Casting) -> Step:
    if not phase.slots:
        after = _end_of_stage(state)
        return after, _drawn_lots(after)
    every = kept_spells(state, phase.slots[0]) if is_planned(state) else phase.chosen.values()
    spells = tuple(spell for spell in every if spell and not wizard_at(state, spell.by).gone)
    if not spells:
        return replace(state, phase=Casting(phase.slots[1:])), ()
    spells = tuple(sorted(spells, key=lambda spell: spell.by))
    texts = tuple(announcement(spell) for spell in spells)
    for spell in spells:
        state = spend_energy(state, spell)
    together = len(phase.chosen) > 1 or is_planned(state) or any(is_automatic(state, seat) for seat in phase.chosen)
    story = (*state.story, *texts)
    after = replace(state, phase=window(state, phase.slots[1:], spells, first=True), story=story, announced=True)
    untold = state.rules.simultaneous == "secret" or is_planned(state)
    news = (spell for spell in spells if untold or is_automatic(state, spell.by))
    return after, public_events(*(announcement(spell) for spell in news), reveals=together)


def _apply_effects(state: State, phase: Forgetting) -> Step:
    state, steps = resolve_spells(state, phase.spells, phase.chosen)
    after = replace(state, phase=Casting(phase.slots), story=(*state.story, *steps))
    return after, public_events(*steps, reveals=len(phase.chosen) > 1)


def _end_of_stage(state: State) -> State:
    if state.extra:
        return _stage(state, extra=False)
    return replace(state, phase=last_window(state)) if state.rules.end_window else _to_draws(state)


# --- end phase


def _to_draws(state: State) -> State:
    state = turned_back(state)
    return replace(state, phase=drawing(state))


def _next_turn(state: State) -> Step:
    """Begin the next turn, with expired effects removed and runes fresh (R17)."""
    state = replace(state, turn=state.turn + 1)
    wizards = tuple(replace(without_expired(state, wizard), used=(), highest=0) for wizard in state.wizards)
    state = first_stage(replace(state, wizards=wizards))
    return state, (*public_events(say("Turn {turn} begins.", turn=state.turn)), *_drawn_lots(state))


def _drawn_lots(state: State) -> tuple[Event, ...]:
    texts = (lot_text(state, wizard) for wizard in people(state))
    return public_events(*(text for text in texts if text is not None), reveals=True)


def drawn_anew(before: State, after: State) -> tuple[Event, ...]:
    known = {lot_text(before, wizard) for wizard in people(before)}
    return tuple(lot for lot in _drawn_lots(after) if lot.text not in known)


def resign(state: State, seat: Seat) -> Step:
    left = public_events(say("{seat} gives up.", seat=who(seat)))
    wizard, phase = wizard_at(state, seat), state.phase
    if isinstance(phase, Over) or wizard.gone:
        return state, left
    if isinstance(phase, Paying) and phase.seat == seat:
        phase = phase.then
    if isinstance(phase, DrawPhase):
        phase = phase.without(seat)
    state = remove_wizard(replace(state, phase=phase), wizard)
    if len(living(state)) == 1:
        over = Over(living(state)[0].seat, resigned=True)
        return replace(state, phase=over), (*left, *public_events(over.result()))
    state, more = proceed(state)
    return state, (*left, *more)


def public_events(*texts: Text, reveals: bool = False) -> tuple[Event, ...]:
    return tuple(Event(text, None, reveals=reveals) for text in texts)
