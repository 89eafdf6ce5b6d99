"""The package's postinst: units are turned on, but for those that somebody turned off."""

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
