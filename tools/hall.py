"""The hall test: what virtual tables said in public is in a club's archive once, whoever was killed meanwhile.

    python -m tools.hall --tables 8 --seconds 120 --seed 1

`referee club` with a real Mosquitto, and so many tables, each a process with its herald in another. Broker, host and
heralds are killed with SIGKILL at random, one every few seconds. Each table plays one match as far as it gets, and its
end stands until the archive was compared with what the table's own journal says that it has said.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from device.club import club
from device.club.archive import Archive
from device.evidence.record import read
from device.logs import log_to_stderr
from device.sim.live import hall, unseen
from device.sim.live.hall import Process, VirtualTable

READY_S, CAUGHT_UP_S = 60.0, 90.0
"""So long at most until all of it runs, and until all is in the archive after nobody is killed any more."""

BETWEEN_S = (2.0, 9.0)
"""From one kill to the next."""


SPEED = 2.0
"""Of the players: so much faster than people are they done with reading and pressing."""


class Result(msgspec.Struct, frozen=True):
    """matches, links: that the tables said; kept: links in the archive. lost: links that are not there. doubled: links
    or matches there that nobody said, or not so. whole: matches that are there to their last link. kills: by who was
    killed. archive_kb: of its files; host_mib: of the host's processes, without its broker (PSS), at the end."""

    tables: int
    matches: int = 0
    links: int = 0
    kept: int = 0
    lost: int = 0
    doubled: int = 0
    whole: int = 0
    kills: dict[str, int] = {}
    archive_kb: int = 0
    host_mib: float = 0.0
    seconds: float = 0.0

    @property
    def wrong(self) -> bool:
        return bool(self.lost or self.doubled or not self.links)


async def test(tables: int, seconds: float, seed: int, folder: Path) -> Result:
    """Plays and kills for so long, and compares."""
    begun, dice = time.monotonic(), random.Random(f"{seed}/hall")
    pages, broker = _free_ports()
    ports = ("--name", "localhost", "--host", "127.0.0.1", "--port", str(pages), "--broker-port", str(broker))
    main = "from device.cli import main; main()"
    more = ("--home-assistant", "en")  # so that it publishes, too, while it is killed
    host = Process("-c", main, "club", "--folder", str(folder / "club"), *ports, *more)
    hosting = asyncio.ensure_future(host.run())
    playing: asyncio.Future[None] | None = None
    try:
        await _until(lambda: _answers(pages) and _answers(broker), READY_S)
        added = hall.added(tables, folder / "club", folder / "tables", seed, matches=1, speed=SPEED)
        playing = asyncio.ensure_future(hall.run(added))
        await _until(lambda: _under_way(folder) == tables, 2 * READY_S)
        kills = await _kill(dice, host, added, time.monotonic() + seconds)
        for each in added:
            each.table.send(signal.SIGTERM)
        await _until(lambda: all(any((each.folder / unseen.SAID).glob("*.signed")) for each in added), READY_S)
        with suppress(TimeoutError):
            await _until(lambda: not _compared(folder, added).lost, CAUGHT_UP_S)
        found = _compared(folder, added)
        return msgspec.structs.replace(
            found,
            kills=dict(kills),
            host_mib=_pss_mib(_pid(host)),
            seconds=round(time.monotonic() - begun, 1),
        )
    finally:
        for each_task in (playing, hosting):
            if each_task is not None:
                each_task.cancel()
                await asyncio.gather(each_task, return_exceptions=True)


async def _kill(dice: random.Random, host: Process, tables: list[VirtualTable], until: float) -> Counter[str]:
    """Kills somebody again and again. Who was killed how often."""
    kills = Counter[str]()
    while (now := time.monotonic()) < until:
        await asyncio.sleep(min(until - now, dice.uniform(*BETWEEN_S)))
        victim = dice.choice(("broker", "host", "herald"))
        if victim == "herald":
            dice.choice(tables).herald.send(signal.SIGKILL)
        elif victim == "host":
            host.send(signal.SIGKILL)
        elif (pid := _broker(_pid(host))) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        else:
            continue
        kills[victim] += 1
    return kills


def _under_way(folder: Path) -> int:
    """Tables of which the archive has a link."""
    archive = Archive(folder / "club" / club.ARCHIVE)
    try:
        return len({each.table for each in archive.played(limit=-1) if each.links})
    finally:
        archive.close()


def _compared(folder: Path, tables: list[VirtualTable]) -> Result:
    """The archive with what the tables say that they have said."""
    archive = Archive(folder / "club" / club.ARCHIVE)
    try:
        found = {each.match: each for each in archive.played(limit=-1) if each.links}
        said = {path.stem: path for each in tables for path in (each.folder / unseen.SAID).glob("*.signed")}
        result = Result(len(tables), matches=len(said), doubled=len(set(found) - set(said)))
        for id, path in said.items():
            bodies = [link.body for link in read(path.read_bytes()).links]
            kept = [link.body for link in archive.links(id)] if id in found else []
            same = sum(one == other for one, other in zip(bodies, kept, strict=False))
            result = msgspec.structs.replace(
                result,
                links=result.links + len(bodies),
                kept=result.kept + len(kept),
                lost=result.lost + len(bodies) - same,
                doubled=result.doubled + len(kept) - same,
                whole=result.whole + (kept == bodies),
            )
        size = sum(path.stat().st_size for path in (folder / "club").glob(f"{club.ARCHIVE}*"))
        return msgspec.structs.replace(result, archive_kb=size // 1024)
    finally:
        archive.close()


def _free_ports() -> tuple[int, int]:
    """Two that no socket is given by itself, so that they are still free after a kill."""
    found = list[int]()
    while len(found) < 2:
        port = random.randrange(20_000, 30_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found.append(port)
    return found[0], found[1]


def _answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


async def _until(true: Callable[[], bool], patience_s: float) -> None:
    """Raises TimeoutError."""
    async with asyncio.timeout(patience_s):
        while not true():
            await asyncio.sleep(0.5)


def _pid(process: Process) -> int:
    """0 if it is not running."""
    return 0 if process.running is None or process.running.returncode is not None else process.running.pid


def _broker(host: int) -> int | None:
    """The host's broker."""
    with suppress(OSError):
        for child in Path(f"/proc/{host}/task/{host}/children").read_text(encoding="ascii").split():
            if Path(f"/proc/{child}/comm").read_text(encoding="utf-8").startswith("mosquitto"):
                return int(child)
    return None


def _pss_mib(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0.0
    found = re.search(r"^Pss: +(\d+) kB", text, re.MULTILINE)
    return round(int(found[1]) / 1024, 1) if found else 0.0


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tools.hall", description=__doc__.split("\n", maxsplit=1)[0])
    asked.add_argument("--tables", type=int, default=8)
    asked.add_argument("--seconds", type=float, default=120.0)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    log_to_stderr()
    with tempfile.TemporaryDirectory(
        prefix="hall-", ignore_cleanup_errors=True
    ) as folder:  # the broker ends after its host, and writes until then
        found = asyncio.run(test(given.tables, given.seconds, given.seed, Path(folder)))
    print(json.dumps(msgspec.to_builtins(found), indent=2))
    return int(found.wrong)


if __name__ == "__main__":
    sys.exit(main())
