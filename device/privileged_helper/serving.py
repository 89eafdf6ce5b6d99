"""Serves the helper's socket: fixed systemd commands, one job at a time.

Jobs are units (tools/package/debian/referee-*.service) that never overlap.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
import subprocess
from asyncio import StreamReader, StreamWriter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from device.privileged_helper.verbs import LONGEST, VERBS, Answer, State, Verb, VerbResult

PATIENCE_S = 5.0
"""Seconds to wait for a request."""

IDLE_S = 60.0
"""Idle seconds before the helper ends; systemd restarts it on demand."""

PACE_S = 0.5
"""Seconds between progress checks."""

MOST = 8
"""Connections at once."""

_log = logging.getLogger(__name__)


SYSTEMCTL = "/usr/bin/systemctl"

JOBS: tuple[Verb, ...] = ("update", "update-unsigned", "back", "reset")
"""Verbs with a unit."""

COMMANDS: dict[Verb, tuple[str, ...]] = {
    **{verb: (SYSTEMCTL, "start", f"referee-{verb}.service") for verb in JOBS},
    "restart": (SYSTEMCTL, "restart", "referee.service"),
}
"""Command of each verb."""

RUNNING: dict[Verb, tuple[str, ...]] = {
    verb: (SYSTEMCTL, "show", "--property=ActiveState", "--value", f"referee-{verb}.service") for verb in JOBS
}

LONGEST_CODE = 80
"""Characters of a passed-on code or version."""


@dataclass(frozen=True)
class Places:
    """Paths. base: versions (tools/package/referee-version). stages: progress files by verb. mark: exists during a
    reset."""

    base: Path = Path("/opt/table-referee")
    stages: Path = Path("/run/referee-steward")
    mark: Path = Path("/var/lib/referee-steward/reset")

    @property
    def look(self) -> tuple[str, ...]:
        """Command that prints a newer version on the card, and its signature's state."""
        return (str(self.base / "referee-errand"), "look")

    def version(self, link: str) -> str:
        """Return the version of "current" or "before", or ""."""
        try:
            return (self.base / link).readlink().name[:LONGEST_CODE]
        except OSError:
            return ""

    def set_mark(self) -> None:
        """Mark a reset, to finish it after a power cut. Raises OSError."""
        self.mark.touch()
        os.sync()

    def clear_mark(self) -> None:
        """Remove the mark of a reset not begun. Raises OSError."""
        self.mark.unlink(missing_ok=True)
        os.sync()

    def told_at(self, verb: str) -> int:
        """Return a job's last progress time in ns; 0 for none since start-up."""
        try:
            return (self.stages / verb).stat().st_mtime_ns
        except OSError:
            return 0

    def job_end(self, verb: str, runs: bool) -> VerbResult | None:
        """Return a job's state; None if none since start-up. runs: its unit is active."""
        try:
            state, _, code = (self.stages / verb).read_text("utf-8")[:LONGEST_CODE].strip().partition(" ")
        except (OSError, ValueError):
            state, code = "", ""
        if runs:
            return VerbResult("running", code if state == "running" else "")
        known: dict[str, State] = {"done": "done", "failed": "failed", "running": "failed"}
        if state not in known:
            return None
        return VerbResult(known[state], why="broken-off" if state == "running" else code)


def output_of(command: Sequence[str], limit_s: float = 60.0) -> str:
    """Return a command's output; "" on failure or timeout."""
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=limit_s, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""


class PrivilegedHelper:
    """Serves one socket. uid: the only user served. commands, running: do a verb, check its unit."""

    def __init__(
        self,
        uid: int,
        places: Places | None = None,
        commands: Mapping[Verb, Sequence[str]] = COMMANDS,
        running: Mapping[Verb, Sequence[str]] = RUNNING,
    ) -> None:
        self._uid, self._commands, self._running = uid, commands, running
        self._places = places or Places()
        self._job: asyncio.Task[Answer] | None = None
        self._guests = 0

    async def serve(self, listener: socket.socket, idle_s: float = IDLE_S) -> None:
        """Serve until idle, waiting for a running job."""
        server = await asyncio.start_unix_server(self._meet, sock=listener, limit=LONGEST)
        quiet_s = 0.0
        while quiet_s < idle_s:
            await asyncio.sleep(min(PACE_S, idle_s))
            busy = self._guests or (self._job is not None and not self._job.done())
            quiet_s = 0.0 if busy else quiet_s + PACE_S
        server.close()

    async def _meet(self, reader: StreamReader, writer: StreamWriter) -> None:
        self._guests += 1
        try:
            await self._hear(reader, writer)
        except (TimeoutError, ConnectionError):
            _log.info("whoever asked has gone")
        finally:
            self._guests -= 1
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _hear(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            line = await asyncio.wait_for(reader.readuntil(b"\n"), PATIENCE_S)
        except (asyncio.LimitOverrunError, asyncio.IncompleteReadError):
            line = b""
        word = line.strip().decode("ascii", "replace")
        uid = peer(writer.get_extra_info("socket"))
        verb = next((each for each in VERBS if each == word), None)
        if uid != self._uid:
            _log.warning("user %d asked: only user %d is heard", uid, self._uid)
            await _say(writer, Answer("", "refused", why="stranger"))
        elif verb is None:
            await _say(writer, Answer(word, "refused", why="unknown-verb"))
        elif self._guests > MOST:
            await _say(writer, Answer(verb, "refused", why="busy"))
        elif verb == "look":
            await _say(writer, await asyncio.to_thread(self._check_progress))
        else:
            await self._do(verb, writer)

    async def _do(self, verb: Verb, writer: StreamWriter) -> None:
        if self._job is not None and not self._job.done():
            await _say(writer, Answer(verb, "refused", why="busy"))
            return
        self._job = job = asyncio.create_task(self._run(verb))
        said: Answer | None = None
        while not (await asyncio.wait({job}, timeout=PACE_S))[0]:
            stage = self._stage(verb)
            now = Answer(verb, "running", stage)
            if now != said and stage != "":
                said = now
                await _say(writer, now)
        await _say(writer, job.result())

    async def _run(self, verb: Verb) -> Answer:
        if await asyncio.to_thread(self._anything_runs):  # begun by an earlier helper
            return Answer(verb, "refused", why="busy")
        _log.info("%s begins", verb)
        told_at, marks = self._places.told_at(verb), verb == "reset" and not self._places.mark.exists()
        try:
            if verb == "reset":
                await asyncio.to_thread(self._places.set_mark)
            process = await asyncio.create_subprocess_exec(*self._commands[verb], stdin=asyncio.subprocess.DEVNULL)
            code = await process.wait()
        except OSError as error:
            _log.error("%s: %s", verb, error)
            code = -1
        if code != 0 and self._places.told_at(verb) == told_at:  # its unit has not begun
            _log.error("%s did not begin", verb)
            if marks and not await asyncio.to_thread(self._runs, verb):
                await asyncio.to_thread(self._places.clear_mark)
            return Answer(verb, "failed", why="failed")
        ended = self._places.job_end(verb, runs=False) if verb in JOBS else None
        why = "" if code == 0 else (ended.why if ended is not None and ended.why else "failed")
        _log.info("%s ended: %s", verb, why or "done")
        return Answer(verb, "failed" if why else "done", why=why)

    def _stage(self, verb: Verb) -> str:
        ended = self._places.job_end(verb, runs=True)
        return ended.stage if ended is not None else ""

    def _runs(self, verb: Verb) -> bool:
        return output_of(self._running[verb]) in {"activating", "active", "deactivating"}

    def _anything_runs(self) -> bool:
        return any(self._runs(verb) for verb in self._running)

    def _check_progress(self) -> Answer:
        ended: dict[str, VerbResult] = {}
        for verb in JOBS:
            found = self._places.job_end(verb, self._runs(verb))
            if found is not None:
                ended[verb] = found
        current, before = self._places.version("current"), self._places.version("before")
        newer, _, signature = output_of(self._places.look).partition(" ")
        return Answer(
            "look",
            "done",
            runs=current,
            before=before if before != current else "",
            newer=newer,
            signature=signature,
            ended=ended,
        )


def peer(connection: socket.socket) -> int:
    """Return the peer's user id (SO_PEERCRED, unix(7))."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _pid, uid, _gid = struct.unpack("3i", credentials)
    return int(uid)


async def _say(writer: StreamWriter, answer: Answer) -> None:
    writer.write(answer.line())
    await writer.drain()
