"""The package's postinst: the key is made by the referee's user on a running system, never in an image; units are
turned on, but for those that somebody turned off."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.clauses import ROOT

POSTINST = ROOT / "tools" / "package" / "debian" / "postinst"


def function_of(name: str) -> str:
    """Its lines in the script."""
    script = POSTINST.read_text(encoding="utf-8")
    begin = script.index(f"\n{name}() {{\n") + 1
    return script[begin : script.index("\n}\n", begin) + 3]


def made(folder: Path, *, running: bool, status: int = 0) -> tuple[list[str], str]:
    """The commands that the key is made with, and what is said. status: how `referee key` ends."""
    commands, system, state = folder / "commands", folder / "system", folder / "state"
    (folder / "bin").mkdir(parents=True)
    for name, body in (("install", ""), ("runuser", f"echo public; exit {status}"), ("timeout", 'shift; exec "$@"')):
        stub = folder / "bin" / name
        told = "" if name == "timeout" else f'echo "{name} $*" >> {commands}\n'
        stub.write_text(f"#!/bin/sh\n{told}{body}\n")
        stub.chmod(0o755)
    if running:
        system.mkdir()
    function = function_of("key").replace("/run/systemd/system", str(system)).replace("/var/lib/referee", str(state))
    done = subprocess.run(
        ["sh", "-c", f"set -e\nhome=/opt/table-referee\nnew=9.9\n{function}key"],
        env={"PATH": f"{folder / 'bin'}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return (commands.read_text().splitlines() if commands.exists() else []), done.stdout


def test_the_key_is_made_by_the_referees_own_user(tmp_path: Path) -> None:
    commands, told = made(tmp_path, running=True)
    assert commands == [
        f"install -d -o referee -g referee -m 700 {tmp_path / 'state'}",
        "runuser -u referee -- /opt/table-referee/9.9/bin/referee key",
    ]
    assert told == ""


def test_no_key_lies_in_an_image(tmp_path: Path) -> None:
    assert made(tmp_path, running=False) == ([], "")


@pytest.mark.parametrize("status", [1, 124])
def test_without_a_key_the_package_is_installed_all_the_same(tmp_path: Path, status: int) -> None:
    _, told = made(tmp_path, running=True, status=status)
    assert "sudo -u referee referee key" in told


def test_it_is_made_before_the_service_is_started() -> None:
    script = POSTINST.read_text(encoding="utf-8")
    assert script.index("\n    key\n") < script.index('referee-version use "$new"')


HELPER = """#!/bin/sh
echo "$*" >> "$CALLS"
[ "$1" = was-enabled ] || exit 0
shift
echo "perl: warning: Setting locale failed." >&2
for unit; do
    case $unit in b.*) echo disabled ;; *) echo enabled ;; esac >&2
done
"""


@pytest.mark.parametrize(
    ("units", "turned"),
    [
        ("a.service b.service c.socket", ["enable a.service c.socket", "update-state b.service"]),
        ("a.service", ["enable a.service"]),
        ("b.service", ["update-state b.service"]),
    ],
)
def test_units_are_turned_on_but_those_that_somebody_turned_off(tmp_path: Path, units: str, turned: list[str]) -> None:
    helper, calls = tmp_path / "deb-systemd-helper", tmp_path / "calls"
    helper.write_text(HELPER)
    helper.chmod(0o755)
    subprocess.run(
        ["sh", "-c", f'set -e\nunits="{units}"\n{function_of("turn_on")}turn_on'],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "CALLS": str(calls)},
        check=True,
    )
    assert calls.read_text().splitlines() == [f"unmask {units}", f"was-enabled {units}", *turned]
