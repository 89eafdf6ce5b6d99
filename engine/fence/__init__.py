"""Ready... Fence! in tutorial, basic and advanced mode, as an `engine.game.Game`. Rules: docs/rules/fence.md."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any

from msgspec.structs import replace

from engine.errors import Ambiguous, Invalid, Refusal, Violation
from engine.fence import bout, hands, phrase, play, table, turn, views
from engine.fence.bout import Finish, Order, Over, Phase, State, side_of
from engine.fence.cards import OF_MODE, Deck, face_ids, read_deck, spell
from engine.fence.clearing import Clear, cleared_wrongly
from engine.fence.corrections import REPAIRS
from engine.fence.hands import KeepHand, Mulligan, each_with_one, setup
from engine.fence.phrase import MUST_ANSWER, Clearing, Phrase, points_taken
from engine.fence.play import AcceptTouch, Distance, Parry, PlayCard, accept_unanswerable, played_unpaid, plays
from engine.fence.timer_deck import AgreePassivity, DeclinePassivity, Passivity, Toss
from engine.fence.turn import ChangeWeapon, EndTurn, Exchange, MoveFencer, Retreat, Stall, discarding, handling
from engine.game import ANYTHING, Attempt, Game, Options, Words, ZonePrefilter
from engine.rules import Rules, verb
from engine.table import Seat, Spot
from engine.text import say
from engine.view import Event


class Fence(Rules[State, Order]):
    name = "fence"
    actions = (
        MoveFencer,
        ChangeWeapon,
        Exchange,
        Stall,
        Retreat,
        EndTurn,
        PlayCard,
        Parry,
        Distance,
        AcceptTouch,
        Clear,
        KeepHand,
        Mulligan,
        Passivity,
        AgreePassivity,
        DeclinePassivity,
        Toss,
    )
    repairs = REPAIRS
    menu = (
        PlayCard,
        Parry,
        Distance,
        MoveFencer,
        ChangeWeapon,
        Exchange,
        Retreat,
        Stall,
        AcceptTouch,
        KeepHand,
        Mulligan,
        Clear,
        Toss,
        AgreePassivity,
        DeclinePassivity,
        EndTurn,
        Passivity,
    )

    def __init__(self, deck: Deck) -> None:
        """deck: all 54 cards, as corrected by their owner."""
        self.deck = deck
        self.copies = face_ids(deck)
        self.faces = frozenset(self.copies.values())

    def setup(self, options: Options, seats: tuple[Seat, ...], seed: int) -> State:
        return each_with_one(setup(self.deck, options, seats, seed))

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset(state.seats[side] for side in state.phase.sides(state))

    def asked_actions(self, state: State, seat: Seat) -> Collection[type[Order]]:
        return tuple(kind for kind in _asked_actions(type(state.phase)) if kind.is_asked(state))

    def spell(self, words: Words) -> Words:
        return (words[0].lower(), *spell(self.copies, self.faces, words[1:])) if words else ()

    def unknown(self, words: Words) -> Refusal:
        verbs = ", ".join(map(verb, self.actions))
        if not words:
            return Ambiguous(say("Which action? {verbs}", verbs=verbs))
        return Invalid(say("There is no action {verb}. Actions: {verbs}", verb=words[0], verbs=verbs))

    def apply(self, state: State, seat: Seat, action: Order) -> tuple[State, tuple[Event, ...]]:
        """Apply the action, and end a phrase that nobody can continue."""
        after = accept_unanswerable(action.after(state, seat))
        return after, tuple(action.events(state, after, seat))

    def resign(self, state: State, seat: Seat) -> tuple[State, tuple[Event, ...]]:
        phase = Over(1 - side_of(state, seat), Finish.RESIGNED)
        after = replace(state, phase=phase)
        return after, (Event(phase.winner_text(after), audience=None),)

    def attempts(self, state: State, look: ZonePrefilter = ANYTHING) -> Iterator[Attempt]:
        if isinstance(state.phase, Over):
            return
        yield from played_unpaid(state, look)
        asked = state.phase.sides(state)
        for side in (*asked, *(other for other in (0, 1) if other not in asked)):
            for action in chain(handling(state, side), plays(state), discarding(state)):
                yield from _illegal(state, side, action, look)
            yield from points_taken(state, side, look)
        yield from cleared_wrongly(state)

    def identify(self, _state: State, _spot: Spot, _kind: str) -> Words | None:
        """Return None: the referee assumes no kind of a face-down card."""
        return None

    layout = staticmethod(table.layout)
    view = staticmethod(views.view)
    outcome = staticmethod(views.outcome)
    reference = staticmethod(views.reference)


@cache
def _asked_actions(phase: type[Phase]) -> tuple[type[Order], ...]:
    return tuple(kind for kind in Fence.menu if phase in kind.when)


def _illegal(state: State, side: int, action: Order, look: ZonePrefilter) -> Iterator[Attempt]:
    if not action.is_hinted(state, side, look):
        return
    after, seat = action.physical(state, side), state.seats[side]
    if not look.passes(table.layout(after)):
        return
    violations = action.judge(state, seat)
    seen = table.difference(state, after, frozenset({seat}))
    if violations and not seen.unseen:
        kind = _kind(state, side, violations)
        yield Attempt(kind, seat, seen, violations, action.notation(state), action.deed(state, side))


_IMPOSSIBLE = "impossible card"

_KINDS = {
    **dict.fromkeys((OF_MODE, *hands.UNHELD), _IMPOSSIBLE),
    **bout.FOULS,
    **turn.FOULS,
    **phrase.FOULS,
    **play.FOULS,
}
"""Name of an attempt by its first broken clause."""


def _kind(state: State, side: int, violations: tuple[Violation, ...]) -> str:
    if any(_KINDS.get(breach.clause) == _IMPOSSIBLE for breach in violations):
        return _IMPOSSIBLE
    match state.phase:
        case Phrase() if violations[0].clause == MUST_ANSWER:
            return "skipping an answer"
        case Clearing():
            return "table not in order"
        case phase if side not in phase.sides(state):
            return "out of turn"
        case _:
            return _KINDS.get(violations[0].clause, "wrong card")


def create(data: Mapping[str, Any]) -> Game[State, Order]:
    """Make the game from `data["deck"]` (config/decks/fence.toml). Raises KeyError or msgspec.ValidationError."""
    return Fence(read_deck(data["deck"]))
