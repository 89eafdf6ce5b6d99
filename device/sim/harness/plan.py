"""Plans matches without a browser: the seats, options, mat and table file of each."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from device.daemon import assembly
from device.session.table import Known, Table
from device.settings import TableSettings, load, template
from device.settings.table import Shared
from device.sim.harness.enrol import enrol
from engine.catalogue import GameSpec
from engine.errors import Invalid, Refusal
from engine.game import OptionValue
from engine.options import complete
from engine.text import say
from vision.mat import Mat

ORDERS = ("seen", "declared")
SEATS = 2
SEAT_NAMES = ("a", "b", "c", "d")


class Plan(msgspec.Struct, frozen=True):
    """What `referee simulate --headless` was asked for. orders: "seen", "declared" or "both", match by match.

    seats: how many play; None: every number that the game and its mats allow, match by match, two at first.
    mode: a value of the option of that name, or "all": match by match. ideal: no pictures are drawn, the referee sees
    the truth. jobs: processes. journals: a folder that keeps each match's journal; None throws them away. only: the
    number of the one match that is played, as the whole plan would play it; None plays them all.
    """

    game: str = "tellstones"
    matches: int = 1
    seed: int = 1
    cheat_rate: float = 0.0
    scene: str = "normal"
    orders: str = "both"
    seats: int | None = SEATS
    jobs: int = 2
    options: Mapping[str, OptionValue] = {}
    mode: str | None = None
    ideal: bool = False
    journals: str | None = None
    only: int | None = None


class Evening(msgspec.Struct, frozen=True):
    """One match of a plan: its number, its own seed, seats and options."""

    plan: Plan
    number: int
    seed: int
    seats: int
    options: dict[str, OptionValue]
    enrolled: str


def evenings_of(plan: Plan, folder: Path) -> Iterator[Evening]:
    """The matches of a plan; the pieces of their mats are enrolled in the folder. Raises Invalid if there are none."""
    rules = assembly.session_table(settings_of(SEATS, folder))
    enrolled = folder / "enrolled"
    spec = known_to(rules, plan.game).spec
    counts = _counts(spec, plan.seats)
    for number in range(plan.matches) if plan.only is None else (plan.only,):
        seats = counts[number % len(counts)]
        watched = _watched(spec, plan, seats)
        options = fitting(rules.games[plan.game], _options(watched, spec, number), seats)
        _, mat = laid(rules, plan.game, seats, options)
        for name in () if plan.ideal else sorted({zone.set for zone in mat.zones}):
            if not (enrolled / name).exists():
                enrol(mat, name, plan.seed, enrolled / name)
        seed = random.Random(f"{plan.seed}/match/{number}").getrandbits(40)
        yield Evening(watched, number, seed, seats, options, str(enrolled))


def _counts(spec: GameSpec, seats: int | None) -> tuple[int, ...]:
    """How many play, match by match."""
    if seats is not None:
        return (seats,)
    counts = {count for table in spec.tables if table.mat for count in table.seats}
    return tuple(sorted(counts, key=lambda count: (count < SEATS, count)))


def _options(plan: Plan, spec: GameSpec, number: int) -> dict[str, OptionValue]:
    """The options of one match: who declares, and the mode, change from match to match if they are to."""
    known = {option.name: option for option in spec.options}
    options = dict(plan.options)
    if "orders" in known:
        options["orders"] = ORDERS[number % 2] if plan.orders == "both" else plan.orders
    if "mode" in known and plan.mode is not None:
        values = known["mode"].values if plan.mode == "all" else (plan.mode,)
        options["mode"] = values[number % len(values)]
    return options


def settings_of(seats: int, folder: Path) -> TableSettings:
    """The shipped table file of the simulator, for as many seats as play, with all its files in a folder."""
    shipped = load(template("simulated"))
    return msgspec.structs.replace(
        shipped,
        seats={seat: shipped.seats[seat] for seat in sorted(shipped.seats)[:seats]},
        camera=Shared(name=str(folder / "frames")),
        runtime_dir=folder / "run",
        state_dir=folder,
    )


def _watched(spec: GameSpec, plan: Plan, seats: int) -> Plan:
    """The plan with the options that put a mat under a game whose defaults need no camera."""
    usual = spec.table(complete(spec.options, plan.options), seats)
    if usual is None or usual.mat is not None:
        return plan
    for table in spec.tables:
        agrees = all(plan.options.get(name, value) == value for name, value in table.when.items())
        if table.mat is not None and seats in table.seats and agrees:
            return msgspec.structs.replace(plan, options={**table.when, **plan.options})
    return plan


def fitting(known: Known, options: dict[str, OptionValue], seats: int) -> dict[str, OptionValue]:
    """The options, or with the first other one that lets so many play: a game alone may need an opponent.

    Raises Invalid if one change is not enough.
    """
    changes = [{option.name: value} for option in known.spec.options for value in option.values]
    fault = None
    for change in ({}, *(each for each in changes if not each.keys() & options.keys())):
        try:
            known.game.setup(complete(known.spec.options, options | change), SEAT_NAMES[:seats], 0)
        except Refusal as refusal:
            fault = fault or refusal
            continue
        return options | change
    raise Invalid(say("{game} cannot be played by {count}.", game=known.spec.title, count=seats)) from fault


def known_to(rules: Table, game: str) -> Known:
    """A game of the simulator. Raises Invalid, naming those that there are."""
    if game not in rules.games:
        raise Invalid(say("There is no game {game}. Games: {names}.", game=game, names=", ".join(rules.games)))
    return rules.games[game]


def laid(rules: Table, game: str, seats: int, options: Mapping[str, OptionValue]) -> tuple[Known, Mat]:
    """The game and its mat. Raises Invalid if no camera can follow it so."""
    known = known_to(rules, game)
    table = known.spec.table(complete(known.spec.options, options), seats)
    if table is None or table.mat is None:
        raise Invalid(say("{game} has no mat for {count} players.", game=known.spec.title, count=seats))
    return known, rules.mats[table.mat]
