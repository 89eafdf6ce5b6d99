"""A real broker with the recipe of config/broker, and a reader of it: Debian's mosquitto and mosquitto-clients."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from device.resources import resource
from extensions.record.tests.herald.certificates import Authority
from tools.ports import free_ports

BROKER = shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")
READER = shutil.which("mosquitto_sub")
PATIENCE_S = 60.0
FOREVER = str(0xFFFFFFFF)
"""Of a session's expiry (MQTT 5, 3.1.2.11.2)."""


def until(true: Callable[[], bool], what: Callable[[], object] = lambda: "") -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, what()
        time.sleep(0.02)


class Club:
    """A broker on a port of its own, whose authority vouches for it, for tables and for the club's host."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.authority = folder, Authority(folder)
        self.authority.certify("broker")
        self._process: subprocess.Popen[bytes] | None = None
        (self.port,) = free_ports(1)
        recipe = resource("broker", "mosquitto.conf").read_text(encoding="utf-8")
        (folder / "acl").write_text(resource("broker", "acl").read_text(encoding="utf-8"), encoding="utf-8")
        (folder / "kept").mkdir()
        own = recipe.replace("/etc/mosquitto/table-referee", str(folder))
        own = re.sub("^listener 8883$", f"listener {self.port} localhost", own, flags=re.MULTILINE)
        more = f"persistence true\npersistence_location {folder}/kept/\nlog_dest file {folder}/log\nlog_type all\n"
        more += "user root\n" if os.getuid() == 0 else ""
        (folder / "mosquitto.conf").write_text(own + more, encoding="utf-8")

    def start(self) -> None:
        assert BROKER is not None
        self._process = subprocess.Popen([BROKER, "-c", str(self.folder / "mosquitto.conf")])
        until(self._answers, self.log)

    def kill(self) -> None:
        """At once, without a chance to save anything."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def save(self) -> None:
        """What it keeps for who is away is on the disk, as it is once a minute."""
        assert self._process is not None
        saved = self.folder / "kept" / "mosquitto.db"
        before = saved.stat().st_mtime_ns if saved.exists() else 0
        self._process.send_signal(signal.SIGUSR1)
        until(lambda: saved.exists() and saved.stat().st_mtime_ns > before, self.log)

    def log(self) -> str:
        path = self.folder / "log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def _answers(self) -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("localhost", self.port)) == 0

    @contextmanager
    def reading(self, name: str = "club", *filters: str, kept: bool = False) -> Iterator[Reader]:
        """Somebody who reads what the filters say, or all that tables say, and comes back by themselves. kept: to what
        was said meanwhile, too, as an archive does."""
        assert READER is not None
        certificate, key = self.authority.certify(name)
        words = [
            READER,
            "-h",
            "localhost",
            "-p",
            str(self.port),
            "-V",
            "mqttv5",
            "-q",
            "1",
            *(("-c", "-x", FOREVER) if kept else ()),
        ]
        words += [word for each in filters or ("referee/v1/#",) for word in ("-t", each)]
        words += ["--cafile", str(self.authority.certificate), "--cert", str(certificate), "--key", str(key)]
        reader = Reader([*words, "-i", name, "-F", "%t %p"])
        try:
            until(lambda: f"Sending SUBACK to {name}" in self.log(), self.log)
            yield reader
        finally:
            reader.end()

    def end(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(PATIENCE_S)


class Reader:
    """Topics and payloads in the order of their coming. words: the command that prints them, begun again at its end."""

    def __init__(self, words: list[str]) -> None:
        self.messages: list[tuple[str, bytes]] = []
        self._words, self._ended = words, threading.Event()
        self._process = self._begun()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _begun(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def _read(self) -> None:
        while not self._ended.is_set():
            with self._process as process:
                assert process.stdout is not None
                for line in process.stdout:
                    topic, _, payload = line.rstrip(b"\n").partition(b" ")
                    self.messages.append((topic.decode(), payload))
            if not self._ended.wait(0.1):
                self._process = self._begun()

    def end(self) -> None:
        self._ended.set()
        while self._thread.is_alive():
            self._process.kill()
            self._thread.join(0.1)

    def last(self, topic: str) -> bytes | None:
        return next((payload for each, payload in reversed(self.messages) if each == topic), None)


class Process:
    """The herald, as `referee herald` starts it. words: what it is started by, before the interpreter's."""

    def __init__(self, plan: bytes, log: Path, words: tuple[str, ...] = ()) -> None:
        self._log = log
        with log.open("ab") as out:
            command = (*words, sys.executable, "-m", "referee_record.herald", plan.decode())
            self._process = subprocess.Popen(command, stderr=out, cwd=Path(__file__).parents[3])

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def end(self) -> int:
        """As systemd ends it; its exit code."""
        self._process.terminate()
        return self._process.wait(PATIENCE_S)

    def pss_mib(self) -> float:
        text = Path(f"/proc/{self.pid}/smaps_rollup").read_text(encoding="utf-8")
        found = re.search(r"^Pss: +(\d+) kB", text, re.MULTILINE)
        assert found is not None
        return int(found[1]) / 1024
