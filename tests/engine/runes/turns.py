"""One turn of Dueling Runes driven from data: a position, the lines that are said, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from engine.catalogue import complete
from engine.errors import Refusal
from engine.game import OptionValue, Words
from engine.runes.casting import Casting, Forgetting
from engine.runes.hands import DrawPhase
from engine.runes.laying import Laying
from engine.runes.match import Over, Queued, Span, State, Wizard
from engine.runes.specials import Enough, LastCounter, Paying, Responding
from engine.runes.turn import first_stage, proceed
from engine.table import Seat
from tests.engine.specs import game, spec

GAME = game("runes")
SPEC = spec("runes")

Line = tuple[Seat, str]


@dataclass(frozen=True)
class Start:
    """A wizard before the turn. sequence: oldest first, "-" before a card that lies face down.

    effects: first and last turn of each, by name. dead: has left the match.
    """

    life: int = 12
    sequence: tuple[str, ...] = ()
    hand: int = 5
    effects: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    dead: bool = False


@dataclass(frozen=True)
class Result:
    """The position after the spell phases, before anybody draws.

    lives: of the dead, what was left when they died (0 or less). refused: number of the first line that could not be
    played, with the clauses that it broke when it was last tried; None if all were.
    """

    state: State
    lives: dict[Seat, int]
    alive: dict[Seat, bool]
    effects: dict[Seat, dict[str, tuple[int, int]]]
    sequences: dict[Seat, tuple[str, ...]]
    hands: dict[Seat, int]
    over: bool
    winner: Seat | None
    refused: int | None
    clauses: tuple[str, ...]


def facts(state: State, seat: Seat | None) -> Any:
    """The facts of a view."""
    return GAME.view(state, seat).facts


def turn_from(starts: Mapping[Seat, Start], turn: int = 1, **options: OptionValue) -> State:
    """The state at the beginning of a turn; the seats are those of `starts`, in order."""
    solo = {"opponent": "automatic"} if len(starts) == 1 else {}
    given: dict[str, OptionValue] = {**solo, **options}
    state: State = GAME.setup(complete(SPEC.options, given), tuple(starts), 1)
    wizards = tuple(_wizard(state, wizard, starts.get(wizard.seat)) for wizard in state.wizards)
    return proceed(first_stage(replace(state, turn=turn, wizards=wizards)))[0]


def _wizard(state: State, wizard: Wizard, start: Start | None) -> Wizard:
    if start is None:
        return wizard
    return replace(
        wizard,
        life=start.life,
        sequence=tuple(Queued(card.removeprefix("-"), card.startswith("-")) for card in start.sequence),
        hand=(0,) * (0 if start.dead else start.hand),
        effects={name: Span(*span) for name, span in start.effects.items()},
        gone=start.dead,
    )


def run(state: State, lines: Sequence[Line]) -> Result:
    """Plays the lines. Laying, passing, turning nothing down and paying no more than is needed are filled in."""
    number = 0
    clauses: tuple[str, ...] = ()
    while not isinstance(state.phase, DrawPhase | Over):
        played = None
        if number < len(lines):
            played, clauses = _said(state, lines[number])
        if played is not None:
            state, number = played, number + 1
            continue
        silent = _silent(state)
        if silent is None:
            break
        state = _apply(state, *silent)
    return _result(state, number if number < len(lines) else None, clauses)


def _said(state: State, line: Line) -> tuple[State | None, tuple[str, ...]]:
    """The state after a line, or None and the clauses against it."""
    seat, words = line[0], tuple(line[1].split())
    try:
        action = GAME.read(state, seat, words)
    except Refusal as refusal:
        return None, refusal.clauses
    violations = GAME.judge(state, seat, action)
    if violations:
        return None, tuple(breach.clause for breach in violations)
    return GAME.apply(state, seat, action)[0], ()


def _silent(state: State) -> tuple[Seat, Words] | None:
    """What somebody does who is asked and says nothing."""
    seat = min(GAME.actors(state))
    match state.phase:
        case Laying():
            return seat, ("lay",)
        case Casting() | Responding() | LastCounter():
            return seat, ("pass",)
        case Forgetting():
            return seat, ("forget", "none")
        case Paying() if not GAME.judge(state, seat, Enough()):
            return seat, ("enough",)
        case _:
            return None


def _apply(state: State, seat: Seat, words: Words) -> State:
    after: State = GAME.apply(state, seat, GAME.read(state, seat, words))[0]
    return after


def _result(state: State, refused: int | None, clauses: tuple[str, ...]) -> Result:
    wizards = state.wizards
    return Result(
        state=state,
        lives={w.seat: w.life for w in wizards},
        alive={w.seat: not w.gone for w in wizards},
        effects={w.seat: {name: (s.first, s.last) for name, s in w.effects.items()} for w in wizards},
        sequences={w.seat: tuple(("-" if q.down else "") + q.card for q in w.sequence) for w in wizards},
        hands={w.seat: w.held for w in wizards},
        over=isinstance(state.phase, Over),
        winner=state.phase.winner if isinstance(state.phase, Over) else None,
        refused=refused,
        clauses=clauses if refused is not None else (),
    )
