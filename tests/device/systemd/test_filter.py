"""The system call filters of the units let through all that the program does: one refused call may end it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.device.daemon.managing import Manager
from tests.device.systemd import sandbox
from tests.device.systemd.units import NAMES, ROOT, unit

pytestmark = pytest.mark.skipif(not sandbox.USABLE, reason="systemd-analyze is not installed")

DEEDS = {
    "sockets": "import zmq; s = zmq.Context().socket(zmq.PAIR); s.bind('inproc://x'); import time; time.sleep(0.1)",
    "journal": """import sqlite3; db = sqlite3.connect('j.db'); db.execute('PRAGMA journal_mode=WAL')
db.execute('PRAGMA synchronous=FULL'); db.execute('CREATE TABLE t (x)'); db.execute('INSERT INTO t VALUES (1)')
db.commit()""",
    "loops": """import asyncio, sys
async def main():
    child = await asyncio.create_subprocess_exec(sys.executable, '-c', 'import cv2, numpy', process_group=0)
    assert await child.wait() == 0
    assert await asyncio.to_thread(lambda: 3) == 3
asyncio.run(main())""",
    "pins": """import importlib.util, gpiozero, luma.oled.device
if importlib.util.find_spec('lgpio'): import lgpio""",
    "files": """import fcntl, os
with open('lock', 'w') as file: fcntl.flock(file, fcntl.LOCK_EX); os.fsync(file.fileno())
os.replace('lock', 'other'); os.chmod('other', 0o600); os.mkdir('folder', 0o700)""",
}
"""What the service does of the machine, apart from devices, which only a kernel with such devices can show."""


def confined(name: str, *command: str) -> tuple[str, ...]:
    """A command under the filters of a unit."""
    return (sys.executable, "-m", "tests.device.systemd.sandbox", name, *command)


@pytest.mark.parametrize("name", NAMES)
def test_what_the_service_asks_of_the_kernel_is_let_through(name: str, tmp_path: Path) -> None:
    deeds = "\n".join(DEEDS.values())
    code = f"import os; os.chdir({str(tmp_path)!r})\n{deeds}"
    done = subprocess.run(
        confined(name, sys.executable, "-c", code), cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))", "PermissionError"),
        ("os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)); raise SystemExit('may')", "may"),
        ("os.setpriority(os.PRIO_PROCESS, 0, -5)", "PermissionError"),
        ("import socket; socket.socket(socket.AF_PACKET)", "Address family not supported"),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_what_it_has_no_use_for_is_refused(name: str, deed: str, told: str) -> None:
    done = subprocess.run(
        confined(name, sys.executable, "-c", f"import os; {deed}"),
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert told in done.stderr


@contextmanager
def started(folder: Path) -> Iterator[Manager]:
    """The service, as the unit confines it, with a camera that sees an empty table."""
    pictures = folder / "pictures"
    pictures.mkdir()
    for number in range(3):
        cv2.imwrite(str(pictures / f"{number}.png"), np.full((720, 1280, 3), 128, np.uint8))
    made = Manager(folder, *confined("referee"))
    table = made.table.read_text(encoding="utf-8")
    made.table.write_text(table.replace('source = "none"', f'source = "file"\npath = "{pictures}"'), encoding="utf-8")
    try:
        made.start()
        yield made
    finally:
        if made.process is not None and made.process.poll() is None:
            made.process.kill()
            made.process.wait()
        made.notices.close()


def test_the_service_gets_ready_its_worker_reports_and_the_room_has_its_page(tmp_path: Path) -> None:
    with started(tmp_path) as service:
        service.hear("READY=1")
        assert service.process is not None
        assert service.process.stderr is not None
        log = iter(service.process.stderr.readline, "")
        assert any("vision worker 1 reports" in line for line in log)
        assert page(service.run / "display-table.sock").startswith("<!doctype html>")
        service.hear("WATCHDOG=1")
        assert service.end(signal.SIGTERM) == 0


HAND_OVER = """import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
os.execv(sys.argv[2], sys.argv[2:])"""
"""As systemd starts a service whose socket it has opened (sd_listen_fds(3))."""


def page(endpoint: Path) -> str:
    """What `referee room` answers at the port that systemd opens for it, as its unit confines it."""
    words = ["room", "--endpoint", str(endpoint)]
    assert set(words) & set(unit("referee-room")["ExecStart"][0].split()) == {"room", "--endpoint"}
    command = confined("referee-room", sys.executable, "-c", "from device.cli import main; main()", *words)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port, number = server.getsockname()[1], server.fileno()
        room = subprocess.Popen(
            (sys.executable, "-c", HAND_OVER, str(number), *command),
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, pass_fds=[number],
        )  # fmt: skip
        try:
            assert room.stdout is not None
            lines = iter(room.stdout.readline, "")
            address = next(word for line in lines for word in line.split() if word.startswith("http://"))
            assert address.endswith(f":{port}/")
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
                told: str = answer.read().decode()
            return told
        finally:
            room.kill()
            room.wait()
