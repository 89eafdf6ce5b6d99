"""`referee club` as one process: it brings up all of a club, and goes on when its broker dies or it is killed."""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal
import socket
import ssl
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.request import Request, urlopen

import msgspec
import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from typer.testing import CliRunner

from engine.text import Text
from extensions.club.tests.test_archive import identity
from extensions.club.tests.test_forgetting import ANNA, has_name, held, told
from extensions.record.tests.herald.mosquitto import BROKER, Process, until
from extensions.record.tests.herald.table import Match, Table
from referee_club import authority, broker, club
from referee_club.archive import Archive
from referee_club.broker import Broker
from referee_record.herald import topics
from referee_record.herald.bundle import NoBundle
from referee_record.herald.herald import Plan
from referee_record.joining import fetch_bundle
from referee_record.signed_record import read as read_record
from tests.commands import app
from tools.ports import free_ports

pytestmark = pytest.mark.skipif(BROKER is None, reason="mosquitto is not installed")
ROOT = Path(__file__).parents[3]


class Host:
    """The command, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder / "club", folder / "log"
        self.ports = free_ports(2)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = (
            "--name",
            "localhost",
            "--host",
            "127.0.0.1",
            "--port",
            self.ports[1],
            "--broker-port",
            self.ports[0],
        )
        words = (sys.executable, "-c", "from device.cli import main; main()", "club", "--folder", self.folder, *options)
        with self.log.open("ab") as out:
            self._process = subprocess.Popen(list(map(str, words)), stderr=out, stdout=out, cwd=ROOT)
        until(self._answers, self.said)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def end(self) -> int:
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(60)

    def said(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def broker(self) -> int:
        """Its process."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        return next(int(each) for each in children if "mosquitto" in Path(f"/proc/{each}/comm").read_text())

    def _answers(self) -> bool:
        with socket.socket() as pages, socket.socket() as tables:
            return not pages.connect_ex(("127.0.0.1", self.ports[1])) and not tables.connect_ex(
                ("127.0.0.1", self.ports[0])
            )


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    made = Host(tmp_path)
    made.start()
    yield made
    made.kill()


def plan(host: Host, table: Table, name: str, folder: Path) -> bytes:
    """Return the plan of a herald whose table joined by the club's code."""
    bundle = fetch_bundle(club.code(host.folder, club.add_table(host.folder, name)))
    paths = [folder / f"{name}.{kind}" for kind in ("certificate", "key", "authority")]
    for path, text in zip(paths, (bundle.certificate, bundle.key, bundle.authority), strict=True):
        path.write_text(text)
    address, _, port = bundle.broker.partition(":")
    certificate, key, authority = map(str, paths)
    return msgspec.json.encode(Plan(str(table.path), name, address, int(port), certificate, key, authority))


@pytest.mark.thorough
def test_a_table_is_added_by_a_code_and_its_match_is_kept_whatever_dies(
    host: Host, table: Table, tmp_path: Path
) -> None:
    match = Match()
    last, words = len(match.links) - 1, plan(host, table, "table-1", tmp_path)
    table.do(lambda public: match.begin(public, 1))
    table.look("A's turn")
    herald, read = Process(words, tmp_path / "herald.log"), Archive(host.folder / club.ARCHIVE)

    def kept(count: int) -> None:
        until(lambda: read.count_stored(identity(match)) == count, lambda: (herald.log, host.said()))

    try:
        kept(1)
        os.kill(host.broker(), signal.SIGKILL)
        for n in range(1, last // 2):
            table.do(partial(match.say, n=n))
        kept(last // 2)
        host.kill()
        for n in range(last // 2, last + 1):
            table.do(partial(match.say, n=n))
        host.start()
        kept(last + 1)
        assert tuple(read.links(identity(match))) == tuple(match.links)
        with urlopen(f"http://127.0.0.1:{host.ports[1]}/") as page:
            assert "table-1" in page.read().decode()
        exported(host, tmp_path / "out", match)
        assert host.end() == 0
        host.start()
    finally:
        herald.kill()
        read.close()


@pytest.mark.thorough
def test_a_table_that_is_removed_is_let_in_no_more_until_it_is_added_again(
    host: Host, table: Table, tmp_path: Path
) -> None:
    match, words = Match(), plan(host, table, "table-1", tmp_path)
    table.do(lambda public: match.begin(public, 3))
    table.look("A's turn")
    herald, read = Process(words, tmp_path / "log"), Archive(host.folder / club.ARCHIVE)

    def hall() -> str:
        with urlopen(f"http://127.0.0.1:{host.ports[1]}/") as page:
            return str(page.read().decode())

    try:
        until(lambda: read.count_stored(identity(match)) == 3 and "table-1" in hall(), host.said)
        done = CliRunner().invoke(app, ["club", "--folder", str(host.folder), "remove", "table-1"])
        assert done.stdout == "table-1 is let in no more. Its matches stay.\n"
        until(lambda: "does not believe this table's certificate" in herald.log, lambda: (herald.log, host.said()))
        until(lambda: "table-1" not in hall(), host.said)
        host.kill()
        host.start()
        assert "table-1" not in hall(), "what the broker retained of it is nobody's"
        assert read.count_stored(identity(match)) == 3
        herald.kill()
        herald = Process(plan(host, table, "table-1", tmp_path), tmp_path / "log")
        until(lambda: "table-1" in hall(), lambda: (herald.log, host.said()))
    finally:
        herald.kill()
        read.close()


@pytest.mark.thorough
def test_who_is_forgotten_is_in_no_file_of_a_club_that_runs_nor_at_its_broker(
    host: Host, table: Table, tmp_path: Path
) -> None:
    match, words, saved = Match(), plan(host, table, "table-1", tmp_path), host.folder / "broker" / "mosquitto.db"
    table.do(lambda public: match.begin(public, 3))
    table.show(told(match))
    herald, read = Process(words, tmp_path / "log"), Archive(host.folder / club.ARCHIVE)

    def in_broker() -> bool:
        before = saved.stat().st_mtime_ns if saved.exists() else 0
        os.kill(host.broker(), signal.SIGUSR1)
        until(lambda: saved.exists() and saved.stat().st_mtime_ns > before, host.said)
        return has_name(saved.read_bytes())

    try:
        until(lambda: bool(read.list_matches()) and read.count_stored(identity(match)) == 3, host.said)
        assert in_broker()
        command = ["club", "--folder", str(host.folder), "forget", ANNA, "--yes"]
        done = CliRunner().invoke(app, command, catch_exceptions=False)
        assert f"{ANNA} was in 1 matches and 0 tournaments" in done.stdout
        until(lambda: not in_broker(), host.said)
        for address in ("", "matches", "players", "results.csv"):
            with urlopen(f"http://127.0.0.1:{host.ports[1]}/{address}") as page:
                assert not has_name(page.read())
        herald.kill()
        host.kill()
        assert not has_name(held(host.folder))
    finally:
        herald.kill()
        read.close()


def exported(host: Host, to: Path, match: Match) -> None:
    """All of it is written as files while the club runs."""
    words = ("club", "--folder", str(host.folder), "export", str(to))
    command = (sys.executable, "-c", "from device.cli import main; main()", *words)
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert "results.csv with 2 matches, 1 records" in done.stdout
    assert read_record((to / f"{identity(match)}.signed.gz").read_bytes()).links == tuple(match.links)
    assert identity(match) in (to / "results.csv").read_text()


def test_a_match_that_cannot_be_read_is_named_and_the_others_are_exported(tmp_path: Path) -> None:
    good, bad = Match(), Match("another")
    other = msgspec.structs.replace(bad.links[0], body=msgspec.structs.replace(bad.links[0].body, match="6" * 32))
    (tmp_path / club.SETTINGS).write_bytes(msgspec.json.encode(club.Settings("hall.local")))
    archive = Archive(tmp_path / club.ARCHIVE)
    for n, link in enumerate(good.links):
        archive.take_link("table-1", identity(good), n, link)
    archive.take_link("table-2", "6" * 32, 0, other)
    archive.connection.execute("UPDATE match SET packed = X'' WHERE id = ?", ("6" * 32,))
    archive.close()
    words = ["club", "--folder", str(tmp_path), "export", str(out := tmp_path / "out")]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 1
    assert f"match {'6' * 32} can't be read" in done.stderr
    assert "results.csv with 2 matches, 1 records" in done.stdout
    assert {each.name for each in out.iterdir()} == {"results.csv", f"{identity(good)}.signed.gz"}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def announced(folder: Path, *, terminal: bool) -> tuple[str, str]:
    """Return the text that a host prints, on a terminal or into a log, and the organiser's key."""
    key = list[str]()

    async def serve(folder: Path, chosen: club.Settings, ready: Callable[[str, str], None]) -> None:
        address = club.organiser(folder)
        key.append(address.partition("key=")[2])
        ready("http://hall:8141/", address)

    (folder / club.SETTINGS).write_bytes(msgspec.json.encode(club.Settings("hall.local")))
    out = Terminal() if terminal else io.StringIO()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(club, "run", serve)
        patched.setattr(sys, "stdout", out)
        app(["club", "--folder", str(folder)], standalone_mode=False)
    return out.getvalue(), key[0]


def test_the_organisers_key_goes_to_a_terminal_alone(tmp_path: Path) -> None:
    logged, key = announced(tmp_path, terminal=False)
    assert key
    assert key not in logged
    assert f"referee club --folder {tmp_path} organiser" in logged
    shown, again = announced(tmp_path, terminal=True)
    assert again == key
    assert key in shown
    done = CliRunner().invoke(app, ["club", "--folder", str(tmp_path), "organiser"], catch_exceptions=False)
    assert done.stdout == f"{club.organiser(tmp_path)}\n"
    assert f":8141/tournaments?key={key}" in done.stdout


@pytest.mark.thorough
def test_a_code_works_once_and_a_second_host_is_refused(host: Host) -> None:
    code = club.code(host.folder, club.add_table(host.folder, "table-1"))
    address = code.partition("#")[0]
    for method in ("GET", "HEAD"):  # a phone that reads the code opens its address
        asked = Request(address, method=method, headers={"Accept-Language": "ru"})
        with urlopen(asked, timeout=30) as told:
            assert told.headers["Content-Language"] == "ru"
    spoiled = host.folder / club.WAITING / ("0" * 12)
    spoiled.mkdir()
    with pytest.raises(NoBundle, match="Service Unavailable"):
        fetch_bundle(address.rpartition("/")[0] + f"/{spoiled.name}#s")
    assert fetch_bundle(code).table == "table-1"
    with pytest.raises(NoBundle, match="Not Found"):
        fetch_bundle(code)
    words = (sys.executable, "-c", "from device.cli import main; main()", "club", "--folder", str(host.folder))
    second = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert second.returncode == 2
    assert "is running already" in second.stderr


def test_what_was_chosen_stays_chosen(tmp_path: Path) -> None:
    own = club.change_settings(tmp_path, {})
    assert (own.broker, own.pages, own.host) == (8883, 8141, "0.0.0.0")
    (tmp_path / club.SETTINGS).write_bytes(
        msgspec.json.encode(club.change_settings(tmp_path, {"name": "hall.local", "pages": 9000}))
    )
    found = club.change_settings(tmp_path, {"broker": 9001})
    assert (found.name, found.pages, found.broker) == ("hall.local", 9000, 9001)
    assert msgspec.json.decode(msgspec.json.encode(found)).keys() == {"name", "pages", "broker"}, (
        "as earlier ones read it"
    )


def test_a_table_joins_at_the_port_that_was_free(tmp_path: Path) -> None:
    reached = list[str]()

    class Ready(Exception):
        pass

    def ready(hall: str, _organiser: str) -> None:
        reached.append(hall)
        raise Ready

    with pytest.raises(Ready):
        asyncio.run(club.run(tmp_path, club.Settings("localhost", pages=0, host="127.0.0.1"), ready))
    assert f":{club.settings(tmp_path).pages}/" in reached[0]
    assert club.settings(tmp_path).pages != 0


def test_pages_and_tables_have_a_port_each(tmp_path: Path) -> None:
    words = ["club", "--folder", str(tmp_path / "club"), "--port", "9000", "--broker-port", "9000"]
    done = CliRunner().invoke(app, words)
    assert "tables speak at port 9000, so the pages need another: choose it by --port" in str(done.exception)
    assert not (tmp_path / "club").exists()


def test_a_club_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(club.NoClub, match="`referee club` makes one"):
        club.add_table(tmp_path, "table-1")


def test_strangers_and_two_tables_of_one_name_become_sentences(tmp_path: Path) -> None:
    remarks = list[tuple[str, Text]]()
    made = Broker(tmp_path, tmp_path, 8883, lambda table, text: remarks.append((table, text)))
    stranger = "1795336877: OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"
    made.hear(stranger)
    made.hear(stranger)
    assert remarks == [("", broker.STRANGER)], "who knocks all the time is told of seldom"
    twin = "1795336877: Client table-7 already connected, closing old connection."
    for _ in range(broker.TWINS - 1):
        made.hear(twin)
    assert len(remarks) == 1, "a table that lost its connection comes back"
    made.hear(twin)
    assert remarks[1:] == [("table-7", broker.TWO_TABLES)]


@pytest.mark.thorough
def test_a_table_that_fills_the_broker_is_named_and_the_others_are_heard_again(
    host: Host, table: Table, tmp_path: Path
) -> None:
    flooding, match = msgspec.json.decode(plan(host, table, "table-1", tmp_path), type=Plan), Match()
    table.do(lambda public: match.begin(public, 3))
    read = Archive(host.folder / club.ARCHIVE)
    herald = Process(plan(host, table, "table-2", tmp_path), tmp_path / "log")
    most, left = 0, 1200
    client = paho.Client(CallbackAPIVersion.VERSION2, "table-1", protocol=paho.MQTTv5)
    client.tls_set(flooding.authority, flooding.certificate, flooding.key)
    client.connect(flooding.host, flooding.port)
    client.loop_start()
    try:
        until(lambda: read.count_stored(identity(match)) == 3, host.said)
        os.kill(host.pid(), signal.SIGSTOP)  # nobody takes what comes, nor removes what is left
        for n in range(left):
            client.publish(f"{topics.ROOT}/table-1/match/{n:032x}/0", bytes(60_000), qos=1, retain=True)
        waits = time.monotonic() + 20
        while time.monotonic() < waits and "out of memory" not in host.said():
            most = max(most, resident(host.broker()))
            time.sleep(0.1)
        client.loop_stop()
        os.kill(host.pid(), signal.SIGCONT)
        until(lambda: any(each.text == broker.FULL for each in read.remarks("")), host.said)
        for n in range(3, 6):
            table.do(partial(match.say, n=n))
        until(lambda: read.count_stored(identity(match)) == 6, host.said)
        assert most <= 64
    finally:
        client.loop_stop()
        herald.kill()
        read.close()


def resident(process: int) -> int:
    """MiB of memory that a process holds."""
    with suppress(OSError):
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
        return int(found[1]) // 1024 if found else 0
    return 0


@pytest.mark.thorough
def test_the_organisers_address_opens_the_orders_and_stays_the_same(host: Host) -> None:
    addresses = list[str]()
    for _ in range(2):
        addresses.append(club.organiser(host.folder))
        host.kill()
        host.start()
    assert len(set(addresses)) == 1
    assert addresses[0].partition("key=")[2] not in host.said()
    with urlopen(addresses[0], timeout=30) as page:
        assert b'<form data-do="make"' in page.read()


def test_a_code_stands_alone_and_in_no_command(tmp_path: Path) -> None:
    (tmp_path / club.SETTINGS).write_bytes(msgspec.json.encode(club.Settings("hall.local")))
    done = CliRunner().invoke(app, ["club", "--folder", str(tmp_path), "table", "table-1"], catch_exceptions=False)
    lines = done.stdout.splitlines()
    assert "At the table:  sudo referee herald --join -" in lines
    (code,) = (line for line in lines if "#" in line)
    assert code.startswith("http://hall.local:8141/join/")


def test_home_assistant_gets_its_files_and_hears_in_a_language_that_there_is(tmp_path: Path) -> None:
    club_folder, out = tmp_path / "club", tmp_path / "out"
    club_folder.mkdir()
    out.mkdir()
    out.chmod(0o755)
    (club_folder / club.SETTINGS).write_bytes(msgspec.json.encode(club.Settings("hall.local", 8884)))
    words = ["club", "--folder", str(club_folder), "home-assistant", str(out)]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert "broker hall.local, port 8884" in done.stdout
    until = authority.ends((out / "home-assistant.pem").read_bytes())
    assert f"good until {until:%Y-%m-%d}" in done.stdout
    assert stat.S_IMODE(out.stat().st_mode) == 0o755, "a folder that was there stays open"
    assert {each.name for each in out.iterdir()} == {"authority.pem", "home-assistant.pem", "home-assistant.key"}
    assert all(each.stat().st_mode & 0o077 == 0 for each in out.iterdir())
    ssl.create_default_context(cafile=out / "authority.pem").load_cert_chain(
        out / "home-assistant.pem", out / "home-assistant.key"
    )
    wrong = CliRunner().invoke(app, ["club", "--folder", str(club_folder), "--home-assistant", "xx"])
    assert wrong.exit_code == 2
    assert "there is no language xx" in wrong.output


def test_a_host_whose_name_nobody_knows_goes_on_and_says_so(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    asyncio.run(club.look_up("localhost"))
    assert caplog.messages == []
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    asyncio.run(club.look_up("hall.local"))
    (told,) = caplog.messages
    assert "hall.local" in told
    assert "--name" in told
