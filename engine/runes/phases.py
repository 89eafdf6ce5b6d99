"""What happens automatically: phases begin and end until a player is asked or the match is over."""

from __future__ import annotations

from msgspec.structs import replace

from engine.runes.actions import Cast
from engine.runes.asking import asked, asked_to_forget, forgetters, is_planned, layers, opponent
from engine.runes.casting import castable
from engine.runes.drawing import order
from engine.runes.effects import active, without_expired
from engine.runes.lots import lot_text
from engine.runes.names import listed
from engine.runes.order import slots, with_old_cards
from engine.runes.planning import kept, place, planned, powering
from engine.runes.reactions import last_window, window
from engine.runes.resolve import named, resolved
from engine.runes.solo import confused, decide, forgets, takes_part
from engine.runes.state import (
    Announced,
    Casting,
    Drawing,
    Forgetting,
    Keeping,
    Last,
    Laying,
    Over,
    Planning,
    Queued,
    Responding,
    Revealing,
    State,
    Turning,
    living,
    people,
    with_wizard,
    wizard_at,
)
from engine.table import Seat
from engine.text import Text, say
from engine.view import Event

Step = tuple[State, tuple[Event, ...]]


def proceed(state: State) -> Step:
    """All that needs no player."""
    events: list[Event] = []
    while (step := _of_itself(state)) is not None:
        state, more = step
        events += more
    return state, tuple(events)


def _of_itself(state: State) -> Step | None:  # noqa: PLR0911, PLR0912, C901 -- one line a phase
    if isinstance(state.phase, Over):
        return None
    if len(living(state)) <= 1:
        return _ended(state)
    if _opponent_chooses(state):
        return _opponent_chosen(state)
    if asked(state):
        return None
    match state.phase:
        case Laying():
            return _after_laying(state), ()
        case Turning() | Keeping() | Revealing():
            return to_spells(state), ()
        case Planning(order_of_spells):
            return replace(state, phase=Casting(order_of_spells)), ()
        case Casting() as phase:
            return _announced(state, phase)
        case Responding() as phase:
            return replace(state, phase=Forgetting(phase.slots, phase.spells)), ()
        case Forgetting() as phase:
            return _effected(state, phase)
        case Last():
            return _to_draws(state), ()
        case Drawing():
            return _next_turn(state)
        case _:
            raise ValueError("somebody pays, or it is over")


def _ended(state: State) -> Step:
    """R59: the last survivor wins; if nobody is left it is a draw."""
    left = living(state)
    over = Over(left[0].seat if left else None)
    return replace(state, phase=over), (Event(result(over), None),)


def result(over: Over) -> Text:
    """How it ended."""
    return say("{seat} wins.", seat=over.winner.upper()) if over.winner else say("All are dead: a draw.")


# --- play phase


def first_stage(state: State) -> State:
    """A turn begins: with the extra phase if anybody is hasted and has a card to play (R41)."""
    hasted = any(active(state, w, "haste") and (w.hand or w.seat == opponent(state)) for w in living(state))
    return _stage(replace(state, story=()), extra=hasted)


def _stage(state: State, *, extra: bool) -> State:
    """A play phase begins; activation runes come only from the card revealed in it (R14, R43)."""
    fresh = {"used": ()} if state.rules.energy_reuse == "phase" else {}
    wizards = tuple(replace(wizard, laid=False, active=None, **fresh) for wizard in state.wizards)
    state = replace(state, wizards=wizards, extra=extra, plan={}, announced=False)
    turns_first = takes_part(state) is not None and state.rules.solo_commit == "pile-first"
    return replace(state, phase=Turning() if turns_first else Laying())


def _after_laying(state: State) -> State:
    machine = takes_part(state)
    return replace(state, phase=Turning() if machine is not None and machine.active is None else Revealing())


def after_turning(state: State) -> State:
    """The opponent's card lies open (R61, R68)."""
    if confused(state) and isinstance(state.phase, Turning) and not state.phase.again:
        return replace(state, phase=Keeping())
    return after_keeping(state)


def after_keeping(state: State) -> State:
    """The opponent's card is settled."""
    return replace(state, phase=Laying() if layers(state) else Revealing())


def to_spells(state: State) -> State:
    """All cards of the phase lie open: their runes are in order, and nothing has been chosen (R25)."""
    state = with_old_cards(state)
    return replace(state, phase=Planning(slots(state)) if is_planned(state) else Casting(slots(state)))


# --- spell phase


def announced_by(seat: Seat, cast: Cast) -> Announced:
    """The spell that a casting sends on its way."""
    return Announced(seat, cast.spell, seat, cast.target, cast.cards)


def _opponent_chooses(state: State) -> bool:
    """Whether the automatic opponent has to choose now."""
    machine = opponent(state)
    match state.phase:
        case Planning():
            return machine is not None and place(state, machine) is not None
        case Casting() as phase:
            able = [seat for seat in castable(state, phase) if seat not in phase.chosen and not is_planned(state)]
            return machine in (able[:1] if state.rules.simultaneous == "open" else able)  # R30
        case Forgetting() as phase:
            return any(spell.caster == machine for spell in forgetters(state, phase))
        case _:
            return False


def _opponent_chosen(state: State) -> Step:
    """R63: from what everybody sees, and before a simultaneous choice of the human is shown."""
    machine = opponent(state)
    assert machine is not None
    found = place(state, machine)
    if found is not None:
        cast = decide(found[0], machine, found[1])
        spell = announced_by(machine, cast) if cast is not None else None
        if not isinstance(state.phase, Casting):
            return planned(state, machine, spell), ()
        return replace(state, phase=replace(state.phase, chosen={**state.phase.chosen, machine: spell})), ()
    assert isinstance(state.phase, Forgetting)
    spell = asked_to_forget(state, state.phase, machine)
    assert spell is not None
    chosen = {**state.phase.chosen, spell.by: forgets(state, spell)}
    return replace(state, phase=replace(state.phase, chosen=chosen)), ()


def _announced(state: State, phase: Casting) -> Step:
    """All of a place have chosen: what they cast is told to everybody (R28, R30)."""
    if not phase.slots:
        after = _end_of_stage(state)
        return after, _drawn_lots(after)
    chosen = kept(state, phase.slots[0]) if is_planned(state) else phase.chosen.values()
    spells = tuple(spell for spell in chosen if spell and not wizard_at(state, spell.by).gone)
    if not spells:
        return replace(state, phase=Casting(phase.slots[1:])), ()
    spells = tuple(sorted(spells, key=lambda spell: spell.by))
    texts = tuple(announcement(spell) for spell in spells)
    for spell in spells:
        state = _spent(state, spell)
    together = len(spells) > 1 or opponent(state) in phase.chosen or is_planned(state)
    story = (*state.story, *texts)
    after = replace(state, phase=window(state, phase.slots[1:], spells, first=True), story=story, announced=True)
    untold = state.rules.simultaneous == "secret" or is_planned(state)
    news = (spell for spell in spells if untold or spell.by == opponent(state))
    return after, tuple(Event(announcement(spell), None, reveals=together) for spell in news)


def announcement(spell: Announced) -> Text:
    """What its caster says: name, target, energy (R28)."""
    if not spell.cards:
        return say("{spell} is announced.", spell=named(spell))
    return say("{spell} is announced, with {cards}.", spell=named(spell), cards=listed(spell.cards))


def _spent(state: State, spell: Announced) -> State:
    """R15: each energy rune powers one spell a turn, whatever becomes of the spell."""
    wizard = wizard_at(state, spell.by)
    return with_wizard(state, replace(wizard, used=(*wizard.used, *powering(spell))))


def _effected(state: State, phase: Forgetting) -> Step:
    """All that the spells of one place do, and then the next place."""
    state, steps = resolved(state, phase.spells, phase.chosen)
    after = replace(state, phase=Casting(phase.slots), story=(*state.story, *steps))
    return after, tuple(Event(step, None) for step in steps)


def _end_of_stage(state: State) -> State:
    if state.extra:
        return _stage(state, extra=False)
    return replace(state, phase=last_window(state)) if state.rules.end_window else _to_draws(state)


# --- end phase


def _to_draws(state: State) -> State:
    """R57; as an option what was turned down lies open again (R45)."""
    if state.rules.forgetting == "turn":
        wizards = tuple(replace(w, sequence=tuple(Queued(q.card) for q in w.sequence)) for w in state.wizards)
        state = replace(state, wizards=wizards)
    return replace(state, phase=Drawing(order(state)))


def _next_turn(state: State) -> Step:
    """R33: what lasted for this turn ends; runes can be used again (R17)."""
    state = replace(state, turn=state.turn + 1)
    wizards = tuple(replace(without_expired(state, wizard), used=(), highest=0) for wizard in state.wizards)
    state = first_stage(replace(state, wizards=wizards))
    told = Event(say("Turn {turn} begins.", turn=state.turn), None)
    return state, (told, *_drawn_lots(state))


def _drawn_lots(state: State) -> tuple[Event, ...]:
    """R47: where the random card of a confused player lies."""
    texts = (lot_text(state, wizard) for wizard in people(state))
    return tuple(Event(text, None, reveals=True) for text in texts if text is not None)
