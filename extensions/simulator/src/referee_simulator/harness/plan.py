"""Plans matches without a browser, however the referee sees them: the seats, options, mat and table file of each."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path

import msgspec

from device.daemon import assembly
from device.games import usual
from device.locale import LANGUAGES
from device.session.opening import fitting
from device.session.table import KnownGame, Table
from device.settings import TableSettings, load, template
from device.settings.table import NoCamera, Shared
from engine.catalogue import GameSpec
from engine.errors import Invalid, Refusal
from engine.game import OptionValue
from engine.options import complete
from engine.table import SEATS
from engine.text import many, say
from referee_simulator.fault_runs.faults import Fault, schedule
from referee_simulator.harness.enrol import enrol
from vision.mat import Mat

ORDERS = ("seen", "declared")
USUAL_SEATS = 2
PANELS = ("own", "shared")
PHONE = "phone"
"""Instead of panels."""

ANOTHER = 0.4
"""At the buttons alone: how often an option that is not given has another value than the usual one."""


class Eyes(StrEnum):
    """What the referee sees of the table."""

    PICTURES = "pictures"  # what the camera delivers
    IDEAL = "ideal"  # the truth; no pictures are drawn
    NONE = "none"  # nothing: the match is played at the buttons alone


class Plan(msgspec.Struct, frozen=True):
    """What `referee simulate --headless` was asked for. orders: "seen", "declared" or "both", match by match.

    tremble: standard deviations by which the camera trembles, instead of the scene's: pixels of 1280 at rest, pixels
    while a hand moves, degrees at rest.
    bump_s: simulated seconds from one bump of the camera to the next, on average; None: nobody bumps it.
    seats: how many play; None: every number that the game and its mats allow, match by match, two at first; at the
    buttons alone another one each time. panels: "own" (one each), "shared" (one OLED and three buttons for all), "both"
    (match by match) or "phone" (a phone each, no panel); where the referee sees the table they are everybody's own.
    options: those that are given; at the buttons alone the others are drawn. mode: a value of the option of that name,
    or "all": match by match. jobs: processes. journals: a folder that keeps each match's journal; None throws them
    away. only: the number of the one match that is played, as the whole plan would play it; None plays them all.
    faults: a night of mixed faults in each match. Then the game, if it is "", and all that a table may choose is drawn,
    match by match; so many of them as `pictures` says are seen in pictures.
    """

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
    """One match of a plan: its number, its own seed, seats, panels and options. enrolled: the folder of the pieces.
    language: of the table; faults: of a night. The plan has the game, the scene and the eyes of this match.
    """

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
    """The matches of a plan; the pieces of their mats are enrolled in the folder. Raises Invalid if there are none."""
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
        seats, options = _drawn(known, own, rng)
        if eyes is Eyes.PICTURES:
            _enrol(laid(rules, own.game, seats, options)[1], plan.seed, folder / "enrolled")
        if plan.only not in (None, number):
            continue
        language, seed = rng.choice(sorted(LANGUAGES)), rng.getrandbits(40)
        faults = schedule(rng, in_pictures=eyes is Eyes.PICTURES, seen=eyes is not Eyes.NONE)
        yield PlannedMatch(own, number, seed, seats, options, str(folder / "enrolled"), panels, language, faults)


def _eyes(plan: Plan, spec: GameSpec, number: int, rng: random.Random) -> Eyes:
    """Pictures in as many matches as asked for, spread evenly; ideal eyes in most of the others."""
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
        seats, options = _drawn(known, plan, rng)
        language = LANGUAGES[number % len(LANGUAGES)] if panels == PHONE else LANGUAGES[0]
        yield PlannedMatch(plan, number, rng.getrandbits(40), seats, options, panels=panels, language=language)


def _up_to(plan: Plan) -> range:
    """Numbers of all matches, or up to the one that is played alone: pieces are enrolled on the mat of the first match
    that needs them, and its pictures stay."""
    return range(plan.matches if plan.only is None else plan.only + 1)


def _numbers(plan: Plan) -> range | tuple[int, ...]:
    return range(plan.matches) if plan.only is None else (plan.only,)


def _drawn(known: KnownGame, plan: Plan, rng: random.Random) -> tuple[int, dict[str, OptionValue]]:
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
        watched = _watched(spec, plan, seats)
        options = fitting(rules.games[plan.game], _options(watched, spec, number), seats)
        _, mat = laid(rules, plan.game, seats, options)
        if plan.eyes is not Eyes.IDEAL:
            _enrol(mat, plan.seed, enrolled)
        if plan.only not in (None, number):
            continue
        seed = random.Random(f"{plan.seed}/match/{number}").getrandbits(40)
        yield PlannedMatch(watched, number, seed, seats, options, str(enrolled))


def _enrol(mat: Mat, seed: int, enrolled: Path) -> None:
    """The pieces of a mat, but for those that are enrolled already."""
    for name in sorted({zone.set for zone in mat.zones}):
        if not (enrolled / name).exists():
            enrol(mat, name, seed, enrolled / name)


def _counts(spec: GameSpec, seats: int | None) -> tuple[int, ...]:
    """Return the number of players, match by match."""
    if seats is not None:
        return (seats,)
    counts = {count for table in spec.tables if table.mat for count in table.seats}
    return tuple(sorted(counts, key=lambda count: (count < USUAL_SEATS, count)))


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


def panels_of(seats: int, panels: str, folder: Path) -> TableSettings:
    """A shipped table file without its camera: a panel for each who plays, or one for all; its files in a folder.
    Who has a phone leaves the panels alone (`with_phones`)."""
    shipped = load(template("one-oled" if panels == "shared" else "simulated"))
    named = {seat: shipped.seats[seat] for seat in sorted(shipped.seats)[:seats]}
    return msgspec.structs.replace(
        shipped, seats=named, camera=NoCamera(), runtime_dir=folder / "run", state_dir=folder
    )


def with_phones(rules: Table) -> Table:
    """The table if it had no panels, and everybody a phone."""
    return msgspec.structs.replace(rules, panels=(), shared=False, pages=True)


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


def known_to(rules: Table, game: str) -> KnownGame:
    """A game of the simulator. Raises Invalid, naming those that there are."""
    if game not in rules.games:
        raise Invalid(say("There is no game {game}. Games: {names}.", game=game, names=", ".join(rules.games)))
    return rules.games[game]


def laid(rules: Table, game: str, seats: int, options: Mapping[str, OptionValue]) -> tuple[KnownGame, Mat]:
    """The game and its mat. Raises Invalid if no camera can follow it so."""
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
