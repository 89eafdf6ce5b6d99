"""Illegal actions that a hand could do all the same, each with every clause that it breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from engine.errors import Breach
from engine.fence.actions import UNKNOWN, Action, Change, Clear, Exchange, Move, Play, Retreat
from engine.fence.apply import laid, result
from engine.fence.candidates import answers, openings
from engine.fence.cards import Weapon
from engine.fence.deeds import deed, joker_kept, stamina_left, stamina_put
from engine.fence.judge import is_legal, judge
from engine.fence.names import side_name
from engine.fence.phrase.state import Phrase
from engine.fence.reading import words_of
from engine.fence.rules import TRACK
from engine.fence.stamina import price
from engine.fence.state import LAST, Clearing, Over, State, Turn, ahead, asked, side_of, with_fencer
from engine.fence.timer import discarded
from engine.fence.traces import difference, trace
from engine.fence.turn import RETREAT
from engine.game import Attempt
from engine.table import Seat, Trace
from engine.text import Text, say


def attempts(state: State) -> Iterable[Attempt]:
    """What could be done wrongly now."""
    if isinstance(state.phase, Over):
        return
    yield from _unpaid(state)
    for side in (*asked(state), *(other for other in (0, 1) if other not in asked(state))):
        yield from _illegal(state, side)
        yield from _stamina_taken(state, side)
    yield from _cleared_wrongly(state)


def misexecutions(state: State, seat: Seat, action: Action) -> Iterable[Attempt]:
    """What a hand could do wrongly when it carries out this order of `seat`, given in the state before it."""
    side, due = side_of(state, seat), trace(state, seat, action)
    order = say("The order was: {words}", words=" ".join(words_of(state, action)))
    ordered = Breach(_CLAUSES.get(type(action), "F17"), order)
    for kind, what, table in _other_ways(state, side, action):
        seen = difference(state, table, due.hands)
        if not seen.unseen and not _same(seen, due):
            yield Attempt(kind, seat, seen, (ordered,), what=what)


_CLAUSES: dict[type[Action], str] = {
    Move: "F19",
    Change: "F21",
    Exchange: "F73",
    Retreat: "F126",
    Play: "F28",
    Clear: "F39",
}


def physical(state: State, side: int, action: Action) -> State:
    """The table after a hand did something, legal or not, and nothing else followed from it."""
    fencer = state.fencers[side]
    match action:
        case Move(steps):
            return with_fencer(state, side, replace(fencer, square=_within(fencer.square + steps * ahead(side))))
        case Retreat():
            return with_fencer(state, side, replace(fencer, square=_within(fencer.square - RETREAT * ahead(side))))
        case Change(position):
            return with_fencer(state, side, replace(fencer, weapon=position))
        case Exchange(card):
            return discarded(state, card)
        case Play():
            after = laid(state, side, action)
            paid = after.fencers[side]
            return with_fencer(after, side, replace(paid, stamina=max(0, paid.stamina - price(state, side, action))))
        case _:
            return state


def _within(square: int) -> int:
    return max(0, min(LAST + 1, square))


def _free(state: State, side: int, steps: int) -> bool:
    """Whether a figure on the strip can be put there: not on the other's square, and not where it stands."""
    fencer, other = state.fencers[side], state.fencers[1 - side]
    square = fencer.square + steps * ahead(side)
    return not fencer.beside and square == _within(square) and (bool(other.beside) or square != other.square)


def _deeds(state: State, side: int) -> Iterator[Action]:
    """What a hand can do with figure, weapon marker and cards, apart from bonuses."""
    for steps in (1, -1, 2, -2, 3, -3):
        if _free(state, side, steps) and not _two_moves(state, side, steps):
            yield Move(steps)
    yield from (Change(position) for position in Weapon if position is not state.fencers[side].weapon)
    for card in state.pool:
        yield Play(card)
    if UNKNOWN not in state.piles.discards[-1:]:  # otherwise that pile is left out of the table
        yield from (Exchange(card) for card in state.pool)


def _two_moves(state: State, side: int, steps: int) -> bool:
    """Two squares that are two legal moves, or a Retreat: no single action, yet nothing wrong."""
    turn = state.phase
    if abs(steps) != 2 or not isinstance(turn, Turn) or side != state.active:
        return False
    twice = state.rules.two_moves and not turn.done and is_legal(state, side, Move(steps // 2))
    return twice or (steps < 0 and is_legal(state, side, Retreat()))


def _illegal(state: State, side: int) -> Iterator[Attempt]:
    seat = state.seats[side]
    for action in _deeds(state, side):
        breaches = judge(state, seat, action)
        if not breaches:
            continue
        seen = difference(state, physical(state, side, action), frozenset({seat}))
        if not seen.unseen:
            what = deed(state, side, action)
            yield Attempt(_kind(state, side, breaches), seat, seen, breaches, words_of(state, action), what)


_KINDS: dict[str, str] = {
    "F1": "impossible card",
    "F17": "third action",
    "F19": "moved too far",
    "F21": "weapon changed twice",
    "F23": "fencers passed",
    "F26": "drawing twice",
    "F28": "third card",
    "F31": "impossible card",
    "F33": "wrong distance",
    "F70": "third action",
    "F71": "wrong distance",
    "F74": "drawing twice",
    "F78": "stamina too low",
    "F80": "impossible card",
    "F127": "drawing twice",
    "F150": "wrong distance",
    "F161": "wrong distance",
}
"""A name for the first clause that is broken, if another name does not come first."""


def _kind(state: State, side: int, breaches: tuple[Breach, ...]) -> str:
    impossible = {"F1", "F31", "F80"} & {breach.clause for breach in breaches}
    if impossible:
        return "impossible card"
    match state.phase:
        case Phrase() if breaches[0].clause == "F60":
            return "skipping an answer"
        case Clearing():
            return "table not in order"
        case _ if side not in asked(state):
            return "out of turn"
        case _:
            return _KINDS.get(breaches[0].clause, "wrong card")


def _unpaid(state: State) -> Iterator[Attempt]:
    """A legal card whose stamina points were not taken off the track (F78)."""
    breach = Breach("F78", say("The stamina points of the card must be paid."))
    for side in asked(state):
        for play in _plays(state):
            if price(state, side, play) and is_legal(state, side, play):
                table = result(state, state.seats[side], play)
                stamina = state.fencers[side].stamina
                unpaid = with_fencer(table, side, replace(table.fencers[side], stamina=stamina))
                seen = _by(state, side, unpaid)
                yield Attempt("unpaid", state.seats[side], seen, (breach,), what=stamina_left(side))


def _plays(state: State) -> Iterator[Play]:
    phase = state.phase
    if isinstance(phase, Turn):
        yield from (play for play in openings(state) if play.boost is None)
    elif isinstance(phase, Phrase):
        for answer in answers(state, phase):
            if isinstance(answer, Play) and answer.boost is None and answer.glide is None and answer.attack is None:
                yield answer


def _stamina_taken(state: State, side: int) -> Iterator[Attempt]:
    """Points on the track that nothing gave (F8)."""
    fencer = state.fencers[side]
    breach = Breach("F8", say("Nothing gave {side} stamina points.", side=side_name(side)))
    for points in range(fencer.stamina + 1, min(TRACK, fencer.stamina + 2) + 1):
        table = with_fencer(state, side, replace(fencer, stamina=points))
        seen = _by(state, side, table)
        yield Attempt("stamina taken", state.seats[side], seen, (breach,), what=stamina_put(side, points))


def _cleared_wrongly(state: State) -> Iterator[Attempt]:
    """A Joker kept (F167), or a point regained by who had spent some (F82)."""
    phase = state.phase
    if not isinstance(phase, Clearing) or phase.phrase is None:
        return
    seat = state.seats[state.active]
    right = result(state, seat, Clear())
    kept = tuple(card for card in right.piles.discards if not _joker(state, card))
    if any(_joker(state, card) for fencer in state.fencers for card in fencer.lane) and kept != right.piles.discards:
        table = replace(right, piles=replace(right.piles, discards=state.piles.discards))
        breach = Breach("F167", say("A Joker is discarded after use."))
        yield Attempt("Joker kept", seat, difference(state, table), (breach,), what=joker_kept())
    if any(phase.touches) and not state.rules.tutorial:
        for side in (0, 1):
            fencer = right.fencers[side]
            if phase.phrase.spent[side] and fencer.stamina < TRACK:
                table = with_fencer(right, side, replace(fencer, stamina=fencer.stamina + 1))
                breach = Breach("F82", say("{side} spent stamina points and regains none.", side=side_name(side)))
                what = stamina_put(side, fencer.stamina + 1)
                yield Attempt("stamina taken", state.seats[side], difference(state, table), (breach,), what=what)


def _joker(state: State, card: str) -> bool:
    return card in state.pool and state.pool[card].kind == "joker"


def _by(state: State, side: int, table: State) -> Trace:
    return difference(state, table, frozenset({state.seats[side]}))


def _other_ways(state: State, side: int, action: Action) -> Iterator[tuple[str, Text | None, State]]:
    """Tables after the order was carried out with another card, square or position, or without paying."""
    right = result(state, state.seats[side], action)
    for kind, other in _instead(state, side, action):
        yield kind, deed(state, side, other), physical(state, side, other)
    if right.fencers[side].stamina != state.fencers[side].stamina:
        fencer = replace(right.fencers[side], stamina=state.fencers[side].stamina)
        yield "stamina marker left", stamina_left(side), with_fencer(right, side, fencer)


def _instead(state: State, side: int, action: Action) -> Iterator[tuple[str, Action]]:
    """What can be done in place of an order."""
    match action:
        case Move() | Retreat():
            yield from (("another square", Move(n)) for n in (1, -1, 2, -2, 3, -3) if _free(state, side, n))
        case Change():
            yield from (("another position", Change(each)) for each in Weapon)
        case Exchange():
            yield from (("another card", Exchange(card)) for card in state.pool)
        case Play() if action.boost is None and action.glide is None and action.attack is None:
            yield from (("another card", Play(card)) for card in state.pool)
        case _:
            pass


def _same(one: Trace, two: Trace) -> bool:
    return (one.layout, one.moves) == (two.layout, two.moves)
