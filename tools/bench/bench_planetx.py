"""Planet X: all boards, facts over them, games from codes: `python -m tools.bench.bench_planetx`.

Enumeration of the standard boards against OR-tools CP-SAT, which enumerates the same model in the same run in one
thread (aim: 20 times faster); expert enumeration from nothing (aim: 2 s); a new game from a code (aim: 50 ms standard,
1 s expert); one fact over all expert boards (aim: 10 ms).
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from ortools.sat.python import cp_model

from engine.planetx.boards import enumerate_boards, legal_boards
from engine.planetx.draw import code_from_seed, draw_game
from engine.planetx.facts import conference_facts, research_facts, truth
from engine.planetx.sky import EXPERT, KINDS, STANDARD, SkyMode


def measure(repeats: int = 5) -> dict[str, Any]:
    """Figures of one run; medians where a thing is done more than once."""
    cp_sat, boards = [], 0
    ours = []
    for _ in range(3):  # in turns, so that a noisy machine disturbs both alike
        ours.append(_median(lambda: enumerate_boards(STANDARD), repeats))
        began = time.perf_counter()
        boards = enumerate_by_cp_sat(STANDARD)
        cp_sat.append(time.perf_counter() - began)
    assert boards == len(legal_boards(STANDARD))
    slow, fast = statistics.median(cp_sat), statistics.median(ours)
    facts = [_median(partial(truth, fact, EXPERT), 3) for fact in _some_facts()]
    return {
        "standard_enumeration_ms": round(1000 * fast, 2),
        "cp_sat_enumeration_ms": round(1000 * slow, 1),
        "times_faster_than_cp_sat": round(slow / fast, 1),
        "expert_enumeration_s": round(_median(lambda: enumerate_boards(EXPERT), 3), 3),
        "new_game_standard_ms": round(1000 * _games(STANDARD, 40), 2),
        "new_game_expert_ms": round(1000 * _games(EXPERT, 12), 1),
        "fact_over_expert_boards_ms_median": round(1000 * statistics.median(facts), 2),
        "fact_over_expert_boards_ms_worst": round(1000 * max(facts), 2),
    }


def enumerate_by_cp_sat(mode: SkyMode) -> int:
    """How many boards CP-SAT finds for the model of X1-X7, all solutions, one thread."""
    model, n = cp_model.CpModel(), mode.sectors
    at = {(k, s): model.new_bool_var(f"{k}{s}") for k in KINDS for s in range(n)}
    for s in range(n):
        model.add_exactly_one(at[k, s] for k in KINDS)  # X1
        left, right = (s - 1) % n, (s + 1) % n
        model.add_bool_or(at["A", left], at["A", right]).only_enforce_if(at["A", s])  # X4
        model.add_bool_or(at["E", left], at["E", right]).only_enforce_if(at["G", s])  # X5
        for neighbour in (left, right):
            model.add_implication(at["X", s], ~at["D", neighbour])  # X6
        if s + 1 not in mode.comet_sectors:
            model.add(at["C", s] == 0)  # X3
    for kind in KINDS:
        model.add(sum(at[kind, s] for s in range(n)) == mode.count(kind))  # X2
    solver, found = cp_model.CpSolver(), _Counter()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.solve(model, found)
    return found.count


class _Counter(cp_model.CpSolverSolutionCallback):
    """Counts the solutions that it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def on_solution_callback(self) -> None:
        self.count += 1


def _some_facts() -> list[Any]:
    """Every seventh fact that a game may give."""
    return [*research_facts(EXPERT), *conference_facts()][::7]


def _games(mode: SkyMode, count: int) -> float:
    """Seconds for one new game, the boards being there."""
    legal_boards(mode)
    codes = iter([code_from_seed(seed) for seed in range(count)])
    return _median(lambda: draw_game(mode, next(codes)), count)


def _median(work: Callable[[], object], repeats: int) -> float:
    """Seconds."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
