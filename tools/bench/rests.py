"""Cards at rest: matches are played with ideal eyes, while the shipped vision looks on after every action.

`python -m tools.bench.rests [--game runes] [--matches N] [--seed S] [--only N] --json`

Nothing that vision sees reaches the referee, so that an error does not lead to others, and every one is told with its
rest: where, what is seen, what lies there. No hand is drawn; discs and stones, which are followed through hands, are
left out. Several times quicker than `referee simulate --headless`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import cv2
import msgspec

from device.temporary_folders import scratch
from engine.table import Arrangement, Face, Piece, Sight, Sighting, ZoneLayout, ZoneSight
from referee_simulator.harness.ideal_eyes import Ideal
from referee_simulator.harness.plan import Eyes, Plan, PlannedMatch, matches_of
from referee_simulator.harness.processes import play_in_processes
from referee_simulator.harness.run import cores, play
from referee_simulator.render.camera import Renderer
from referee_simulator.table.ground_truth import layout
from referee_simulator.table.setting import piece_set
from referee_simulator.table.virtual import VirtualTable
from vision.camera import Frame
from vision.mat import Mat
from vision.messages import Rebase, Report, ToWorker, VisionSetup
from vision.pipeline import Scene
from vision.recognition.prints import printed

UNREAD = "?"


class Figures(msgspec.Struct, frozen=True):
    """How often vision and truth parted. rests: looks at a table at rest; zones: that were compared at them.

    wrong: zones that began to be seen otherwise than they are; unread: of which only some pieces could not be read.
    """

    rests: int = 0
    zones: int = 0
    wrong: int = 0
    unread: int = 0
    notes: tuple[str, ...] = ()


class Looking(Ideal):
    """Ideal eyes for the referee, and the shipped vision beside them."""

    def __init__(self, mats: Mapping[str, Mat], enrolled: Path) -> None:
        super().__init__(mats)
        self.figures = Figures()
        self._scene, self._mats_known, self._enrolled = Scene(), mats, enrolled
        self._parted: dict[str, str] = {}
        self._renderer: Renderer | None = None

    def tell(self, message: ToWorker) -> None:
        super().tell(message)
        if isinstance(message, Rebase):
            self._scene.rebase()
        if isinstance(message, VisionSetup):
            mat = self._mats_known[message.mat]
            sets = {name: piece_set(name) for name in {zone.set for zone in mat.zones}}
            cards = {name: printed.load(self._enrolled / name) for name, one in sets.items() if one.shape == "card"}
            zones = tuple(zone.name for zone in mat.zones if zone.set in cards and zone.name in message.zones)
            self._scene.setup(mat, sets, cards, message.sides, zones)

    def look(self, table: VirtualTable, at: float) -> Report:
        report = super().look(table, at)
        if report.observation is not None:
            self._compare(table, at)
        return report

    def _compare(self, table: VirtualTable, at: float) -> None:
        self._renderer = self._renderer or Renderer(table.mat, table.scene)
        truth, rest = table.settle(at), self.figures.rests + 1
        frame = self._renderer.frame(truth, (), at, rest)
        seen = self._scene.still(Frame(rest, at, frame.picture, frame.small))
        if seen is None:
            return
        true = layout(truth, table.mat, [zone.zone for zone in seen.zones])
        found = {zone.zone: difference(zone, true.zone(zone.zone)) for zone in seen.zones}
        now = {name: note for name, note in found.items() if note}
        new = {name: note for name, note in now.items() if name not in self._parted}
        unread = sum(note.endswith(UNREAD) for note in new.values())
        notes = (f"rest {rest}, {at:.1f} s: {name}: {note}" for name, note in new.items())
        self._parted = now
        was = self.figures
        self.figures = Figures(
            rest, was.zones + len(found), was.wrong + len(new) - unread, was.unread + unread, (*was.notes, *notes)
        )


def difference(seen: ZoneSight, true: ZoneLayout) -> str:
    """What is seen of a zone and what lies there, if these differ; it ends with UNREAD if some is only not read."""
    one = [_word(piece) for piece in seen.pieces]
    other = [_word(piece) for piece in true.pieces]
    if seen.order is Arrangement.AREA:
        one, other = sorted(one), sorted(other)
    if one == other:
        return ""
    only_unread = len(one) == len(other) and all(a in (b, UNREAD) for a, b in zip(one, other, strict=True))
    return f"seen {', '.join(one) or '-'}; there {', '.join(other) or '-'}{' ' + UNREAD if only_unread else ''}"


def _word(piece: Piece | Sighting | None) -> str:
    if piece is None:
        return "-"
    if isinstance(piece, Sighting) and piece.sight is Sight.UNKNOWN:
        return UNREAD
    return "back" if piece.face is Face.DOWN else piece.kind or UNREAD


def watch(planned: PlannedMatch) -> Figures:
    """One match. Its plan says that pictures are drawn: these are for vision alone."""
    cv2.setNumThreads(1)
    eyes: list[Looking] = []

    def looking(mats: Mapping[str, Mat], enrolled: Path) -> Looking:
        eyes.append(Looking(mats, enrolled))
        return eyes[0]

    unseen = msgspec.structs.replace(planned, plan=msgspec.structs.replace(planned.plan, eyes=Eyes.IDEAL))
    play(unseen, partial(looking, enrolled=Path(planned.enrolled)))
    return eyes[0].figures


def total(each: Mapping[int, Figures]) -> Figures:
    """Of all matches; the notes say of which."""
    return Figures(
        sum(one.rests for one in each.values()),
        sum(one.zones for one in each.values()),
        sum(one.wrong for one in each.values()),
        sum(one.unread for one in each.values()),
        tuple(f"match {number}, {note}" for number, one in each.items() for note in one.notes),
    )


def measure(plan: Plan) -> Figures:
    """Every match of a plan."""
    with scratch() as folder:
        matches = {planned.number: planned for planned in matches_of(plan, folder)}
        return total(play_in_processes(watch, matches, plan.jobs, lambda _done, _of: None))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="runes", help="a game with cards (runes)")
    parser.add_argument("--matches", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of the one match to play")
    parser.add_argument("--cheat-rate", type=float, default=0.1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    figures = measure(
        Plan(given.game, given.matches, given.seed, given.cheat_rate, seats=None, jobs=cores(), only=given.only)
    )
    if given.json:
        print(msgspec.json.format(msgspec.json.encode(figures)).decode())
        return
    for note in figures.notes:
        print(note)
    print(f"{figures.rests} rests, {figures.zones} zones: {figures.wrong} wrong, {figures.unread} not read")


if __name__ == "__main__":
    main()
