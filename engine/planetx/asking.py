"""The four actions of a turn: announced, answered in private, paid for (X21, X30-X37)."""

from __future__ import annotations

import msgspec

from engine.planetx.actions import Action, Locate, Research, Survey, Target, Turn, cost
from engine.planetx.announcing import announced, announcement
from engine.planetx.ending import found, next_last_move
from engine.planetx.facts import Fact, holds, surveyed, targeted
from engine.planetx.reading import words_of
from engine.planetx.sentences import answer_text
from engine.planetx.sky import run
from engine.planetx.state import Answer, Deed, Ending, Player, State, moved, player_of, with_player
from engine.table import Seat
from engine.view import Event

Step = tuple[State, tuple[Event, ...]]


def asked(state: State, seat: Seat, action: Turn) -> Step:
    """X30: the action is announced, the answer is private, and the pawn pays; last moves are free (X60)."""
    price = 0 if isinstance(state.phase, Ending) else cost(action, state.mode.sectors)
    fact = answer(state, action)
    success = fact.form == "located" if isinstance(action, Locate) else None
    player = player_of(state, seat)
    told = _told(player, action, fact)
    deed = Deed(seat, player.time, announced(action), price, success)
    state = msgspec.structs.replace(with_player(state, told), deeds=(*state.deeds, deed))
    state = moved(state, seat, 0 if state.rules.app_only else price)
    if isinstance(state.phase, Ending):
        state = next_last_move(state, state.phase)
    state = found(state, seat) if success else state
    said = Event(announcement(state, deed), None)
    return state, (said, Event(answer_text(fact), frozenset({seat}), reveals=True))


def answer(state: State, action: Turn) -> Fact:
    """What is true of the question: all that an action may learn of the hidden board."""
    board, mode = state.game.board, state.mode
    match action:
        case Survey(kind, first, last):
            number = surveyed(board, kind, run(first, last, mode.sectors))
            return Fact("survey", kind, n=number, sector=first, last=last)
        case Target(sector):
            return Fact("target", targeted(board, sector), sector=sector)
        case Research(topic):
            return next(fact for fact in state.game.topics if fact.id == topic)
        case Locate(sector, before, after):
            claim = Fact("located", before, after, sector=sector)
            return claim if holds(claim, mode, board) else msgspec.structs.replace(claim, form="not_located")


def _told(player: Player, action: Action, fact: Fact) -> Player:
    """The player with one answer more, readable again at any time (X37)."""
    return msgspec.structs.replace(
        player,
        answers=(*player.answers, Answer(player.time, fact)),
        last=words_of(action)[0],
        targets=player.targets - isinstance(action, Target),
    )
