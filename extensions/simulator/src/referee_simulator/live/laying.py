"""Lays the table for a match."""

from __future__ import annotations

import random
from collections.abc import Mapping

import msgspec

from device.session.match_start import fitting
from device.session.table import KnownGame
from engine.catalogue import complete
from engine.entry import Start
from engine.table import Seat
from referee_simulator.dealers import dealer
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.holding import Holding
from referee_simulator.table.places import care_in
from referee_simulator.table.scenes import Scene
from referee_simulator.table.setting import set_out
from vision.mat import Mat


class TableSetOut(msgspec.Struct, frozen=True):
    """A laid table, with the real cards. conceals: a first action lays a card face down."""

    truth: Truth
    holding: Holding | None
    conceals: bool


def usual(
    games: Mapping[str, KnownGame], first: KnownGame, mat: Mat, seats: tuple[Seat, ...], seed: int
) -> tuple[KnownGame, Start]:
    """Return a game for a mat, preferably `first`, with a match by default rules. Raises KeyError without one."""
    for known in (first, *games.values()):
        for table in known.spec.tables:
            if table.mat == mat.name and len(seats) in table.seats:
                options = complete(known.spec.options, fitting(known, dict(table.when), len(seats)))
                return known, Start(0.0, known.spec.name, dict(options), seats, seed, deck=known.corrections)
    raise KeyError(f"no game is played on {mat.name} by {len(seats)}")


def deal(known: KnownGame, start: Start) -> Holding | None:
    holder = dealer(known.spec, known.game)
    if holder is None:
        return None
    return Holding(holder, known.game.setup(start.options, start.seats, start.seed), start.seats, start.seed)


def lay_out(known: KnownGame, start: Start, mat: Mat, scene: Scene, number: int) -> TableSetOut:
    """Lay the initial table. number: repetition, which varies places. Raises ValueError for a hidden piece unknown to a
    dealer."""
    known = known.playing(start)
    state = known.game.setup(start.options, start.seats, start.seed)
    rng = random.Random(f"{scene.seed}/laid/{number}")
    holding = deal(known, start)
    truth = set_out(known.game.layout(state), mat, rng, care_in(scene), holding)
    return TableSetOut(truth, holding, holding is not None and _conceals(known, holding, state))


def _conceals(known: KnownGame, holding: Holding, state: object) -> bool:
    return any(
        choice.final and holding.cards_laid_down(state, seat, (choice.word,), 0.0)
        for seat in known.game.actors(state)
        for choice in known.game.choices(state, seat)
    )
