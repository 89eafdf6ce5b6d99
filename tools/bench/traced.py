"""The shipped eye on pictures that another renderer traced: `python -m tools.bench.traced --json`.

FOLDER/GROUP/enrol/SET/KIND/*.jpg are enrolled as `referee enrol --from` does it, what it refuses left out; of each
FOLDER/GROUP/rests/*.jpg is told what `referee look` tells, and of each folder of FOLDER/GROUP/clips what the tracker
makes of its pictures. Beside each lies the truth (tools/lab/traced, which shares no code with the referee or its
simulator). `--strangers`: a kind of each rest is taken out of what is enrolled, and any name for it is wrong.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TypeAlias

import cv2
import msgspec
import numpy as np

from device.cli.enrol import Wanted, from_pictures
from device.enrolment import NothingThere, crop, laid_on
from device.resources import load_shipped
from engine.table import Observation, Sighting
from tools.lab.traced.truth import Film, Laid, Still
from vision.camera import Frame, Image
from vision.mat import Mat
from vision.pictures import Unread, read
from vision.pipeline import Scene
from vision.recognition import readers
from vision.recognition.naming import PieceSet, Recogniser
from vision.recognition.piece_sizes import with_measurements
from vision.still_pictures import SeenPicture, SeenPiece, look

KEPT = Path(__file__).parents[2] / "tests" / "traced"
"""A few pictures of each kind; others are traced by their seeds."""

NEAR_MM = 12.0
"""What is seen farther from a piece is not that piece."""

BINS = 10


class Figures(msgspec.Struct):
    """Of one group. missed: nothing is seen there. extra: named or face down where nothing lies, or twice.

    errors: what was wrong, and where. off_mm, told_mm: distance from the true place, and the error told.
    """

    pieces: int = 0
    right: int = 0
    unknown: int = 0
    wrong: int = 0
    missed: int = 0
    extra: int = 0
    strangers: int = 0
    strangers_named: int = 0
    off_mm: list[float] = []
    told_mm: list[float] = []
    sure: list[tuple[float, bool]] = []
    errors: list[str] = []


class Summary(msgspec.Struct, frozen=True):
    """The same to be printed. within: share of places not farther off than was told. ece: of what was named."""

    group: str
    pieces: int
    right: int
    unknown: int
    wrong: int
    missed: int
    extra: int
    strangers: int
    strangers_named: int
    median_mm: float | None
    p95_mm: float | None
    within: float | None
    ece: float | None
    errors: tuple[str, ...]


class Told(msgspec.Struct, frozen=True):
    """What the tracker made of a clip. verdict: found, unknown or wrong. rest_s: after the hand left."""

    clip: str
    action: str
    verdict: str
    why: str
    rest_s: float | None


Rest: TypeAlias = tuple[float, Observation]
"""When it was told, in seconds of the clip, and what."""


class Eye:
    """What is enrolled of one group, and its mat."""

    def __init__(self, folder: Path, enrolled: Path) -> None:
        """folder: of the group; enrolled: an empty folder to enrol into. Raises EnrolmentError."""
        self.refused: list[str] = []
        self.sets: dict[str, PieceSet] = {}
        self._folders: dict[str, Path] = {}
        for source in sorted(path for path in (folder / "enrol").iterdir() if path.is_dir()):
            pieces = load_shipped(PieceSet, "sets", f"{source.name}.toml")
            taken, mats = enrolled / "taken" / source.name, laid_on(pieces.name)
            for file in sorted(source.glob("*/*.jpg")):
                try:
                    crop(picture(file), mats, pieces)
                except NothingThere as error:
                    self.refused.append(f"{file.relative_to(folder)}: {error}")
                    continue
                (taken / file.parent.name).mkdir(parents=True, exist_ok=True)
                copyfile(file, taken / file.parent.name / file.name)
            if not taken.is_dir():
                continue  # then its pieces are found, and not named
            self._folders[pieces.name] = enrolled / source.name
            from_pictures(taken, pieces, enrolled / source.name, Wanted((), False, mats, anyway=True))
            self.sets[pieces.name] = with_measurements(pieces, enrolled / source.name)
        self.known = {name: self.reader(name) for name in self.sets}

    def reader(self, name: str, stranger: str | None = None) -> Recogniser:
        """As the worker reads a set, or that without one of its kinds."""
        whole = readers.loader(self.sets[name])(self._folders[name])
        return whole if stranger is None else whole.without(stranger)

    def look(self, file: Path, mat: Mat, known: Mapping[str, Recogniser]) -> SeenPicture:
        return next(iter(look(file, mat, self._all(mat), known)))

    def scene(self, mat: Mat) -> Scene:
        scene = Scene()
        scene.setup(mat, self._all(mat), self.known, {})
        return scene

    def _all(self, mat: Mat) -> dict[str, PieceSet]:
        """The sets of a mat, also those that nobody enrolled."""
        names = {zone.set for zone in mat.zones}
        return {name: self.sets.get(name) or load_shipped(PieceSet, "sets", f"{name}.toml") for name in names}


def picture(file: Path) -> Image:
    """Raises ValueError for what is none."""
    image = read(file)
    if isinstance(image, Unread):
        raise ValueError(f"{file}: {image.why}")
    return image


def group_of(still: Still, one: Laid) -> str:
    """Pieces are counted by how they are made and how much of them is in sight."""
    made = f"{one.set}, {still.make}" if one.set == "stones" else one.set
    return made if one.shown >= 1 else f"{made}, partly hidden"


def pair_pieces(laid: Sequence[Laid | None], seen: Sequence[SeenPiece | Sighting]) -> dict[int, int]:
    """Which of what is seen is which piece: the nearest first, each once. Neither has the other beyond NEAR_MM."""
    every = [
        (float(np.hypot(one.x_mm - piece.x, one.y_mm - piece.y)), i, j)
        for i, piece in enumerate(laid)
        if piece is not None
        for j, one in enumerate(seen)
    ]
    pairs: dict[int, int] = {}
    for off, i, j in sorted(every):
        if off <= NEAR_MM and i not in pairs and j not in pairs.values():
            pairs[i] = j
    return pairs


def verdict(piece: Laid, seen: SeenPiece | Sighting) -> str:
    """right, unknown or wrong: what lies face down has no kind to tell."""
    if seen.kind is None and seen.face != "down":
        return "unknown"
    told = "" if seen.kind is None else seen.kind
    return "right" if told == (piece.kind if piece.face == "up" else "") else "wrong"


def judge(still: Still, seen: Sequence[SeenPiece], groups: dict[str, Figures]) -> None:
    """Adds one rest to the figures."""
    pairs = pair_pieces(still.laid, seen)
    for i, piece in enumerate(still.laid):
        mine = groups.setdefault(group_of(still, piece), Figures())
        mine.pieces += 1
        if i not in pairs:
            mine.missed += 1
            continue
        one = seen[pairs[i]]
        what = verdict(piece, one)
        setattr(mine, what, getattr(mine, what) + 1)
        if what == "wrong":
            mine.errors.append(
                f"{still.file}: {piece.kind} {piece.face} as {one.kind or 'down'} ({one.confidence:.3f})"
            )
        if what != "unknown":
            mine.sure.append((one.confidence, what == "right"))
        if one.error_mm is not None:
            mine.off_mm.append(float(np.hypot(one.x_mm - piece.x, one.y_mm - piece.y)))
            mine.told_mm.append(one.error_mm)
    for j, one in enumerate(seen):
        if j not in pairs.values() and (one.kind is not None or one.face is not None):
            mine = groups.setdefault(group_of(still, still.laid[0]), Figures())
            mine.extra += 1
            mine.errors.append(f"{still.file}: {one.kind or 'down'} at {one.x_mm:.0f} {one.y_mm:.0f}, where none lies")


def as_stranger(still: Still, file: Path, mat: Mat, eye: Eye, groups: dict[str, Figures]) -> None:
    """Looks once more, without one of the kinds that lie open there."""
    open_ = [one for one in still.laid if one.face == "up" and one.set in eye.sets and len(eye.sets[one.set].kinds) > 1]
    if not open_:
        return
    piece = open_[still.seed % len(open_)]
    known = {**eye.known, piece.set: eye.reader(piece.set, piece.kind)}
    seen = eye.look(file, mat, known).pieces
    mine = groups.setdefault(group_of(still, piece), Figures())
    mine.strangers += 1
    at = pair_pieces([piece], seen)
    if 0 in at and (named := seen[at[0]]).kind is not None:
        mine.strangers_named += 1
        mine.errors.append(f"{still.file}: stranger {piece.kind} as {named.kind} ({named.confidence:.3f})")


def ece(sure: Sequence[tuple[float, bool]]) -> float | None:
    """Mean distance, over bins of confidence, from the share that was right."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for each in sure:
        bins.setdefault(min(BINS - 1, int(each[0] * BINS)), []).append(each)
    off = sum(abs(sum(one for one, _ in each) - sum(right for _, right in each)) for each in bins.values())
    return round(off / len(sure), 4) if sure else None


def summary(group: str, one: Figures) -> Summary:
    counts = {name: getattr(one, name) for name in Summary.__struct_fields__[1:9]}
    off, told = np.array(one.off_mm), np.array(one.told_mm)
    places = [round(float(each), 2) for each in np.percentile(off, [50, 95])] if len(off) else [None, None]
    within = round(float(np.mean(off <= told)), 3) if len(off) else None
    return Summary(group, **counts, median_mm=places[0], p95_mm=places[1], within=within, ece=ece(one.sure),
                   errors=tuple(one.errors))  # fmt: skip


def watch_clip(film: Film, folder: Path, scene: Scene) -> list[Rest]:
    """Every rest that is told of a clip's pictures, and when."""
    told: list[Rest] = []
    for number in range(film.pictures):
        image = picture(folder / f"{number:03}.jpg")
        report = scene.feed(Frame.of(number + 1, number / film.fps, image))
        told += [(number / film.fps, report.observation)] if report.observation is not None else []
    last = scene.finish()
    return [*told, (film.pictures / film.fps, last)] if last is not None else told


def told_of(film: Film, rests: Sequence[Rest]) -> Told:
    """What follows from the rests before and after the hand."""
    came, left = film.hand[0] / film.fps, (film.hand[1] + 1) / film.fps
    before = [one for _, one in rests if one.at <= came]
    after = [(when, one) for when, one in rests if one.at >= left]
    if not before or not after:
        return Told(film.file, film.action, "unknown", "no rest " + ("before" if not before else "after"), None)
    touched = {touch.track for _, one in rests if one.at > came for touch in one.touched}
    what, why = compare_rests(film, _all(before[-1]), _all(after[-1][1]), touched)
    return Told(film.file, film.action, what, why, round(after[0][0] - left, 2))


def _all(rest: Observation) -> list[Sighting]:
    return [one for zone in rest.zones for one in zone.pieces if one is not None] + list(rest.strays)


def compare_rests(
    film: Film, first: Sequence[Sighting], last: Sequence[Sighting], touched: set[int]
) -> tuple[str, str]:
    """found if every piece is told to be where and what it is, and those that were handled to be the same ones."""
    was, now = pair_pieces(film.before, first), pair_pieces(film.after, last)
    doubt = ""
    for i, (old, new) in enumerate(zip(film.before, film.after, strict=True)):
        name = next(one.kind for one in (old, new) if one is not None)
        if (old is None) != (i not in was) or (new is None) != (i not in now):
            return "wrong", f"{name} is not seen where it lies"
        for piece, seen in ((old, first[was[i]] if i in was else None), (new, last[now[i]] if i in now else None)):
            if piece is None or seen is None:
                continue
            what = verdict(piece, seen)
            if what == "wrong":
                return "wrong", f"{name} {piece.face} is told {seen.kind or seen.face}"
            doubt = f"{name} is not named" if what == "unknown" else doubt
        if i in was and i in now:
            track, tracks = last[now[i]].track, {one.track for one in first}
            if track != first[was[i]].track and track in tracks:
                return "wrong", f"{name} is taken for another piece"
            doubt = f"{name} is lost" if track not in tracks else doubt
            if i in film.does and track in tracks and track not in touched:
                doubt = f"{name} is not told to have been touched"
    spare = [
        one for j, one in enumerate(last) if j not in now.values() and (one.kind is not None or one.face is not None)
    ]
    if spare:
        return "wrong", f"{spare[0].kind or spare[0].face} is told where nothing lies"
    return ("unknown", doubt) if doubt else ("found", "")


def measure(folder: Path, groups: Sequence[str], *, strangers: bool) -> tuple[list[Summary], list[Told], list[str]]:
    """The figures of every group, what became of the clips, and what enrolment refused."""
    found: dict[str, Figures] = {}
    clips: list[Told] = []
    refused: list[str] = []
    for group in sorted(path for path in folder.iterdir() if (path / "enrol").is_dir()):
        if groups and group.name not in groups:
            continue
        with TemporaryDirectory() as enrolled:
            eye = Eye(group, Path(enrolled))
            refused += [f"{group.name}: {each}" for each in eye.refused]
            for still, file in stills(group):
                mat = load_shipped(Mat, "mats", f"{still.mat}.toml")
                judge(still, eye.look(file, mat, eye.known).pieces, found)
                if strangers:
                    as_stranger(still, file, mat, eye, found)
            for path in sorted(group.glob("clips/*/film.json")):
                film = msgspec.json.decode(path.read_bytes(), type=Film)
                scene = eye.scene(load_shipped(Mat, "mats", f"{film.mat}.toml"))
                clips.append(told_of(film, watch_clip(film, path.parent, scene)))
    return [summary(name, one) for name, one in sorted(found.items())], clips, refused


def stills(group: Path) -> Iterator[tuple[Still, Path]]:
    for path in sorted(group.glob("rests/*.json")):
        still = msgspec.json.decode(path.read_bytes(), type=Still)
        yield still, path.parent / still.file


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=KEPT)
    parser.add_argument("--groups", nargs="+", default=(), help="folders of FOLDER; all if not given")
    parser.add_argument("--strangers", action="store_true", help="look once more, without a kind that lies there")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(words)
    cv2.setNumThreads(1)
    rests, clips, refused = measure(asked.folder, asked.groups, strangers=asked.strangers)
    for told in [*map(msgspec.structs.asdict, rests), *map(msgspec.structs.asdict, clips)]:
        print(json.dumps(told) if asked.json else "  ".join(f"{name} {value}" for name, value in told.items()))
    for each in refused:
        print(json.dumps({"refused": each}) if asked.json else f"refused {each}")


if __name__ == "__main__":
    main()
