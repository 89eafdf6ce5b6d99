"""The engine's speed, each figure against a named peer of the same run: `python -m tests.bench.bench_engine`.

Random playouts of Tellstones, actions per second, against random legal moves of python-chess (aim: at least 1.0); the
arbiter's time for one observation (aim: 10 ms).
"""

from __future__ import annotations

import json
import random
import statistics
import time
from typing import Any

import chess

from engine import match as matches
from engine.arbiter import agreed, gather, judge
from engine.entry import Start
from engine.grammar import legal, sentences, wander
from engine.match import Match
from engine.options import complete
from tests.engine.ideal import IdealTable
from tests.engine.specs import game, spec

GAME = game("tellstones")


def measure(seconds: float = 2.0, seed: int = 1) -> dict[str, Any]:
    """Figures of one run; playouts of both programs take turns, so that a noisy machine disturbs them alike."""
    ours, theirs = [], []
    for turn in range(4):
        ours.append(_tellstones(seconds / 4, seed + turn))
        theirs.append(_chess(seconds / 4, seed + turn))
    actions, moves = statistics.median(ours), statistics.median(theirs)
    times = [_judged(match) for match in _positions(seed, 60)]
    return {
        "actions_per_second": round(actions),
        "chess_moves_per_second": round(moves),
        "playouts_ratio": round(actions / moves, 2),
        "arbiter_ms_median": round(1000 * statistics.median(times), 2),
        "arbiter_ms_p95": round(1000 * statistics.quantiles(times, n=20)[-1], 2),
    }


def _tellstones(seconds: float, seed: int) -> float:
    """Actions a second: each is drawn word by word from what is legal, read, and applied."""
    dice, done, began = random.Random(seed), 0, time.perf_counter()
    options = complete(spec("tellstones").options, {})
    state = GAME.setup(options, ("a", "b"), seed)
    while (passed := time.perf_counter() - began) < seconds:
        actors = sorted(GAME.actors(state))
        if not actors:
            state = GAME.setup(options, ("a", "b"), dice.randrange(10**6))
            continue
        seat = dice.choice(actors)
        words = wander(GAME, state, seat, dice.randrange)
        state, _ = GAME.apply(state, seat, GAME.read(state, seat, words))
        done += 1
    return done / passed


def _chess(seconds: float, seed: int) -> float:
    dice, done, began = random.Random(seed), 0, time.perf_counter()
    board = chess.Board()
    while (passed := time.perf_counter() - began) < seconds:
        moves = list(board.legal_moves)
        if not moves or board.halfmove_clock >= 100:
            board = chess.Board()
            continue
        board.push(dice.choice(moves))
        done += 1
    return done / passed


def _positions(seed: int, count: int) -> list[Match]:
    dice = random.Random(seed)
    options = dict(complete(spec("tellstones").options, {}))
    match = matches.begin(GAME, Start(0.0, "tellstones", options, ("a", "b"), seed))
    found: list[Match] = []
    while len(found) < count:
        actors = sorted(GAME.actors(match.state))
        if not actors:
            match = matches.begin(GAME, Start(0.0, "tellstones", options, ("a", "b"), dice.randrange(10**6)))
            continue
        found.append(match)
        action = dice.choice(list(legal(GAME, match.state, actors[0])))
        match = Match(match.start, GAME.apply(match.state, actors[0], action)[0], match.clocks, 0.0)
    return found


def _judged(match: Match) -> float:
    """Seconds of processor time for one observation of a random action that a camera can tell."""
    dice = random.Random(str(match.state))
    seen = [
        trace
        for seat in sorted(GAME.actors(match.state))
        for words in sentences(GAME, match.state, seat)
        if not (trace := GAME.trace(match.state, seat, GAME.read(match.state, seat, words))).declared
    ]
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreed(GAME.layout(match.state), table.observe())
    if seen:
        table.perform(dice.choice(seen))
    observation = table.observe(1.0)
    watch = gather(watch, observation)
    began = time.process_time()
    judge(GAME, match, watch, observation)
    return time.process_time() - began


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
