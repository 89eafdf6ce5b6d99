"""Whole evenings at the buttons alone: the shipped daemon, pins, displays, journal; the power fails among them.

Players know only what displays say. They keep a score of their own, and at the end the table's display agrees with it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import combinations
from pathlib import Path

import msgspec
import pytest

from device.daemon import assembly
from device.session.evening import title
from device.settings import load, template
from engine.evening import Evening, pool, series
from engine.text import Text, say
from extensions.simulator.tests.company import Company
from referee_simulator.harness.plan import panels_of
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.players.pressers import Habits

BRIEF = Habits(fidget_rate=0.3, longest=2)
RANKED = say("{place}. {player}: {victories}/{bouts}, {index}, {scored}").message
CHAMPION = say("{player} wins the evening").message
COUNTS = {"{player}: {count} win\0{player}: {count} wins"}


def spent(folder: Path, game: str, evening: Evening, line: Text, *, panels: str, wired: int = 2, cut: int) -> Company:
    """An evening; after so many matches the power fails for a while."""
    usual = load(template("simulated"))
    settings = msgspec.structs.replace(panels_of(wired, panels, folder), table_display=usual.table_display)
    rules = assembly.session_table(settings)

    async def sit() -> Company:
        world = Timed(settings, seed=11, rules=rules)
        company = Company(world, rules.games[game], 2, 11, BRIEF)
        await world.run(company.gather(title(evening), {}))
        company.come_back(world := Timed(settings, seed=12, rules=rules))
        await world.run(company.play(line, cut))
        company.come_back(world := Timed(settings, seed=13, rules=rules))
        await world.run(company.play(line))
        return company

    company = asyncio.run(sit())
    assert company.tally.stuck == 0, company.tally.notes
    return company


def champion(company: Company) -> Text:
    found = company.read()[0]
    assert found.message == CHAMPION
    who = dict(found.args)["player"]
    assert isinstance(who, Text)
    return who


@pytest.mark.timeout(240)
@pytest.mark.clause("F63")
@pytest.mark.parametrize(
    ("players", "panels", "wired"),
    [(3, "own", 2), *(pytest.param(4, *how, marks=pytest.mark.soak) for how in (("shared", 2), ("own", 4)))],
)
def test_a_pool_of_fencers_from_power_on_to_its_winner(tmp_path: Path, players: int, panels: str, wired: int) -> None:
    company = spent(tmp_path, "fence", pool(players), say("Next match"), panels=panels, wired=wired, cut=2)
    bouts = players * (players - 1) // 2
    everybody = {player for pair in company.met for player in pair}
    assert len(everybody) == players
    met = Counter(frozenset(pair) for pair in company.met[:bouts])
    assert met == Counter(frozenset(pair) for pair in combinations(everybody, 2)), "everybody meets everybody once"
    assert len(company.met) == bouts + players - 1
    ranked = [dict(line.args) for line in company.read() if line.message == RANKED]
    assert [line["bouts"] for line in ranked] == [players - 1] * players
    assert sum(int(str(line["victories"])) for line in ranked) == bouts
    assert champion(company) in company.met[-1]
    assert company.won[champion(company)] >= 1
    assert company.won.total() == len(company.met)


@pytest.mark.thorough
@pytest.mark.timeout(240)
def test_a_series_whose_players_change_seats_after_each_match(tmp_path: Path) -> None:
    line = say("Next match, seats changed")
    company = spent(tmp_path, "fence", series(2, 3), line, panels="own", cut=1)
    assert all(first == tuple(reversed(second)) for first, second in zip(company.met, company.met[1:], strict=False))
    assert company.won[champion(company)] == 3
    shown = {dict(line.args)["player"]: dict(line.args)["count"] for line in company.read() if line.message in COUNTS}
    assert shown == {player: company.won[player] for player in set(company.met[0])}
