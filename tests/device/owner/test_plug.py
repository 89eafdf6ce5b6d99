"""A table without buttons agrees by its plug: twice within minutes, and by nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.owner.plug import BOOT, LASTS_S, WISH, Plug, boot_of


class Table:
    """Starts of a machine, each with a run of the daemon."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now, self.boots = folder, 0.0, 0
        self.plug = self.on()

    def on(self) -> Plug:
        """Power comes back; nobody has ended the daemon before."""
        self.boots += 1
        return self.restarted()

    def restarted(self) -> Plug:
        self.plug = Plug(self.folder, f"boot {self.boots}", lambda: self.now)
        return self.plug


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_the_plug_pulled_twice_agrees_once(table: Table) -> None:
    assert table.plug.begin() is None
    table.plug.wish("reset")
    assert table.on().begin() is None
    pending = table.plug.pending
    assert pending is not None
    assert (pending.verb, pending.pulls) == ("reset", 1)
    assert table.on().begin() == "reset"
    assert not (table.folder / WISH).exists()
    assert table.on().begin() is None, "done once"


def test_a_table_that_is_switched_off_for_the_night_agrees_to_nothing(table: Table) -> None:
    """Somebody else may have wished it shortly before."""
    table.plug.wish("reset")
    assert table.on().begin() is None
    table.now += LASTS_S
    assert table.plug.pending is None
    assert table.on().begin() is None
    assert table.plug.pending is None


def test_a_wish_that_nobody_agrees_to_in_time_is_forgotten(table: Table) -> None:
    table.plug.wish("update")
    assert table.plug.until == LASTS_S
    table.now += LASTS_S
    table.plug.look()
    assert table.plug.until is None
    assert table.on().begin() is None
    assert table.plug.pending is None


@pytest.mark.parametrize("pulls", [0, 1])
def test_a_restart_of_the_service_is_no_pull(table: Table, pulls: int) -> None:
    table.plug.wish("back")
    for _ in range(pulls):
        assert table.on().begin() is None
    assert table.restarted().begin() is None
    assert table.plug.pending is None
    assert table.on().begin() is None


def test_where_a_start_cannot_be_told_from_another_nothing_is_agreed_to(tmp_path: Path) -> None:
    nowhere = Plug(tmp_path, "", lambda: 0.0)
    nowhere.wish("reset")
    assert Plug(tmp_path, "another", lambda: 0.0).begin() is None
    assert not (tmp_path / WISH).exists()
    assert boot_of(tmp_path / "nothing") == ""
    assert len(boot_of(BOOT)) == 36


@pytest.mark.parametrize("damage", [b"", b"{", b'{"verb": "rm", "boot": "x"}', b'{"verb": "reset"}', b"[]"])
def test_what_cannot_be_read_is_no_wish(table: Table, damage: bytes) -> None:
    (table.folder / WISH).write_bytes(damage)
    assert table.on().begin() is None
    assert not (table.folder / WISH).exists()


def test_what_cannot_be_taken_off_the_disk_is_not_done(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would be done again and again."""
    table.plug.wish("reset")
    table.on().begin()

    def fails(_path: Path, missing_ok: bool = False) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", fails)
    assert table.on().begin() is None
