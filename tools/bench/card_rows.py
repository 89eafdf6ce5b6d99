"""Rows of cards that lie on one another, in pictures: is what hands do with a card between others told as it is?

`python -m tools.bench.card_rows [--rows N] [--seed S] [--scene normal] --json`

A row is laid card by card. Then a card below the uppermost is turned over and back, one is taken out, and put back;
last, somebody bumps the camera, and nothing is done to any card.
Each rest is looked at as the camera does when nothing moves; hands are not drawn.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence

import cv2
import msgspec

from engine.table import Face, Observation, Sight
from referee_simulator.table.ground_truth import Body, turn_over
from referee_simulator.table.places import STRIP_MM, Maintenance, care_in, jitter_pose
from referee_simulator.table.scenes import Scene, draw, load_scenes
from tests.vision.cards.watched import CARDS, TWINS, Watched, card

ZONE = "sequence-a"
FIRST_MM = 147.0, 246.0
"""Where the first card of a row is laid, about."""

HIDDEN = 0.3
"""Share of the cards that are laid face down."""

TURNS = 3
"""So often a card is turned over."""

BUMPED = "camera bumped"
TILTED_DEG, ROLLED_DEG = (1.0, 4.0), (0.5, 2.0)
"""By how much the camera leans and is turned by a bump, in degrees."""


class Counted(msgspec.Struct):
    """Rests: told as they are; with something that cannot be told, and all else as it is; told wrongly."""

    right: int = 0
    asked: int = 0
    wrong: int = 0


class Figures(msgspec.Struct, frozen=True):
    """What was told after each kind of act. wrong: number of the row, act, what was told and what lies there."""

    scene: str
    seed: int
    rows: int
    acts: dict[str, Counted]
    wrong: list[str]


def play(rows: int, seed: int, scene: str = "normal") -> Figures:
    """Rows in scenes drawn from the ranges of that name. Of a row that was told wrongly no more is asked."""
    cv2.setNumThreads(1)
    acts, wrong = dict[str, Counted](), list[str]()
    for number in range(rows):
        rng = random.Random(f"{seed}/rows/{number}")
        for act, row, seen in _acts(rng, draw(load_scenes()[scene], rng.getrandbits(30))):
            counted, told = acts.setdefault(act, Counted()), _read_row(seen)
            lies = [one.kind if one.face is Face.UP else "back" for one in row]
            if act == BUMPED and seen.touched:
                counted.wrong += 1
                wrong.append(f"{number}: {act}: touched {[touch.track for touch in seen.touched]}")
            elif told == lies:
                counted.right += 1
            elif len(told) == len(lies) and all(one in (None, true) for one, true in zip(told, lies, strict=True)):
                counted.asked += 1
            else:
                counted.wrong += 1
                wrong.append(f"{number}: {act}: {told}, but there lies {lies}")
                break
    return Figures(scene, seed, rows, acts, wrong)


def _read_row(seen: Observation) -> list[str | None]:
    """Kind or "back" of each card of the row; None where it cannot be told."""
    pieces = [one for one in seen.zone(ZONE).pieces if one is not None]
    known = [one.sight is Sight.SEEN and one.face is not None for one in pieces]
    names = ["back" if one.face is Face.DOWN else one.kind for one in pieces]
    return [name if sure else None for name, sure in zip(names, known, strict=True)]


def _acts(rng: random.Random, scene: Scene) -> Iterator[tuple[str, Sequence[Body], Observation]]:
    """What was done, the row as it lies then, the newest card last, and what is seen of it."""
    maintenance, eyes, row = care_in(scene), Watched(scene, (*CARDS, *TWINS)), list[Body]()
    for kind in rng.sample((*CARDS, *TWINS), rng.randint(3, 5)):
        x, y = FIRST_MM[0] + STRIP_MM * len(row), FIRST_MM[1]
        face = Face.DOWN if rng.random() < HIDDEN else Face.UP
        row.append(_put(rng, card(kind, x, y, 0.0, face), maintenance))
        yield "laid", row, eyes.see(*row)
    number = rng.randrange(len(row) - 1)
    for _ in range(TURNS):
        row[number] = _put(rng, turn_over(row[number]), maintenance.back())
        yield "turned over", row, eyes.see(*row)
    one = row.pop(rng.randrange(len(row) - 1))
    yield "taken out", row, eyes.see(*row)
    below = sum(other.x < one.x for other in row)
    row.insert(below, _put(rng, one, maintenance.back()))
    yield "put back", row, eyes.see(*row)
    tilt, roll = rng.uniform(*TILTED_DEG), rng.choice((-1.0, 1.0)) * rng.uniform(*ROLLED_DEG)
    eyes.move(msgspec.structs.replace(scene, tilt_deg=scene.tilt_deg + tilt, roll_deg=scene.roll_deg + roll))
    yield BUMPED, row, eyes.see(*row)


def _put(rng: random.Random, body: Body, maintenance: Maintenance) -> Body:
    """The card laid about where it lies."""
    x, y, angle = jitter_pose(rng, (body.x, body.y, body.angle), maintenance.of(body))
    return msgspec.structs.replace(body, x=x, y=y, angle=angle)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scene", default="normal")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = play(given.rows, given.seed, given.scene)
    if given.json:
        print(msgspec.json.encode(figures).decode())
        return
    for act, counted in figures.acts.items():
        print(f"{act:12} right {counted.right}, asked {counted.asked}, wrong {counted.wrong}")
    for line in figures.wrong:
        print(line)


if __name__ == "__main__":
    main()
