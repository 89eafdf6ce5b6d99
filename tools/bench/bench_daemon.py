"""The daemon as `referee run` starts it, with its vision worker: `python -m tools.bench.bench_daemon`.

A process of its own on mock pins, with displays that nobody wired and frames from shared memory, takes up a match that
was interrupted. Seconds from its start until a seat's display is told what to show (the bus greets newcomers twice a
second, so up to 0.5 s of it is waiting), and the memory of daemon and worker as PSS (aim: under 200 MB together).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import zmq

from device import games
from device.bus.endpoints import ipc
from device.journal import Journal
from device.settings import template
from engine.catalogue import complete
from engine.entry import Start
from extensions.simulator.tests.tables import MAT, laid
from referee_simulator.harness.enrol import enrol
from referee_simulator.render.camera import SIZE, Renderer
from referee_simulator.table.scenes import draw, load_scenes
from vision.cameras.shared import FrameRing

KINDS = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")
PATIENCE_S = 60.0
BUSY_S = 8.0
"""So long the worker looks at frames before its memory is read."""


def measure() -> dict[str, Any]:
    """Takes some fifteen seconds."""
    with tempfile.TemporaryDirectory(prefix="table-referee-") as name:
        folder = Path(name)
        _prepare(folder)
        with zmq.Context() as context, context.socket(zmq.SUB) as display, _frames(folder) as show:
            display.setsockopt(zmq.RECONNECT_IVL, 5)
            display.setsockopt(zmq.SUBSCRIBE, b"")
            display.connect(ipc(folder / "run", "display-a"))
            began = time.monotonic()
            with _daemon(folder) as daemon:
                _wait(display, daemon)
                prompt = time.monotonic() - began
                until = time.monotonic() + BUSY_S
                while time.monotonic() < until:
                    show()
                memory = {"daemon": _pss(daemon.pid), "worker": sum(map(_pss, _children(daemon.pid)))}
    return {
        "start_to_first_prompt_s": round(prompt, 2),
        "pss_mb": {**memory, "together": round(sum(memory.values()), 1)},
    }


def _prepare(folder: Path) -> None:
    """A table file, enrolled stones, and a journal with a match that was begun."""
    text = template("simulated").read_text(encoding="utf-8")
    for key, value in {
        'source = "shared"': f'source = "shared"\nname = "{folder / "frames"}"',
        'runtime_dir = "~/.cache/table-referee/run"': f'runtime_dir = "{folder / "run"}"',
        'state_dir = "~/.local/state/table-referee"': f'state_dir = "{folder}"',
    }.items():
        assert key in text, f"{key} is not in the simulator's table file"
        text = text.replace(key, value)
    (folder / "table.toml").write_text(text, encoding="utf-8")
    enrol(MAT, "stones", 1, folder / "enrolled" / "stones")
    options = dict(complete(games.spec("tellstones").options, {}))
    with Journal(folder / "journal.db") as journal:
        journal.append((Start(0.0, "tellstones", options, ("a", "b"), 1),))


@contextmanager
def _frames(folder: Path) -> Iterator[Callable[[], None]]:
    """Calls show the next frame, five a second."""
    renderer = Renderer(MAT, draw(load_scenes()["normal"], 3))
    table, ring, serial = laid(KINDS[:1], KINDS[1:]), FrameRing(folder / "frames", *SIZE), 0

    def show() -> None:
        nonlocal serial
        serial += 1
        ring.write(serial, time.monotonic(), renderer.frame(table, (), serial / 5, serial).image)
        time.sleep(0.2)

    try:
        yield show
    finally:
        ring.close()


@contextmanager
def _daemon(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [
        sys.executable,
        "-c",
        "from device.cli import main; main()",
        "run",
        "--table",
        str(folder / "table.toml"),
    ]
    environment = {**os.environ, "GPIOZERO_PIN_FACTORY": "mock"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as daemon:
        try:
            yield daemon
        finally:
            daemon.terminate()


def _wait(display: zmq.Socket[bytes], daemon: subprocess.Popen[bytes]) -> None:
    """Until a display is told what to show."""
    until = time.monotonic() + PATIENCE_S
    while not display.poll(10):
        if daemon.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"the daemon does not start (exit code {daemon.poll()})")


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return [int(child) for child in text.split()]


def _pss(pid: int) -> float:
    """Megabytes, each page that is shared counted as the part of it that falls to this process."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines():
        if line.startswith("Pss:"):
            return round(int(line.split()[1]) / 1024, 1)
    raise RuntimeError(f"/proc/{pid}/smaps_rollup says nothing of Pss")


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
