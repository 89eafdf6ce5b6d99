"""`referee run` as a process, under somebody who does what systemd does."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import zmq

from device.bus.display_sockets import VERSION, Shown
from vision.message_decoding import Inbox

ROOT = Path(__file__).parents[3]
TABLE = """
runtime_dir = "{run}"
state_dir = "{state}"
[camera]
source = "none"
[seats.a.input]
kind = "buttons"
back = 17
next = 27
choose = 22
[seats.a.display]
bus = {{ kind = "i2c", port = 1 }}
[seats.b.input]
kind = "buttons"
back = 5
next = 6
choose = 13
[seats.b.display]
bus = {{ kind = "i2c", port = 1, address = 0x3D }}
"""


class Manager:
    """What systemd does: starts the service, listens to it, stops or kills it. before: what its command runs under."""

    def __init__(self, folder: Path, *before: str) -> None:
        self.before = before
        self.run, self.state = folder / "run", folder / "state"
        self.table = folder / "table.toml"
        self.table.write_text(TABLE.format(run=self.run, state=self.state), encoding="utf-8")
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.bind(str(folder / "notify"))
        self.notices.settimeout(60)
        self.process: subprocess.Popen[str] | None = None

    def start(self, *options: str, watchdog_s: float = 3.0) -> None:
        environment = {
            **os.environ,
            "GPIOZERO_PIN_FACTORY": "mock",
            "NOTIFY_SOCKET": str(self.table.parent / "notify"),
            "WATCHDOG_USEC": str(int(watchdog_s * 1e6)),
        }
        environment.pop("WATCHDOG_PID", None)
        code = "from device.cli import main; main()"
        command = [*self.before, sys.executable, "-c", code, "run", "--table", str(self.table), *options]
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)

    def hear(self, wanted: str) -> list[str]:
        """Waits until that is said; all that was said by then."""
        until, heard = time.monotonic() + 60, list[str]()
        while time.monotonic() < until:
            heard.append(self.notices.recv(4096).decode())
            if wanted in heard[-1]:
                return heard
        raise AssertionError(f"{wanted} was not said")

    def end(self, number: int) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(60)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code

    def shown(self, display: str) -> Shown:
        """The present screen of a display, from its endpoint."""
        inbox: Inbox[Shown] = Inbox("test", Shown, VERSION)
        with zmq.Context() as context, context.socket(zmq.SUB) as reader:
            reader.setsockopt(zmq.LINGER, 0)
            reader.setsockopt(zmq.SUBSCRIBE, b"")
            reader.connect(f"ipc://{self.run}/display-{display}.sock")
            assert reader.poll(60_000)
            shown = inbox.receive(reader.recv())
        assert shown is not None
        return shown
