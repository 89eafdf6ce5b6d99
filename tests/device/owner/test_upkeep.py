"""The owner updates and resets: nothing is begun without a yes at the table's own buttons, and each end is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from device.owner.upkeep import AT_THE_TABLE, BAD_SIGNATURE, Upkeep
from tests.device.privileged_helper.machine import Machine, until


class Owner:
    """A person with a phone, who may also stand at the table."""

    def __init__(self, path: Path) -> None:
        self.stands_there = False
        self.task = Upkeep(lambda: self.stands_there, path)

    @property
    def lines(self) -> list[str]:
        return [str(text) for text in self.task.step().choices]

    @property
    def now(self) -> str:
        return str(self.task.step().now)

    @property
    def remarks(self) -> list[str]:
        return [str(text) for text in self.task.step().remarks]

    def choose(self, line: str) -> None:
        self.task.choose(self.lines.index(line))


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    (tmp_path / "base" / "current").symlink_to("1.1+deb12-bbbbbbbb")
    yield made
    made.stop()


def lies_on_the_card(machine: Machine, told: str) -> None:
    """A newer package. told: what the errand says of it."""
    (machine.folder / "base" / "referee-errand").write_text(f"#!/bin/sh\necho {told}\n")
    (machine.folder / "base" / "referee-errand").chmod(0o755)


def arrived(machine: Machine) -> Owner:
    owner = Owner(machine.path)
    until(lambda: len(owner.lines) > 1)
    return owner


def agree_at_the_table(owner: Owner, machine: Machine, verb: str) -> None:
    """Say yes by phone, which begins nothing, then at the table, and let it be done."""
    owner.choose("Yes, do it")
    assert (owner.remarks, machine.begun()) == ([str(AT_THE_TABLE)], [])
    owner.stands_there = True
    owner.choose("Yes, do it")
    until(lambda: machine.begun() == [verb])
    machine.finish(verb)


def test_what_would_come_to_nothing_is_not_offered(machine: Machine) -> None:
    machine.start()
    owner = arrived(machine)
    assert owner.now == "Version 1.1 is running."
    assert owner.lines == ["Check for updates", "Restart the referee", "Delete everything", "Back"]
    (machine.folder / "base" / "before").symlink_to("1.0+deb12-aaaaaaaa")
    lies_on_the_card(machine, "1.2+deb12 signed")
    owner = arrived(machine)
    assert owner.lines[:2] == ["Update to 1.2", "Back to version 1.0"]
    owner.choose("Back")
    assert owner.task.over


def test_from_a_phone_nothing_is_begun_until_somebody_agrees_at_the_table(machine: Machine) -> None:
    machine.start()
    owner = arrived(machine)
    owner.choose("Delete everything")
    assert owner.lines == ["Yes, do it", "No"]
    assert owner.remarks == []
    agree_at_the_table(owner, machine, "reset")
    until(lambda: owner.now == "Everything was deleted.")
    owner.choose("Continue")
    until(lambda: "Everything was deleted." in owner.remarks)


def test_a_version_that_nobody_signed_is_installed_by_a_yes_that_says_so(machine: Machine) -> None:
    lies_on_the_card(machine, "1.2+deb12 unsigned")
    machine.start()
    owner = arrived(machine)
    owner.choose("Update to 1.2")
    assert owner.now.startswith("Nobody has signed this version")
    agree_at_the_table(owner, machine, "update-unsigned")
    until(lambda: owner.now == "The newer version is installed.")


def test_a_version_that_is_damaged_or_anothers_is_not_offered(machine: Machine) -> None:
    lies_on_the_card(machine, "1.2+deb12 bad")
    machine.start()
    owner = arrived(machine)
    assert owner.lines == ["Restart the referee", "Delete everything", "Back"]
    assert owner.remarks == [str(BAD_SIGNATURE)]


def test_no_is_no(machine: Machine) -> None:
    machine.start()
    owner = arrived(machine)
    owner.stands_there = True
    owner.choose("Restart the referee")
    owner.choose("No")
    assert "Restart the referee" in owner.lines
    assert machine.begun() == []


def test_how_far_it_is_and_why_it_failed_is_told(machine: Machine) -> None:
    machine.start()
    owner = arrived(machine)
    owner.stands_there = True
    owner.choose("Check for updates")
    owner.choose("Yes, do it")
    until(lambda: str(owner.task.step().seen) == "Looking for a newer version.")
    assert owner.lines == []
    owner.task.choose(0)
    machine.finish("update", "failed nothing-newer")
    until(lambda: owner.now.startswith("No newer version found."))


def test_the_next_daemon_tells_what_became_of_the_update_that_ended_it(machine: Machine) -> None:
    (machine.folder / "stages" / "update").write_text("done\n")
    machine.start()
    assert arrived(machine).remarks == ["The newer version is installed."]


def test_where_nobody_answers_it_says_so(tmp_path: Path) -> None:
    owner = Owner(tmp_path / "none.sock")
    assert (owner.now, owner.lines) == ("That failed. The log says why.", ["Back"])
    owner.choose("Back")
    assert owner.task.over
