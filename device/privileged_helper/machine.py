"""What the steward does to the machine: fixed commands of systemd, and nothing else.

The errands themselves are units of their own (tools/package/debian/referee-*.service). So an errand goes on if the
steward is killed, no two run at once, and the steward needs no right but to ask for them.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from device.privileged_helper.verbs import State, Verb, VerbResult

SYSTEMCTL = "/usr/bin/systemctl"

JOBS: tuple[Verb, ...] = ("update", "back", "reset")
"""Verbs with a unit of their own, named after them."""

COMMANDS: dict[Verb, tuple[str, ...]] = {
    **{verb: (SYSTEMCTL, "start", f"referee-{verb}.service") for verb in JOBS},
    "restart": (SYSTEMCTL, "restart", "referee.service"),
}
"""What is run for each verb, to the word."""

RUNNING: dict[Verb, tuple[str, ...]] = {
    verb: (SYSTEMCTL, "show", "--property=ActiveState", "--value", f"referee-{verb}.service") for verb in JOBS
}

LONGEST_CODE = 80
"""Characters of a code or version that are passed on."""


@dataclass(frozen=True)
class Places:
    """base: where the versions lie (tools/package/referee-version). stages: where an errand tells how far it is, in a
    file named after its verb. mark: what a reset that was begun leaves until it has ended.
    """

    base: Path = Path("/opt/table-referee")
    stages: Path = Path("/run/referee-steward")
    mark: Path = Path("/var/lib/referee-steward/reset")

    @property
    def look(self) -> tuple[str, ...]:
        """The command that prints the newer version that lies on the card."""
        return (str(self.base / "referee-errand"), "look")

    def version(self, link: str) -> str:
        """The version that "current" or "before" names; "" if there is none."""
        try:
            return (self.base / link).readlink().name[:LONGEST_CODE]
        except OSError:
            return ""

    def set_mark(self) -> None:
        """A reset begins: on disk when this returns, so that it is ended after a power cut. Raises OSError."""
        self.mark.touch()
        os.sync()

    def clear_mark(self) -> None:
        """The reset that set it has not begun: the next start of the machine shall not make up for it."""
        self.mark.unlink(missing_ok=True)
        os.sync()

    def told_at(self, verb: str) -> int:
        """Return when the errand of a verb last reported progress, in ns; 0 for never since the machine's start."""
        try:
            return (self.stages / verb).stat().st_mtime_ns
        except OSError:
            return 0

    def job_end(self, verb: str, runs: bool) -> VerbResult | None:
        """Return the state of a verb's errand by its reports; None if there was none since the machine's start."""
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
    """Return what a fixed command prints, stripped; "" if it fails or says nothing in time."""
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=limit_s, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
