"""What the machine says of itself, and that nothing is made up where it does not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from device.clock import WallClock
from device.daemon.maintenance import Inventory, Maintenance
from device.daemon.referee import Referee
from device.daemon.status import free_bytes, free_memory_bytes, heat_c, throttling
from device.settings.table import NoCamera, TableSettings
from engine.table import Health
from tests.device.session import stages
from vision.recognition.index import INDEX


def test_what_it_says_is_read(tmp_path: Path) -> None:
    (tmp_path / "heat").write_text("51234\n", encoding="ascii")
    (tmp_path / "flags").write_text("50005\n", encoding="ascii")
    (tmp_path / "memory").write_text("MemTotal:  900 kB\nMemAvailable:   200 kB\n", encoding="ascii")
    assert heat_c(tmp_path / "heat") == 51.234
    assert throttling(tmp_path / "flags") == 0x50005
    assert free_memory_bytes(tmp_path / "memory") == 204_800
    assert (free_bytes(tmp_path) or 0) > 0


@pytest.mark.parametrize("text", [None, "", "warm\n", "\xff"])
def test_where_it_says_nothing_nothing_is_known(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "told"
    if text is not None:
        path.write_text(text, encoding="latin-1")
    assert (heat_c(path), throttling(path), free_memory_bytes(path)) == (None, None, None)
    assert free_bytes(tmp_path / "nowhere") is None


def test_a_set_whose_pictures_the_disk_does_not_give_counts_as_not_taken(tmp_path: Path) -> None:
    """What the owner is told of the table, and what its glances say, does not end with it."""
    folder = tmp_path / "enrolled" / "stones"
    folder.mkdir(parents=True)
    maintenance = Maintenance(Inventory(TableSettings(NoCamera(), state_dir=tmp_path), tmp_path), WallClock())
    session = SimpleNamespace(unsaved=None, unkept=None, silence=None, health=Health.OK)
    maintenance.begin(cast("Referee", SimpleNamespace(core=SimpleNamespace(table=stages.table(), session=session))))
    (folder / INDEX).symlink_to("x" * 300)  # no disk has such a name
    assert [each.done for each in maintenance.facts().sets if each.name == "stones"] == [False]
