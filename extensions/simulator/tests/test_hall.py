"""Virtual tables of a club: each plays by itself and writes down what it said, and none plays without a club."""

from __future__ import annotations

import asyncio
from math import inf
from pathlib import Path
from typing import Any

import msgspec
import pytest

from device.clock import WallClock
from device.journal import Journal
from device.journal.match_info import About
from device.version import version
from engine.entry import Settle
from referee_club.club import NoClub
from referee_record.daemon.public_socket import Public
from referee_record.signed_record import read
from referee_record.verification import Result, verify
from referee_simulator.harness.plan import panels_of
from referee_simulator.live import hall, headless_table
from referee_simulator.live.headless_table import Diary, Page, Plan, Unseen
from tests.device.cli.refusing import refused
from tests.device.session import stages
from tools import hall as trial
from tools import hall_figures, hall_upsets
from tools.hall_figures import Spread
from tools.tampering import load_game


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["fence", "tellstones"])
def test_a_table_that_was_cut_off_plays_its_match_on_and_writes_down_what_it_said(game: str, tmp_path: Path) -> None:
    plan = Plan(str(tmp_path), "table-7", game, seed=3, speed=inf)
    settings = panels_of(2, "own", tmp_path / "match")
    settings.state_dir.mkdir()
    settings = msgspec.structs.replace(settings, runtime_dir=tmp_path / "run", name=plan.name)

    async def play() -> None:
        public = Public(settings.runtime_dir / "public", WallClock())
        cut = Unseen(plan, settings, plan.seed, public, Diary(tmp_path))
        playing = asyncio.ensure_future(cut.play())
        while len(cut.entries()) < 6:
            assert not playing.done(), "the match was over before it could be cut off"
            await asyncio.sleep(0.005)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        assert not (tmp_path / headless_table.SAID).exists()
        await Unseen(plan, settings, plan.seed, public, Diary(tmp_path)).play()

    asyncio.run(play())
    (path,) = (tmp_path / headless_table.SAID).iterdir()
    record = read(path.read_bytes())
    assert (record.opening.table, record.opening.game) == ("table-7", game)
    assert len(record.links) > 5
    pages = hall_figures.diary(tmp_path)
    assert not [page.stuck for page in pages if page.stuck]
    found = verify(record, load_game(game), version())
    assert found.wrong is None
    assert found.result is not Result.REFUSED


def test_what_a_page_told_is_found_by_what_was_left_on_the_clocks() -> None:
    signed, looks = (
        [Page(float(at)) for at in range(6)],
        [(9.0, 9.0), (9.0, 8.0), (7.0, 8.0), (7.0, 8.0), (), (6.0, 8.0)],
    )
    diary = [page for at, left in zip(signed, looks, strict=True) for page in (at, Page(at.at + 0.25, left))]
    cards: hall_figures.Cards = {
        ("one", (9.0, 9.0)): 0.5,
        ("one", (6.0, 8.0)): 5.5,
        ("two", (9.0, 8.0)): 1.5,
        ("one", (7.0, 8.0)): 2.5,
    }
    late = [(0.0, 0.5), (1.0, 5.5), (5.0, 5.5)]
    assert hall_figures.publication_times("one", diary, cards) == late, (
        "what looks like another, or like none, is not counted"
    )
    assert hall_figures.publication_times("three", diary, cards) == [(0.0, None), (1.0, None), (5.0, None)]


def test_a_link_that_may_have_been_seen_before_it_was_signed_is_not_counted() -> None:
    diary = [Page(0.9, (9.0, 9.0)), Page(1.0), Page(1.2, (8.0, 9.0)), Page(3.0), Page(3.2, (7.0, 9.0))]
    cards: hall_figures.Cards = {("one", (8.0, 9.0)): 1.3, ("one", (7.0, 9.0)): 3.3}
    assert hall_figures.publication_times("one", diary, cards) == [(1.0, 1.3), (3.0, 3.3)]
    assert hall_figures.publication_times("one", diary, cards, ahead_s=0.2) == [(3.0, 3.3)]


def test_a_link_after_which_the_table_looks_as_before_is_not_counted() -> None:
    """It is told of nowhere, and what comes next is told of the link that led to it."""
    diary = [Page(1.0), Page(1.2, same=True), Page(3.0), Page(3.2, (7.0, 9.0))]
    assert hall_figures.publication_times("one", diary, {("one", (7.0, 9.0)): 3.3}) == [(3.0, 3.3)]


def test_a_match_is_over_once_what_decided_it_is_turned_up(tmp_path: Path) -> None:
    """Before that the table tells nobody that it is, and may be stopped."""
    whole = stages.entries("tellstones", seed=0, count=1000)
    assert isinstance(whole[-1], Settle)
    for number, entries in enumerate((whole[:-1], whole)):
        folder = tmp_path / "matches" / str(number)
        folder.mkdir(parents=True)
        with Journal(folder / "journal.db") as journal:
            journal.add(entries, About(str(number) * 32))
    assert trial._ends(tmp_path) == {"0" * 32: (False, frozenset()), "1" * 32: (True, frozenset("a"))}


def test_a_run_that_did_not_do_what_it_promises_is_wrong() -> None:
    some, upsets = Spread(1), dict.fromkeys((*hall_upsets.KINDS, *hall_upsets.FARED), 1)
    done = trial.Result(8, links=9, kills=dict.fromkeys(trial.KINDS, 1), upsets=upsets, page=some, broker=some)
    assert (done.undone, done.wrong) == ((), False)
    lacking: list[dict[str, Any]] = [
        *({"kills": {**done.kills, each: 0}} for each in done.kills),
        *({"upsets": {**done.upsets, each: 0}} for each in done.upsets),
        *({name: Spread()} for name in ("page", "broker")),
        {"links": 0},
    ]
    for each in lacking:
        one = msgspec.structs.replace(done, **each)
        assert (len(one.undone), one.wrong) == (1, True)
    assert msgspec.structs.replace(done, otherwise=("one",)).wrong


def test_without_a_club_nobody_plays(tmp_path: Path) -> None:
    with pytest.raises(NoClub, match="`referee club` makes one"):
        hall.add_tables(2, tmp_path / "club", tmp_path / "tables", 1)


def test_what_does_not_go_with_many_tables_is_refused() -> None:
    assert "real time" in refused("simulate", "--tables", "2", "--headless")
    for option in (("--game", "fence"), ("--seats", "4"), ("--scene", "hard"), ("--cheat-rate", "0.5")):
        assert "by itself" in refused("simulate", "--tables", "2", *option)
