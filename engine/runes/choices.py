"""The grammar of legal actions: which words may come next."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from engine.game import Choice, Words
from engine.runes.actions import Cast
from engine.runes.asking import actors, asked, asked_to_forget
from engine.runes.casting import castings
from engine.runes.drawing import only_excuse_left
from engine.runes.hands import on_pile, possible
from engine.runes.names import CARDS, listed
from engine.runes.names import SPELLS as NAMES
from engine.runes.planning import place
from engine.runes.reactions import can_counter, can_mirror, counter_targets, paid, payments
from engine.runes.reading import NONE, joined
from engine.runes.resolve import forgettable, named
from engine.runes.spells import SPELLS
from engine.runes.state import (
    Announced,
    Casting,
    Drawing,
    Forgetting,
    Keeping,
    Laying,
    Paying,
    Planning,
    Responding,
    Revealing,
    State,
    Turning,
    wizard_at,
)
from engine.table import Seat
from engine.text import Text, say

Choices = tuple[Choice, ...]

_PASS = Choice("pass", say("Pass"), True)
_COUNTER = Choice("counter", say("Counter Spell"), False)
_MIRROR = Choice("mirror", say("Magic Mirror"), False)
_CAST = Choice("cast", say("Cast"), False)
_SHUFFLE = Choice("excuse", say("It is the Excuse"), True, costs=True)


def choices(state: State, seat: Seat, prefix: Words = ()) -> Choices:
    """The words that may follow `prefix` in a legal action of `seat`."""
    if seat not in actors(state):
        return ()
    first = _verbs(state, seat)
    if not prefix:
        return first
    verb = next((choice for choice in first if choice.word == prefix[0]), None)
    if verb is None or verb.final:
        return ()
    return _ARGUMENTS[verb.word](state, seat, prefix[1:])


def _verbs(state: State, seat: Seat) -> Choices:  # noqa: PLR0911, C901 -- one line a phase
    if seat not in asked(state):
        return _countering(state, seat)
    match state.phase:
        case Laying():
            return (Choice("lay", say("Lay a card"), True), *_countering(state, seat))
        case Turning():
            turn = Choice("turn", say("Turned up was"), False)
            return (_SHUFFLE,) if only_excuse_left(state) else (turn, _SHUFFLE)
        case Keeping():
            return Choice("keep", say("Keep it"), True), Choice("again", say("Discard it, turn another"), True, True)
        case Revealing():
            return (Choice("reveal", say("Reveal"), False),)
        case Planning():
            return _casting(state, seat)
        case Casting():
            return (*_casting(state, seat), *_countering(state, seat))
        case Responding():
            mirror = (_MIRROR,) if can_mirror(state, seat, state.phase) else ()
            return (_PASS, *_countering(state, seat), *mirror)
        case Paying():
            return _paying(state, state.phase)
        case Forgetting():
            return (Choice("forget", say("Turn down"), False),)
        case Drawing():
            return _drawing(state)
        case _:
            return (_PASS, *_countering(state, seat))


def _countering(state: State, seat: Seat) -> Choices:
    return (_COUNTER,) if can_counter(state, seat) else ()


def _casting(state: State, seat: Seat) -> Choices:
    found = _castings(state, seat)
    passing = () if found and state.rules.casting == "required" else (_PASS,)
    return (*((_CAST,) if found else ()), *passing)


def _castings(state: State, seat: Seat) -> tuple[Cast, ...]:
    found = place(state, seat)
    return () if found is None else castings(found[0], seat, found[1])


def _paying(state: State, phase: Paying) -> Choices:
    """R50: once the runes show, more cards need not be discarded."""
    more = (Choice("pay", say("Discard"), False),) if payments(state, phase.seat) else ()
    enough = (Choice("enough", say("That is enough"), True),) if paid(state, phase) else ()
    return *enough, *more, Choice("withdraw", say("Take it back"), True)


def _drawing(state: State) -> Choices:
    """R57, R58: the last card of the pile is always the Excuse."""
    draw = () if only_excuse_left(state) else (Choice("draw", say("One card drawn"), True),)
    decline = (Choice("decline", say("No more"), True),) if state.rules.drawing == "optional" else ()
    return (*draw, *decline, _SHUFFLE)


def _cards(names: tuple[str, ...]) -> Choices:
    return tuple(Choice(name, CARDS[name], True) for name in names)


def _reveal(state: State, seat: Seat, rest: Words) -> Choices:
    return () if rest else _cards(possible(state, wizard_at(state, seat)))


def _turn(state: State, _seat: Seat, rest: Words) -> Choices:
    return () if rest else _cards(on_pile(state))


def _pay(state: State, seat: Seat, rest: Words) -> Choices:
    return () if rest else tuple(Choice(n, CARDS[n], True, costs=True) for n in payments(state, seat))


def _counter(state: State, seat: Seat, rest: Words) -> Choices:
    return () if rest else tuple(Choice(at, _seat_text(at), True) for at in counter_targets(state, seat))


def _mirror(state: State, seat: Seat, rest: Words) -> Choices:
    phase = state.phase
    if rest or not isinstance(phase, Responding):
        return ()
    able = can_mirror(state, seat, phase)
    return tuple(Choice(spell.by, named(spell), True) for spell in phase.spells if spell.by in able)


def _cast(state: State, seat: Seat, rest: Words) -> Choices:
    """Spell, target, energy; those with the greatest effect first."""
    found = _castings(state, seat)
    tails = [(tail, cast) for cast in found if (tail := _tail(cast))[: len(rest)] == rest and len(tail) > len(rest)]
    words: dict[str, Choice] = {}
    for tail, cast in tails:
        word, final = tail[len(rest)], len(tail) == len(rest) + 1
        words.setdefault(word, Choice(word, _cast_text(cast, len(rest)), final))
    return tuple(words.values())


def _tail(cast: Cast) -> Words:
    target = () if SPELLS[cast.spell].rune == "moons" else (cast.target,)
    return (cast.spell, *target, *((joined(cast.cards),) if cast.cards else ()))


def _cast_text(cast: Cast, number: int) -> Text:
    if number == 0:
        return NAMES[cast.spell]
    if number == 1 and SPELLS[cast.spell].rune != "moons":
        return _seat_text(cast.target)
    return say("{count}: {cards}", count=len(cast.cards), cards=listed(cast.cards))


def _forget(state: State, seat: Seat, rest: Words) -> Choices:
    """R45: up to as many as Leaves were used; the most first."""
    assert isinstance(state.phase, Forgetting)
    spell = asked_to_forget(state, state.phase, seat)
    if rest or spell is None:
        return ()
    some = (Choice(joined(cards), listed(cards), True) for cards in _selections(state, spell))
    return (*some, Choice(NONE, say("None"), True))


def _selections(state: State, spell: Announced) -> tuple[tuple[str, ...], ...]:
    cards = forgettable(state, spell)
    return tuple(c for count in range(len(spell.cards), 0, -1) for c in combinations(cards, count))


def _seat_text(seat: Seat) -> Text:
    return say("Seat {seat}", seat=seat.upper())


_ARGUMENTS: dict[str, Callable[[State, Seat, Words], Choices]] = {
    "reveal": _reveal,
    "turn": _turn,
    "pay": _pay,
    "counter": _counter,
    "mirror": _mirror,
    "cast": _cast,
    "forget": _forget,
}
