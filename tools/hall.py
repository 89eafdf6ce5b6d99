"""The hall test: what virtual tables said in public is in a club's archive once, whatever came over them meanwhile.

    python -m tools.hall --tables 8 --seconds 120 --seed 1
    python -m tools.hall --tables 50 --seconds 3600 --speed 0.4 --json

`referee club` with a real Mosquitto, and so many tables, each a process with its herald in another. They play match
after match. First nothing comes over them; then broker, host, heralds and tables are killed with SIGKILL at random, one
every few seconds; then the broker is slow, full, hostile, silent and gone for a while (`tools.hall_upsets`); and so on
again, in a long run every ten minutes. In the end the archive is compared with what the tables' own journals say that
they have said, and how each match ended. While nothing comes over them it is measured how soon the hall's page tells
what a table signed, beside the broker alone, and what each process takes (`tools.hall_figures`). A run that did not do
all of this is wrong, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import random
import re
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from device.bus.endpoints import socket_path
from device.daemon.referee import TELL_S
from device.games import game, spec
from device.journal import Archive as Journal
from device.logs import log_to_stderr
from engine.entry import Start
from engine.match import replay, reveals
from engine.table import Seat
from referee_club import authority, club
from referee_club.archive import Archive, Played
from referee_record.daemon.public_socket import NAME
from referee_record.herald import mqtt
from referee_record.signed_record import read
from referee_simulator.live import hall, headless_table
from referee_simulator.live.hall import HallTable, Process
from tools import hall_figures, hall_upsets
from tools.hall_figures import Memory, Probe, Reader, Sample, Spread, Took
from tools.hall_upsets import Relay, Upsets
from tools.ports import free_ports
from vision.files import private_dir, write_whole

READY_S, EACH_READY_S = 60.0, 10.0
"""So long at most until host and broker run; and so much more for each table until it plays."""

CAUGHT_UP_S = 90.0
"""So long at most until all is in the archive after nothing happens any more."""

BETWEEN_S = (2.0, 9.0)
"""From one kill to the next."""

KINDS = ("broker", "host", "herald", "table")
"""Who is killed: all of them before anybody is again."""

ROUND_S = 600.0
QUIET, KILLS = 0.4, 0.4
"""So long is a round at most, and these shares of it nothing happens, and somebody is killed; the rest of it is the
broker's."""

SETTLED_S = 75.0
"""After so long everybody has found back whom a round left: heralds try again after a minute at the latest."""

BACK_S = 3.0
"""So long a herald has to be back at its table and at the broker until that table is killed: who is switched off tells
nobody any more how the match before ended (extensions/record/herald.md)."""

BREATH_S = 5.0
"""So long before a quiet time ends what is signed counts no more."""

SPEED = 2.0
"""Of the players: so much faster than people are they done with reading and pressing."""

_log = logging.getLogger("hall")


class Result(msgspec.Struct, frozen=True):
    """matches, links: that the tables said; kept: links in the archive. lost: links that are not there. doubled: links
    or matches there that nobody said, or not so. otherwise: matches whose result or winners the archive tells otherwise
    than the table. whole: matches that are there to their last link. missing: of which matches links are lost. kills:
    by who was killed; upsets: by what came over the broker; let in of strangers must be none. stuck: of matches whose
    players could not go on, why. archive_kb: of its files, with the log of SQLite; and by how much they grew a match
    since the first round was over: matches under way, one a table, take more, and give it back (in a run of one round:
    since every table had begun its first). links_s: that a
    table signed a second while nothing happened, and while something did. page, broker: from signing to the hall's
    page, and from saying to hearing at the broker alone, while nothing happened; by_round: of each such time;
    page_always: at any time, as far as the page came to tell it; untold: what it never told. tables_memory,
    heralds_memory: of a process; herald_percent, table_percent, host_percent: of a core, while nothing happened;
    host_mib, broker_mib: at the samples. load: of the machine, over five minutes, at the end of each quiet time.
    seconds: of the whole run, comparing included."""

    tables: int
    matches: int = 0
    links: int = 0
    kept: int = 0
    lost: int = 0
    doubled: int = 0
    whole: int = 0
    missing: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    kills: dict[str, int] = {}
    upsets: dict[str, int] = {}
    stuck: tuple[str, ...] = ()
    archive_kb: int = 0
    archive_kb_a_match: float = 0.0
    links_s: tuple[float, float] = (0.0, 0.0)
    page: Spread = Spread()
    broker: Spread = Spread()
    page_by_round: tuple[Spread, ...] = ()
    broker_by_round: tuple[Spread, ...] = ()
    page_always: Spread = Spread()
    untold: int = 0
    tables_memory: Memory | None = None
    heralds_memory: Memory | None = None
    table_percent: float = 0.0
    herald_percent: float = 0.0
    host_percent: float = 0.0
    host_mib: tuple[float, ...] = ()
    broker_mib: tuple[float, ...] = ()
    load: tuple[float, ...] = ()
    seconds: float = 0.0

    @property
    def undone(self) -> tuple[str, ...]:
        """What the run promises and did not do, in words."""
        kills = [f"no {each} was killed" for each in KINDS if not self.kills.get(each)]
        upsets = [f"the broker was never {each}" for each in hall_upsets.KINDS if not self.upsets.get(each)]
        fared = [f"strangers never met with: {each}" for each in hall_upsets.FARED if not self.upsets.get(each)]
        measured = [
            f"nothing was measured at the {name}" for name in ("page", "broker") if not getattr(self, name).count
        ]
        return (*([] if self.links else ["no table said anything"]), *kills, *upsets, *fared, *measured)

    @property
    def wrong(self) -> bool:
        faults = (self.lost, self.doubled, self.otherwise, self.stuck, self.upsets.get("let in"), self.undone)
        return any(faults)


class Quiet(NamedTuple):
    """A time in which nothing happened, and everybody was there again from its begin on, in seconds of the monotonic
    clock."""

    begin: float
    end: float


class Trial:
    """One run. folder: of club and tables."""

    def __init__(self, tables: int, seed: int, speed: float, folder: Path) -> None:
        self._folder, self._seed, self._speed, self._count = folder, seed, speed, tables
        self._dice = random.Random(f"{seed}/hall")
        self._pages, self._port = free_ports(2)
        main = "from device.cli import main; main()"
        ports = ("--name", "localhost", "--host", "127.0.0.1", "--port", str(self._pages))
        more = ("--broker-port", str(self._port), "--home-assistant", "en")  # so that it publishes, too
        self._host = Process("-c", main, "club", "--folder", str(folder / "club"), *ports, *more)
        self._relay, self._reader = Relay(self._port), Reader(self._pages)
        self._tables: list[HallTable] = []
        self._kills, self._upsets = Counter[str](), Counter[str]()
        self._quiet: list[Quiet] = []
        self._samples: list[tuple[Sample, Sample]] = []
        self._load: list[float] = []
        self._small = 0, 0.0
        self._back: dict[str, float] = {}
        self._begun = time.monotonic()

    async def run(self, seconds: float) -> Result:
        """Plays for so long, and compares."""
        running = [asyncio.ensure_future(self._host.run())]
        probe: Probe | None = None
        try:
            await _until(lambda: _answers(self._pages) and _answers(self._port), READY_S)
            await self._relay.start()
            self._tables = hall.add_tables(
                self._count,
                self._folder / "club",
                self._folder / "tables",
                self._seed,
                speed=self._speed,
                port=self._relay.port,
            )
            running.append(asyncio.ensure_future(hall.run(self._tables)))
            running.append(asyncio.ensure_future(self._reader.run()))
            timeout = READY_S + EACH_READY_S * self._count
            await _until(lambda: _under_way(self._folder) == self._count, timeout)
            probe = self._probe()
            probe.start()
            played = time.monotonic()
            await self._rounds(played + seconds)
            probe.end()
            ended = time.monotonic()
            await self._stop()
            with suppress(TimeoutError):
                await _until(lambda: _caught_up(_compare(self._folder, self._tables)), CAUGHT_UP_S)
            return self._result(probe, played, ended)
        finally:
            self._relay.close()
            for each in running:
                each.cancel()
                await asyncio.gather(each, return_exceptions=True)

    async def _rounds(self, until: float) -> None:
        """Quiet, kills, upsets, and again."""
        self._small = await asyncio.to_thread(_grown, self._folder)
        count = max(1, round((until - time.monotonic()) / ROUND_S))
        upsets = Upsets(
            self._folder / "club", self._host, self._broker, self._relay, self._tables, self._port, self._dice
        )
        for left in range(count, 0, -1):
            lasts = (until - time.monotonic()) / left
            await self._be_quiet(QUIET * lasts, settle=left < count)
            await self._kill(time.monotonic() + KILLS * lasts)
            await upsets.all((1 - QUIET - KILLS) * lasts)
            if left == count > 1:
                self._small = await asyncio.to_thread(_grown, self._folder)
            self._upsets = upsets.counts
            self._tell()

    async def _be_quiet(self, seconds: float, *, settle: bool) -> None:
        settles = min(SETTLED_S, seconds / 2) if settle else 0.0
        end = time.monotonic() + seconds
        await asyncio.sleep(settles)
        before = await self._sample()
        self._quiet.append(Quiet(time.monotonic(), end - BREATH_S))
        await asyncio.sleep(max(0.0, end - time.monotonic() - 2.0))
        self._samples.append((before, await self._sample()))
        self._load.append(round(os.getloadavg()[1], 1))
        await asyncio.sleep(max(0.0, end - time.monotonic()))
        self._tell()

    async def _sample(self) -> Sample:
        others = {"host": self._host.pid, "broker": self._broker()}
        return await asyncio.to_thread(hall_figures.take_sample, self._tables, others)

    async def _kill(self, until: float) -> None:
        """Kills somebody again and again: each kind within this time, if somebody of it can be killed meanwhile."""
        watching = asyncio.ensure_future(self._watch())
        waiting = self._dice.sample(KINDS, len(KINDS))
        missing = len(waiting)
        while (now := time.monotonic()) < until:
            longest = (until - now) / (missing + 1) if missing else until - now
            await asyncio.sleep(max(0.2, min(longest, self._dice.uniform(*BETWEEN_S))))
            victim, pid = next(((each, pid) for each in waiting if (pid := self._victim(each))), ("", 0))
            if not pid:
                continue
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                self._kills[victim] += 1
                _log.info("%.0f s: %s is killed (%d)", time.monotonic() - self._begun, victim, pid)
                waiting.remove(victim)
                missing = max(0, missing - 1)
            waiting = waiting or self._dice.sample(KINDS, len(KINDS))
        watching.cancel()

    def _victim(self, kind: str) -> int:
        """Somebody of this kind who may be killed now; 0: nobody."""
        match kind:
            case "broker":
                return self._broker() or 0
            case "host":
                return self._host.pid
            case "herald":
                return self._dice.choice(self._tables).herald.pid
            case _:
                now = time.monotonic()
                back = [each for each in self._tables if now - self._back.get(each.name, now) >= BACK_S]
                return self._dice.choice(back).table.pid if back else 0

    async def _watch(self) -> None:
        """Notes since when the herald of each table is at its table and at the broker, until cancelled."""
        while True:
            here = await asyncio.to_thread(_connected_tables, self._tables, self._relay.port)
            now = time.monotonic()
            self._back = {name: self._back.get(name, now) for name in here}
            await asyncio.sleep(0.5)

    async def _stop(self) -> None:
        """Every table says how its match stands, and says no more."""
        told = set[int]()

        def stand() -> bool:
            moving = [each for each in self._tables if not (each.folder / headless_table.STANDS).exists()]
            for table in (each.table for each in moving):
                if table.pid not in told and _heeds(table.pid, signal.SIGTERM):
                    table.send(signal.SIGTERM)
                    told.add(table.pid)
            return not moving

        await _until(stand, READY_S + EACH_READY_S * self._count)

    def _probe(self) -> Probe:
        """Beside the tables: it says as much as one of them does."""
        _, files, _ = club.for_home_assistant(self._folder / "club")
        folder = private_dir(self._folder / "probe")
        for name, data in files.items():
            write_whole(folder / name, data, mode=0o600)
        own = authority.HOME_ASSISTANT
        names = (f"{own}.pem", f"{own}.key", f"{authority.AUTHORITY}.pem")
        context = mqtt.trusting(*(str(folder / name) for name in names))
        archive = Archive(self._folder / "club" / club.ARCHIVE)
        try:
            links = [
                link for each in archive.list_matches(limit=-1) if each.links for link in archive.links(each.match)
            ]
        finally:
            archive.close()
        return Probe(self._port, context, own, [len(msgspec.json.encode(link)) for link in links], every_s=1.0)

    def _broker(self) -> int | None:
        """The host's broker."""
        host = self._host.pid
        with suppress(OSError):
            for child in Path(f"/proc/{host}/task/{host}/children").read_text(encoding="ascii").split():
                if Path(f"/proc/{child}/comm").read_text(encoding="utf-8").startswith("mosquitto"):
                    return int(child)
        return None

    def _tell(self) -> None:
        """How far it has come."""
        archive = Archive(self._folder / "club" / club.ARCHIVE)
        try:
            played = [each.links for each in archive.list_matches(limit=-1) if each.links]
        finally:
            archive.close()
        words = {"kills": dict(self._kills), "upsets": dict(self._upsets), "load": self._load[-1:]}
        said = f"{len(played)} matches, {sum(played)} links in the archive"
        _log.info("%.0f s: %s; %s", time.monotonic() - self._begun, said, json.dumps(words))

    def _result(self, probe: Probe, played: float, ended: float) -> Result:
        found = _compare(self._folder, self._tables)
        ahead_s = (TELL_S + headless_table.STEP_S) / self._speed
        diaries = {each.name: hall_figures.diary(each.folder) for each in self._tables}
        told = [
            (at, later)
            for name, diary in diaries.items()
            for at, later in hall_figures.publication_times(name, diary, self._reader.cards, ahead_s)
            if played <= at <= ended
        ]
        signed = [page.at for diary in diaries.values() for page in diary if page.signed]
        quiet_s = sum(each.end - each.begin for each in self._quiet) or 1.0
        quiet = sum(self._is_quiet(at) for at in signed)
        rest_s = max(1.0, ended - played - quiet_s)
        rest = sum(played <= at <= ended for at in signed) - quiet
        samples = [sample for pair in self._samples for sample in pair]

        def one(of: str) -> Callable[[Sample], tuple[Took, ...]]:
            return lambda sample: (sample.others[of],) if of in sample.others else ()

        shown = [(at, later - at) for at, later in told if later is not None]
        return msgspec.structs.replace(
            found,
            kills=dict(self._kills),
            upsets=dict(self._upsets),
            stuck=tuple(page.stuck for diary in diaries.values() for page in diary if page.stuck)[:20],
            archive_kb_a_match=_a_match(self._small, _grown(self._folder)),
            links_s=(round(quiet / quiet_s / self._count, 3), round(rest / rest_s / self._count, 3)),
            page=_during(self._quiet, shown),
            broker=_during(self._quiet, probe.heard),
            page_by_round=tuple(_during([each], shown) for each in self._quiet),
            broker_by_round=tuple(_during([each], probe.heard) for each in self._quiet),
            page_always=hall_figures.spread(took for _, took in shown),
            untold=sum(later is None for _, later in told),
            tables_memory=hall_figures.memory(samples, lambda sample: sample.tables),
            heralds_memory=hall_figures.memory(samples, lambda sample: sample.heralds),
            table_percent=hall_figures.processor(self._samples, lambda sample: sample.tables),
            herald_percent=hall_figures.processor(self._samples, lambda sample: sample.heralds),
            host_percent=hall_figures.processor(self._samples, one("host")),
            host_mib=tuple(round(each.mib, 1) for sample in samples for each in one("host")(sample)),
            broker_mib=tuple(round(each.mib, 1) for sample in samples for each in one("broker")(sample)),
            load=tuple(self._load),
            seconds=round(time.monotonic() - self._begun, 1),
        )

    def _is_quiet(self, at: float) -> bool:
        return any(each.begin <= at <= each.end for each in self._quiet)


def _during(times: Sequence[Quiet], took: Iterable[tuple[float, float]]) -> Spread:
    """Of what began in these times. took: when it began, and how long it lasted."""
    return hall_figures.spread(lasted for at, lasted in took if any(each.begin <= at <= each.end for each in times))


def _under_way(folder: Path) -> int:
    """Tables of which the archive has a link."""
    archive = Archive(folder / "club" / club.ARCHIVE)
    try:
        return len({each.table for each in archive.list_matches(limit=-1) if each.links})
    finally:
        archive.close()


def _compare(folder: Path, tables: list[HallTable]) -> Result:
    """The archive with what the tables say that they have said."""
    archive = Archive(folder / "club" / club.ARCHIVE)
    try:
        found = {each.match: each for each in archive.list_matches(limit=-1) if each.links}
        paths = [path for each in tables for path in _in_order((each.folder / headless_table.SAID).glob("*.signed"))]
        said = {path.stem: path for path in paths}
        ends = {id: end for each in tables for id, end in _ends(each.folder).items()}
        result = Result(len(tables), matches=len(said), doubled=len(set(found) - set(said)))
        for id, path in said.items():
            bodies = [link.body for link in read(path.read_bytes()).links]
            kept = [link.body for link in archive.links(id)] if id in found else []
            same = sum(one == other for one, other in zip(bodies, kept, strict=False))
            if same < len(bodies):
                result = _with_missing(result, path, same, len(bodies))
            if (told := found.get(id)) is not None and (told.result != "", frozenset(told.winners)) != ends[id]:
                result = msgspec.structs.replace(
                    result, otherwise=(*result.otherwise, _otherwise(path, told, ends[id]))
                )
            result = msgspec.structs.replace(
                result,
                links=result.links + len(bodies),
                kept=result.kept + len(kept),
                lost=result.lost + len(bodies) - same,
                doubled=result.doubled + len(kept) - same,
                whole=result.whole + (kept == bodies),
            )
        return msgspec.structs.replace(result, archive_kb=round(_grown(folder)[1]))
    finally:
        archive.close()


def _grown(folder: Path) -> tuple[int, float]:
    """Matches that the archive has, and KiB of its files."""
    archive = Archive(folder / "club" / club.ARCHIVE)
    try:
        matches = len(archive.list_matches(limit=-1))
    finally:
        archive.close()
    return matches, sum(path.stat().st_size for path in (folder / "club").glob(f"{club.ARCHIVE}*")) / 1024


def _a_match(first: tuple[int, float], last: tuple[int, float]) -> float:
    """KiB by which the archive grew with each match."""
    (before, small), (after, large) = first, last
    return round((large - small) / max(1, after - before), 1)


def _caught_up(result: Result) -> bool:
    return not (result.lost or result.otherwise)


def _ends(folder: Path) -> dict[str, tuple[bool, frozenset[Seat]]]:
    """By the journals of a table: whether each of its matches is over, as it tells everybody once nothing has to be
    turned up any more that decided it, and who won."""
    found: dict[str, tuple[bool, frozenset[Seat]]] = {}
    for path in (folder / "matches").glob("*/journal.db"):
        with Journal(path) as journal:
            for number in journal.matches():
                entries = journal.entries(number)
                assert isinstance(entries[0], Start)
                match = replay(game(spec(entries[0].game)), entries)
                end = None if reveals(match.pending) else match.result
                found[journal.about(number).id] = (end is not None, frozenset() if end is None else end.winners)
    return found


def _otherwise(path: Path, told: Played, end: tuple[bool, frozenset[Seat]]) -> str:
    over, winners = end
    own = f"won by {sorted(winners)}" if over else "not over"
    there = f"{told.result!r}, won by {sorted(told.winners)}" if told.result else "not over"
    return f"table {path.parents[1].name}, match {path.stem}: {own}; the archive: {there}"


def _connected_tables(tables: Sequence[HallTable], port: int) -> set[str]:
    """Tables whose heralds are connected with them, and with the broker by the relay at this port."""
    unix = [line.split() for line in Path("/proc/net/unix").read_text(encoding="utf-8").splitlines()]
    served = {fields[7] for fields in unix if len(fields) == 8 and fields[5] == "03"}  # SS_CONNECTED
    tcp = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    ours = {f"socket:[{each[9]}]" for each in tcp if each[2].endswith(f":{port:04X}") and each[3] == "01"}
    return {
        each.name
        for each in tables
        if str(socket_path(each.folder / "run" / "public", NAME)) in served
        and not ours.isdisjoint(_open(each.herald.pid))
    }


def _open(pid: int) -> set[str]:
    """What a process has open; nothing if it does not run."""
    found = set[str]()
    with suppress(OSError):
        for each in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                found.add(str(each.readlink()))
    return found


def _heeds(pid: int, number: signal.Signals) -> bool:
    """Whether a process has come so far as to catch the signal."""
    with suppress(OSError):
        caught = re.search(r"(?m)^SigCgt:\s*([0-9a-f]+)$", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
        return caught is not None and bool(int(caught[1], 16) >> (number - 1) & 1)
    return False


def _in_order(paths: Iterable[Path]) -> list[Path]:
    """Matches of a table, as they ended."""
    return sorted(paths, key=lambda path: path.stat().st_mtime)


def _with_missing(result: Result, path: Path, kept: int, said: int) -> Result:
    order = _in_order(path.parent.iterdir())
    which = f"match {order.index(path) + 1} of {len(order)}, ended {time.time() - path.stat().st_mtime:.0f} s ago"
    told = f"table {path.parents[1].name}, {which}: {kept} of {said} links"
    return msgspec.structs.replace(result, missing=(*result.missing, told))


def _answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


async def _until(true: Callable[[], bool], patience_s: float) -> None:
    """Raises TimeoutError."""
    async with asyncio.timeout(patience_s):
        while True:
            begun = time.monotonic()
            if true():
                return
            await asyncio.sleep(max(0.5, 4 * (time.monotonic() - begun)))


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tools.hall", description=__doc__.split("\n", maxsplit=1)[0])
    asked.add_argument("--tables", type=int, default=8)
    asked.add_argument("--seconds", type=float, default=120.0)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--speed", type=float, default=SPEED, help="of the players: 2 is about one event a second")
    asked.add_argument("--json", action="store_true", help="on one line")
    given = asked.parse_args()
    log_to_stderr()
    with tempfile.TemporaryDirectory(
        prefix="hall-", ignore_cleanup_errors=True
    ) as folder:  # the broker ends after its host, and writes until then
        found = asyncio.run(Trial(given.tables, given.seed, given.speed, Path(folder)).run(given.seconds))
    print(json.dumps(msgspec.to_builtins(found), indent=None if given.json else 2))
    for each in found.undone:
        _log.error("not done: %s", each)
    return int(found.wrong)


if __name__ == "__main__":
    sys.exit(main())
