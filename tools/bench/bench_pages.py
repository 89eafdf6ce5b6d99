"""Pages while somebody fills their server with idle connections: `python -m tools.bench.bench_pages [--json]`.

`referee pages` and `referee simulate` are started with 1,024 files, as a login shell gives them. 1,100 connections are
opened and kept open, half of them with half a request; whatever the server ends is opened again. Meanwhile a page is
asked for from another address and from the same. Aims: the slowest answer within 1 s, at most ten lines of log.
"""

from __future__ import annotations

import argparse
import json
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from device.web.audiences import AUDIENCES
from extensions.phones.tests.whole import free_ports

Options: TypeAlias = Callable[[Path, int], tuple[str, ...]]
"""The command that serves a page at a port of this machine. It may leave files in the folder."""

FILES = 1024
IDLE = 1100
AT_ONCE = 50
"""So many connections are opened again before the page is asked for once more."""

FOR_S = 5.0
PATIENCE_S = 60.0
HALF = b"GET / HTTP/1.1\r\nHost: ta"
TABLE = """runtime_dir = "{folder}"
[camera]
source = "none"
[pages]
on = true
port = {port}
"""


def measure() -> dict[str, Any]:
    """Takes some twenty seconds."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2 * IDLE + FILES) if hard > 0 else 2 * IDLE, hard))
    try:
        return {name: _flood(options) for name, options in PAGES.items()}
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _flood(options: Options) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="table-referee-") as folder, _serve(options, Path(folder)) as address:
        alone = _time_request(address, "127.0.0.1")
        place = urlsplit(address)
        idle = [_knock(place, number) for number in range(IDLE)]
        waits: dict[str, list[float]] = {"127.0.0.1": [], "127.0.0.2": []}
        reopened, until = 0, time.monotonic() + FOR_S
        while time.monotonic() < until:
            for source, times in waits.items():
                times.append(_time_request(address, source))
            gone = [number for number, each in enumerate(idle) if _has_ended(each)][:AT_ONCE]
            for number in gone:
                idle[number].close()
                idle[number] = _knock(place, number)
            reopened += len(gone)
        for each in idle:
            each.close()
        log = (Path(folder) / "log").read_text()
        return {
            "answer_alone_s": round(alone, 3),
            "slowest_answer_s": round(max(waits["127.0.0.2"]), 3),
            "slowest_answer_same_address_s": round(max(waits["127.0.0.1"]), 3),
            "asked": sum(map(len, waits.values())),
            "connections_opened": IDLE + reopened,
            "log_lines": len(log.splitlines()),
        }


@contextmanager
def _serve(options: Options, folder: Path) -> Iterator[str]:
    """The address of the page that a command opens."""
    log = (folder / "log").open("a")
    words = options(folder, free_ports(len(AUDIENCES)))
    referee = [str(Path(sys.executable).with_name("referee")), *words]
    command = ["sh", "-c", f'ulimit -n {FILES}; exec "$0" "$@"', *referee]
    with log, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            if not line:
                raise RuntimeError(f"{' '.join(words)} has ended: {(folder / 'log').read_text()}")
            (folder / "log").write_text("")  # what it says of itself at its start is no answer to anybody
            yield line.split()[-1]
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(10)
            server.kill()


def _knock(place: Any, number: int) -> socket.socket:
    """A connection from this machine's first address that says nothing more; every other one begins to ask."""
    caller = socket.create_connection((place.hostname, place.port), PATIENCE_S)
    with suppress(OSError):
        if number % 2:
            caller.send(HALF)
    caller.setblocking(False)
    return caller


def _has_ended(caller: socket.socket) -> bool:
    try:
        return caller.recv(1024) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _time_request(address: str, source: str) -> float:
    """Seconds until a page has been answered that is asked for from an address of this machine."""
    place, began = urlsplit(address), time.monotonic()
    caller = HTTPConnection(str(place.hostname), place.port, PATIENCE_S, (source, 0))
    try:
        caller.request("GET", place.path)
        answer = caller.getresponse()
        if answer.status != 200 or not answer.read():
            raise RuntimeError(f"{address} answered {answer.status}")
        return time.monotonic() - began
    except OSError:
        return PATIENCE_S
    finally:
        caller.close()


def _pages(folder: Path, port: int) -> tuple[str, ...]:
    table = folder / "table.toml"
    table.write_text(TABLE.format(folder=folder, port=port), encoding="utf-8")
    return ("pages", "--table", str(table), "--host", "127.0.0.1")


def _simulator(_: Path, port: int) -> tuple[str, ...]:
    return ("simulate", "--ideal", "--language", "en", "--port", str(port))


PAGES: dict[str, Options] = {"pages": _pages, "simulator": _simulator}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    as_json, figures = parser.parse_args().json, measure()
    if as_json:
        print(json.dumps(figures))
    for name, page in () if as_json else figures.items():
        print(name, *(f"  {key:32} {value}" for key, value in page.items()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
