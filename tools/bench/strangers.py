"""Cards that nobody enrolled, whole and partly hidden: `python -m tools.bench.strangers --json`.

Each card of a set lies on its mat, at a place and in a turn of its own, in a drawn scene of the virtual camera. It is
named where the finder places it, once by the whole set and once by the set without its own kind: then it is a stranger,
and any name is wrong. Of the same picture with another card laid over it along one side, so that a share of it stays in
sight, the same is asked; where that other card lies is told. Enrolled is as `referee simulate` enrols.

    python -m tools.bench.strangers --set fence-cards --mat fence --scene normal --seeds 7 8 --shares 1 0.25
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import cv2
import msgspec
import numpy as np

from device.resources import load_shipped
from engine.table import Sight
from referee_simulator.render.camera import Renderer
from referee_simulator.table.ground_truth import Body, Truth
from referee_simulator.table.scenes import draw, load_scenes
from referee_simulator.table.setting import make_bodies, piece_set
from tests.enrolled import enrolled
from vision.camera import Image, Pyramid
from vision.cards.cardsheet import CardSheet
from vision.cards.strips import Lit
from vision.finding.pieces import FoundPiece, PieceFinder
from vision.mat import Mat
from vision.picture_checks import ColourCorrection, measure
from vision.recognition.naming import Naming, PieceSet
from vision.recognition.prints.averaged import Averaged, average_pictures
from vision.recognition.prints.printed import PrintedRecogniser
from vision.recognition.prints.seeking import Place, sought
from vision.registration.markers import Locator
from vision.tracking.looks import Look, nearest

SHARES = (1.0, 0.96, 0.85, 0.6, 0.4, 0.25)
"""In sight of a card."""

ENROLLED = 3
"""Seed with which the set is enrolled, in a light and at places that no scene has."""

NEAR_MM = 6.0
RIM_MM = 70.0
ASKEW_DEG = 6.0
SIDES = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))

Named = Callable[[PrintedRecogniser], Naming]
"""What a recogniser says of one look at a card."""


class Stranger(msgspec.Struct, frozen=True):
    """A card of a kind that was left out, and what it was named all the same."""

    seed: int
    kind: str
    named: str
    confidence: float


class Figures(msgspec.Struct, frozen=True):
    """Of the cards of which one share was in sight. wrong, strangers: those that got a name which is not theirs."""

    share: float
    cards: int = 0
    right: int = 0
    wrong: int = 0
    strangers: tuple[Stranger, ...] = ()

    def join_figures(self, other: Figures) -> Figures:
        return Figures(
            self.share,
            self.cards + other.cards,
            self.right + other.right,
            self.wrong + other.wrong,
            self.strangers + other.strangers,
        )


class Bench:
    """One drawn scene, its mat empty but for what `looks` lays there."""

    def __init__(self, mat: Mat, pieces: PieceSet, level: str, seed: int) -> None:
        """Raises ValueError if the mat is not found there."""
        self._mat, self._pieces, self._rng = mat, pieces, np.random.default_rng(seed)
        self._renderer = Renderer(mat, draw(load_scenes()[level], seed))
        empty = self._picture(())
        fit, _ = Locator(mat).look(empty)
        if fit is None:
            raise ValueError(f"the mat {mat.name} is not found in scene {seed}: take another seed")
        self._light = measure(empty, fit.projection, mat) or ColourCorrection()
        self._finder = PieceFinder(fit.projection, mat, pieces)
        self._on = CardSheet(self._finder, mat.zones)

    def looks(self, shares: Sequence[float]) -> Iterator[tuple[str, float, Named]]:
        """Each card that the finder finds: its kind, which share of it is in sight, and what is seen of it then."""
        for card in make_bodies(self._pieces.kinds, self._pieces, 0):
            body = self._lay(card)
            image = self._picture((body,))
            found = nearest(self._finder.find(Pyramid(image)), body.x, body.y, NEAR_MM)
            if found is None:
                continue
            kinds = [kind for kind in self._pieces.kinds if kind != card.kind]
            (other,) = make_bodies((str(self._rng.choice(kinds)),), self._pieces, 1)
            side = SIDES[self._rng.integers(4)]
            for share in shares:
                if share >= 1.0:
                    yield card.kind, share, partial(self._whole, image, found)
                else:
                    over = covering(body, other, side, share)
                    yield card.kind, share, partial(self._part, self._picture((body, over)), found, over)

    def _lay(self, card: Body) -> Body:
        """Somewhere on the mat, with either end up."""
        (wide, tall), rng = self._mat.size_mm, self._rng
        x, y = float(rng.uniform(RIM_MM, wide - RIM_MM)), float(rng.uniform(RIM_MM, tall - RIM_MM))
        turn = 180.0 * int(rng.integers(2)) + float(rng.uniform(-ASKEW_DEG, ASKEW_DEG))
        return msgspec.structs.replace(card, x=x, y=y, angle=turn)

    def _picture(self, bodies: tuple[Body, ...]) -> Image:
        return self._renderer.picture(Truth(bodies), (), 0.0, 1)

    def _whole(self, image: Image, found: FoundPiece, reader: PrintedRecogniser) -> Naming:
        def crop(place: Place) -> Image:
            return self._light.legible(self._finder.crop(image, FoundPiece(*place, 1.0)))

        place = found.x_mm, found.y_mm, found.angle_deg
        return reader.naming(sought(reader, crop, place, max(self._pieces.size_mm))[0])

    def _part(self, image: Image, found: FoundPiece, over: Body, reader: PrintedRecogniser) -> Naming:
        sheet, on = self._finder.sheet.rectify(image), self._on
        here, above = (
            on.quad(Look(*place, None, None, Sight.UNKNOWN, 0.0))
            for place in ((found.x_mm, found.y_mm, found.angle_deg), (over.x, over.y, over.angle))
        )
        seen = np.asarray(on.mask(here) & (on.mask(above) ^ 1), np.uint8)
        return Lit(reader, self._light).name_part(on.cut(sheet, here), on.cut(seen, here))


def covering(card: Body, other: Body, side: tuple[float, float], share: float) -> Body:
    """Another card, turned as the first, that leaves so much of it in sight. side: where to it is off, as it lies."""
    turn = np.radians(card.angle)
    right, down = side[0] * share * card.width, side[1] * share * card.height
    x, y = right * np.cos(turn) - down * np.sin(turn), right * np.sin(turn) + down * np.cos(turn)
    return msgspec.structs.replace(other, x=card.x + float(x), y=card.y + float(y), angle=card.angle)


def measure_scene(bench: Bench, prints: Averaged, seed: int, shares: Sequence[float]) -> dict[float, Figures]:
    """What became of the cards of one scene."""
    whole, found = PrintedRecogniser(prints), {share: Figures(share) for share in shares}
    for kind, share, named in bench.looks(shares):
        known, strange = named(whole).kind, named(whole.without(kind))
        told = (Stranger(seed, kind, strange.kind, strange.confidence),) if strange.kind is not None else ()
        one = Figures(share, 1, int(known == kind), int(known not in (kind, None)), told)
        found[share] = found[share].join_figures(one)
    return found


def measure_all(
    set_name: str, mat_name: str, level: str, seeds: Sequence[int], shares: Sequence[float]
) -> tuple[Figures, ...]:
    """The figures of all scenes, by share."""
    mat, pieces = load_shipped(Mat, "mats", f"{mat_name}.toml"), piece_set(set_name)
    prints = average_pictures(enrolled(mat, set_name, ENROLLED))
    total: Mapping[float, Figures] = {share: Figures(share) for share in shares}
    for seed in seeds:
        one = measure_scene(Bench(mat, pieces, level, seed), prints, seed, shares)
        total = {share: total[share].join_figures(one[share]) for share in shares}
    return tuple(total.values())


def lines(figures: Sequence[Figures]) -> Iterator[str]:
    """For people."""
    for one in figures:
        yield (
            f"{one.share:4.0%} in sight, {one.cards} cards: {one.right} named rightly, {one.wrong} wrongly; "
            f"as strangers {len(one.strangers)} named"
        )
        yield from (f"      {each.kind} named {each.named} at {each.confidence:.3f}" for each in one.strangers)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="decktet", help="of config/sets, flat prints (decktet)")
    parser.add_argument("--mat", default="runes", help="of config/mats, on which they lie (runes)")
    parser.add_argument("--scene", default="hard", help="of the virtual camera: easy, normal, hard")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="of the scenes, one each")
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES, help="in sight of a card, 1 is all of it")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(words)
    cv2.setNumThreads(1)
    figures = measure_all(asked.set, asked.mat, asked.scene, asked.seeds, asked.shares)
    print(msgspec.json.encode(figures).decode() if asked.json else "\n".join(lines(figures)))


if __name__ == "__main__":
    main()
