"""A steward in a process of its own, on a real socket, and a systemd that starts units which outlive it (unit.sh)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

UNIT = Path(__file__).parent / "unit.sh"
STEWARD = """
import asyncio, json, os, socket, sys
from pathlib import Path
from device.privileged_helper.serving import Places
from device.privileged_helper.serving import PrivilegedHelper
folder, uid, idle_s = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
places = Places(folder / "base", folder / "stages", folder / "reset")
unit = [sys.argv[4]]
verbs = ("update", "update-unsigned", "back", "reset")
listener = socket.socket(fileno=int(sys.argv[5]))
steward = PrivilegedHelper(
    uid, places,
    commands={verb: [*unit, "start", verb] for verb in (*verbs, "restart")},
    running={verb: [*unit, "show", verb] for verb in verbs},
)
asyncio.run(steward.serve(listener, idle_s))
"""
LIMIT_S = 60.0


class Machine:
    """folder: all that this machine has but its socket, which every user of the system can reach. That is systemd's: it
    stays when the steward ends."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._reached = folder, Path(tempfile.mkdtemp())
        self._reached.chmod(0o755)
        self.path = self._reached / "steward.sock"
        for name in ("base", "stages", "active"):
            (folder / name).mkdir()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen(8)
        self.uid = os.getuid()
        self._steward: subprocess.Popen[bytes] | None = None

    def start(self, idle_s: float = LIMIT_S, under: tuple[str, ...] = ()) -> None:
        """As systemd does when somebody knocks. under: the command that it is started by."""
        number = self.listener.fileno()
        words = [str(self.folder), str(self.uid), str(idle_s), str(UNIT), str(number)]
        self._steward = subprocess.Popen(
            [*under, sys.executable, "-c", STEWARD, *words],
            pass_fds=[number],
            env={**os.environ, "MACHINE": str(self.folder)},
        )

    def kill(self) -> None:
        """kill -9, as the kernel does for too much memory."""
        assert self._steward is not None
        self._steward.send_signal(signal.SIGKILL)
        self._steward.wait(LIMIT_S)

    def ends(self) -> int:
        """Waits for the steward's own end; its exit code."""
        assert self._steward is not None
        return self._steward.wait(LIMIT_S)

    def stop(self) -> None:
        for verb in ("update", "update-unsigned", "back", "reset", "restart"):
            self.finish(verb)
        if self._steward is not None and self._steward.poll() is None:
            self.kill()
        self.listener.close()
        shutil.rmtree(self._reached)

    def finish(self, verb: str, outcome: str = "done") -> None:
        """The errand of a verb ends so, once it runs."""
        (self.folder / f"{verb}.outcome").write_text(outcome)

    def runs(self, verb: str) -> bool:
        return (self.folder / "active" / verb).exists()

    def begun(self) -> list[str]:
        """Every command that was run to change something, in order."""
        log = self.folder / "begun"
        return log.read_text().splitlines() if log.exists() else []

    @contextmanager
    def asked(self, line: bytes) -> Iterator[Callable[[], dict[str, Any] | None]]:
        """Asks, in bytes; what comes reads the next answer, None at the end."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(LIMIT_S)
            connection.connect(str(self.path))
            connection.sendall(line)
            stream = connection.makefile("rb")

            def answer() -> dict[str, Any] | None:
                told = stream.readline()
                return json.loads(told) if told else None

            yield answer

    def ask(self, line: bytes) -> list[dict[str, Any]]:
        """All answers."""
        with self.asked(line) as answer:
            return list(iter(answer, None))


def until(holds: Callable[[], bool]) -> None:
    """Waits for something that must come."""
    last = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < last, "it never comes"
        time.sleep(0.02)
