"""Prints one table of how well the camera sees, and compares it with the last kept one.

    make eyes ARGS="--photographs DIR --actions 400"
    python -m tools.eyes --photographs DIR --json
    python -m tools.eyes --photographs DIR --actions 400 --keep     # the table that later ones are compared with

The rows are pictures of another renderer, photographs of public sets (DIR/SET/enrol/KIND/*, DIR/SET/test/KIND/*, made
by `python -m tools.lab.photographs`), and matches in the project's own scenes. Exits with 1 if a row has more faults,
or fewer right ones, than the kept table's interval allows.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import cv2
import msgspec

from referee_simulator.harness.plan import Plan
from referee_simulator.harness.stored_results import OnProgress
from tools import longrun
from tools.bench import on_mat, traced
from tools.bound import at_most, on_mats, play_until
from tools.lab import card_paths, layouts
from vision.files.reading import read_json
from vision.recognition.enrolment import UNKNOWN

KEPT = Path(__file__).with_name("eyes.json")

UPRIGHT = ("road-signs",)
"""Sets whose pieces never lie turned."""

CARDS = {"set-cards": (57.0, 87.0), "symbol-cards": (57.0, 87.0)}
"""Sets of cards, with their width and height in mm."""

SCENES = ("normal", "hard")

LINE = 7
"""Stones on a line of the mat."""

PICTURES = 16
"""Pictures of the mat a set and view."""


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One capability. right, wrong: named or judged so; the rest was left open, or asked."""

    trials: int
    right: int
    wrong: int

    @property
    def open_at_most(self) -> float:
        """Return the upper bound (95%, one-sided) of the share that is not right."""
        return at_most(self.trials - self.right, self.trials)

    @property
    def wrong_at_most(self) -> float:
        """Return the upper bound (95%, one-sided) of the share that is wrong."""
        return at_most(self.wrong, self.trials)


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rows by name. seed: of all random choices."""

    seed: int
    rows: dict[str, Row]


class Report(msgspec.Struct, frozen=True):
    """The table, the kept one, and the rows that are worse."""

    now: Table
    kept: Table
    worse: tuple[str, ...]


def traced_rows(folder: Path = traced.KEPT) -> Iterator[tuple[str, Row]]:
    """Read the pictures of the other renderer, each also without one of its kinds."""
    groups, clips, _ = traced.measure(folder, (), strangers=True)
    for one in groups:
        yield f"other renderer, {one.group}", Row(one.pieces, one.right, one.wrong + one.extra)
        if one.strangers:
            named = one.strangers_named
            yield f"other renderer, {one.group}, strangers", Row(one.strangers, one.strangers - named, named)
    verdicts = [clip.verdict for clip in clips]
    if verdicts:
        yield "other renderer, clips", Row(len(verdicts), verdicts.count("found"), verdicts.count("wrong"))


def photograph_rows(folder: Path, seed: int) -> Iterator[tuple[str, Row]]:
    """Name a set's photographs: alone, without their kind, together, on a drawn mat, and read as cards."""
    shown = layouts.photographs(folder, turned=folder.name not in UPRIGHT)
    every = [one for kind, several in shown.shown.items() if kind != UNKNOWN for one in several]
    alone, strange = layouts.Count(), layouts.Count()
    for one in every:
        alone.note(one.kind, one.naming.kind)
        if one.stranger is not None:
            strange.note(None, one.stranger.kind)
    name = f"photographs, {folder.name}"
    yield f"{name}, alone", _row(alone)
    if strange.pieces:
        yield f"{name}, strangers", Row(strange.pieces, strange.pieces - strange.strangers, strange.strangers)
    _, together = layouts.count_layouts({folder.name: shown}, seed, layouts.LAYOUTS).named["all"]
    yield f"{name}, together", _row(together)
    enrol, test = on_mat.faces(folder / "enrol"), on_mat.faces(folder / "test")
    if len(set(enrol) & set(test)) >= LINE:
        for view, conditions in on_mat.VIEWS.items():
            laid = on_mat.count_names(enrol, test, conditions, seed, PICTURES)
            yield f"{name}, on the mat, {view}", Row(LINE * laid.pictures, laid.right, laid.wrong)
    if folder.name in CARDS:
        for row in card_paths.rows(folder, CARDS[folder.name], None, seed):
            yield f"{name}, as cards, {row.cut}", Row(row.flat.pictures, row.flat.accepted, row.flat.wrong)


def _row(count: layouts.Count) -> Row:
    return Row(count.pieces, count.right, count.wrong)


def scene_rows(scene: str, actions: int, seed: int, jobs: int, folder: Path | None) -> Iterator[tuple[str, Row]]:
    """Play matches with cheats in a scene, about as many actions of each game."""
    pattern = Plan(game="", seed=seed, cheat_rate=0.1, scene=scene, jobs=1)
    found = play_until(actions, actions // len(on_mats()), pattern, jobs=jobs, folder=folder and folder / scene)
    for game, one in found.games.items():
        judged = one.right + one.wrong + one.asked
        yield f"scene {scene}, {game}", Row(judged, one.right, one.wrong + one.accused)


def worse(now: Mapping[str, Row], kept: Mapping[str, Row]) -> Iterator[str]:
    """Yield the rows with more faults, or more left open, than the kept row's interval allows."""
    for name, row in now.items():
        if (old := kept.get(name)) is None or not row.trials:
            continue
        if row.wrong / row.trials > old.wrong_at_most:
            yield f"{name}: {row.wrong} of {row.trials} wrong, {old.wrong} of {old.trials} before"
        if 1 - row.right / row.trials > old.open_at_most:
            yield f"{name}: {row.right} of {row.trials} right, {old.right} of {old.trials} before"


def lines(report: Report) -> Iterator[str]:
    """Format the report for people."""
    yield f"{'seed ' + str(report.now.seed):55} trials   right (kept)   wrong (kept)  wrong at most"
    for name, row in report.now.rows.items():
        old = report.kept.rows.get(name)
        right, wrong = ("-", "-") if old is None else (f"{old.right / old.trials:.3f}", f"{old.wrong}")
        yield (
            f"{name:55} {row.trials:6}   {row.right / max(1, row.trials):.3f} ({right})   "
            f"{row.wrong:4} ({wrong})   {row.wrong_at_most:.4f}"
        )
    yield from (f"worse: {each}" for each in report.worse)


def set_folders(folder: Path | None) -> list[Path]:
    """Return the folders of sets."""
    return [] if folder is None else sorted(one for one in folder.iterdir() if (one / "enrol").is_dir())


def measure_rows(
    sets: Sequence[Path], actions: int, seed: int, jobs: int, folder: Path | None, progress: OnProgress
) -> Iterable[tuple[str, Row]]:
    """Yield all rows. actions: of each scene; 0 leaves the scenes out. folder: keeps the matches that were played."""
    parts = len(sets) + 1 + (len(SCENES) if actions else 0)
    yield from traced_rows()
    for done, one in enumerate(sets, 1):
        progress(done, parts)
        yield from photograph_rows(one, seed)
    for done, scene in enumerate(SCENES if actions else (), len(sets) + 1):
        progress(done, parts)
        yield from scene_rows(scene, actions, seed, jobs, folder)


def main(words: Sequence[str] | None = None) -> int:
    """Print the table. Return 1 if a row is worse than the kept one."""
    parser = longrun.parser(__doc__, seed=1)
    parser.add_argument("--photographs", type=Path, metavar="DIR", help="folder of public sets (none)")
    parser.add_argument("--actions", type=int, default=0, help="actions of each own scene (0: leave them out)")
    parser.add_argument("--keep", action="store_true", help=f"make these rows those of {KEPT.name}")
    given = parser.parse_args(words)
    cv2.setNumThreads(1)
    with longrun.start_run("parts") as progress:
        kept = read_json(KEPT, Table) if KEPT.exists() else Table(given.seed, {})
        sets = set_folders(given.photographs)
        now = dict(measure_rows(sets, given.actions, given.seed, given.jobs, given.folder, progress))
    report = Report(Table(given.seed, now), kept, tuple(worse(now, kept.rows)))
    if given.keep:
        table = Table(given.seed, kept.rows | now)
        KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(table), indent=1) + b"\n")
    sys.stdout.write((msgspec.json.encode(report).decode() if given.json else "\n".join(lines(report))) + "\n")
    return int(bool(report.worse))


if __name__ == "__main__":
    sys.exit(main())
