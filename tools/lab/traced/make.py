"""Traces pictures of tables: `python make.py PRINTS OUT GROUP --rests 1 60 --clips 1 5`. See README.md."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from trace import RAYS, SIZE, Body, Hand, Studio

import acts
import numpy as np
from layouts import LAYOUTS, alone
from prints import CARDS, Prints
from rooms import draw_room
from sensor import Sensor
from truth import Film, Laid, Still

GROUPS = {
    "printed": ("tellstones", ("stones",)),
    "engraved": ("tellstones", ("stones",)),
    "runes": ("runes", ("decktet", "counters")),
    "fence": ("fence", ("fence-cards", "fence-markers", "fence-figures")),
    "decks": ("runes", ("decktet", "counters")),
}
ENROLLED, CLIPS = 90_000, 50_000
"""Seeds of rooms begin there."""

FPS, BEFORE_S, AFTER_S, SHUTTER_S, MOMENTS = 5.0, 1.6, 2.2, 0.025, 2
HAND_MM = 15.0
"""So far beside the mat finger tips are still over it."""

SQUARED = (1.0, 1.0, 1.0)
"""How far the cards of a pile lie from its uppermost one at most: millimetres and degrees."""

A_ROOM = 5
"""So many rests in one room."""


def bodies(laid: list[Laid], rng: np.random.Generator) -> list[Body]:
    """As they stand in space. Cards bow; those of one picture alike, so that they lie on each other."""
    bow = float(rng.uniform(-1.2, 1.2))
    return [
        Body(one.kind, one.set, one.x, one.y, one.z, one.angle, acts.tip_of(one), bow if one.set in CARDS else 0.0,
             tuple(tuple(rng.uniform(-1, 1, 3) * SQUARED) for _ in range(one.pile - 1)))
        for one in laid
    ]  # fmt: skip


class Table:
    """A room with its camera, its exposure settled on the empty table."""

    def __init__(self, prints: Prints, group: str, seed: int) -> None:
        self.mat = GROUPS[group][0]
        self.make = group if group == "engraved" else "printed"
        self.studio = Studio(prints, self.mat, self.make, draw_room(seed))
        self.sensor = Sensor(draw_room(seed), self.studio.empty)

    def photograph(self, light: np.ndarray, file: Path, seed: int) -> None:
        image = self.sensor.picture(light, SIZE, np.random.default_rng([seed, 7]))
        part = file.with_suffix(".part")
        part.write_bytes(self.sensor.jpeg(image))
        part.rename(file)


def enrol(prints: Prints, group: str, out: Path, shots: int) -> None:
    """out/enrol/SET/KIND/*.jpg: each piece alone, in a room of its own for every shot."""
    for shot in range(shots):
        todo = [
            (of, kind, out / "enrol" / of / (kind or "_back") / f"{shot}.jpg")
            for of in GROUPS[group][1]
            for kind in (*prints.describe_set(of)["kinds"], *([""] if "" in prints.faces(of) and backs(of) else []))
        ]
        if all(file.exists() for _, _, file in todo):
            continue
        table = Table(prints, group, ENROLLED + 10 * list(GROUPS).index(group) + shot)
        for number, (of, kind, file) in enumerate(todo):
            if file.exists():
                continue
            seed = [shot, *of.encode(), *kind.encode()]
            rng = np.random.default_rng(seed)
            laid = alone(prints, table.mat, of, kind, rng)
            file.parent.mkdir(parents=True, exist_ok=True)
            table.photograph(table.studio.light(bodies([laid], rng), seed=number), file, sum(seed))
        table.studio.close()


def backs(of: str) -> bool:
    return of == "stones" or of in CARDS


def rests(prints: Prints, group: str, out: Path, first: int, last: int) -> None:
    """out/rests/SEED.jpg and .json."""
    (out / "rests").mkdir(parents=True, exist_ok=True)
    table, room = None, -1
    for seed in range(first, last + 1):
        told = out / "rests" / f"{seed:05}.json"
        if told.exists():
            continue
        if table is None or room != seed // A_ROOM:
            if table is not None:
                table.studio.close()
            room = seed // A_ROOM
            table = Table(prints, group, 10_000 * list(GROUPS).index(group) + room)
        rng = np.random.default_rng([seed, list(GROUPS).index(group), 5])
        laid = LAYOUTS[group](prints, rng)
        table.photograph(table.studio.light(bodies(laid, rng), seed=seed), told.with_suffix(".jpg"), seed)
        told.write_text(json.dumps(asdict(Still(f"{seed:05}.jpg", seed, table.mat, table.make, tuple(laid)))))


def clip(prints: Prints, group: str, out: Path, seed: int) -> None:
    """out/clips/SEED/NUMBER.jpg and film.json. At rest only the noise is drawn again."""
    folder = out / "clips" / f"{seed:05}"
    if (folder / "film.json").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    table = Table(prints, group, CLIPS + 10_000 * list(GROUPS).index(group) + seed)
    rng = np.random.default_rng([seed, 11])
    kinds = [str(kind) for kind in rng.permutation(prints.describe_set("stones")["kinds"])[: rng.integers(3, 6)]]
    laid = [
        Laid(kind, "stones", 90.0 + 58 * i + rng.uniform(-4, 4), 160 + rng.uniform(-6, 6), rng.uniform(0, 360),
             "down" if rng.random() < 0.35 else "up")
        for i, kind in enumerate(kinds)
    ]  # fmt: skip
    act = acts.play_action(acts.ACTIONS[seed % len(acts.ACTIONS)], laid, table.studio.size_mm[1], rng, BEFORE_S)
    skin = (
        np.array([0.5, 0.31, 0.23])
        * rng.uniform(0.35, 1.2)
        * np.array([1, rng.uniform(0.9, 1.1), rng.uniform(0.85, 1.1)])
    )
    cloth = tuple(float(each) for each in rng.uniform(0.03, 0.6, 3))
    pictures = int((act.moments[-1].t + AFTER_S) * FPS)
    shown: list[int] = []
    still: dict[str, np.ndarray] = {}
    for number in range(pictures):
        t = number / FPS
        tips, there = act.at(t)
        if tips is None:
            when = "before" if t <= act.moments[0].t else "after"
            if when not in still:
                still[when] = table.studio.light([hold_piece(*each) for each in there], seed=number)
            light = still[when]
        else:
            if -HAND_MM < tips[1] < table.studio.size_mm[1] + HAND_MM:
                shown.append(number)
            light = np.mean([moment(table, act, t + i * SHUTTER_S / MOMENTS, tuple(skin), cloth, MOMENTS * number + i)
                             for i in range(MOMENTS)], axis=0)  # fmt: skip
        table.photograph(light, folder / f"{number:03}.jpg", 1000 * seed + number)
    film = Film(folder.name, seed, table.mat, table.make, act.action, act.does, act.lies[0], act.lies[-1], pictures,
                (shown[0], shown[-1]), FPS)  # fmt: skip
    (folder / "film.json").write_text(json.dumps(asdict(film)))
    table.studio.close()


def moment(table: Table, act: acts.Act, t: float, skin: tuple, cloth: tuple, seed: int) -> np.ndarray:
    """The light of one of the moments that a picture's exposure takes."""
    tips, there = act.at(t)
    hands = [Hand(*tips, act.side, skin=skin, cloth=cloth)] if tips is not None else []
    return table.studio.light([hold_piece(*each) for each in there], hands, seed, RAYS // 3)


def hold_piece(piece: Laid, high: float, tip: float) -> Body:
    return Body(piece.kind, piece.set, piece.x, piece.y, high, piece.angle, tip)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prints", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("group", choices=tuple(GROUPS))
    parser.add_argument("--shots", type=int, default=0, help="pictures of each piece to enrol")
    parser.add_argument("--rests", type=int, nargs=2, metavar=("FIRST", "LAST"), help="seeds")
    parser.add_argument("--clips", type=int, nargs=2, metavar=("FIRST", "LAST"), help="seeds")
    asked = parser.parse_args()
    prints, out = Prints(asked.prints), asked.out / asked.group
    enrol(prints, asked.group, out, asked.shots)
    if asked.rests:
        rests(prints, asked.group, out, *asked.rests)
    for seed in range(asked.clips[0], asked.clips[1] + 1) if asked.clips else ():
        clip(prints, asked.group, out, seed)


if __name__ == "__main__":
    main()
