"""Journals as they lie on a card, and what a bad card makes of them: for `tools.damage`.

A journal is made by the shipped session, in a process that is killed or that ends in order; then bits, sectors and
whole files of it go bad.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import traceback
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

import msgspec

from device.journal import Journal
from device.journal.formats import read_witness
from engine.entry import encode
from tools.kills import Player

PAGE, SECTOR = 4096, 512
LOG = "-wal"
TRUTH = "truth.json"


class Kind(StrEnum):
    """What goes bad."""

    BIT = "bit"
    SECTOR = "sector"
    PAGE = "page"
    CUT = "cut"
    COPIED = "copied"
    EMPTIED = "emptied"
    DELETED = "deleted"


class Target(StrEnum):
    """What of it."""

    DATABASE = "database"
    LOG = "log"
    BOTH = "both"


class Plan(msgspec.Struct, frozen=True):
    """One journal, and how often it is damaged. kind, target, killed: None: as the seed says."""

    seed: int
    trials: int
    kind: Kind | None = None
    target: Target | None = None
    killed: bool | None = None


class Truth(msgspec.Struct, frozen=True):
    """What was accepted and shown: the entries of each match, and how many of them the witness knew of."""

    entries: dict[int, tuple[bytes, ...]]
    witnessed: dict[int, int]
    killed: bool


class Recorder(Player):
    """Plays as the daemon does it. resting: how often the table rests, and the log is emptied."""

    def __init__(self, path: Path, seed: int, resting: float) -> None:
        self._resting = resting
        super().__init__(path, seed)

    def _pause(self, rng: random.Random) -> None:
        if rng.random() < self._resting:
            self._journal.rest()
        elif rng.random() < 0.7:
            self._journal.attest()

    def leave(self) -> None:
        """The match is not gone on with."""
        self._journal.leave()


def record(folder: Path, plan: Plan) -> Truth:
    """Makes a journal in `folder`, and an older state of it in `folder`/old."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _play(folder, plan)
            code = 0
        except BaseException:  # noqa: BLE001 - the child ends here, and says why
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL) and status:
        raise RuntimeError(f"no journal could be made (status {status})")
    return msgspec.json.decode((folder / TRUTH).read_bytes(), type=Truth)


def _play(folder: Path, plan: Plan) -> None:
    dice, path = random.Random(plan.seed), folder / "journal.db"
    killed = plan.killed if plan.killed is not None else dice.random() < 0.6
    resting = dice.choice((0.0, 0.0, 0.05))
    matches = dice.choice((1, 2, 3))
    for number in range(1, matches):
        player = Recorder(path, plan.seed * 10 + number, resting)
        player.play(dice.randrange(5, 60))
        player.leave()
        player.close()
    player = Recorder(path, plan.seed * 10, resting)
    longest = dice.randrange(8, 100)
    player.play(longest // 2)
    _copy(folder, folder / "old")
    player.play(longest)
    if not killed:
        player.close()
    with Journal() if killed else Journal(path) as other:
        there = player._journal if killed else other
        entries = {n: tuple(map(encode, there.entries(n))) for n in there.matches()}
    said = read_witness(path)
    assert said is not None
    known = {match: head.count for match, head in said.heads.items()}
    (folder / TRUTH).write_bytes(msgspec.json.encode(Truth(entries, known, killed)))
    if killed:
        os.kill(os.getpid(), signal.SIGKILL)


def _copy(folder: Path, to: Path) -> None:
    to.mkdir()
    for file in folder.glob("journal.db*"):
        shutil.copyfile(file, to / file.name)


def spoil(folder: Path, old: Path, plan: Plan, dice: random.Random) -> Kind:
    """Damages the journal in `folder`; `old` holds an older state of it. Returns what was done."""
    kind = plan.kind or dice.choice(list(Kind))
    target = plan.target or dice.choice(list(Target))
    database, log = folder / "journal.db", folder / f"journal.db{LOG}"
    if not log.exists() or not log.stat().st_size:
        files = [database]
    else:
        files = {Target.DATABASE: [database], Target.LOG: [log], Target.BOTH: [database, log]}[target]
    for file in files:
        _DAMAGES[kind](file, old / file.name, dice)
    return kind


def _bit(file: Path, _old: Path, dice: random.Random) -> None:
    data = bytearray(file.read_bytes())
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    file.write_bytes(data)


def _sector(file: Path, old: Path, dice: random.Random) -> None:
    _overwritten(file, old, dice, SECTOR)


def _page(file: Path, old: Path, dice: random.Random) -> None:
    _overwritten(file, old, dice, PAGE)


def _overwritten(file: Path, old: Path, dice: random.Random, size: int) -> None:
    """One sector of the card holds zeros, ones, noise, or what it held before."""
    data = bytearray(file.read_bytes())
    start = dice.randrange(0, len(data), size)
    end = min(start + size, len(data))
    before = old.read_bytes()[start:end] if old.exists() else b""
    contents: list[Callable[[], bytes]] = [
        lambda: bytes(size),
        lambda: b"\xff" * size,
        lambda: dice.randbytes(size),
        lambda: before.ljust(size, b"\0"),
    ]
    data[start:end] = dice.choice(contents)()[: end - start]
    file.write_bytes(data)


def _cut(file: Path, _old: Path, dice: random.Random) -> None:
    os.truncate(file, dice.randrange(file.stat().st_size))


def _copy_page(file: Path, _old: Path, dice: random.Random) -> None:
    """A page lies where another should: a write went to the wrong place."""
    data = bytearray(file.read_bytes())
    pages = range(0, len(data), PAGE)
    source, to = dice.choice(pages), dice.choice(pages)
    page = data[source : source + PAGE][: len(data) - to]
    data[to : to + len(page)] = page
    file.write_bytes(data)


def _empty_file(file: Path, _old: Path, _dice: random.Random) -> None:
    os.truncate(file, 0)


def _delete_file(file: Path, _old: Path, _dice: random.Random) -> None:
    file.unlink()


_DAMAGES: dict[Kind, Callable[[Path, Path, random.Random], None]] = {
    Kind.BIT: _bit,
    Kind.SECTOR: _sector,
    Kind.PAGE: _page,
    Kind.CUT: _cut,
    Kind.COPIED: _copy_page,
    Kind.EMPTIED: _empty_file,
    Kind.DELETED: _delete_file,
}
