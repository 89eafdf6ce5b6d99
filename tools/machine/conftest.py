"""Machines for tests, of the recipe that $MACHINE names (bookworm-amd64), with the referee from its package."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from tools.machine.disk import CannotMake, Disk, make_disk
from tools.machine.installing import Installed, install_package
from tools.machine.qemu import Machine, Options
from tools.machine.recipe import KEPT, Recipe

Figure = Callable[..., None]


class Boot(Protocol):
    """Boots a machine; a bare one has no referee on it."""

    def __call__(self, options: Options | None = None, bare: bool = False) -> Machine: ...


@pytest.fixture(scope="session")
def recipe() -> Recipe:
    release, _, machine = os.environ.get("MACHINE", "bookworm-amd64").partition("-")
    return Recipe(release, machine)


@pytest.fixture(scope="session")
def disk(recipe: Recipe) -> Disk:
    try:
        return make_disk(recipe)
    except CannotMake as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def ready(disk: Disk) -> Installed:
    """A disk with the referee on it, from its package."""
    return install_package(disk)


@pytest.fixture
def boot(disk: Disk, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Boot]:
    """Boots machines that are cut off at the end; what they said is kept if the test fails."""
    machines = list[Machine]()

    def booted(options: Options | None = None, bare: bool = False) -> Machine:
        base = None if bare else request.getfixturevalue("ready").image
        machine = Machine(disk, tmp_path / f"machine-{len(machines)}", options, base)
        machines.append(machine)
        machine.boot()
        return machine

    yield booted
    for machine in machines:
        machine.close()


@pytest.fixture(scope="module")
def bare(disk: Disk, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine without the referee, with an i2c-mux. Its camera's driver comes only when it is asked for."""
    options = Options(camera="late", mux=True, displays=("0:0x3c", "1:0x3d"), safe=False)
    with Machine(disk, tmp_path_factory.mktemp("bare"), options) as machine:
        yield machine


@pytest.fixture(scope="module")
def table(ready: Installed, disk: Disk, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine for the tests of a module, switched on as an owner's: the service starts by itself. Its camera's driver
    comes only when it is asked for.
    """
    with Machine(disk, tmp_path_factory.mktemp("table"), Options(camera="late", safe=False), ready.image) as machine:
        yield machine


@pytest.fixture
def figure(recipe: Recipe, request: pytest.FixtureRequest) -> Figure:
    """Prints figures, and keeps them in var/machine/figures.jsonl with the test and the machine that they come from."""

    def told(**figures: object) -> None:
        line = json.dumps({"machine": f"{recipe.release}-{recipe.machine}", "test": request.node.name, **figures})
        print(line)
        with (KEPT / "figures.jsonl").open("a") as file:
            file.write(line[:-1] + f', "at": {time.time():.0f}}}\n')

    return told
