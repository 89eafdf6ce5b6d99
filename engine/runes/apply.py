"""The state after a legal action, and what is told to whom."""

from __future__ import annotations

from msgspec.structs import replace

from engine.runes.actions import (
    Action,
    Again,
    Cast,
    Counter,
    Decline,
    Draw,
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
from engine.runes.cards import height
from engine.runes.drawing import drawn, shuffled
from engine.runes.hands import discarded, without
from engine.runes.names import CARDS
from engine.runes.phases import Step, after_keeping, after_turning, announced_by, asked_to_forget, proceed
from engine.runes.reactions import called, paid, performed
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


def _perform(state: State, seat: Seat, action: Action) -> Step:  # noqa: PLR0911, C901 -- one line an action
    match action:
        case Lay():
            return _lay(state, seat)
        case Reveal(card):
            return _reveal(state, seat, card)
        case Turn(card):
            return _turn(state, card)
        case Keep():
            return after_keeping(state), _told(say("The card stays."))
        case Again():
            return _again(state)
        case Cast():
            return _choose(state, seat, announced_by(seat, action))
        case Pass():
            return _pass(state, seat)
        case Counter(target):
            return _order(state, seat, "counter", target)
        case Mirror(caster):
            return _order(state, seat, "mirror", caster)
        case Pay(card):
            return _pay(state, seat, card)
        case Withdraw():
            return _withdraw(state, seat)
        case Forget(cards):
            return _forget(state, seat, cards)
        case Draw():
            return _draw(state, seat)
        case Decline():
            return _decline(state, seat)
        case Shuffle():
            text = say(
                "{seat} has the Excuse: pile and discards are shuffled, it goes to the middle.", seat=seat.upper()
            )
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


def _lay(state: State, seat: Seat) -> Step:
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


def _reveal(state: State, seat: Seat, card: str) -> Step:
    wizard = without(state, wizard_at(state, seat), card)
    state = _joined(with_wizard(state, replace(wizard, laid=False)), seat, card)
    return state, _told(say("{seat} reveals {card}.", seat=seat.upper(), card=CARDS[card]), reveals=True)


def _turn(state: State, card: str) -> Step:
    """R60: the pile's top card is the opponent's."""
    machine = str(state.rules.opponent)
    state = after_turning(_joined(_pushed(state, machine), machine, card))
    return state, _told(say("{seat} plays {card}.", seat=machine.upper(), card=CARDS[card]), reveals=True)


def _again(state: State) -> Step:
    """R61: the first card is discarded."""
    wizard = wizard_at(state, str(state.rules.opponent))
    left = replace(wizard, sequence=wizard.sequence[:-1], active=None)
    state = replace(with_wizard(state, left), discards=(*state.discards, wizard.sequence[-1].card))
    text = say("{card} is discarded; another card is turned up.", card=CARDS[wizard.sequence[-1].card])
    return replace(state, phase=Turning(again=True)), _told(text)


def _choose(state: State, seat: Seat, spell: Announced | None) -> Step:
    """R30: what is chosen at the same time is told to nobody else before all have chosen."""
    assert isinstance(state.phase, Casting)
    state = replace(state, phase=replace(state.phase, chosen={**state.phase.chosen, seat: spell}))
    own = say("You pass.") if spell is None else say("You cast: {spell}.", spell=named(spell))
    return state, (Event(own, frozenset({seat})), Event(say("{seat} has chosen.", seat=seat.upper()), None))


def _pass(state: State, seat: Seat) -> Step:
    match state.phase:
        case Casting():
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
    text = say("{seat}: {spell} at {target}.", seat=seat.upper(), spell=called(special), target=at.upper())
    return replace(state, phase=Paying(seat, special, at, then)), _told(text)


def _pay(state: State, seat: Seat, card: str) -> Step:
    """R49, R55: to the discards at once."""
    phase = state.phase
    assert isinstance(phase, Paying)
    phase = replace(phase, paid=(*phase.paid, card))
    state = replace(discarded(state, wizard_at(state, seat), card), phase=phase)
    told = say("{seat} discards {card}.", seat=seat.upper(), card=CARDS[card])
    if not paid(state, phase):
        return state, _told(told, reveals=True)
    state, text = performed(state, phase)
    return replace(state, story=(*state.story, text)), _told(told, text, reveals=True)


def _withdraw(state: State, seat: Seat) -> Step:
    assert isinstance(state.phase, Paying)
    text = say("{seat} takes the special spell back.", seat=seat.upper())
    return replace(state, phase=state.phase.then), _told(text)


def _forget(state: State, seat: Seat, cards: tuple[str, ...]) -> Step:
    """R45; of two at the same time the first choice stays secret (R30)."""
    assert isinstance(state.phase, Forgetting)
    spell = asked_to_forget(state, state.phase, seat)
    assert spell is not None
    state = replace(state, phase=replace(state.phase, chosen={**state.phase.chosen, spell.by: cards}))
    return state, _told(say("{seat} has chosen.", seat=seat.upper()))


def _draw(state: State, seat: Seat) -> Step:
    assert isinstance(state.phase, Drawing)
    state = with_wizard(state, drawn(state, wizard_at(state, seat)))
    return _drew(state, state.phase.order[1:]), _told(say("{seat} draws.", seat=seat.upper()), reveals=True)


def _drew(state: State, order: tuple[Seat, ...]) -> State:
    return replace(state, phase=Drawing(order))


def _decline(state: State, seat: Seat) -> Step:
    assert isinstance(state.phase, Drawing)
    order = tuple(other for other in state.phase.order if other != seat)
    return _drew(state, order), _told(say("{seat} draws no more.", seat=seat.upper()))
