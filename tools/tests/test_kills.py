"""The kill test finds nothing wrong with the journal, and would find it if there were."""

from __future__ import annotations

import pytest

from tests.shimmed import shimmed
from tools.kills import Kills

HARMED = """
from device.journal import Journal
from tools import kills
run = kills.run
def harmed(folder, seed, kill_at=0):
    result = run(folder, seed, kill_at)
    if folder.name == "killed" and len(entries := kills.read_entries(folder)) > 1:
        harm(folder / "journal.db", entries)
    return result
def lost(path, entries):
    for file in path.parent.iterdir():
        file.unlink()
    doubled(path, entries)
def doubled(path, entries):
    with Journal(path) as journal:
        for entry in entries[-1:] if harm is doubled else entries[:-1]:
            journal.append((entry,))
harm = {harm}
kills.run = harmed
if __name__ == "__main__":
    print(kills.msgspec.json.encode(kills.kill_test({kills}, 11)).decode())
"""


def test_kills_lose_and_double_nothing() -> None:
    found = shimmed(Kills, "-m", "tools.kills", "--kills", "8", "--seed", "23", "--json")
    assert (found.kills, found.matches, found.wrong) == (8, 1, 0), found.notes
    assert found.entries > 0
    assert found.pending > 0


@pytest.mark.soak
def test_two_hundred_kills_lose_and_double_nothing() -> None:
    found = shimmed(Kills, "-m", "tools.kills", "--kills", "200", "--seed", "31", "--json")
    assert (found.kills, found.wrong) == (200, 0), found.notes


@pytest.mark.soak
def test_kills_of_the_whole_service_and_its_worker_lose_and_double_nothing() -> None:
    found = shimmed(
        Kills, "-m", "tools.kills", "--kills", "12", "--service", "12", "--jobs", "2", "--seed", "3", "--json"
    )
    assert (found.kills >= 12, found.wrong) == (True, 0), found.notes
    assert found.victims["service"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("harm", ["lost", "doubled"])
def test_a_journal_that_loses_or_doubles_is_found_out(harm: str) -> None:
    found = shimmed(Kills, "-c", HARMED.format(harm=harm, kills=2))
    assert getattr(found, harm) > 0
