"""The power-cut test finds nothing wrong with the shipped code, and would find it if there were."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.shimmed import shimmed
from tools.cuts import Cuts

HARMED = """
import sys
from pathlib import Path
{harm}
from tools import cuts
print(cuts.msgspec.json.encode(cuts.cut_test(40, 5)).decode())
"""


@pytest.mark.thorough
def test_cuts_lose_and_double_nothing() -> None:
    found = shimmed(Cuts, "-m", "tools.cuts", "--cuts", "60", "--seed", "3", "--json")
    assert (found.cuts, found.matches) == (60, 1)
    assert found.wrong == 0, found.notes
    assert set(found.ways) == {"all", "subset", "reordered", "torn", "size", "names"}
    assert found.again == 15
    assert found.entries > 50


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("harm", "counted"),
    [
        (
            "from device.journal import writing, Journal\n"
            "def prepare(self, before=Journal._prepare): before(self); self._db.execute('PRAGMA synchronous=NORMAL')\n"
            "Journal._prepare = prepare",
            "lost",
        ),
        ("import os\nos.fsync = lambda handle: None", "files"),
    ],
    ids=["a journal that is not synced", "files that are not synced"],
)
def test_what_is_not_synced_is_found_out(harm: str, counted: str) -> None:
    found = shimmed(Cuts, "-c", HARMED.format(harm=harm))
    assert getattr(found, counted) > 0


@pytest.mark.thorough
def test_a_run_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    words = ("-m", "tools.cuts", "--cuts", "12", "--seed", "9", "--json", "--folder", str(tmp_path))
    whole = shimmed(Cuts, *words)
    kept = tmp_path / "results.jsonl"
    lines = kept.read_bytes().splitlines(keepends=True)
    kept.write_bytes(b"".join(lines[:-1]) + lines[-1][:-9])
    again = shimmed(Cuts, *words)
    assert msgspec.structs.replace(again, seconds=0.0) == msgspec.structs.replace(whole, seconds=0.0)
    assert len(kept.read_bytes().splitlines()) == len(lines)
