"""The engine's speed, each figure against a named peer of the same run: `python -m tools.bench.bench_engine`.

Random playouts of Tellstones, actions a second of processor time, against random legal moves of python-chess (aim: at
least 1.0); the arbiter's processor time for one observation (aim: a median of 1 ms).
"""

from __future__ import annotations

import json
import random
import statistics
import time
from typing import Any

import chess
import msgspec

from engine import match as matches
from engine.arbiter import agreement, gather, judge
from engine.catalogue import AnyGame, complete
from engine.entry import Start
from engine.grammar import sentences
from engine.match import Match
from engine.table import Trace
from referee_simulator.players.random_play import draw
from tests.engine.ideal import IdealTable
from tests.engine.specs import game, spec

GAME = game("tellstones")

TABLES = (
    ("tellstones", ("a", "b")),
    ("fence", ("a", "b")),
    ("runes", ("a", "b")),
    ("runes", ("a", "b", "c", "d")),
)
"""Games whose actions a camera tells, each with the seats at which the arbiter is timed."""


def measure(seconds: float = 2.0, seed: int = 1) -> dict[str, Any]:
    """Figures of one run; playouts of both programs take turns, so that a noisy machine disturbs them alike."""
    ours, theirs = [], []
    for turn in range(4):
        ours.append(_tellstones(seconds / 4, seed + turn))
        theirs.append(_chess(seconds / 4, seed + turn))
    actions, moves = statistics.median(ours), statistics.median(theirs)
    return {
        "actions_per_second": round(actions),
        "chess_moves_per_second": round(moves),
        "playouts_ratio": round(actions / moves, 2),
        "arbiter": {f"{name} {len(seats)}": _arbiter(name, seats, seed) for name, seats in TABLES},
    }


def _tellstones(seconds: float, seed: int) -> float:
    """Actions a second of processor time: each is drawn from what is legal, and applied with what is told of it."""
    dice, done, began = random.Random(seed), 0, time.process_time()
    options = complete(spec("tellstones").options, {})
    state = GAME.setup(options, ("a", "b"), seed)
    while (passed := time.process_time() - began) < seconds:
        actors = sorted(GAME.actors(state))
        if not actors:
            state = GAME.setup(options, ("a", "b"), dice.randrange(10**6))
            continue
        seat = dice.choice(actors)
        state, _ = GAME.apply(state, seat, draw(GAME, state, seat, dice.randrange))
        done += 1
    return done / passed


def _chess(seconds: float, seed: int) -> float:
    dice, done, began = random.Random(seed), 0, time.process_time()
    board = chess.Board()
    while (passed := time.process_time() - began) < seconds:
        moves = list(board.legal_moves)
        if not moves or board.halfmove_clock >= 100:
            board = chess.Board()
            continue
        board.push(dice.choice(moves))
        done += 1
    return done / passed


def _arbiter(name: str, seats: tuple[str, ...], seed: int, count: int = 60) -> dict[str, float]:
    """Milliseconds for one observation: half of them of a legal action that a camera can tell, half of an attempt."""
    rules = game(name)
    times = [
        1000 * _time_judging(rules, match, bool(n % 2)) for n, match in enumerate(_positions(name, seats, seed, count))
    ]
    return {
        "median_ms": round(statistics.median(times), 2),
        "p95_ms": round(statistics.quantiles(times, n=20)[-1], 2),
    }


def _positions(name: str, seats: tuple[str, ...], seed: int, count: int) -> list[Match]:
    """Positions of random matches, an action to three apart."""
    rules, dice = game(name), random.Random(seed)
    options = dict(complete(spec(name).options, {}))
    match = matches.begin(rules, Start(0.0, name, options, seats, seed))
    found: list[Match] = []
    while len(found) < count:
        for _ in range(dice.randint(1, 3)):
            actors = sorted(rules.actors(match.state))
            if not actors:
                match = matches.begin(rules, Start(0.0, name, options, seats, dice.randrange(10**6)))
                continue
            seat = dice.choice(actors)
            action = draw(rules, match.state, seat, dice.randrange)
            match = Match(match.start, rules.apply(match.state, seat, action)[0], match.clocks, 0.0)
        if rules.actors(match.state):
            found.append(match)
    return found


def _time_judging(rules: AnyGame, match: Match, wrong: bool) -> float:
    """Seconds of processor time for one observation; wrong: of something illegal, if there is anything."""
    traces = [attempt.trace for attempt in rules.attempts(match.state)] if wrong else []
    table = IdealTable.of(rules.layout(match.state))
    watch = agreement(rules.layout(match.state), table.observe())
    if done := traces or _tellable(rules, match.state):
        table.perform(random.Random(str(match.state)).choice(done))
    observation = table.observe(1.0)
    watch = gather(watch, observation)
    match = msgspec.structs.replace(match, state=msgspec.structs.replace(match.state))  # asked for the first time
    began = time.process_time()
    judge(rules, match, watch)
    return time.process_time() - began


def _tellable(rules: AnyGame, state: Any) -> list[Trace]:
    legal = (
        rules.trace(state, seat, rules.read(state, seat, words))
        for seat in sorted(rules.actors(state))
        for words in sentences(rules, state, seat)
    )
    return [trace for trace in legal if not trace.declared and not trace.unseen]


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
