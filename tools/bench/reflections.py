"""A piece in the middle of a lamp's reflection: is it named, and what if the camera cannot be turned down?

`python -m tools.bench.reflections [--scenes N] [--seed S] --json`

One card or stone lies face up on a mat, in light that is up to 1.3 stops brighter than the camera should have it, and
the lamp's reflection on it adds 100 to 140 gray levels. The eyes are shown pictures of it until they tell a rest.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import cv2
import msgspec

from device.games import mats
from engine.table import Observation, Sight
from referee_simulator.render.camera import Renderer
from referee_simulator.table.ground_truth import Body, Truth
from referee_simulator.table.scenes import draw, load_scenes
from referee_simulator.table.setting import make_bodies, piece_set
from tests.enrolled import enrolled
from tests.vision.cards.watched import CARDS
from vision.camera import Frame
from vision.exposure import Exposure
from vision.finding.zones import zone_of
from vision.pipeline import Scene as Eyes
from vision.recognition.naming import Recogniser
from vision.recognition.prints.printed import PrintedRecogniser
from vision.recognition.recogniser import EnrolledRecogniser

STOPS, GLARE, ASIDE_MM = (0.0, 1.3), (100.0, 140.0), 15.0
"""Of the scenes, of which all else is as in `hard`; how far from the reflection's middle the piece may lie."""

PACE_S, PICTURES = 0.5, 20
"""A rest is told in so many pictures at most."""

STONES = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")


class Counted(msgspec.Struct):
    """Pieces: named as what they are; seen, and not named; not seen as a piece; named as another."""

    right: int = 0
    unknown: int = 0
    unseen: int = 0
    wrong: int = 0


class Figures(msgspec.Struct, frozen=True):
    """By the name of the set. dimmed: the camera could be turned down; fixed: it could not. stops: mean of how far."""

    seed: int
    pieces: dict[str, int]
    fixed: dict[str, Counted]
    dimmed: dict[str, Counted]
    stops: dict[str, float]


class Shown(msgspec.Struct, frozen=True):
    """One piece in one scene."""

    draws: Renderer
    body: Body
    zone: str


@cache
def _recogniser(mat: str, name: str) -> Recogniser:
    kinds, one = (CARDS, PrintedRecogniser) if name == "decktet" else ((), EnrolledRecogniser)
    return one(enrolled(mats([mat])[mat], name, 3, kinds))


def play(scenes: int, seed: int, sets: Mapping[str, tuple[str, Sequence[str]]] | None = None) -> Figures:
    """So many pieces of each set: its name, the mat it is laid on, and its kinds."""
    cv2.setNumThreads(1)
    given = sets or {"decktet": ("runes", CARDS), "stones": ("tellstones", STONES)}
    fixed, dimmed, stops = (dict[str, Counted](), dict[str, Counted](), dict[str, float]())
    for name, (mat, kinds) in given.items():
        fixed[name], dimmed[name], stops[name] = Counted(), Counted(), 0.0
        for shown in _draw_scenes(random.Random(f"{seed}/reflections/{name}"), scenes, mat, name, kinds):
            _count(fixed[name], shown, _look(mat, name, shown, None)[0])
            seen, darker = _look(mat, name, shown, 0.0)
            _count(dimmed[name], shown, seen)
            stops[name] += darker / scenes
    return Figures(seed, dict.fromkeys(given, scenes), fixed, dimmed, stops)


def _draw_scenes(rng: random.Random, scenes: int, mat_name: str, name: str, kinds: Sequence[str]) -> Iterator[Shown]:
    """Scenes in which the reflection is in a zone of the set, with room for a piece around it."""
    mat, pieces, count = mats([mat_name])[mat_name], piece_set(name), 0
    zones = [zone for zone in mat.zones if zone.set == name]
    while count < scenes:
        scene = draw(load_scenes()["hard"], rng.getrandbits(30))
        light = {"stops": rng.uniform(*STOPS), "glare": rng.uniform(*GLARE)}
        draws = Renderer(mat, msgspec.structs.replace(scene, **light))
        x, y = (at + rng.uniform(-ASIDE_MM, ASIDE_MM) for at in draws.mirrored_at_mm)
        zone = zone_of(x, y, zones)
        room = max(pieces.size_mm) / 2
        if zone is None or not (room < x < mat.size_mm[0] - room and room < y < mat.size_mm[1] - room):
            continue
        count += 1
        (body,) = make_bodies((rng.choice(kinds),), pieces, 1)
        yield Shown(draws, msgspec.structs.replace(body, x=x, y=y, angle=rng.uniform(0, 360)), zone.name)


def _look(mat_name: str, name: str, shown: Shown, stops: float | None) -> tuple[Observation | None, float]:
    """What is told of it, and how many stops darker than at first. stops: to begin with; None: of a fixed camera."""
    mat, eyes, told = mats([mat_name])[mat_name], Eyes(), [stops or 0.0]

    def dim(to: float) -> bool:
        told.append(to)
        return True

    sets = {zone.set: piece_set(zone.set) for zone in mat.zones}
    eyes.setup(mat, sets, {name: _recogniser(mat_name, name)}, {"a": "bottom", "b": "top"})
    eyes.exposure = None if stops is None else Exposure(dim)
    for number in range(1, PICTURES):
        picture = shown.draws.picture(Truth((shown.body,)), (), number * PACE_S, number, dimmed=told[-1])
        report = eyes.feed(Frame.of(number, number * PACE_S, picture))
        if report.observation is not None:
            return report.observation, told[-1]
    return eyes.finish(), told[-1]


def _count(counted: Counted, shown: Shown, seen: Observation | None) -> None:
    pieces = [one for one in seen.zone(shown.zone).pieces if one is not None] if seen is not None else []
    named = [one.kind for one in pieces if one.sight is Sight.SEEN and one.kind is not None]
    if named and named != [shown.body.kind]:
        counted.wrong += 1
    elif named:
        counted.right += 1
    elif pieces:
        counted.unknown += 1
    else:
        counted.unseen += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = play(given.scenes, given.seed)
    if given.json:
        print(msgspec.json.encode(figures).decode())
        return
    for name, count in figures.pieces.items():
        print(f"{name}: {count}, turned down by {figures.stops[name]:.1f} stops in the mean")
        for camera, counted in (("fixed", figures.fixed[name]), ("dimmed", figures.dimmed[name])):
            print(f"  {camera:7}", ", ".join(f"{what} {getattr(counted, what)}" for what in counted.__struct_fields__))


if __name__ == "__main__":
    main()
