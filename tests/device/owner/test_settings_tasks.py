"""The table's settings in steps: what is listed, chosen, spelled and kept, whatever the table file has."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from device.owner.context import OwnerContext
from device.owner.settings_tasks import settings
from device.settings import TableSettings, load, template
from device.settings.owner_settings import KEPT, keep, laid_over, settings_of


class Owner:
    """Somebody at the owner's page of a table."""

    def __init__(self, state: Path) -> None:
        self.filed = msgspec.structs.replace(load(template("two-seats")), state_dir=state)
        context = SimpleNamespace(
            language="en",
            settings=lambda: settings_of(self.table),
            change=lambda key, value: keep(state, key, value),
        )
        self.task = settings(cast(OwnerContext, cast(Any, context)))

    @property
    def table(self) -> TableSettings:
        return laid_over(self.filed).table

    @property
    def lines(self) -> list[str]:
        return [str(text) for text in self.task.step().choices]

    def choose(self, *lines: str) -> None:
        for line in lines:
            self.task.choose(self.lines.index(line))


def test_what_is_chosen_is_listed_at_once_and_counts_at_the_next_start(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    assert "after a restart" in str(owner.task.step().now)
    owner.choose("Displays dim after: 2 min")
    assert str(owner.task.step().doing) == "Displays dim after"
    assert str(owner.task.step().now) == "Now: 2 min"
    owner.choose("10 min")
    assert "Displays dim after: 10 min" in owner.lines
    assert owner.table.timing.dim_s == 600.0
    owner.choose("Displays dim after: 10 min", "From the table file")
    assert owner.table == owner.filed
    owner.choose("Back")
    assert owner.task.over


def test_a_name_is_spelled_taken_back_and_kept(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.choose("The table's name: none yet", "A B C D E", "B", "f g h i j", "i")
    assert str(owner.task.step().now) == "So far: Bi"
    owner.choose(
        "Delete the last letter", "a b c d e", "e", "- and space", "Space", "Digits 0 1 2 3 4", "Digit 2", "Done"
    )
    assert owner.table.name == "Be 2"
    owner.choose("The table's name: Be 2", "From the table file")
    assert owner.table.name == ""
    owner.choose("The table's name: none yet", "Back", "Back")
    assert owner.task.over


def test_a_name_ends_where_there_is_no_room_for_more(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.choose("The table's name: none yet", "A B C D E", "A")
    for _ in range(11):
        owner.choose("a b c d e", "a")
    assert owner.lines == ["Done", "Delete the last letter"]


@pytest.mark.parametrize("lines", [("10 min",), ("From the table file",)])
def test_a_disk_that_takes_nothing_is_told_of(
    tmp_path: Path, lines: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner(tmp_path)

    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("device.settings.owner_settings.write_whole", full)
    owner.choose("Displays dim after: 2 min", *lines)
    assert "could not be saved" in str(owner.task.step().now)
    owner.choose("Continue")
    assert "Displays dim after: 2 min" in owner.lines
    owner.choose("The table's name: none yet", "A B C D E", "A", "Done")
    assert "could not be saved" in str(owner.task.step().now)
    owner.choose("Continue")
    assert "The table's name: none yet" in owner.lines
    assert not (tmp_path / KEPT).exists()


def test_choices_that_cannot_be_read_are_not_written_over_and_it_is_told(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    (tmp_path / KEPT).symlink_to(KEPT)  # leads nowhere: the system gives it up
    owner.choose("Displays dim after: 2 min", "10 min")
    assert "the earlier settings can't be read" in str(owner.task.step().now)
    owner.choose("Continue")
    assert "Displays dim after: 2 min" in owner.lines
    assert (tmp_path / KEPT).is_symlink()
