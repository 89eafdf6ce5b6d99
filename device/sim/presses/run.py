"""Plays many matches at the buttons alone, each with its own rules, seats and panels, and collects the figures."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from device.daemon import assembly
from device.scratch import scratch
from device.session.table import Known
from device.settings import TableSettings, load, template
from device.settings.table import NoCamera
from device.sim.harness.spread import played
from device.sim.harness.timed import Timed
from device.sim.judge.tally import Result, Tally, counted, merged, result
from device.sim.presses.players import Pressers
from engine.errors import Invalid, Refusal
from engine.game import OptionValue
from engine.options import complete
from engine.text import say

PANELS = ("own", "shared")
ANOTHER = 0.4
"""How often an option that is not given has another value than the usual one."""


class PressPlan(msgspec.Struct, frozen=True):
    """What `referee simulate --headless --no-camera` was asked for.

    seats: None draws how many play, match by match. panels: "own" (one each), "shared" (one OLED and three buttons for
    all) or "both", match by match. options: those that are given; the others are drawn. only: the number of the one
    match that is played; None plays them all.
    """

    game: str = "tellstones"
    matches: int = 1
    seed: int = 1
    seats: int | None = None
    panels: str = "both"
    options: Mapping[str, OptionValue] = {}
    jobs: int = 2
    only: int | None = None


class Sitting(msgspec.Struct, frozen=True):
    """One match of a plan."""

    game: str
    number: int
    seed: int
    seats: int
    panels: str
    options: dict[str, OptionValue]


class Conduct(msgspec.Struct, frozen=True):
    """How the figures came about. resigned: matches that random play did not end. notes: whatever was not right."""

    seed: int
    seats: dict[str, int]
    panels: dict[str, int]
    options: dict[str, int]
    presses: int
    simulated_seconds: float
    resigned: int
    stuck: int
    cheat_rate: float = 0.0  # buttons leave nothing to cheat with
    notes: tuple[str, ...] = ()


class Score(msgspec.Struct, frozen=True):
    """What one match gave."""

    tally: Tally
    simulated_seconds: float
    resigned: bool


def simulate(plan: PressPlan, told: Callable[[int, int], None] = lambda _done, _of: None) -> Result[Conduct]:
    """Plays every match of a plan. `told` hears how many matches are done.

    Raises Invalid if the game cannot be played so, and what the daemon raises.
    """
    begun = time.monotonic()
    drawn = {sitting.number: sitting for sitting in sittings(plan)}
    scores = played(play, drawn, plan.jobs, told)
    return _result(plan, tuple(drawn.values()), scores, time.monotonic() - begun)


def play(sitting: Sitting) -> Score:
    """One match, from power-on to its end, in this process."""
    with scratch() as folder:
        return asyncio.run(_play(sitting, folder))


async def _play(sitting: Sitting, folder: Path) -> Score:
    settings = table_settings(sitting, folder)
    rules = assembly.session_table(settings)
    world = Timed(settings, seed=sitting.seed, rules=rules)
    players = Pressers(world, rules.games[sitting.game], sitting.seats, sitting.seed)
    await world.run(players.evening(sitting.options))
    players.tally.presses = world.pins.presses
    return Score(players.tally, world.now, players.resigned)


def table_settings(sitting: Sitting, folder: Path) -> TableSettings:
    """A shipped table file without its camera: a panel for each who plays, or one for all."""
    shared = sitting.panels == "shared"
    shipped = load(template("one-oled" if shared else "simulated"))
    seats = {seat: shipped.seats[seat] for seat in sorted(shipped.seats)[: sitting.seats]}
    return msgspec.structs.replace(
        shipped, seats=seats, camera=NoCamera(), runtime_dir=folder / "run", state_dir=folder
    )


def sittings(plan: PressPlan) -> Iterator[Sitting]:
    """The matches of a plan. Raises Invalid if the game cannot be played so."""
    rules = assembly.session_table(msgspec.structs.replace(load(template("simulated")), camera=NoCamera()))
    known = rules.games.get(plan.game)
    if known is None:
        raise Invalid(say("There is no game {game}. Games: {names}.", game=plan.game, names=", ".join(rules.games)))
    complete(known.spec.options, plan.options)
    for number in range(plan.matches) if plan.only is None else (plan.only,):
        rng = random.Random(f"{plan.seed}/press/{number}")
        panels = PANELS[number % 2] if plan.panels == "both" else plan.panels
        seats, options = _drawn(known, plan, rng)
        yield Sitting(plan.game, number, rng.getrandbits(40), seats, panels, options)


def _drawn(known: Known, plan: PressPlan, rng: random.Random) -> tuple[int, dict[str, OptionValue]]:
    """Rules and a number of players that go together. Raises Invalid if there are none."""
    counts = sorted({count for table in known.spec.tables for count in table.seats})
    fault = Invalid(say("{game} cannot be played by {count}.", game=known.spec.title, count=plan.seats or 0))
    for _ in range(200):
        seats = plan.seats or rng.choice(counts)
        options = {
            option.name: plan.options.get(
                option.name, rng.choice(option.values) if rng.random() < ANOTHER else option.default
            )
            for option in known.spec.options
        }
        if known.spec.table(options, seats) is None:
            continue
        try:
            known.game.setup(options, ("a", "b", "c", "d")[:seats], plan.seed)
        except Refusal as refusal:
            fault = Invalid(refusal.text)
            continue
        return seats, options
    raise fault


def _result(
    plan: PressPlan, sittings: tuple[Sitting, ...], scores: Mapping[int, Score], seconds: float
) -> Result[Conduct]:
    tally = merged({number: score.tally for number, score in scores.items()})
    told = Counter(f"{name}={value}".lower() for sitting in sittings for name, value in sitting.options.items())
    details = Conduct(
        seed=plan.seed,
        seats=counted(str(sitting.seats) for sitting in sittings),
        panels=counted(sitting.panels for sitting in sittings),
        options=dict(sorted(told.items())),
        presses=tally.presses,
        simulated_seconds=round(sum(score.simulated_seconds for score in scores.values()), 1),
        resigned=sum(score.resigned for score in scores.values()),
        stuck=tally.stuck,
        notes=tuple(tally.notes),
    )
    return result(plan.game, len(sittings), tally, seconds, details)
