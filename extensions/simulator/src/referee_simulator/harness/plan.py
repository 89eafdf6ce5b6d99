"""Plans matches without a browser: seats, options, mat and table file."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path

import msgspec

from device.daemon import assembly
from device.games import usual
from device.locale import LANGUAGES
from device.session.match_start import fitting
from device.session.table import KnownGame, Table
from device.settings import TableSettings, load, template
from device.settings.table import NoCamera, Shared
from engine.catalogue import GameSpec, Option, absent_options, complete
from engine.errors import Invalid, Refusal
from engine.game import OptionValue
from engine.table import SEATS
from engine.text import many, say
from referee_simulator.fault_runs.faults import Fault, schedule
from referee_simulator.harness.enrol import enrol
from vision.mat import Mat

ORDERS = ("seen", "declared")
USUAL_SEATS = 2
PANELS = ("own", "shared")
PHONE = "phone"

ANOTHER = 0.4
"""Probability of a non-default value for options not given, at the buttons only."""


class Eyes(StrEnum):
    PICTURES = "pictures"  # what the camera delivers
    IDEAL = "ideal"  # the truth, without pictures
    NONE = "none"  # nothing: played at the buttons alone


class Plan(msgspec.Struct, frozen=True):
    """The request to `referee simulate --headless`.

    orders: "seen", "declared" or "both" (alternating)
    tremble: standard deviations of the camera's motion: pixels of 1280 at rest and with a moving hand, degrees at rest;
        None uses the scene's
    bump_s: mean simulated seconds between bumps; None uses the scene's
    seats: players; None varies them
    panels: "own", "shared", "both" (alternating) or "phone"; with a camera always own
    options: given ones; at the buttons others are drawn
    mode: with a camera, value of that option, or "all" (alternating)
    jobs: processes
    journals: folder for journals
    only: number of the single match to play
    faults: play fault runs with drawn options, `pictures` of them in pictures; game "" takes all in turn"""

    game: str = msgspec.field(default_factory=usual)
    matches: int = 1
    seed: int = 1
    cheat_rate: float = 0.0
    bump_s: float | None = None
    tremble: tuple[float, float, float] | None = None
    scene: str = "normal"
    orders: str = "both"
    seats: int | None = USUAL_SEATS
    panels: str = "both"
    jobs: int = 2
    options: Mapping[str, OptionValue] = {}
    mode: str | None = None
    eyes: Eyes = Eyes.PICTURES
    journals: str | None = None
    only: int | None = None
    faults: bool = False
    pictures: int = 0


class PlannedMatch(msgspec.Struct, frozen=True):
    """A planned match. enrolled: folder of enrolled pieces. language: of the table. faults: of a fault run."""

    plan: Plan
    number: int
    seed: int
    seats: int
    options: dict[str, OptionValue]
    enrolled: str = ""
    panels: str = "own"
    language: str = LANGUAGES[0]
    faults: tuple[Fault, ...] = ()


def matches_of(plan: Plan, folder: Path) -> Iterator[PlannedMatch]:
    """Yield a plan's matches, enrolling pieces in the folder. Raises Invalid if it cannot be played, NotEnrolled."""
    if plan.faults:
        yield from _fault_runs(plan, folder)
    else:
        yield from _at_buttons(plan) if plan.eyes is Eyes.NONE else _at_mats(plan, folder)


def _fault_runs(plan: Plan, folder: Path) -> Iterator[PlannedMatch]:
    rules = assembly.session_table(settings_of(USUAL_SEATS, folder))
    for number in _up_to(plan):
        rng = random.Random(f"{plan.seed}/night/{number}")
        own = msgspec.structs.replace(plan, game=plan.game or sorted(rules.games)[number % len(rules.games)])
        known = known_to(rules, own.game)
        eyes = _eyes(own, known.spec, number, rng)
        scene = rng.choice(("easy", "normal") if eyes is Eyes.PICTURES else ("easy", "normal", "hard"))
        own = msgspec.structs.replace(own, eyes=eyes, scene=scene)
        panels = "own" if eyes is not Eyes.NONE else rng.choice(PANELS)
        seats, options = _draw_options(known, own, rng)
        if eyes is Eyes.PICTURES:
            _enrol(game_and_mat(rules, own.game, seats, options)[1], plan.seed, folder / "enrolled")
        if plan.only not in (None, number):
            continue
        language, seed = rng.choice(sorted(LANGUAGES)), rng.getrandbits(40)
        faults = schedule(rng, in_pictures=eyes is Eyes.PICTURES, seen=eyes is not Eyes.NONE)
        yield PlannedMatch(own, number, seed, seats, options, str(folder / "enrolled"), panels, language, faults)


def _eyes(plan: Plan, spec: GameSpec, number: int, rng: random.Random) -> Eyes:
    drawn = Eyes.IDEAL if rng.random() < 0.6 else Eyes.NONE
    if not any(table.mat for table in spec.tables):
        return Eyes.NONE
    pictures = plan.pictures and number * plan.pictures // plan.matches != (number + 1) * plan.pictures // plan.matches
    return Eyes.PICTURES if pictures else drawn


def _at_buttons(plan: Plan) -> Iterator[PlannedMatch]:
    known = known_to(assembly.session_table(panels_of(USUAL_SEATS, "own", Path())), plan.game)
    plan = msgspec.structs.replace(plan, options={**known.spec.random_play, **plan.options})
    complete(known.spec.options, plan.options)
    for number in _numbers(plan):
        rng = random.Random(f"{plan.seed}/press/{number}")
        panels = PANELS[number % 2] if plan.panels == "both" else plan.panels
        seats, options = _draw_options(known, plan, rng)
        language = LANGUAGES[number % len(LANGUAGES)] if panels == PHONE else LANGUAGES[0]
        yield PlannedMatch(plan, number, rng.getrandbits(40), seats, options, panels=panels, language=language)


def _up_to(plan: Plan) -> range:
    """Return match numbers up to `only`, because earlier matches enrol pieces."""
    return range(plan.matches if plan.only is None else plan.only + 1)


def _numbers(plan: Plan) -> range | tuple[int, ...]:
    return range(plan.matches) if plan.only is None else (plan.only,)


def _draw_options(known: KnownGame, plan: Plan, rng: random.Random) -> tuple[int, dict[str, OptionValue]]:
    counts = sorted({count for table in known.spec.tables for count in table.seats})
    fault = Invalid(
        say("{game} can't be played with this many players: {count}.", game=known.spec.title, count=plan.seats or 0)
    )
    for _ in range(200):
        seats = plan.seats or rng.choice(counts)
        options = {
            option.name: plan.options.get(
                option.name, rng.choice(option.values) if rng.random() < ANOTHER else option.default
            )
            for option in known.spec.options
        }
        unseen = {option.name for option in known.spec.options if option.camera and plan.eyes is Eyes.NONE}
        unasked = absent_options(known.spec, SEATS[:seats], SEATS) | unseen
        options |= {option.name: option.default for option in known.spec.options if option.name in unasked}
        table = known.spec.table(options, seats)
        if table is None or (table.mat is None and plan.eyes is not Eyes.NONE):
            continue
        try:
            known.game.setup(options, SEATS[:seats], plan.seed)
        except Refusal as refusal:
            fault = Invalid(refusal.text)
            continue
        return seats, options
    raise fault


def _at_mats(plan: Plan, folder: Path) -> Iterator[PlannedMatch]:
    rules = assembly.session_table(settings_of(USUAL_SEATS, folder))
    enrolled = folder / "enrolled"
    spec = known_to(rules, plan.game).spec
    counts = _counts(spec, plan.seats)
    for number in _up_to(plan):
        seats = counts[number % len(counts)]
        watched = _with_camera(spec, plan, seats)
        options = fitting(rules.games[plan.game], _options(watched, spec, number, seats), seats)
        _, mat = game_and_mat(rules, plan.game, seats, options)
        if plan.eyes is not Eyes.IDEAL:
            _enrol(mat, plan.seed, enrolled)
        if plan.only not in (None, number):
            continue
        seed = random.Random(f"{plan.seed}/match/{number}").getrandbits(40)
        yield PlannedMatch(watched, number, seed, seats, options, str(enrolled))


def _enrol(mat: Mat, seed: int, enrolled: Path) -> None:
    for name in sorted({zone.set for zone in mat.zones}):
        if not (enrolled / name).exists():
            enrol(mat, name, seed, enrolled / name)


def _counts(spec: GameSpec, seats: int | None) -> tuple[int, ...]:
    if seats is not None:
        return (seats,)
    counts = {count for table in spec.tables if table.mat for count in table.seats}
    return tuple(sorted(counts, key=lambda count: (count < USUAL_SEATS, count)))


def _options(plan: Plan, spec: GameSpec, number: int, seats: int) -> dict[str, OptionValue]:
    known = {option.name: option for option in spec.options}
    options = dict(plan.options)
    turn = number // len(_counts(spec, plan.seats))  # each number of seats meets each mode, and each mode both orders
    if "mode" in known and plan.mode is not None:
        values = _modes(spec, known["mode"], seats) if plan.mode == "all" else (plan.mode,)
        options["mode"] = values[turn % len(values)]
        turn //= len(values)
    if "orders" in known:
        options.setdefault("orders", ORDERS[turn % 2] if plan.orders == "both" else plan.orders)
    return options


def _modes(spec: GameSpec, mode: Option, seats: int) -> tuple[OptionValue, ...]:
    """Return the modes that have a mat for so many players."""
    laid = [dict(table.when) for table in spec.tables if table.mat and seats in table.seats]
    return tuple(value for value in mode.values if any(when.get(mode.name, value) == value for when in laid))


def settings_of(seats: int, folder: Path) -> TableSettings:
    """Return the simulator's table file for so many seats, with all files in a folder."""
    shipped = load(template("simulated"))
    return msgspec.structs.replace(
        shipped,
        seats={seat: shipped.seats[seat] for seat in sorted(shipped.seats)[:seats]},
        camera=Shared(name=str(folder / "frames")),
        runtime_dir=folder / "run",
        state_dir=folder,
    )


def panels_of(seats: int, panels: str, folder: Path) -> TableSettings:
    """Return a table file without camera, with own or shared panels. Phones use `with_phones`."""
    shipped = load(template("one-oled" if panels == "shared" else "simulated"))
    named = {seat: shipped.seats[seat] for seat in sorted(shipped.seats)[:seats]}
    return msgspec.structs.replace(
        shipped, seats=named, camera=NoCamera(), runtime_dir=folder / "run", state_dir=folder
    )


def with_phones(rules: Table) -> Table:
    """Return the table with phones in place of panels."""
    return msgspec.structs.replace(rules, panels=(), shared=False, pages=True)


def _with_camera(spec: GameSpec, plan: Plan, seats: int) -> Plan:
    usual = spec.table(complete(spec.options, plan.options), seats)
    if usual is None or usual.mat is not None:
        return plan
    for table in spec.tables:
        agrees = all(plan.options.get(name, value) == value for name, value in table.when.items())
        if table.mat is not None and seats in table.seats and agrees:
            return msgspec.structs.replace(plan, options={**table.when, **plan.options})
    return plan


def known_to(rules: Table, game: str) -> KnownGame:
    if game not in rules.games:
        raise Invalid(say("There is no game {game}. Games: {names}.", game=game, names=", ".join(rules.games)))
    return rules.games[game]


def game_and_mat(rules: Table, game: str, seats: int, options: Mapping[str, OptionValue]) -> tuple[KnownGame, Mat]:
    """Return a game and its mat. Raises Invalid if the game is unknown, or has none for these seats and options."""
    known = known_to(rules, game)
    table = known.spec.table(complete(known.spec.options, options), seats)
    if table is None or table.mat is None:
        raise Invalid(
            many(
                "{game} has no mat for one player.",
                "{game} has no mat for {count} players.",
                seats,
                game=known.spec.title,
            )
        )
    return known, rules.mats[table.mat]
