"""The referee on a machine's disk, installed from its package as an owner would: `apt install ./table-referee.deb`."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.machine.disk import Disk
from tools.machine.qemu import Machine, MachineError, Options, running

TABLE = "/etc/table-referee/table.toml"
PLAY = "/opt/table-referee/current/bin/python /run/machine/tools/machine/guest/play.py"
SHARE = "/run/machine/share"
UP = "systemctl is-active --quiet referee"
"""Succeeds once the service has said that it is ready (Type=notify)."""
KILL = "import os, sys, time; pid = int(sys.argv[1]); print(time.monotonic_ns()); os.kill(pid, 9)"
"""Prints when, and kills."""
GIVEN_UP = "systemctl is-failed --quiet referee"
EXPOSURE = 1.0
"""The most that systemd may find open in a unit, of 10."""
INSTALL_S = 3000
"""For apt, and then for the service: an emulated arm64 machine on a host that has other work needs so long."""


@dataclass(frozen=True)
class Figures:
    """boot_s: until the machine answers. install_s: apt's work, without a network. ready_s: since then, until READY."""

    boot_s: float
    install_s: float
    ready_s: float
    package: str


@dataclass(frozen=True)
class Installed:
    """image: the disk with the referee on it. figures: how it got there; package: the .deb."""

    image: Path
    package: Path
    figures: Figures


def install_package(disk: Disk) -> Installed:
    """Builds the package of this checkout and installs it, unless that was done already."""
    package = build_package(disk, disk.image.parent / "packages")
    folder = disk.image.parent / f"installed-{_digest(package)}"
    image, told = folder / "disk.qcow2", folder / "figures.json"
    if not told.exists():
        folder.mkdir(exist_ok=True)
        image.unlink(missing_ok=True)
        with running(Machine(disk, folder, Options(safe=False))) as machine:
            figures = install(machine, package)
        told.write_text(json.dumps(asdict(figures)))
    return Installed(image, package, Figures(**json.loads(told.read_text())))


def build_package(disk: Disk, folder: Path, mark: str = "") -> Path:
    """The package of this checkout; mark: for a version of its own. Raises subprocess.CalledProcessError."""
    folder.mkdir(exist_ok=True)
    words = ["--release", disk.recipe.release, "--arch", disk.recipe.machine, "--local", mark, "--json"]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        command = [sys.executable, "-m", "tools.package", *words, "--out", place]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        package = Path(json.loads(done.stdout.splitlines()[-1])["package"])
        return package.replace(folder / package.name)


def install(machine: Machine, package: Path) -> Figures:
    """`apt install` without a network, and the wait for READY. Raises MachineError."""
    share(machine, package)
    begun = time.monotonic()
    machine.must(f"DEBIAN_FRONTEND=noninteractive apt-get install -y -q {SHARE}/{package.name}", INSTALL_S)
    done = time.monotonic()
    wait_up(machine, INSTALL_S)
    return Figures(machine.boot_s, done - begun, time.monotonic() - done, package.name)


def wait_up(machine: Machine, seconds: float) -> None:
    """Waits until the service is up. Raises MachineError, at once where systemd has given it up."""
    machine.wait(f"{UP} || {GIVEN_UP}", seconds)
    if not machine.sh(GIVEN_UP).rc:
        journal = machine.sh("journalctl -b -u referee --no-pager -n 60").out
        raise MachineError(f"the service has failed and is not started again; its journal:\n{journal}")


def property_of(machine: Machine, name: str) -> str:
    """Of the service, as systemd tells it. Raises MachineError."""
    return machine.must(f"systemctl show --value --property={name} referee").text


def exposure_of(machine: Machine, unit: str) -> float:
    """How far systemd finds a unit open, of 10. Raises MachineError."""
    level = re.search(r"level.*?: ([\d.]+)", machine.must(f"systemd-analyze security {unit} --no-pager").text)
    if level is None:
        raise MachineError(f"systemd-analyze says nothing of {unit}")
    return float(level[1])


def choose(machine: Machine, camera: str) -> None:
    """Another camera in the table file; the service is started again. Raises MachineError."""
    edit = f's/^source = .*/source = "{camera}"/' + ("; /^size/d" if camera == "none" else "")
    machine.must(f"sed -i '{edit}' {TABLE} && systemctl restart referee", INSTALL_S)


def fresh(machine: Machine, table: str = "") -> None:
    """A table at which nothing was played yet; table: another of those that are shipped. Raises MachineError."""
    tables = "/opt/table-referee/current/lib/python3*/site-packages/device/_config/tables"
    lay = f"cp {tables}/{table}.toml {TABLE} && " if table else ""
    machine.must(f"systemctl stop referee; {lay}rm -rf /var/lib/referee/*")
    choose(machine, "none")


def kill(machine: Machine) -> int:
    """Kills the service's main process as the kernel does for want of memory. When, in ns of the machine's monotonic
    clock: nothing is started between that moment and the signal. Raises MachineError."""
    pid = property_of(machine, "MainPID")
    return int(machine.must(f"python3 -c '{KILL}' {pid}").text)


def share(machine: Machine, path: Path) -> None:
    """Puts a file where the machine can read it."""
    (machine.share / path.name).write_bytes(path.read_bytes())


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
