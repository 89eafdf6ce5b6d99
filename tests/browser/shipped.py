"""A table without displays and buttons: `referee run` and `referee pages` as they are shipped, and phones."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = """
runtime_dir = "{folder}/run"
state_dir = "{folder}/state"
[camera]
{camera}
[pages]
on = true
port = {port}
group = ""
hosts = ["127.0.0.1"]
"""
CODE = "import sys; from device.cli import main; main()"
AUDIENCES = ("table", "a", "b", "c", "d", "owner", "camera")
READY_S = 60.0
STRIDE = 97
"""Processes among which the search for ports is divided."""


class Shipped:
    """The two programs. folder: of all that they keep. camera: its lines in the table file."""

    def __init__(self, folder: Path, camera: str = 'source = "none"') -> None:
        self.folder, self.port = folder, _free(len(AUDIENCES))
        self._camera = camera
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Shipped:
        table = self.folder / "table.toml"
        table.write_text(TABLE.format(folder=self.folder, port=self.port, camera=self._camera), encoding="utf-8")
        (self.folder / "run").mkdir(mode=0o700)
        self._start("run", "--table", str(table))
        self._start("pages", "--table", str(table), "--host", "127.0.0.1", "--state", str(self.folder / "pages"))
        until = time.monotonic() + READY_S
        while not self._answers():
            assert time.monotonic() < until, self.log()
            assert all(each.poll() is None for each in self._running), self.log()
            time.sleep(0.1)
        return self

    def __exit__(self, *exc: object) -> None:
        for each in reversed(self._running):
            each.terminate()
            each.wait(20)

    def restart_referee(self) -> None:
        """Start `referee run` again, as an update does."""
        referee = self._running.pop(0)
        referee.terminate()
        referee.wait(20)
        self._start("run", "--table", str(self.folder / "table.toml"))

    def page(self, audience: str) -> str:
        """The address of an audience's page."""
        return f"http{'s' if audience == 'camera' else ''}://127.0.0.1:{self.port + AUDIENCES.index(audience)}/"

    def log(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def _start(self, command: str, *options: str) -> None:
        environment = {**os.environ, "GPIOZERO_PIN_FACTORY": "mock"}
        with (self.folder / f"{command}.log").open("wb") as log:
            self._running.append(
                subprocess.Popen(
                    [sys.executable, "-c", CODE, command, *options], cwd=ROOT, env=environment, stdout=log, stderr=log
                )
            )

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return (self.folder / "run" / "pages" / "table.sock").exists()
        except OSError:
            return False


def _free(count: int) -> int:
    """The first of so many ports on which nothing listens; tests beside these, of another process, look elsewhere."""
    for first in range(20000 + os.getpid() % STRIDE * count, 60000, STRIDE * count):
        try:
            for port in range(first, first + count):
                socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return first
    raise AssertionError("no ports are free")
