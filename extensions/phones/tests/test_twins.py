"""Law 5 as a browser has it: pairs of tables that differ in secrets, and leaks that are planted, on TCP."""

from __future__ import annotations

import asyncio
from itertools import islice
from pathlib import Path

import msgspec
import pytest

from device.owner.context import Facts
from device.session.state import Play
from extensions.phones.tests.own_leaks import LEAKS as OWN_LEAKS
from extensions.phones.tests.twins import BLOCK, Found, compared, drawn, planted, run, two, work
from extensions.phones.tests.worlds import World
from tests.device.session import leaks
from tests.device.session.twins import GAMES

SEED = "quick"


@pytest.mark.thorough
def test_no_browser_gets_a_byte_that_tells_what_its_audience_must_not_know() -> None:
    async def main() -> Found:
        async with two() as worlds:
            return await compared(worlds, list(islice(drawn(SEED), 24)), SEED, "ru")

    found = asyncio.run(main())
    assert found.notes == ()
    assert found.pairs == 24
    assert set(found.games) == set(GAMES)
    assert found.frames >= 2 * found.pairs, "the session came, and went"
    assert found.taps, "somebody was busy meanwhile"


@pytest.mark.thorough
def test_leaks_that_are_planted_are_found_there(monkeypatch: pytest.MonkeyPatch) -> None:
    some = ("everything_told", "serials_of_all", "time_of_the_last_step")
    monkeypatch.setattr("extensions.phones.tests.twins.LEAKS", {name: leaks.LEAKS[name] for name in some})
    at = asyncio.run(planted(SEED, 30))
    assert tuple(at) == (*some, *OWN_LEAKS, "unpadded")
    assert None not in at.values()


@pytest.mark.thorough
def test_a_leak_to_the_owner_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = World._facts

    def leaking(world: World) -> Facts:
        stage = world.core.session.stage
        return msgspec.structs.replace(
            honest(world), version=repr(stage.match.state) if isinstance(stage, Play) else ""
        )

    monkeypatch.setattr(World, "_facts", leaking)

    async def main() -> Found:
        async with two() as worlds:
            return await compared(worlds, list(islice(drawn(SEED), 4)), SEED)

    notes = asyncio.run(main()).notes
    assert any(note.endswith("other bytes at the owner's page") for note in notes)


def test_what_was_compared_is_not_compared_again(tmp_path: Path) -> None:
    done = Found(BLOCK, 600, 9000, 3, dict.fromkeys(GAMES, 1), ("fence: a: other bytes",))
    for number in range(2):
        (tmp_path / f"{SEED}-{number:05}.json").write_bytes(msgspec.json.encode(done))
    assert run(SEED, 2 * BLOCK, tmp_path, 4, work) == done + done
