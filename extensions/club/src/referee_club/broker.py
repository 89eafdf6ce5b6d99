"""Runs Mosquitto as the club's broker, a child process set up from config/broker; turns rejections in its log into
remarks."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from device.resources import resource
from engine.errors import RefereeError
from engine.text import Text, say
from referee_club.authority import REVOKED
from vision.files import private_dir, read_bytes, read_text, write_whole

PORT = 8883
"""MQTT over TLS (IANA: secure-mqtt)."""

RECIPE = "/etc/mosquitto/table-referee"
"""Folder of config/broker's files on a Debian host."""

RETRY_S = 1.0
TWINS, TWINS_S = 5, 60.0
"""Displacements by the same name, and seconds, that reveal two tables."""

STRANGER = say("The broker turned away a client without a certificate of this club.")
TWO_TABLES = say("Two tables use this name and disconnect each other: add one of them under another name.")

FULL = say(
    "One table flooded the broker and blocked the others. The broker was cleared; the tables resend what was lost."
)

SELDOM_S = 30.0
"""Seconds between equal remarks."""

_TURNED_AWAY = re.compile("certificate verify failed|alert unknown ca|did not return a certificate")
_TWIN = re.compile("Client (.+) already connected, closing old connection")
_OUT_OF_MEMORY = re.compile("disconnected due to out of memory")
_STORE = "mosquitto.db"
_log = logging.getLogger(__name__)


class NoBroker(RefereeError, OSError):
    """Mosquitto is missing; the message has the remedy."""


class Broker:
    """A club's broker."""

    def __init__(self, folder: Path, certificates: Path, port: int, remark: Callable[[str, Text], None]) -> None:
        """Write the broker's files, without starting it. remark: receives a table ("" for the club) and a text. Raises
        NoBroker if Mosquitto is missing."""
        found = shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")
        if found is None:
            raise NoBroker("Mosquitto is not installed: sudo apt install mosquitto")
        self._program, self._settings, self._remark = found, folder / "broker" / "mosquitto.conf", remark
        self._twins: dict[str, deque[float]] = {}
        self._told_at: dict[tuple[str, Text], float] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._full = False
        kept = private_dir(folder / "broker")
        write_whole(self._settings, _settings(kept, certificates, port).encode(), mode=0o600)
        write_whole(kept / "acl", read_bytes(resource("broker", "acl")), mode=0o600)

    async def run(self) -> None:
        """Run the broker until cancelled, restarting it."""
        while True:
            process = self._process = await asyncio.create_subprocess_exec(
                *("setpriv", "--pdeathsig", "TERM", "--", self._program, "-c", str(self._settings)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
            try:
                assert process.stderr is not None
                async for line in process.stderr:
                    self.hear(line.decode(errors="replace").strip())
                await process.wait()
            finally:
                if process.returncode is None:
                    process.terminate()
                    await process.wait()
            if self._full:  # it hands nothing over any more; tables resend what has no receipt
                (self._settings.parent / _STORE).unlink(missing_ok=True)
                self._full = False
            _log.warning("the broker ended with %s, and is started again", process.returncode)
            await asyncio.sleep(RETRY_S)

    def restart(self) -> None:
        """End a running broker, so that `run` starts it again with new files."""
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()

    def hear(self, line: str) -> None:
        """Handle a line of the broker's log."""
        if _TURNED_AWAY.search(line):
            self._report("", STRANGER, line)
        elif (twin := _TWIN.search(line)) is not None:
            times = self._twins.setdefault(twin[1], deque(maxlen=TWINS))
            times.append(time.monotonic())
            if len(times) == TWINS and times[-1] - times[0] < TWINS_S:
                self._report(twin[1], TWO_TABLES, line)
        elif _OUT_OF_MEMORY.search(line) and not self._full:
            self._full = True
            self._report("", FULL, line)
            self.restart()
        elif "Error" in line:
            _log.warning("the broker: %s", line)

    def _report(self, table: str, text: Text, line: str) -> None:
        now = time.monotonic()
        if now - self._told_at.get((table, text), -SELDOM_S) >= SELDOM_S:
            self._told_at[table, text] = now
            _log.warning("the broker: %s", line)
            self._remark(table, text)


def _settings(kept: Path, certificates: Path, port: int) -> str:
    recipe = read_text(resource("broker", "mosquitto.conf"))
    own = recipe.replace(f"{RECIPE}/acl", f"{kept}/acl").replace(RECIPE, str(certificates))
    own = re.sub("^listener 8883$", f"listener {port}", own, flags=re.MULTILINE)
    user = "user root\n" if os.getuid() == 0 else ""
    kinds = "".join(f"log_type {kind}\n" for kind in ("error", "warning", "notice"))
    lists = f"crlfile {certificates}/{REVOKED}\n"
    return f"{own}\n{lists}persistence true\npersistence_location {kept}/\nlog_dest stderr\n{kinds}{user}"
