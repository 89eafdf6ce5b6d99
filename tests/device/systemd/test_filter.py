"""The system call filters of the units let through all that the program does: one refused call may end it."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import cv2
import numpy as np
import pytest

from device.web.audiences import AUDIENCES
from extensions.phones.tests.stand_in import Daemon
from referee_phones.frames import PageOpened
from tests.device.daemon.managing import Manager
from tests.device.systemd import sandbox
from tests.device.systemd.units import NAMES, ROOT, ROOTS, UPDATES, unit
from tools.release.signing import NAMESPACE, allowed_signers, sign
from tools.tests import test_errand, test_versions
from tools.tests.test_errand import learnt
from tools.tests.test_release import made_key

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
    "sheets": """import asyncio, pathlib
from device.clock import WallClock
from device.daemon.jobs import printing
from engine.text import Text
task = printing(WallClock(), Text('Tellstones'), ('calibration',), pathlib.Path('.'))
asyncio.run(task.run())
assert task.step().file is not None, task.step().now""",
}
"""What the service does of the machine, apart from devices, which only a kernel with such devices can show."""


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_what_the_service_asks_of_the_kernel_is_let_through(tmp_path: Path) -> None:
    deeds = "\n".join(DEEDS.values())
    code = f"import os; os.chdir({str(tmp_path)!r})\n{deeds}"
    done = subprocess.run(
        sandbox.command("referee", sys.executable, "-c", code),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,  # the sheet is drawn when nothing else wants the processor
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))", "PermissionError"),
        ("os.setpriority(os.PRIO_PROCESS, 0, -5)", "PermissionError"),
        ("import socket; socket.socket(socket.AF_PACKET)", "Address family not supported"),
    ],
)
@pytest.mark.parametrize("name", [*NAMES, *sorted({*ROOTS} - UPDATES)])
def test_what_it_has_no_use_for_is_refused(name: str, deed: str, told: str) -> None:
    done = subprocess.run(
        sandbox.command(name, sys.executable, "-c", f"import os; {deed}"),
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 1
    assert told in done.stderr


@pytest.mark.thorough
def test_what_the_library_of_its_sockets_sets_is_let_through() -> None:
    deed = "import os; os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))"
    subprocess.run(sandbox.command("referee", sys.executable, "-c", deed), cwd=ROOT, check=True, timeout=100)


@pytest.mark.thorough
def test_the_sockets_of_pages_and_herald_are_given_to_their_groups(tmp_path: Path) -> None:
    deed = """import grp, os, sys; from pathlib import Path; from device.bus.endpoints import bind, shared_folder
number = shared_folder(Path(sys.argv[1]), grp.getgrgid(os.getgid()).gr_name)
assert number is not None
bind(Path(sys.argv[1], 's.sock'), number)"""
    command = sandbox.command("referee", sys.executable, "-c", deed, str(tmp_path / "public"))
    subprocess.run(command, cwd=ROOT, check=True, timeout=100)
    assert (tmp_path / "public").stat().st_mode & 0o777 == 0o710


@contextmanager
def started(folder: Path) -> Iterator[Manager]:
    """The service, as the unit confines it, with a camera that sees an empty table."""
    pictures = folder / "pictures"
    pictures.mkdir()
    for number in range(3):
        cv2.imwrite(str(pictures / f"{number}.png"), np.full((720, 1280, 3), 128, np.uint8))
    made = Manager(folder, *sandbox.command("referee"))
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


@pytest.mark.thorough
def test_the_service_gets_ready_and_its_worker_reports(tmp_path: Path) -> None:
    with started(tmp_path) as service:
        service.hear("READY=1")
        assert service.process is not None
        assert service.process.stderr is not None
        log = iter(service.process.stderr.readline, "")
        assert any("vision worker 1 reports" in line for line in log)
        service.hear("WATCHDOG=1")
        assert service.end(signal.SIGTERM) == 0


HAND_OVER = """import fcntl, os, sys
held = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 50) for number in sys.argv[1].split(",")]
for place, number in enumerate(held):
    os.dup2(number, 3 + place)
    os.close(number)
os.environ |= {"LISTEN_FDS": str(len(held)), "LISTEN_PID": str(os.getpid())}
os.execv(sys.argv[2], sys.argv[2:])"""
"""As systemd starts a service whose sockets it has opened (sd_listen_fds(3))."""


@pytest.mark.thorough
def test_phones_get_their_pages_from_workers_that_are_shut_in_twice(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    table.write_text(
        f'runtime_dir = "{tmp_path}"\nstate_dir = "{tmp_path}"\n[camera]\nsource = "none"\n[pages]\non = true\n',
        encoding="utf-8",
    )
    daemons = [Daemon(tmp_path / "pages" / f"{audience}.sock") for audience in AUDIENCES]
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in AUDIENCES]
    numbers, ports = [each.fileno() for each in servers], [each.getsockname()[1] for each in servers]
    words = ["pages", "--table", str(table)]
    assert set(words) & set(unit("referee-pages")["ExecStart"][0].split()) == {"pages", "--table"}
    command = sandbox.command("referee-pages", sys.executable, "-c", "from device.cli import main; main()", *words)
    log = (tmp_path / "log").open("w+")
    for each in daemons:
        each.start()
    with log, subprocess.Popen(
        (sys.executable, "-c", HAND_OVER, ",".join(map(str, numbers)), *command),
        cwd=ROOT, stdout=log, stderr=log, pass_fds=numbers,
    ) as pages:  # fmt: skip
        try:
            for audience, port, each in zip(AUDIENCES, ports, daemons, strict=True):
                assert link(port)["number"] == 1, (tmp_path / "log").read_text()
                each.await_frame(PageOpened)
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/app.json", timeout=100) as answer:
                    assert json.load(answer)["audience"] == audience
            assert "another is started" not in (tmp_path / "log").read_text()
        finally:
            pages.send_signal(signal.SIGTERM)
            assert pages.wait(60) == 0
            for each in daemons:
                each.close()
            for server in servers:
                server.close()


def link(port: int) -> dict[str, object]:
    """The first sheet that a page hears at that port, once the daemon is reached."""

    async def hear() -> dict[str, object]:
        async with aiohttp.ClientSession() as session, asyncio.timeout(100):
            while True:
                async with session.ws_connect(f"http://127.0.0.1:{port}/link") as page:
                    said = await page.receive_json()
                    if "challenge" in said:
                        return dict(await page.receive_json())
                await asyncio.sleep(0.1)

    return asyncio.run(hear())


key = test_errand.key
machine = test_errand.machine
versions = test_versions.machine


@pytest.mark.thorough
def test_a_reset_forgets_all_within_its_unit(machine: test_errand.Machine) -> None:
    state = learnt(machine)
    if os.getuid() == 0:  # as they are: folders of another user, who lets nobody in
        for each in (state / "referee", state / "referee-pages"):
            os.chown(each, 65534, 65534)
            each.chmod(0o700)
    done = machine.run("reset", within=sandbox.command("referee-reset"))
    assert (done.returncode, machine.told("reset")) == (0, "done"), done.stderr
    assert not (state / "referee").exists()


@pytest.mark.thorough
def test_a_version_is_judged_and_left_again_within_the_units_for_it(versions: test_versions.Machine) -> None:
    versions.install(test_versions.OLD)
    versions.install(test_versions.NEW)
    for unit_of, words in (("referee-trial", "judge"), ("referee-back", "back")):
        done = versions.run(words, within=sandbox.command(unit_of))
        assert done.returncode == 0, done.stderr
    assert (versions.base / "current").readlink().name == test_versions.OLD


@pytest.mark.thorough
@pytest.mark.skipif(os.getuid() != 0, reason="only root installs packages")
def test_a_package_is_installed_within_the_units_of_an_update(tmp_path: Path) -> None:
    """With a file of another user, one with a user's rights, and a script that writes outside of the package."""
    tree, root = tmp_path / "tree", tmp_path / "root"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text(
        "Package: p\nVersion: 1.1\nArchitecture: all\nMaintainer: M <m@example.org>\nDescription: d\n"
    )
    script = tree / "DEBIAN" / "postinst"
    script.write_text('#!/bin/sh\nset -e\ninstall -D -o 65534 -m 600 /etc/hostname "$DPKG_ROOT/etc/p/of-another"\n')
    script.chmod(0o755)
    (tree / "usr").mkdir()
    (tree / "usr" / "suid").touch()
    (tree / "usr" / "suid").chmod(0o4755)
    os.chown(tree / "usr" / "suid", 65534, 65534)
    (tree / "usr" / "suid").chmod(0o4755)
    (root / "var" / "lib" / "dpkg" / "info").mkdir(parents=True)
    (root / "var" / "lib" / "dpkg" / "status").touch()
    subprocess.run(["dpkg-deb", "--build", str(tree), str(tmp_path / "p.deb")], check=True, capture_output=True)
    words = [
        "dpkg",
        f"--root={root}",
        "--force-script-chrootless",
        "--log=/dev/null",
        "--install",
        str(tmp_path / "p.deb"),
    ]
    done = subprocess.run(
        sandbox.command("referee-update", *words), cwd=ROOT, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    suid = (root / "usr" / "suid").stat()
    assert (suid.st_uid, suid.st_mode & 0o7777) == (65534, 0o4755)
    assert (root / "etc" / "p" / "of-another").stat().st_uid == 65534


@pytest.mark.thorough
def test_the_steward_can_say_what_a_package_on_the_card_is(tmp_path: Path) -> None:
    """As root without its rights: dpkg-deb unpacks what describes the package."""
    control = tmp_path / "tree" / "DEBIAN" / "control"
    control.parent.mkdir(parents=True)
    control.write_text("Package: p\nVersion: 1.1\nArchitecture: all\nMaintainer: M <m@example.org>\nDescription: d\n")
    words = ["dpkg-deb", "--root-owner-group", "--build", str(tmp_path / "tree"), str(tmp_path / "p.deb")]
    subprocess.run(words, check=True, capture_output=True, timeout=100)
    rightless = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.getuid() == 0 else ()
    command = (*rightless, *sandbox.command("referee-steward", "dpkg-deb", "--show", str(tmp_path / "p.deb")))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=100)
    assert done.stdout.split() == ["p", "1.1"], done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["referee-steward", *sorted(UPDATES)])
def test_a_signature_can_be_checked_within_the_unit(name: str, tmp_path: Path) -> None:
    """By the steward, which says what lies on the card, and by the update, which asks once more."""
    package, key = tmp_path / "p.deb", made_key(tmp_path / "owner")
    package.write_bytes(os.urandom(100_000))
    sign(key, package)
    (tmp_path / "signers").write_text(allowed_signers(key), "utf-8")
    words = ("-Y", "verify", "-f", "signers", "-I", NAMESPACE, "-n", NAMESPACE, "-s", "p.deb.sig")
    rightless = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.getuid() == 0 else ()
    command = (
        *rightless,
        *sandbox.command(name, "sh", "-c", f"cd {tmp_path} && ssh-keygen {shlex.join(words)} < p.deb"),
    )
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=100)
    assert "Good" in done.stdout, done.stderr
