"""Truth as a bound: matches of every game in pictures, with cheats, until so many actions were judged.

    python -m tools.bound --actions 30000 --each 5000 --folder bound --jobs 2 --json
    python -m tools.bound --actions 2400 --each 600 --tremble 0.5 1.6 0.02 --json

The game that was judged least is played next, at any of its mats and by as many as it allows; with `--game`, once or
several times, of these games alone, for the count of a game that something was mended in begins again. Each match has a
seed of its own, drawn from `--seed`, or at random if that is 0 (the default). `referee simulate --headless --matches 12
--cheat-rate 0.1 --game GAME` with what is told of it plays it again, to the same end. Exits with 1 if a verdict was
wrong or somebody was accused wrongly.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from device import games
from referee_simulator.harness.plan import Plan
from referee_simulator.harness.processes import spread
from referee_simulator.harness.run import simulate
from referee_simulator.harness.stored_results import OnProgress, StoredResults, no_progress, total
from referee_simulator.judge.tally import Details, Result
from tools import longrun

MATCHES = 12
"""The length of the runs that matches are taken from: every mode and way to order is among them."""

ROUND = 4
"""Matches of each game, as if all were as long, after which is looked again which was judged least."""

UNKNOWN = 100.0
"""Actions that a match of a game is taken to have before one was played."""

UNNOTICED = (": recorded [],", ": not seen to be carried out,", ": not noticed,")
"""What the notes of actions and cheats say that the referee did not notice at all."""

ERROR = 0.05
"""How often a bound that is told may be wrong."""


class Tally(msgspec.Struct, frozen=True):
    """Matches and what came of them. actions: of honest players. right, wrong: verdicts on these and on the cheats that
    can be seen (cheats); missed: those of them that were not. unnoticed: honest actions of which nothing was seen, and
    cheats. asked: honest actions that needed a question. accused:
    false accusations. compared: how often a number that the referee keeps was held against the truth; different: how
    often it was not the same. stuck: matches that ended early. notes: what was wrong.
    """

    matches: int = 0
    actions: int = 0
    right: int = 0
    wrong: int = 0
    asked: int = 0
    accused: int = 0
    cheats: int = 0
    missed: int = 0
    unnoticed: int = 0
    compared: int = 0
    different: int = 0
    stuck: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


class Played(msgspec.Struct, frozen=True):
    """One match. again: what `referee simulate` needs to play it again, besides what all matches have in common."""

    game: str
    again: str
    tally: Tally


class Bound(msgspec.Struct, frozen=True):
    """What was found, together and by game. at_most: the share of wrong verdicts that is not exceeded, with a
    probability of error of 5% (Clopper and Pearson, 1934). again: the matches by game, each with what plays it again.
    """

    all: Tally
    games: dict[str, Tally]
    at_most: dict[str, float]
    again: dict[str, tuple[str, ...]]


def at_most(errors: int, trials: int) -> float:
    """The upper bound of the share of errors, one-sided, by Clopper and Pearson; 1 if nothing was tried."""
    low, high = 0.0, 1.0
    while errors < trials and high - low > 1e-9:
        middle = (low + high) / 2
        ways = (math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in range(errors + 1))
        logs = (way + k * math.log(middle) + (trials - k) * math.log1p(-middle) for k, way in enumerate(ways))
        low, high = (middle, high) if sum(map(math.exp, logs)) > ERROR else (low, middle)
    return high


def play(plan: Plan) -> Played:
    """One match of a plan."""
    found = simulate(plan)
    assert isinstance(found.details, Details)
    options = "".join(f" --option {name}={value}".lower() for name, value in plan.options.items())
    mode = "" if plan.mode is None else f" --mode {plan.mode}"
    bump = "" if plan.bump_s is None else f" --bump {plan.bump_s:g}"
    tremble = "" if plan.tremble is None else f" --tremble {' '.join(f'{each:g}' for each in plan.tremble)}"
    match = f"--scene {plan.scene} --seed {plan.seed} --only {plan.only} --seats {plan.seats}"
    again = f"{match}{mode}{bump}{tremble}{options}"
    return Played(plan.game, again, _tally(found, found.details, again))


def _tally(found: Result[Details] | Result[object], details: Details, again: str) -> Tally:
    verdicts, cheats, counts = found.verdicts, found.cheats, found.counts
    return Tally(
        matches=1,
        actions=found.actions,
        right=verdicts.right,
        wrong=verdicts.wrong,
        asked=verdicts.asked,
        accused=found.false_accusations,
        cheats=cheats.visible,
        missed=cheats.missed,
        unnoticed=sum(any(one in note for one in UNNOTICED) for note in details.notes),
        compared=sum(counts.compared.values()),
        different=sum(counts.mismatches.values()),
        stuck=details.stuck,
        seconds=found.seconds,
        notes=tuple(f"{found.game} {again}: {note}" for note in details.notes if ": wrong: " in note),
    )


def next_ones(done: Iterable[Played], actions: int, each: int, names: Sequence[str]) -> list[str]:
    """The games of the matches that are left to play, as far as can be told from those that were played."""
    tallies = by_game(done, names)
    lengths = {name: one.actions / one.matches if one.actions else UNKNOWN for name, one in tallies.items()}
    judged: dict[str, float] = {name: one.actions for name, one in tallies.items()}
    chosen = list[str]()
    while sum(judged.values()) < actions or min(judged.values()) < each:
        least = min(judged, key=lambda name: judged[name])
        judged[least] += lengths[least]
        chosen.append(least)
    return chosen


def by_game(done: Iterable[Played], names: Iterable[str]) -> dict[str, Tally]:
    """The sums of what was played."""
    every = tuple(done)
    return {name: total((one.tally for one in every if one.game == name), Tally()) for name in names}


def play_until(
    actions: int,
    each: int,
    pattern: Plan,
    *,
    jobs: int = 1,
    folder: Path | None = None,
    progress: OnProgress = no_progress,
    names: Sequence[str] | None = None,
) -> Bound:
    """Plays until there are so many actions, and so many of each game. pattern: whatever all matches have in common.

    Seeds are drawn from the pattern's; if that is 0, at random. folder: keeps what was done. names: of the games; None:
    all that are followed on a mat. Raises OtherRun if the folder is of another plan or state of the code.
    """
    names = names or on_mats()
    kept = StoredResults(folder, pattern, Played)
    while left := next_ones(kept.done.values(), actions, each, names):
        first = max(kept.done, default=-1) + 1  # of several processes one may be done before an earlier one
        left = left[: ROUND * len(names)]  # then those that turned out short get more matches
        numbers = range(first, first + len(left))
        plans = {number: _plan(pattern, name, number) for number, name in zip(numbers, left, strict=True)}
        progress(sum(one.tally.actions for one in kept.done.values()), actions)
        for number, played in spread(play, plans, jobs):
            kept.add(number, played)
            progress(sum(one.tally.actions for one in kept.done.values()), actions)
    return _sum_up(kept.done, names)


def on_mats() -> list[str]:
    """The games that are followed on a mat."""
    return [name for name, spec in games.specs().items() if any(table.mat for table in spec.tables)]


def _plan(pattern: Plan, name: str, number: int) -> Plan:
    """The plan of one match: its mat, its players and a seed of its own."""
    dice = random.Random(f"{pattern.seed}/bound/{number}") if pattern.seed else random.SystemRandom()
    spec = games.spec(name)
    when, seats = dice.choice([(one.when, seats) for one in spec.tables if one.mat for seats in one.seats])
    mode = "all" if any(option.name == "mode" for option in spec.options) and "mode" not in when else None
    return msgspec.structs.replace(
        pattern,
        game=name,
        seats=seats,
        options=when,
        mode=mode,
        matches=MATCHES,
        seed=dice.getrandbits(24),
        only=dice.randrange(MATCHES),
    )


def _sum_up(done: Mapping[int, Played], names: Iterable[str]) -> Bound:
    every = [done[number] for number in sorted(done)]
    tallies = by_game(every, names)
    whole = total(tallies.values(), Tally())
    errors = {n: (one.wrong, one.right + one.wrong + one.asked) for n, one in {"all": whole, **tallies}.items()}
    return Bound(
        whole,
        tallies,
        {name: round(at_most(*each), 6) for name, each in errors.items()},
        {name: tuple(one.again for one in every if one.game == name) for name in tallies},
    )


def main() -> int:
    parser = longrun.parser(__doc__, seed=0)
    parser.add_argument("--actions", type=int, default=30_000, help="actions of all games together (30000)")
    parser.add_argument("--each", type=int, default=5_000, help="actions of each game at least (5000)")
    parser.add_argument(
        "--scene", default="normal", choices=("easy", "normal", "hard", "phone"), help="the scene (normal)"
    )
    parser.add_argument("--bump", type=float, help="seconds from one bump of the camera to the next (none)")
    parser.add_argument(
        "--tremble",
        type=float,
        nargs=3,
        metavar=("REST_PX", "HAND_PX", "DEGREES"),
        help="standard deviations by which the camera trembles: at rest, while a hand moves, turned (the scene's)",
    )
    parser.add_argument("--game", action="append", choices=on_mats(), help="of these games alone (all)")
    given = parser.parse_args()
    if given.bump is not None and given.bump < 1.0:
        parser.error("--bump: seconds, one at least")
    pattern = Plan(
        game="",
        seed=given.seed,
        cheat_rate=0.1,
        scene=given.scene,
        bump_s=given.bump,
        tremble=given.tremble and tuple(given.tremble),
        jobs=1,
    )
    with longrun.start_run("actions") as progress:
        found = play_until(
            given.actions,
            given.each,
            pattern,
            jobs=given.jobs,
            folder=given.folder,
            progress=progress,
            names=given.game,
        )
    longrun.show(found, given.json)
    return int(found.all.wrong + found.all.accused > 0)


if __name__ == "__main__":
    sys.exit(main())
