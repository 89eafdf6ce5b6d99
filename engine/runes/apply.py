"""The state after a legal action, and what is told to whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from engine.runes.actions import (
    Action,
    Again,
    Cast,
    Counter,
    Decline,
    Draw,
    Enough,
    Forget,
    Keep,
    Lay,
    Mirror,
    Pass,
    Pay,
    Reveal,
    Shuffle,
    Turn,
    Withdraw,
)
from engine.runes.asking import asked_to_forget
from engine.runes.cards import height
from engine.runes.drawing import drawn, shuffled
from engine.runes.hands import discarded, without
from engine.runes.names import CARDS
from engine.runes.names import SPELLS as NAMES
from engine.runes.phases import Step, after_keeping, after_turning, announced_by, announcement, proceed
from engine.runes.planning import planned
from engine.runes.reactions import paid, payments, performed
from engine.runes.resolve import named, removed
from engine.runes.state import (
    SEQUENCE,
    Announced,
    Casting,
    Drawing,
    Forgetting,
    Last,
    Laying,
    Over,
    Paying,
    Planning,
    Queued,
    Responding,
    State,
    Turning,
    living,
    with_wizard,
    wizard_at,
)
from engine.table import Seat
from engine.text import Text, say
from engine.view import Event


def apply(state: State, seat: Seat, action: Action) -> Step:
    """One action, and all that follows of itself until a player is asked again."""
    state, events = _perform(state, seat, action)
    state, more = proceed(state)
    return state, (*events, *more)


def resign(state: State, seat: Seat) -> Step:
    """A wizard leaves as if dead (R59), and whatever waited for them goes on."""
    told = Event(say("{seat} gives up.", seat=seat.upper()), None)
    wizard = wizard_at(state, seat)
    if isinstance(state.phase, Over) or wizard.gone:
        return state, (told,)
    phase = state.phase
    if isinstance(phase, Paying) and phase.seat == seat:
        phase = phase.then
    if isinstance(phase, Drawing):
        phase = Drawing(tuple(other for other in phase.order if other != seat))
    state = removed(replace(state, phase=phase), wizard)
    if len(living(state)) == 1:
        over = Over(living(state)[0].seat, resigned=True)
        return replace(state, phase=over), (told, Event(say("{seat} wins.", seat=str(over.winner).upper()), None))
    state, more = proceed(state)
    return state, (told, *more)


def _perform(state: State, seat: Seat, action: Action) -> Step:
    return _DOES[type(action)](state, seat, action)


def _keep(state: State, _seat: Seat, _action: Keep) -> Step:
    return after_keeping(state), _told(say("The card stays."))


def _shuffle(state: State, seat: Seat, _action: Shuffle) -> Step:
    """R58."""
    text = say("{seat} has the Excuse: pile and discards are shuffled, it goes to the middle.", seat=seat.upper())
    return shuffled(state), _told(text, reveals=True)


def _told(*texts: Text, reveals: bool = False) -> tuple[Event, ...]:
    return tuple(Event(text, None, reveals=reveals) for text in texts)


def _pushed(state: State, seat: Seat) -> State:
    """R18, R22: the oldest card is discarded when a fifth arrives."""
    wizard = wizard_at(state, seat)
    if len(wizard.sequence) < SEQUENCE:
        return state
    oldest, *rest = wizard.sequence
    state = with_wizard(state, replace(wizard, sequence=tuple(rest)))
    return replace(state, discards=(*state.discards, oldest.card))


def _lay(state: State, seat: Seat, _action: Lay) -> Step:
    """R21."""
    state = _pushed(state, seat)
    state = with_wizard(state, replace(wizard_at(state, seat), laid=True))
    return state, _told(say("{seat} has laid a card.", seat=seat.upper()))


def _joined(state: State, seat: Seat, card: str) -> State:
    """R24: the new card at the right end; it gives activation runes (R14) and may lead in the draw (R58)."""
    wizard = wizard_at(state, seat)
    rank = height(state.deck[card], state.rules.ace)
    joined = replace(wizard, sequence=(*wizard.sequence, Queued(card)), active=card, highest=max(wizard.highest, rank))
    return with_wizard(state, joined)


def _reveal(state: State, seat: Seat, action: Reveal) -> Step:
    card = action.card
    wizard = without(state, wizard_at(state, seat), card)
    state = _joined(with_wizard(state, replace(wizard, laid=False)), seat, card)
    return state, _told(say("{seat} reveals {card}.", seat=seat.upper(), card=CARDS[card]), reveals=True)


def _turn(state: State, _seat: Seat, action: Turn) -> Step:
    """R60: the pile's top card is the opponent's."""
    machine, card = str(state.rules.opponent), action.card
    state = after_turning(_joined(_pushed(state, machine), machine, card))
    return state, _told(say("{seat} plays {card}.", seat=machine.upper(), card=CARDS[card]), reveals=True)


def _again(state: State, _seat: Seat, _action: Again) -> Step:
    """R61: the first card is discarded."""
    wizard = wizard_at(state, str(state.rules.opponent))
    left = replace(wizard, sequence=wizard.sequence[:-1], active=None)
    state = replace(with_wizard(state, left), discards=(*state.discards, wizard.sequence[-1].card))
    text = say("{card} is discarded; another card is turned up.", card=CARDS[wizard.sequence[-1].card])
    return replace(state, phase=Turning(again=True)), _told(text)


def _cast(state: State, seat: Seat, action: Cast) -> Step:
    return _choose(state, seat, announced_by(seat, action))


def _counter(state: State, seat: Seat, action: Counter) -> Step:
    return _order(state, seat, "counter", action.target)


def _mirror(state: State, seat: Seat, action: Mirror) -> Step:
    return _order(state, seat, "mirror", action.caster)


def _choose(state: State, seat: Seat, spell: Announced | None) -> Step:
    """R30: what is chosen at the same time is told to nobody else before all have chosen."""
    if isinstance(state.phase, Planning):
        return planned(state, seat, spell), _chosen(seat, spell)
    assert isinstance(state.phase, Casting)
    state = replace(state, phase=replace(state.phase, chosen={**state.phase.chosen, seat: spell}))
    if state.rules.simultaneous == "open" and spell is not None:
        return state, _told(announcement(spell))
    return state, _chosen(seat, spell)


def _chosen(seat: Seat, spell: Announced | None) -> tuple[Event, ...]:
    """What was chosen, for the seat alone."""
    own = say("You pass.") if spell is None else say("You cast: {spell}.", spell=named(spell))
    return Event(own, frozenset({seat})), Event(say("{seat} has chosen.", seat=seat.upper()), None)


def _pass(state: State, seat: Seat, _action: Pass) -> Step:
    match state.phase:
        case Casting() | Planning():
            return _choose(state, seat, None)
        case Responding(waiting=waiting) | Last(waiting):
            left = tuple(other for other in waiting if other != seat)
            text = say("{seat} lets it happen.", seat=seat.upper())
            return replace(state, phase=replace(state.phase, waiting=left)), _told(text)
        case _:
            raise ValueError("nobody is asked to pass: judge the action before applying it")


def _order(state: State, seat: Seat, special: str, at: Seat) -> Step:
    """R28: name and target first; the cards follow one by one (R49)."""
    then = state.phase
    assert isinstance(then, Laying | Casting | Responding | Last)
    text = say("{seat}: {spell} at {target}.", seat=seat.upper(), spell=NAMES[special], target=at.upper())
    return replace(state, phase=Paying(seat, special, at, then)), _told(text)


def _pay(state: State, seat: Seat, action: Pay) -> Step:
    """R49, R55: to the discards at once."""
    phase, card = state.phase, action.card
    assert isinstance(phase, Paying)
    phase = replace(phase, paid=(*phase.paid, card))
    state = replace(discarded(state, wizard_at(state, seat), card), phase=phase)
    told = say("{seat} discards {card}.", seat=seat.upper(), card=CARDS[card])
    if not paid(state, phase) or payments(state, seat):
        return state, _told(told, reveals=True)
    return _performed(state, phase, told)


def _enough(state: State, _seat: Seat, _action: Enough) -> Step:
    """R50."""
    assert isinstance(state.phase, Paying)
    return _performed(state, state.phase)


def _performed(state: State, phase: Paying, *told: Text) -> Step:
    state, text = performed(state, phase)
    return replace(state, story=(*state.story, text)), _told(*told, text, reveals=True)


def _withdraw(state: State, seat: Seat, _action: Withdraw) -> Step:
    assert isinstance(state.phase, Paying)
    text = say("{seat} takes the special spell back.", seat=seat.upper())
    return replace(state, phase=state.phase.then), _told(text)


def _forget(state: State, seat: Seat, action: Forget) -> Step:
    """R45; of two at the same time the first choice stays secret (R30)."""
    assert isinstance(state.phase, Forgetting)
    spell = asked_to_forget(state, state.phase, seat)
    assert spell is not None
    state = replace(state, phase=replace(state.phase, chosen={**state.phase.chosen, spell.by: action.cards}))
    return state, _told(say("{seat} has chosen.", seat=seat.upper()))


def _draw(state: State, seat: Seat, _action: Draw) -> Step:
    assert isinstance(state.phase, Drawing)
    order = state.phase.order[1:]
    state = with_wizard(state, drawn(state, wizard_at(state, seat)))
    return replace(state, phase=Drawing(order)), _told(say("{seat} draws.", seat=seat.upper()), reveals=True)


def _decline(state: State, seat: Seat, _action: Decline) -> Step:
    assert isinstance(state.phase, Drawing)
    order = tuple(other for other in state.phase.order if other != seat)
    return replace(state, phase=Drawing(order)), _told(say("{seat} draws no more.", seat=seat.upper()))


_DOES: dict[type[Action], Callable[[State, Seat, Any], Step]] = {
    Lay: _lay,
    Reveal: _reveal,
    Turn: _turn,
    Keep: _keep,
    Again: _again,
    Cast: _cast,
    Pass: _pass,
    Counter: _counter,
    Mirror: _mirror,
    Pay: _pay,
    Withdraw: _withdraw,
    Enough: _enough,
    Forget: _forget,
    Draw: _draw,
    Decline: _decline,
    Shuffle: _shuffle,
}
