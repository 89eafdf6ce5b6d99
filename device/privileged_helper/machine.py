"""Runs fixed systemd commands; jobs are units (tools/package/debian/referee-*.service) that never overlap."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from device.privileged_helper.verbs import State, Verb, VerbResult

SYSTEMCTL = "/usr/bin/systemctl"

JOBS: tuple[Verb, ...] = ("update", "update-unsigned", "back", "reset")
"""Verbs with a unit."""

COMMANDS: dict[Verb, tuple[str, ...]] = {
    **{verb: (SYSTEMCTL, "start", f"referee-{verb}.service") for verb in JOBS},
    "restart": (SYSTEMCTL, "restart", "referee.service"),
}
"""Command of each verb."""

RUNNING: dict[Verb, tuple[str, ...]] = {
    verb: (SYSTEMCTL, "show", "--property=ActiveState", "--value", f"referee-{verb}.service") for verb in JOBS
}

LONGEST_CODE = 80
"""Characters of a passed-on code or version."""


@dataclass(frozen=True)
class Places:
    """Paths. base: versions (tools/package/referee-version). stages: progress files by verb. mark: exists during a
    reset."""

    base: Path = Path("/opt/table-referee")
    stages: Path = Path("/run/referee-steward")
    mark: Path = Path("/var/lib/referee-steward/reset")

    @property
    def look(self) -> tuple[str, ...]:
        """Command that prints a newer version on the card, and what its signature is."""
        return (str(self.base / "referee-errand"), "look")

    def version(self, link: str) -> str:
        """Return the version of "current" or "before", or ""."""
        try:
            return (self.base / link).readlink().name[:LONGEST_CODE]
        except OSError:
            return ""

    def set_mark(self) -> None:
        """Mark a reset on disk, to finish it after a power cut. Raises OSError."""
        self.mark.touch()
        os.sync()

    def clear_mark(self) -> None:
        """Remove the mark of a reset that did not begin."""
        self.mark.unlink(missing_ok=True)
        os.sync()

    def told_at(self, verb: str) -> int:
        """Return a job's last progress time in ns; 0 for none since start-up."""
        try:
            return (self.stages / verb).stat().st_mtime_ns
        except OSError:
            return 0

    def job_end(self, verb: str, runs: bool) -> VerbResult | None:
        """Return a job's state; None if none since start-up."""
        try:
            state, _, code = (self.stages / verb).read_text("utf-8")[:LONGEST_CODE].strip().partition(" ")
        except (OSError, ValueError):
            state, code = "", ""
        if runs:
            return VerbResult("running", code if state == "running" else "")
        known: dict[str, State] = {"done": "done", "failed": "failed", "running": "failed"}
        if state not in known:
            return None
        return VerbResult(known[state], why="broken-off" if state == "running" else code)


def output_of(command: Sequence[str], limit_s: float = 60.0) -> str:
    """Return a command's output; "" on failure or timeout."""
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=limit_s, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
