"""`sudo make install` in the machine, as a developer does it on a Pi (docs/install.md): the package of this checkout is
built there from files of Debian and PyPI, and installed.

The machine reaches what the host reaches: Debian as the disk was made (MACHINE_MIRROR), PyPI by what the environment
tells pip here.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from tools.machine.conftest import Boot, Figure
from tools.machine.installing import EXPOSURE, INSTALL_S, SHARE, exposure_of, property_of, wait_up
from tools.machine.qemu import Machine, Options
from tools.machine.showing import until_lit
from tools.machine.upgrades import version
from tools.package.release import ROOT

pytestmark = [pytest.mark.machine, pytest.mark.soak, pytest.mark.timeout(12000)]

MAKE_S = 9000
"""For an emulated arm64 machine on a host that has other work."""

OWNER = """\
set -e
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends sudo make
useradd --create-home pi
echo 127.0.1.1 table >> /etc/hosts
echo 'pi ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/pi
"""
"""What Raspberry Pi OS has: somebody who may do everything by sudo, which looks up the name of the machine."""

PIP = ("index-url", "extra-index-url", "trusted-host", "cert", "proxy")
"""What says where files come from."""


def share_checkout(machine: Machine) -> None:
    """The files of this checkout, as they are now, into the home of who installs. Raises MachineError."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    packed = ["tar", "-c", "--null", "-T", "-", "-f", str((machine.share / "checkout.tar").absolute())]
    subprocess.run(packed, cwd=ROOT, check=True, input=listed)
    machine.must(f"runuser -u pi -- sh -c 'mkdir ~/referee && tar -x -C ~/referee -f {SHARE}/checkout.tar'")


def share_settings_of_pip(machine: Machine) -> None:
    """Raises MachineError."""
    told = {name: os.environ.get("PIP_" + name.upper().replace("-", "_")) for name in PIP}
    if certificates := told["cert"]:
        (machine.share / "certificates").write_bytes(Path(certificates).read_bytes())
        told["cert"] = f"{SHARE}/certificates"
    settings = "".join(f"{name} = {value}\n" for name, value in told.items() if value)
    machine.must(f"printf %s {shlex.quote('[global]' + chr(10) + settings)} > /etc/pip.conf")


def test_make_install_builds_the_package_on_the_pi_and_starts_it(boot: Boot, figure: Figure) -> None:
    machine = boot(Options(network=True, safe=False), bare=True)
    machine.go_online()
    machine.must(OWNER, INSTALL_S)
    share_checkout(machine)
    share_settings_of_pip(machine)
    begun = time.monotonic()
    done = machine.sh(f"runuser -l pi -c 'cd referee && sudo make install' > {SHARE}/installing.log 2>&1", MAKE_S)
    made = time.monotonic()
    said = (machine.share / "installing.log").read_text(errors="replace")
    assert done.rc == 0, said[-4000:]
    wait_up(machine, INSTALL_S)
    ready = time.monotonic()
    assert "+dev" in version(machine), "the version is one of this build"
    exposure = exposure_of(machine, "referee")
    assert exposure <= EXPOSURE
    assert property_of(machine, "NRestarts") == "0"
    until_lit(machine, 2, INSTALL_S)
    assert machine.must("find ~pi/referee ! -user pi").text == "", "nothing but apt has worked as root"
    figure(install_s=round(made - begun, 1), ready_s=round(ready - made, 1), exposure=exposure)
