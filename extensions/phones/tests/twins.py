"""Law 5 on TCP: what a browser at a page gets, byte by byte, tells nothing that its audience must not know.

`python -m extensions.phones.tests.twins --pairs 10000 --folder runs --jobs 2` takes pairs of sessions that differ
only in what an audience must not know (`tests.device.session.twins`), puts one at each of two tables with the gateway
as it is shipped (`worlds.py`), lets the other seats tap for themselves, differently at each, and compares the frames at
that audience's page and at the owner's: bytes, lengths, order, and the times in them, which lie on the grid.

Every second pair is of the other kind: what differs is a seat's own secret (its answer, its theory, its marks, its
hand), while all others see the same. That seat's page gets other bytes, of course, but the network must not see it:
the frames to it are as many, as long once they are encrypted, and at the same times.

A run goes on where one before it stopped: blocks that are done lie in the folder. `--planted` plants the leaks of
`tests.device.session.leaks` and of `own_leaks.py`, one after another, and says which are found so. Exits with 1 if a
pair differs, or a planted leak is not found.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

import msgspec

from device.locale import LANGUAGES
from device.session import tapping
from device.session.aim import READING_S
from device.session.state import Play, Session
from device.web.audiences import OWNER
from engine.table import Seat
from extensions.phones.tests.own_leaks import LEAKS as OWN_LEAKS
from extensions.phones.tests.own_leaks import UNPADDED
from extensions.phones.tests.worlds import QUIET, SEATS, Sealed, World, started
from referee_phones.daemon.links import OWN_S
from referee_phones.daemon.pages import OTHERS_S
from tests.device.session.leaks import LEAKS
from tests.device.session.stages import table
from tests.device.session.twins import GAMES, Own, Pair, owned, pairs
from vision.files import read_json, write_whole

replace = msgspec.structs.replace
BLOCK = 250
"""Pairs that are done or not: what a run that is stopped may have to do again."""

BUSY = 6
"""In one of so many pairs the others tap, and the audience itself."""

LEAFS = ("By phone", "Resign", "Correct the referee")
"""Lines of the menu behind which nothing happens yet."""

TAPS = 5
"""So often the seat whose secret differs taps, once it has learnt it."""

T = TypeVar("T")
Work = Callable[[str, Sequence[int], int, Path], None]
Planted = Callable[[str, int], Coroutine[Any, Any, dict[str, int | None]]]

LASTS_S = 2.0
READ_S = READING_S + 0.1


class Found(msgspec.Struct, frozen=True):
    """Of some pairs. bytes: that were compared; notes: which pairs differ."""

    pairs: int = 0
    frames: int = 0
    bytes: int = 0
    taps: int = 0
    games: dict[str, int] = {}
    notes: tuple[str, ...] = ()

    def __add__(self, other: Found) -> Found:
        games = {game: self.games.get(game, 0) + other.games.get(game, 0) for game in GAMES}
        counts = {name: getattr(self, name) + getattr(other, name) for name in ("pairs", "frames", "bytes", "taps")}
        return Found(**counts, games=games, notes=(*self.notes, *other.notes))


class Heard(NamedTuple):
    """What came at a page, and at the owner's, while a session stood. taps: of the others."""

    frames: list[tuple[bytes, bytes]]
    owner: list[tuple[bytes, bytes]]
    taps: int


@asynccontextmanager
async def two(program: str = "referee_phones.keeper") -> AsyncIterator[tuple[World, World]]:
    """Two tables with their gateways. program: of these."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="table-referee-")))
        left, right = [
            await started(stack, folder / name, lambda path: World(path, program)) for name in ("left", "right")
        ]
        yield left, right


async def compared(
    worlds: tuple[World, World], found: Sequence[tuple[str, Pair | Own]], seed: str, language: str = "en"
) -> Found:
    """These pairs, each with its game."""
    await visited(worlds, language)
    total = Found()
    for number, (game, pair) in enumerate(found):
        dice = f"{seed}/{number}"
        if isinstance(pair, Own):
            total += await _overheard(worlds, game, pair, dice)
            await visited(worlds, language)
            continue
        both = [played(world, each, pair.audience, dice) for world, each in zip(worlds, pair[:2], strict=True)]
        left, right = await asyncio.gather(*both)
        wrong = _wrong(left, right, busy=_busy(dice))
        if left.owner != right.owner or not left.owner:
            wrong = wrong or "other bytes at the owner's page"
        notes = (f"{game}: {pair.audience or 'table'}: {wrong}",) if wrong else ()
        size = sum(len(head) + len(body) for head, body in left.frames)
        total += Found(1, len(left.frames), size, left.taps + right.taps, {game: 1}, notes)
        if wrong or _busy(dice):  # who tapped was sent more: all begin again
            await visited(worlds, language)
    return total


class Overheard(NamedTuple):
    """A seat's secret, as the network and the others have it. public: what came at the table's page, byte by byte;
    sealed: of each seat's page what the network sees."""

    public: list[tuple[bytes, bytes]]
    sealed: dict[str, list[Sealed]]
    bytes: int


async def _overheard(worlds: tuple[World, World], game: str, own: Own, dice: str) -> Found:
    """The same happens in public at both tables. What a pair shows after its public parts have come apart does not
    count: so it goes tap by tap."""
    courses = [_course(world, own, side, dice) for side, world in enumerate(worlds)]
    total, wrong = Found(1, games={game: 1}), ""
    while not wrong:
        both = await asyncio.gather(*(anext(course, None) for course in courses))
        left, right = both
        if left is None or right is None or left.public != right.public:
            break
        total += Found(0, sum(map(len, left.sealed.values())), left.bytes, 1)
        if left.sealed != right.sealed:
            seats = [seat for seat in SEATS if left.sealed[seat] != right.sealed[seat]]
            seen = [(left.sealed[seat], right.sealed[seat]) for seat in seats]
            wrong = f"{game}: {own.seat}: the network sees it at {', '.join(seats)}: {seen}"
    for course in courses:
        await course.aclose()
    return total + Found(notes=(wrong,) if wrong else ())


async def _course(world: World, own: Own, side: int, dice: str) -> AsyncGenerator[Overheard, None]:
    """What comes after each step: the action before which both are alike, the action, and taps of the seat."""
    shared, private = Random(dice), Random(f"{dice}/{side}")
    for session in (own.before[side], own.after[side]):
        await world.shown(placed(session, world.at))
        yield _taken(world)
    for _ in range(TAPS):
        world.pass_s(READ_S)
        menu, secretly = shared.random() < 0.3, shared.random() < 0.5
        session = world.core.session
        found = (tapping.menu if menu else tapping.answers)(world.core.table, session, own.seat)
        lists = session.lists[own.seat]
        line = (private if secretly else shared).randrange(max(1, len(found.texts)))
        await world.tapped(own.seat, (lists.menu if menu else lists.answers).serial, line, menu=menu)
        world.pass_s(OTHERS_S)
        await world.arrived()
        yield _taken(world)


def _taken(world: World) -> Overheard:
    sealed = {seat: list(world.browsers[seat].sealed) for seat in SEATS}
    size = sum(sum(frame.records) for frames in sealed.values() for frame in frames)
    heard = {name: each.taken() for name, each in world.browsers.items()}
    return Overheard(heard["table"], sealed, size)


def _wrong(left: Heard, right: Heard, *, busy: bool) -> str:
    """What tells one from the other; "" if nothing does."""
    if left.frames != right.frames:
        return "other bytes"
    if not left.frames:
        return "nothing came"
    grid = OWN_S if busy else OTHERS_S
    sheets = [msgspec.json.decode(body) for _, body in left.frames]
    off = [each["at"] for each in sheets if "at" in each and abs(each["at"] / grid - round(each["at"] / grid)) > 1e-6]
    return f"not on the grid: {off}" if off else ""


async def played(world: World, session: Session, audience: Seat | None, dice: str) -> Heard:
    """The session is there for a while. dice: the same at both tables."""
    begun, taps = world.at, 0
    await world.shown(placed(session, begun))
    if _busy(dice):
        world.pass_s(READ_S)
        taps = await _leafed(world, audience, Random(f"{dice}/{world.name}"))
        world.pass_s(begun + LASTS_S - OTHERS_S - world.at)
        if audience is not None:
            await world.tapped(audience, 0, 0, menu=False)
    world.pass_s(begun + LASTS_S - world.at)
    await world.tended()
    await world.shown(QUIET)
    heard = {name: each.taken() for name, each in world.browsers.items()}
    return Heard(heard[audience or "table"], heard[OWNER], taps)


def _busy(dice: str) -> bool:
    return Random(dice).randrange(BUSY) == 0


async def _leafed(world: World, audience: Seat | None, dice: Random) -> int:
    """The others tap for themselves what decides nothing: in their menus, or on what is not there."""
    others, count = [seat for seat in SEATS if seat != audience], dice.randrange(4)
    for _ in range(count):
        seat = dice.choice(others)
        session = world.core.session
        lines = [str(text) for text in tapping.menu(world.core.table, session, seat).texts]
        there = [place for place, line in enumerate(lines) if line in LEAFS]
        serial = session.lists[seat].menu.serial if there and dice.random() < 0.8 else 0
        await world.tapped(seat, serial, dice.choice(there) if there else 0, menu=True)
        world.pass_s(dice.uniform(0.01, 0.25))
    return count


def placed(session: Session, at: float) -> Session:
    """The session at this time of the table's clock, with what its pages list."""
    play = session.stage
    assert isinstance(play, Play)
    epoch = at - play.match.at - 1.0
    moved = replace(session, now=epoch + session.now, stage=replace(play, epoch=epoch))
    return tapping.relist(table(), moved, None)


async def visited(worlds: tuple[World, World], language: str) -> None:
    await asyncio.gather(*(world.visited(language) for world in worlds))
    worlds[1].at = worlds[0].at = max(world.at for world in worlds)


def drawn(seed: str) -> Iterator[tuple[str, Pair | Own]]:
    """Pairs of every game in turn, of both kinds, without end."""
    streams = {game: (pairs(seed, game), owned(seed, game)) for game in GAMES}
    while True:
        for game, (hidden, own) in streams.items():
            yield game, next(hidden)
            yield game, next(own)


async def blocks(seed: str, numbers: Sequence[int], count: int, folder: Path) -> None:
    """Leaves what was found in each block in the folder."""
    async with two() as worlds:
        for number in numbers:
            language = LANGUAGES[number % len(LANGUAGES)]
            await save(seed, number, count, folder, drawn, partial(compared, worlds, language=language))


async def save(
    seed: str,
    number: int,
    count: int,
    folder: Path,
    draws: Callable[[str], Iterator[T]],
    compares: Callable[[list[T], str], Awaitable[Found]],
) -> None:
    """Leaves what was found in one block in the folder."""
    name = f"{seed}/{number}"
    source = draws(name)
    found = [next(source) for _ in range(min(BLOCK, count - number * BLOCK))]
    write_whole(_path(folder, seed, number), msgspec.json.encode(await compares(found, name)))


def _path(folder: Path, seed: str, number: int) -> Path:
    return folder / f"{seed}-{number:05}.json"


def work(seed: str, numbers: Sequence[int], count: int, folder: Path) -> None:
    asyncio.run(blocks(seed, numbers, count, folder))


def run(seed: str, count: int, folder: Path, jobs: int, work: Work) -> Found:
    """So many pairs, as far as they are not in the folder by now. work: does the blocks of these numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = range(-(-count // BLOCK))
    todo = [number for number in numbers if not _path(folder, seed, number).exists()]
    context = multiprocessing.get_context("spawn")
    parts = [part for job in range(jobs) if (part := todo[job::jobs])]
    working = [context.Process(target=work, args=(seed, part, count, folder)) for part in parts]
    for each in working:
        each.start()
    for each in working:
        each.join()
    found = (read_json(path, Found) for number in numbers if (path := _path(folder, seed, number)).exists())
    return sum(found, Found())


async def planted(seed: str, most: int) -> dict[str, int | None]:
    """By leak: the pair by which it was found."""
    async with two() as worlds, two(UNPADDED) as unpadded:
        found = {}
        for name in (*LEAKS, *OWN_LEAKS):
            for world in worlds:
                world.leak, world.own_leak = LEAKS.get(name), OWN_LEAKS.get(name)
            found[name] = await _found_at(worlds, seed, most)
        return {**found, "unpadded": await _found_at(unpadded, seed, most)}


async def _found_at(worlds: tuple[World, World], seed: str, most: int) -> int | None:
    source = drawn(seed)
    for number in range(1, most + 1):
        found = await compared(worlds, [next(source)], f"{seed}/{number}")
        if found.notes:
            return number
    return None


def main(description: str | None, work: Work, planted: Planted) -> int:
    """The command. planted: looks for each leak in at most so many pairs."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where blocks lie that are done; without it nothing is kept")
    parser.add_argument("--planted", action="store_true", help="look for each leak in at most --pairs pairs")
    parser.add_argument("--json", action="store_true")
    given, begun = parser.parse_args(), time.monotonic()
    if given.planted:
        at = asyncio.run(planted(given.seed, given.pairs))
        missed = [name for name, number in at.items() if number is None]
        result: dict[str, object] = {"planted": len(at), "found": len(at) - len(missed), "at_pair": at}
        wrong = bool(missed)
    else:
        with tempfile.TemporaryDirectory(prefix="table-referee-") as passing:
            found = run(given.seed, given.pairs, given.folder or Path(passing), given.jobs, work)
        result = {**msgspec.structs.asdict(found), "differences": len(found.notes), "notes": found.notes[:20]}
        wrong = bool(found.notes) or found.pairs < given.pairs
    result["seconds"] = round(time.monotonic() - begun, 1)
    text = msgspec.json.encode(result)
    print((text if given.json else msgspec.json.format(text, indent=2)).decode())
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(__doc__, work, planted))
