"""Counts names of pieces that lie together, each kind once, and fits what the doubt about a name is due to.

    python -m tools.lab.layouts DIR ... [--upright NAME ...] [--seed N] [--layouts N] [--json]

Each DIR (enrol/KIND/*, test/KIND/*) is enrolled with one picture a kind. Test pictures are drawn at random into
layouts: all kinds, one missing, half of them, all and a stranger, one replaced by a stranger. A stranger is a picture
of a kind that was left out. Compares the names of pieces alone with those of pieces together (`named_together`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from tools.lab.commands import in_turn, parser_of, print_figures
from tools.lab.equal_faults import STRANGE as RARE_PICTURE
from vision import pictures
from vision.pictures import Unread
from vision.recognition.enrolment import UNKNOWN, pictures_in, read_folder
from vision.recognition.joint_naming import named_together
from vision.recognition.naming import Naming
from vision.recognition.recogniser import EnrolledRecogniser, KindMatch

LAYOUTS = 60
"""Layouts a set and arrangement."""

ARRANGEMENTS = ("all", "one missing", "half", "all and a stranger", "a stranger for one")

WIDTHS = tuple(float(width) for width in np.geomspace(0.02, 0.5, 40))
"""Candidates for `confidence.APART`."""


class Shown(msgspec.Struct, frozen=True):
    """A picture's names: among all kinds, and without its own."""

    kind: str
    naming: Naming
    match: KindMatch
    stranger: Naming | None
    strange_match: KindMatch | None


class Photographs(msgspec.Struct, frozen=True):
    """A set's pictures by kind."""

    kinds: tuple[str, ...]
    shown: dict[str, list[Shown]]


class Count(msgspec.Struct):
    """Names of many layouts. strangers: named all the same."""

    pieces: int = 0
    right: int = 0
    wrong: int = 0
    strangers: int = 0

    def note(self, kind: str | None, told: str | None) -> None:
        """Count a name. kind: its own; None for a stranger."""
        self.pieces += 1
        if told is None:
            return
        if kind is None:
            self.strangers += 1
        elif told == kind:
            self.right += 1
        else:
            self.wrong += 1


class Layouts(msgspec.Struct, frozen=True):
    """The counts by arrangement, alone and together, and the fitted `confidence.STRANGE` and `APART`."""

    seed: int
    named: dict[str, tuple[Count, Count]]
    strange: float
    apart: float


def photographs(folder: Path, *, turned: bool) -> Photographs:
    """Name each test picture of a folder, with its kind and without. turned: it may lie in any turn."""
    whole = EnrolledRecogniser(read_folder(folder / "enrol", folder.name, "any" if turned else 1, 1))
    files = {kind: found for kind, found in pictures_in(folder / "test").items() if kind in whole.kinds}
    shown: dict[str, list[Shown]] = {}
    for kind, paths in files.items():
        poorer = whole.without(kind) if len(whole.kinds) > 1 and kind != UNKNOWN else None
        for path in paths:
            image = pictures.read(path)
            if not isinstance(image, Unread):
                (match,) = whole.match([image])
                strange = poorer.match([image])[0] if poorer is not None else None
                stranger = poorer.name_matches([strange])[0] if poorer is not None and strange is not None else None
                one = Shown(kind, whole.name_matches([match])[0], match, stranger, strange)
                shown.setdefault(kind, []).append(one)
    return Photographs(whole.kinds, shown)


def arrange_pieces(some: Photographs, arrangement: str, draws: np.random.Generator) -> list[tuple[str | None, Naming]]:
    """Draw a layout: each piece's kind, None for a stranger, and its naming alone."""
    kinds = [str(kind) for kind in draws.permutation(sorted(some.shown))]
    drawn = {kind: some.shown[kind][draws.integers(len(some.shown[kind]))] for kind in kinds}
    own = {"half": max(2, len(kinds) // 2), "all": len(kinds)}.get(arrangement, len(kinds) - 1)
    layout: list[tuple[str | None, Naming]] = [(kind, drawn[kind].naming) for kind in kinds[:own]]
    stranger = drawn[kinds[-1]].stranger
    if "stranger" not in arrangement or stranger is None:
        return layout
    left = [(kind, _without(naming, kinds[-1])) for kind, naming in layout]
    return [*(left if arrangement == "all and a stranger" else left[:-1]), (None, stranger)]


def _without(naming: Naming, kind: str) -> Naming:
    """Return the naming of a set that lacks a kind, as far as it follows from that of the whole set."""
    known = tuple(one for one in naming.candidates if one.kind != kind)
    if naming.guess != kind:
        return msgspec.structs.replace(naming, candidates=known)
    return msgspec.structs.replace(naming, kind=None, guess=None, candidates=known)


def count_layouts(sets: Mapping[str, Photographs], seed: int, layouts: int) -> Layouts:
    """Count the names alone and together, and fit."""
    draws = np.random.default_rng(seed)
    named: dict[str, tuple[Count, Count]] = {arrangement: (Count(), Count()) for arrangement in ARRANGEMENTS}
    for some in sets.values():
        for arrangement, (alone, together) in named.items():
            for _ in range(layouts):
                layout = arrange_pieces(some, arrangement, draws)
                told = named_together([naming for _, naming in layout], some.kinds)
                for (kind, naming), joint in zip(layout, told, strict=True):
                    alone.note(kind, naming.kind)
                    together.note(kind, joint.kind)
    return Layouts(seed, named, *fit_constants(sets))


def fit_constants(sets: Mapping[str, Photographs]) -> tuple[float, float]:
    """Return STRANGE and APART of greatest likelihood, by the pictures whose likeliest kind is wrong; each set counts
    alike."""
    doubts = [each for some in sets.values() for each in _doubts(some)]
    strange = sum(weight for match, kind, weight, _ in doubts if kind is None) / sum(each[2] for each in doubts)
    known = [each for each in doubts if each[1] is not None]

    def misfit(width: float) -> float:
        return sum(weight * _surprise(match, kinds, kind, width) for match, kind, weight, kinds in known)

    return strange, min(WIDTHS, key=misfit)


def _doubts(some: Photographs) -> Iterator[tuple[KindMatch, str | None, float, tuple[str, ...]]]:
    count = sum(map(len, some.shown.values()))
    for one in (each for several in some.shown.values() for each in several):
        if one.match.kind != one.kind:
            yield one.match, one.kind, 1 / count, some.kinds
        if one.strange_match is not None:
            yield one.strange_match, None, RARE_PICTURE / count, some.kinds


def _surprise(match: KindMatch, kinds: tuple[str, ...], kind: str | None, width: float) -> float:
    likeness = np.exp((match.seen.scores.astype(np.float64) - float(match.seen.scores.max())) / width)
    likeness[kinds.index(match.kind)] = 0.0
    return -math.log(float(likeness[kinds.index(kind or match.kind)] / likeness.sum()) + 1e-9)


def lines(figures: Layouts) -> Iterator[str]:
    """Format the figures for people."""
    yield f"{'seed ' + str(figures.seed):20} pieces   right (alone)    wrong (alone)  strangers (alone)"
    for arrangement, (alone, now) in figures.named.items():
        yield (
            f"{arrangement:20} {now.pieces:6}  {now.right:6} ({alone.right})   {now.wrong:5} ({alone.wrong})"
            f"        {now.strangers:4} ({alone.strangers})"
        )
    yield f"fitted on all sets: STRANGE {figures.strange:.2f}, APART {figures.apart:.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = parser_of("tools.lab.layouts", __doc__, "sets of photographs")
    parser.add_argument("--upright", nargs="*", default=[], help="names of sets whose pieces never lie turned")
    parser.add_argument("--seed", type=int, default=1, help="of the drawn layouts (default: %(default)s)")
    parser.add_argument("--layouts", type=int, default=LAYOUTS, help="a set and arrangement (default: %(default)s)")
    given = parser.parse_args(arguments)
    named = {one.name: photographs(one, turned=one.name not in given.upright) for one in in_turn(given.folders)}
    print_figures(count_layouts(named, given.seed, given.layouts), lines, as_json=given.json)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
    raise SystemExit(main())
