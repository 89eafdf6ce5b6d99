"""From inside: a worker that was taken over can reach its own seat alone, and the process that keeps them nothing."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from extensions.phones.tests.stand_in import ROOT, gateway
from referee_phones.libseccomp import ALLOW, EQUAL, Argument, Filter, refuse


def tried(folder: Path, monkeypatch: pytest.MonkeyPatch, shut_in: bool) -> tuple[list[dict[str, Any]], str]:
    """What the workers of two audiences could do, and what was written."""
    secret = folder / "journal.db"
    secret.write_text("who has which stone")
    other = subprocess.Popen((sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setenv("PROBED", json.dumps([[other.pid], str(secret), str(folder / "pages" / "table.sock")]))
    try:
        with gateway(folder, program=("-m", "extensions.phones.tests.inside"), shut_in=shut_in) as made:
            made.until(lambda: len(found(made.text)) >= 2)
            assert other.poll() is None or not shut_in
            return found(made.text), made.text
    finally:
        other.kill()
        other.wait()


def found(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{") and line.endswith("}")]


@pytest.mark.thorough
def test_a_worker_can_do_nothing_but_speak_over_what_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    probes, _ = tried(tmp_path, monkeypatch, shut_in=True)
    assert {each["audience"] for each in probes} == {"table", "a"}
    for each in probes:
        assert {name: said for name, said in each["found"].items() if said != "refused"} == {}
        # Standard input, output and error, the port, the daemon, and of the loop: epoll and a pair of sockets.
        assert each["open"] <= 8


HARMLESS = (
    "journal", "list", "stat", "write", "another seat", "socket pair", "datagram", "fast open", "filter", "memory read",
    "pidfd", "memfd", "shared memory", "code mapped", "dumpable", "keeper's memory", "others' files",
)  # fmt: skip
OUTSIDE = """import json, os, socket, sys
from referee_phones.plan import Place
from extensions.phones.tests import inside
secret, endpoint, *names = sys.argv[1:]
listener = socket.create_server(("127.0.0.1", 0))
place = Place("a", listener.fileno(), "", {})
tries = inside.attempts(place, [os.getppid()], secret, endpoint)
print(json.dumps({name: inside.tried(tries[name]) for name in names}))
"""


@pytest.mark.thorough
def test_what_is_refused_inside_is_possible_outside(tmp_path: Path) -> None:
    """So that it is the filter which refuses it."""
    secret, endpoint = tmp_path / "journal.db", tmp_path / "b.sock"
    secret.write_text("who has which stone")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(endpoint))
        other.listen()
        done = subprocess.run(
            (sys.executable, "-c", OUTSIDE, str(secret), str(endpoint), *HARMLESS),
            cwd=ROOT, capture_output=True, text=True, check=True,
        )  # fmt: skip
    found = json.loads(done.stdout)
    assert {name: said for name, said in found.items() if said == "refused"} == {}


@pytest.mark.thorough
def test_the_keeper_holds_no_connection_to_the_daemon_and_a_worker_its_own_alone(tmp_path: Path) -> None:
    with gateway(tmp_path, audiences=("table", "a", "b")) as made:
        assert made.process is not None
        made.until(lambda: len(made.workers()) == 3)
        kept = unix_sockets(made.process.pid)
        assert kept == []
        assert all(len(daemon._writers) == 1 for daemon in made.daemons.values())


def unix_sockets(pid: int) -> list[str]:
    """The descriptors of a process that are sockets but listen on no TCP port."""
    tcp = {line.split()[9] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]}
    targets = [str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()]
    return [each for each in targets if each.startswith("socket:") and each[8:-1] not in tcp]


def test_without_seccomp_nothing_is_served(tmp_path: Path) -> None:
    program = (
        "-c",
        "import sys; from referee_phones import keeper, libseccomp; libseccomp.NAME = 'no such library';"
        "keeper.main(sys.argv[1:])",
    )
    with gateway(tmp_path, daemons=False, program=program) as made:
        assert made.process is not None
        assert made.process.wait(60) != 0
        assert "install libseccomp2" in made.text
        assert made.workers() == {}


def test_what_a_processor_has_no_call_for_is_left_out() -> None:
    Filter(ALLOW).add(ALLOW, "no_such_call")


def test_a_rule_that_is_none_is_an_error() -> None:
    with pytest.raises(OSError, match="Invalid argument"):
        Filter(ALLOW).add(refuse(1), "read", Argument(9, EQUAL, 1))
