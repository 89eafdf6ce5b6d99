"""Compares verdicts of rendered matches: of their pictures as they are, and as a phone's page takes and sends them.

    python -m tools.phone_verdicts --matches 100 --seed 1 --jobs 2 --json

Chromium's fake camera plays the pictures that the table looked at (each bears its number, which is painted over before
it is looked at) to the camera's page of the shipped programs; those that arrive are judged instead. Games take turns. A
match is its first ten actions; it differs if its journal or its count of questions does. Exits with 1 if one differs.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np

from device.daemon import assembly
from device.journal import Journal
from device.owner.claim_files import camera_files
from engine.entry import Entry
from referee_simulator.harness.plan import Plan, PlannedMatch, game_and_mat, matches_of, settings_of
from referee_simulator.harness.planned_table import table_of
from referee_simulator.harness.processes import spread
from referee_simulator.harness.sights import PictureSight
from referee_simulator.harness.stored_results import OnProgress
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.judge.tally import Tally
from referee_simulator.players.players import Manner, Players
from referee_simulator.table.virtual import VirtualTable
from tests.browser.filming import PATIENCE_S, film, open_camera, phone
from tests.browser.shipped import Shipped
from tools import longrun
from vision.camera import CameraLost, Frame, Image, NoFrameYet
from vision.cameras.phone import PhoneCamera
from vision.cameras.ring import phone_ring

GAMES = ("tellstones", "planetx", "fence", "runes")

ACTIONS = 10
"""Of a match."""

PER_SECOND = 5
"""Pictures of the film: slow enough that the page sends each of them."""

BITS, SIDE = 12, 24
"""Squares of a picture's number, and their side in pixels."""


class Verdicts(msgspec.Struct, frozen=True):
    """A match as it was judged. worth: count of actions by verdict."""

    entries: tuple[Entry, ...]
    worth: dict[str, int]


class Compared(msgspec.Struct, frozen=True):
    """actions: by game. worth: of all actions, by verdict. differ: games and seeds of matches with other verdicts."""

    matches: int
    actions: dict[str, int]
    worth: dict[str, int]
    differ: tuple[tuple[str, int], ...]


def compare(matches: int, seed: int, jobs: int, progress: OnProgress = lambda _done, _of: None) -> Compared:
    """Play matches twice each. seed: draws theirs."""
    rng = random.Random(seed)
    drawn = {number: (GAMES[number % len(GAMES)], rng.randrange(2**31)) for number in range(matches)}
    actions, worth, differ = Counter(dict.fromkeys(GAMES, 0)), Counter[str](), list[tuple[str, int]]()
    for done, (number, (plain, by_phone)) in enumerate(spread(judge_twice, drawn, jobs), start=1):
        actions[drawn[number][0]] += sum(plain.worth.values())
        worth.update(plain.worth)
        if by_phone != plain:
            differ.append(drawn[number])
        progress(done, matches)
    return Compared(matches, dict(actions), dict(worth), tuple(sorted(differ)))


def set_out(planned: PlannedMatch, folder: Path) -> tuple[VirtualTable, Callable[[int], Tally]]:
    """Return the laid table of a match, and what plays so many actions there.

    folder: of what the table keeps; is made.
    """
    folder.mkdir()
    (folder / "enrolled").symlink_to(planned.enrolled)
    settings = settings_of(planned.seats, folder)
    rules, seats = assembly.session_table(settings), tuple(sorted(settings.seats))
    known, mat = game_and_mat(rules, planned.plan.game, planned.seats, planned.options)
    table, holding = table_of(known, mat, seats, planned)

    def play(actions: int) -> Tally:
        world = Timed(settings, seed=planned.seed, rules=rules, sight=PictureSight(table, settings), drawn=False)
        players = Players(world, known, seats, planned.seed, Manner(longest=actions), holding=holding)
        asyncio.run(world.run(players.whole_match(planned.options)))
        return players.tally

    return table, play


def judge_twice(match: tuple[str, int], actions: int = ACTIONS) -> tuple[Verdicts, Verdicts | None]:
    """Return the verdicts of a match's pictures, and of the same pictures taken by a phone. match: game and seed.

    The second is None if the match by phone looked at more pictures, or at fewer.
    """
    game, seed = match
    with tempfile.TemporaryDirectory(prefix="table-referee-") as name:
        folder = Path(name)
        (planned,) = matches_of(Plan(game=game, scene="easy", orders="seen", seed=seed), folder)
        pictures: list[Image] = []

        def keep(picture: Image) -> Image:
            pictures.append(picture)
            return with_number(picture, None)

        plain = _judge(planned, folder / "file", actions, keep)
        taken = _film(folder / "phone", pictures)
        assert any(not np.array_equal(with_number(each, None), got) for each, got in zip(pictures, taken, strict=True))
        rest = iter(taken)
        try:
            by_phone = _judge(planned, folder / "by phone", actions, lambda _picture: next(rest))
        except (StopIteration, RuntimeError):
            return plain, None
        return plain, by_phone if next(rest, None) is None else None


def _judge(planned: PlannedMatch, folder: Path, actions: int, changed: Callable[[Image], Image]) -> Verdicts:
    """Play so many actions of a match. changed: returns what is looked at instead of a picture."""
    table, play = set_out(planned, folder)
    rendered = table.frame

    def frame(at: float, dimmed: float = 0.0) -> Frame | None:
        found = rendered(at, dimmed)
        return None if found is None else Frame.of(found.serial, found.at, changed(found.image))

    table.frame = frame  # type: ignore[method-assign]
    worth = dict(play(actions).worth)
    with closing(Journal(folder / "journal.db")) as journal:
        return Verdicts(tuple(journal.current_entries()), worth)


def _film(folder: Path, pictures: list[Image]) -> list[Image]:
    """Show the pictures to a phone that is a table's camera; return them as they reach the table."""
    folder.mkdir()
    reel = film(folder / "film.y4m", (with_number(each, number) for number, each in enumerate(pictures)), PER_SECOND)
    with Shipped(folder, 'source = "phone"') as shipped, phone(reel) as browser:
        browser.get(f"{shipped.page('camera')}#{camera_files(folder / 'state').codes().card}")
        with closing(PhoneCamera(str(phone_ring(folder / "state")))) as camera:
            open_camera(camera)
            found = _receive(camera, len(pictures))
    return [found[number] for number in range(len(pictures))]


def _receive(camera: PhoneCamera, wanted: int) -> dict[int, Image]:
    """Return so many pictures by number, once the film has shown all of them."""
    found, until = dict[int, Image](), time.monotonic() + PATIENCE_S + 3 * wanted / PER_SECOND
    while len(found) < wanted:
        assert time.monotonic() < until, f"only {len(found)} of {wanted} pictures came"
        try:
            frame = camera.read(1.0)
        except (CameraLost, NoFrameYet):
            continue
        assert frame is not None
        found.setdefault(_number_of(frame.image), with_number(frame.image, None))
    return found


def with_number(picture: Image, number: int | None) -> Image:
    """Return the picture with its number along the upper edge; gray for None."""
    made = picture.copy()
    for bit in range(BITS):
        level = 128 if number is None else 255 * (number >> bit & 1)
        made[:SIDE, bit * SIDE : (bit + 1) * SIDE] = level
    return made


def _number_of(picture: Image) -> int:
    inner = slice(SIDE // 4, 3 * SIDE // 4)
    squares = (picture[inner, bit * SIDE : (bit + 1) * SIDE][:, inner] for bit in range(BITS))
    return sum((square.mean() > 128) << bit for bit, square in enumerate(squares))


def main() -> int:
    """Compare verdicts, and print what was found."""
    parser = longrun.parser(__doc__, seed=1)
    parser.add_argument("--matches", type=int, default=4, help="to play twice (4)")
    given = parser.parse_args()
    with longrun.start_run("matches") as progress:
        found = compare(given.matches, given.seed, given.jobs, progress)
    longrun.show(found, given.json)
    return 1 if found.differ else 0


if __name__ == "__main__":
    sys.exit(main())
