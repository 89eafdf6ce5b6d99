"""The units: shut in, fed by progress, with no network but loopback; the room's page is apart and off by default."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

UNITS = Path(__file__).parents[3] / "systemd"
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


def unit(name: str) -> dict[str, list[str]]:
    """Every setting of a unit with all its values, as systemd reads them."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in (UNITS / f"{name}.service").read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found[key].append(value)
    return found


@needs_systemd
@pytest.mark.parametrize("name", ["referee", "referee-room"])
def test_the_exposure_is_at_most_two(name: str) -> None:
    result = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(UNITS / f"{name}.service")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    level = re.search(r"exposure level for .*: ([\d.]+)", result.stdout)
    assert level is not None
    assert float(level[1]) <= 2.0


@needs_systemd
@pytest.mark.parametrize("name", ["referee", "referee-room"])
def test_systemd_knows_every_setting(name: str) -> None:
    result = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(UNITS / f"{name}.service")],
        capture_output=True,
        text=True,
        check=False,
    )
    complaints = [line for line in result.stderr.splitlines() if name in line and "is not executable" not in line]
    assert complaints == []


def test_the_daemon_is_watched_and_comes_back() -> None:
    service = unit("referee")
    assert service["Type"] == ["notify"]
    assert float(service["WatchdogSec"][0]) <= 30
    assert service["Restart"] == ["on-failure"]
    assert service["User"] == ["referee"]
    assert set(service["SupplementaryGroups"][0].split()) == {"gpio", "i2c", "spi", "video"}


def test_the_daemon_has_no_network_but_local_sockets() -> None:
    service = unit("referee")
    assert service["PrivateNetwork"] == ["yes"]
    assert service["RestrictAddressFamilies"] == ["AF_UNIX"]
    assert service["IPAddressDeny"] == ["any"]


def test_the_room_sees_one_socket_and_no_unit_pulls_it_in() -> None:
    room = unit("referee-room")
    assert room["BindReadOnlyPaths"] == ["/run/referee/display-table.sock:/run/referee-room/display-table.sock"]
    assert any("/run/referee:ro" in value for value in room["TemporaryFileSystem"])
    assert not any("referee-room" in value for values in unit("referee").values() for value in values)


def test_units_parse_as_ini() -> None:
    for path in UNITS.glob("*.service"):
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.read(path, encoding="utf-8")
        assert parser.sections() == ["Unit", "Service", "Install"]
