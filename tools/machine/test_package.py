"""The package in the machine: an upgrade, the way back, a version that does not start, removal and purge."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.machine.conftest import Boot, Figure
from tools.machine.disk import Disk
from tools.machine.installing import UP, build_package, share
from tools.machine.qemu import Machine, Options
from tools.machine.upgrades import MARK, upgrade_command, version

pytestmark = [pytest.mark.machine, pytest.mark.soak, pytest.mark.timeout(3600)]

BREAK = "import sys\n\nsys.exit('this version does not start')\n"


@pytest.fixture(scope="module")
def newer(disk: Disk) -> Path:
    """A package of a later version."""
    return build_package(disk, disk.image.parent / "packages", MARK)


def broken(package: Path, folder: Path) -> Path:
    """A package whose referee ends as soon as it is started."""
    tree, out = folder / "tree", folder / package.name
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    (main,) = tree.glob("opt/table-referee/*/lib/python3*/site-packages/device/cli/__init__.py")
    main.write_text(BREAK)
    for kept in main.parent.glob("__pycache__/__init__.*"):
        kept.unlink()
    subprocess.run(["dpkg-deb", "-b", "-Zgzip", "-z1", tree, out], check=True, stdout=subprocess.DEVNULL)
    return out


def upgraded(machine: Machine, package: Path) -> str:
    """Upgrades, and returns what apt wrote."""
    share(machine, package)
    return machine.must(upgrade_command(package), 1800).out


def test_an_upgrade_keeps_the_version_before_and_goes_back_to_it(boot: Boot, newer: Path) -> None:
    machine = boot(Options(safe=False))
    machine.wait(UP, 300)
    old = version(machine)
    upgraded(machine, newer)
    machine.wait(UP, 300)
    assert MARK in version(machine)
    machine.must("/opt/table-referee/referee-version back", 600)
    machine.wait(UP, 300)
    assert version(machine) == old


def test_a_version_that_does_not_start_gives_way_to_the_one_before(boot: Boot, newer: Path, tmp_path: Path) -> None:
    machine = boot(Options(safe=False))
    machine.wait(UP, 300)
    old = version(machine)
    said = upgraded(machine, broken(newer, tmp_path))
    machine.wait(UP, 300)
    assert version(machine) == old
    assert f"going back to {old}" in said + machine.sh("journalctl -b --no-pager -u referee-trial").out


def test_removal_keeps_matches_and_purge_leaves_nothing(boot: Boot, figure: Figure) -> None:
    machine = boot(Options(safe=False))
    machine.wait(UP, 300)
    machine.must("apt-get remove -y -q table-referee", 600)
    assert machine.sh("systemctl is-active referee").text == "inactive"
    machine.must("test -e /var/lib/referee/journal.db && test -e /etc/table-referee/table.toml")
    machine.must("test ! -e /usr/bin/referee && test ! -e /opt/table-referee")
    machine.must("apt-get purge -y -q table-referee", 600)
    machine.must("test ! -e /var/lib/referee && test ! -e /etc/table-referee && ! getent passwd referee")
