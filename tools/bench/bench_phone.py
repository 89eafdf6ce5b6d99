"""From a hand leaving the phone's picture to the verdict: `python -m tools.bench.bench_phone [--trials 5] [--json]`.

`referee run` and `referee pages` as they are shipped, on this machine; a Chromium is the phone, and its camera plays a
film in which a stone of Tellstones is placed. Real seconds from the first picture without the hand, as the phone's page
shows it, to the entry in the journal (aim: 0.7 s). So the machine should have nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from device.journal import Archive, Journal
from device.owner.claim_files import camera_files
from engine.entry import Act, Entry
from referee_simulator.hands.scripts import Script
from referee_simulator.harness.plan import Plan, PlannedMatch, matches_of
from referee_simulator.table.virtual import VirtualTable
from tests.browser.filming import film, phone
from tests.browser.shipped import Shipped
from tools.phone_verdicts import set_out
from vision.camera import Image

VERDICT_S = 0.7
"""Aim."""

PER_SECOND = 10
"""Pictures of the film."""

BEFORE_S, AFTER_S = 30.0, 20.0
"""Rest of the table in the film before the hand comes, and after it left."""

SIDE, HERE, GONE = 24, 128, 140
"""Side in pixels of the square in a corner that tells the page when the hand is gone, and its gray levels."""

TRIAL_S = 120.0
"""Longest wait for a verdict, with the film's beginning."""

NOTE = """
const spot = Object.assign(document.createElement("canvas"), { width: 8, height: 8 });
const brush = spot.getContext("2d", { willReadFrequently: true });
window.gone = null;
setInterval(() => {
  const video = document.querySelector("video");
  if (window.gone !== null || !video?.videoWidth) return;
  brush.drawImage(video, arguments[0] / 4, arguments[0] / 4, arguments[0] / 2, arguments[0] / 2, 0, 0, 8, 8);
  const { data } = brush.getImageData(0, 0, 8, 8);
  const level = data.reduce((sum, each, at) => sum + (at % 4 < 3 ? each : 0), 0) / 192;
  if (level > arguments[1]) window.gone = Date.now();
}, 5);
"""


def _first_action(planned: PlannedMatch, folder: Path) -> tuple[Entry, tuple[Script, ...]]:
    """Return the match's first entry, and what hands do in its first action."""
    table, play = set_out(planned, folder)
    done, act = list[tuple[Script, ...]](), table.act

    def note(scripts: Iterable[Script]) -> None:
        done.append(tuple(scripts))
        act(done[-1])

    table.act = note  # type: ignore[method-assign]
    play(1)
    with Archive(folder / "journal.db") as archive:
        return archive.entries(archive.matches()[-1])[0], done[0]


def _pictures(planned: PlannedMatch, folder: Path, scripts: tuple[Script, ...]) -> Iterator[Image]:
    """Yield the film's pictures: rest, the hand, and rest again."""
    table, _ = set_out(planned, folder)
    begins = min(script.begins for script in scripts)

    def rest(start: float, seconds: float, level: int) -> Iterator[Image]:
        loop = [_draw_marked(table, start + number / PER_SECOND, level) for number in range(PER_SECOND)]
        yield from (loop[number % len(loop)] for number in range(int(seconds * PER_SECOND)))

    yield from rest(0.0, BEFORE_S, HERE)
    table.act(scripts)
    ends = table.busy_until()
    for number in range(int((ends - begins) * PER_SECOND)):
        yield _draw_marked(table, begins + number / PER_SECOND, HERE)
    yield from rest(ends, AFTER_S, GONE)


def _draw_marked(table: VirtualTable, at: float, level: int) -> Image:
    frame = table.frame(at)
    assert frame is not None
    picture = frame.image.copy()
    picture[:SIDE, :SIDE] = level
    return picture


def trial(seed: int) -> float:
    """Return the seconds from a hand's leaving to its verdict."""
    with tempfile.TemporaryDirectory(prefix="table-referee-") as name:
        folder = Path(name)
        (planned,) = matches_of(Plan(game="tellstones", orders="seen", seed=seed), folder)
        start, scripts = _first_action(planned, folder / "planned")
        reel = film(folder / "film.y4m", _pictures(planned, folder / "drawn", scripts), PER_SECOND)
        own = folder / "table"
        (own / "state").mkdir(parents=True)
        (own / "state/enrolled").symlink_to(planned.enrolled)
        with closing(Journal(own / "state/journal.db")) as journal:
            journal.append([start])
        with Shipped(own, 'source = "phone"') as shipped, phone(reel) as camera:
            camera.get(f"{shipped.page('camera')}#{camera_files(own / 'state').codes().card}")
            camera.execute_script(NOTE, SIDE, (HERE + GONE) / 2)
            told = _verdict(own / "state/journal.db")
            gone: float = camera.execute_script("return window.gone")
            return told - gone / 1000


def _verdict(journal: Path) -> float:
    """Return the time at which the journal first has an action."""
    until = time.time() + TRIAL_S
    while time.time() < until:
        with Archive(journal) as archive:
            matches = archive.matches()
            if matches and any(isinstance(entry, Act) for entry in archive.entries(matches[-1])):
                return time.time()
        time.sleep(0.02)
    raise AssertionError("no verdict came")


def measure(trials: int, seed: int) -> dict[str, float]:
    """Return the figures by name. A trial takes a minute."""
    found = [trial(seed + number) for number in range(trials)]
    return {"verdicts": trials, "verdict_s_median": statistics.median(found), "verdict_s_worst": max(found)}


def main() -> int:
    """Print the figures; return 1 if the median misses its aim."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1, help="of the first trial's match (1)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    found = {name: round(value, 2) for name, value in measure(given.trials, given.seed).items()}
    print(json.dumps(found) if given.json else "\n".join(f"{name}: {value}" for name, value in found.items()))
    return int(found["verdict_s_median"] > VERDICT_S)


if __name__ == "__main__":
    sys.exit(main())
