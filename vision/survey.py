"""Combines a picture's hands, named pieces and foreign objects under one projection."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import partial

import cv2
import msgspec
import numpy as np

from engine.table import Face, Sight, Sighting, ZoneSight
from vision.camera import Image, Pyramid
from vision.cards.piles import KeptOff, no_place
from vision.cards.strips import Lit
from vision.cards.tracks import CARD_TRACKS, Cards
from vision.finding.foreign import Blob, BlobFinder
from vision.finding.name_cache import NameCache
from vision.finding.pieces import BLANK, MARGIN_MM, FoundPiece, PieceFinder, reliefs
from vision.finding.zones import arrange, zone_of
from vision.hands.background import SCALE
from vision.hands.hands import HandFinder, HandSight
from vision.mat import Box, Mat, MatZone
from vision.picture_checks import SATURATED, ColourCorrection, measure, white_patch
from vision.recognition.joint_naming import named_together
from vision.recognition.naming import Naming, PartRecogniser, PatientRecogniser, PieceSet, Recogniser
from vision.recognition.prints.printed import PrintedRecogniser
from vision.recognition.prints.seeking import Place, sought
from vision.registration.lens import Points
from vision.registration.markers import paper_mm
from vision.registration.rectify import Projection, RectifiedSheet
from vision.step_timing import Parts, TimedStep, Times, run_together
from vision.tracking.faces import DIM, FAINT, is_paper, look
from vision.tracking.tracker import Look, Track, TrackUpdate
from vision.tracking.turns import polar_crops

SURROUNDINGS_MM = 25.0
"""Margin around the mat in which motion counts."""

OTHER_SIZE = 1.1
"""Ratio of sizes from which a piece is of another kind."""

GRAY_OF = (0.114, 0.587, 0.299)
"""Weights of blue, green, red (ITU-R BT.601)."""

ROUND = 1.3
"""Ratio of an object's farthest corner to its radius."""

FOREIGN_TRACKS = 1_000_000
"""First number of foreign objects, numbered per observation."""


class RestView(msgspec.Struct, frozen=True):
    """Detections of a picture at rest."""

    sight: HandSight
    looks: tuple[Look, ...]
    blobs: tuple[Blob, ...]
    cards: TrackUpdate


class MatSurvey:
    """Surveys a mat under a fixed projection with cached maps.

    sides: the mat's sides with players.
    times: step timer.
    """

    def __init__(
        self,
        projection: Projection,
        mat: Mat,
        zones: Sequence[str],
        sets: Mapping[str, PieceSet],
        recognisers: Mapping[str, Recogniser],
        *,
        sides: frozenset[str] = frozenset(),
        times: Times | None = None,
    ) -> None:
        self.times = times or Times()
        self.projection, self.mat = projection, mat
        self.zones: tuple[MatZone, ...] = tuple(zone for zone in mat.zones if zone.name in zones)
        names = sorted({zone.set for zone in self.zones})
        self.finders = {
            name: PieceFinder(projection, mat, sets[name], self.zones, strays=name == names[0]) for name in names
        }
        self._recognisers = recognisers
        self._names = {name: NameCache() for name in self.finders}
        sizes = [sets[name].size_mm for name in names]
        self._markers = [paper_mm(marker) for marker in mat.markers]
        self.hands = HandFinder(mat.size_mm, MARGIN_MM, sides, min(map(min, sizes)), max(sizes), self._markers)
        self._correction = ColourCorrection()
        self._level = 1.0
        self.dazzled = False
        """The white patch was clipped when last measured."""
        first = next(iter(self.finders.values()))
        self._first = first
        self._coarse = first.reduce_sheet(SCALE)
        self._sheets: tuple[Pyramid, Image] | None = None
        self._blobs = BlobFinder(self._even_regions(), SCALE, MARGIN_MM)

    @property
    def card_finder(self) -> PieceFinder | None:
        """Return the card set's finder; None without cards."""
        return next((finder for finder in self.finders.values() if finder.pieces.shape == "card"), None)

    @property
    def gain(self) -> tuple[float, float, float]:
        """Return the gain (B, G, R) relative to the locked exposure."""
        blue, green, red = self._correction.gain
        return blue * self._level, green * self._level, red * self._level

    def lit_as(self, before: MatSurvey) -> None:
        """Take over an earlier survey's light until measured."""
        self._correction, self._level, self.dazzled = before._correction, before._level, before.dazzled

    def straighten(self, picture: Pyramid, scale: float) -> Image:
        """Return the mat alone, from rim to rim. scale: pixels per mm."""
        return RectifiedSheet(self.projection, (0.0, 0.0), self.mat.size_mm, 0.0, scale).rectify(picture.image)

    def apparent_places(self, sighting: ZoneSight) -> dict[int, tuple[float, float]]:
        """Return where `straighten` shows a zone's pieces in mm, by track: their tops seem farther from the camera's
        foot."""
        zone = next(zone for zone in self.zones if zone.name == sighting.zone)
        height_mm = self.finders[zone.set].pieces.thickness_mm
        found: dict[int, tuple[float, float]] = {}
        for one in sighting.pieces:
            if one is not None:
                top = self.projection.pixels(np.array([[one.x_mm, one.y_mm]]), height_mm)
                x_mm, y_mm = self.projection.millimetres(top)[0].tolist()
                found[one.track] = (round(x_mm, 1), round(y_mm, 1))
        return found

    def gate_mask(self, small: tuple[int, ...], image: tuple[int, ...]) -> Image:
        """Return a mask (0/1) of the mat and its surroundings without the markers, where nothing lies and the least
        tremble looks like motion. small, image: pictures' shapes (rows, columns)."""
        scale = np.array([small[1] / image[1], small[0] / image[0]])
        mask = np.zeros(small[:2], np.uint8)
        cv2.fillPoly(mask, [np.rint(self.surroundings(SURROUNDINGS_MM) * scale).astype(np.int32)], 1)
        for corners in self._markers:
            cv2.fillPoly(mask, [np.rint(self.projection.pixels(corners) * scale).astype(np.int32)], 0)
        return mask

    def surroundings(self, room_mm: float) -> Points:
        """Return the corners (4 x 2 pixels, clockwise from top left) of the mat with room around it."""
        width, height = (side + room_mm for side in self.mat.size_mm)
        return self.projection.pixels(
            np.array([[-room_mm, -room_mm], [width, -room_mm], [width, height], [-room_mm, height]])
        )

    def glimpse(self, picture: Pyramid) -> tuple[HandSight, list[FoundPiece]]:
        """Find hands, and unnamed pieces other than cards, in a picture in motion."""
        found = self._discs(picture, again=True).values()
        return self._hands(self._coarsely(picture)), [one for mine in found for one in mine]

    @TimedStep("hands")
    def without_hands(self, picture: Pyramid, sight: HandSight) -> bool:
        """Return True if what resembles hands in a picture at rest is none."""
        return not sight.present or self.hands.lies(sight) or self.hands.is_gone(self._coarsely(picture), sight)

    def forget(self) -> None:
        """Forget all names."""
        for names in self._names.values():
            names.forget()

    def renew(self, picture: Pyramid, level: float = 1.0) -> None:
        """Measure the light, and take this picture as the reference without hands. level: see `observe`."""
        self._meter(picture, level)
        self.hands.rest(self._coarsely(picture))

    def observe(
        self, picture: Pyramid, cards: Cards, level: float = 1.0, kept_off: KeptOff = no_place
    ) -> Generator[None, None, RestView]:
        """Observe a picture at rest, the new reference for hands. Yields before slow steps.

        cards: updated.
        level: gray levels relative to the locked exposure.
        """
        self._meter(picture, level)
        looks: list[Look] = []
        coarse = self._coarsely(picture)
        explained = np.zeros(coarse.shape[:2], np.uint8)
        for name, found in self._discs(picture).items():
            finder = self.finders[name]
            looks += yield from self._name_looks(picture.image, finder, found)
            finder.footprints(found, explained, self._coarse)
        dealt = self._update_cards(picture, cards, explained, kept_off)
        sight = self._hands(coarse)
        blobs = self._objects(coarse, explained)
        self.hands.rest(coarse, explained, self._overlaid(blobs))
        return RestView(sight, tuple(looks), tuple(blobs), dealt)

    @TimedStep("hands")
    def _hands(self, coarse: Image) -> HandSight:
        return self.hands.look(coarse)

    @TimedStep("objects")
    def _objects(self, coarse: Image, explained: Image) -> list[Blob]:
        return self._blobs.find(coarse, explained)

    def _overlaid(self, blobs: Sequence[Blob]) -> Image:
        mask = np.zeros(self._coarse.shape, np.uint8)
        for blob in blobs:
            reach = min(ROUND * blob.reach_mm, ROUND * float(np.sqrt(blob.area_mm2 / np.pi)))
            x, y = (round((at + MARGIN_MM) * SCALE) for at in (blob.x_mm, blob.y_mm))
            cv2.circle(mask, (x, y), round(reach * SCALE), 1, -1)
        return mask

    def cover(self, tracks: Sequence[Track]) -> None:
        """Exclude covered discs from the reference for hands."""
        covered = [track.look for track in tracks if track.look.sight is Sight.COVERED]
        if covered:
            mask = np.zeros(self._coarse.shape, np.uint8)
            places = [FoundPiece(look.x_mm, look.y_mm, look.angle_deg, 1.0) for look in covered]
            self._first.footprints(places, mask, self._coarse)
            self.hands.hide(mask)

    @TimedStep("pieces")
    def _discs(self, picture: Pyramid, *, again: bool = False) -> dict[str, list[FoundPiece]]:
        """Find pieces other than cards, by set name."""
        discs = {name: finder for name, finder in self.finders.items() if finder.pieces.shape != "card"}
        return {name: self._mine(finder, finder.find(picture, again=again)) for name, finder in discs.items()}

    @TimedStep("cards")
    def _update_cards(self, picture: Pyramid, cards: Cards, explained: Image, kept_off: KeptOff) -> TrackUpdate:
        finder = self.card_finder
        if finder is None:
            return TrackUpdate((), (), frozenset())
        namer = partial(self._read, picture.image, finder)
        zones = [zone for zone in self.zones if zone.set == finder.pieces.name]
        reader = self._recognisers.get(finder.pieces.name)
        settled = cards.settle(
            picture.image,
            finder,
            zones,
            namer,
            Lit(reader, self._correction) if isinstance(reader, PartRecogniser) else None,
            kept_off,
        )
        lying = [FoundPiece(t.look.x_mm, t.look.y_mm, t.look.angle_deg, 1.0) for t in settled.tracks]
        finder.footprints(lying, explained, self._coarse)
        return settled

    @TimedStep("names")
    def _read(self, image: Image, finder: PieceFinder, found: Sequence[FoundPiece]) -> list[Look]:
        """Name visible cards, correcting positions by their print."""
        recogniser = self._recognisers.get(finder.pieces.name)
        if not isinstance(recogniser, PrintedRecogniser):
            return run_together(self._name_looks(image, finder, found))

        def crop(place: Place) -> Image:
            return self._correction.legible(finder.crop(image, FoundPiece(*place, 1.0)))

        places, namings = list[FoundPiece](), list[Naming]()
        for one in found:
            reading, place = sought(recogniser, crop, (one.x_mm, one.y_mm, one.angle_deg), max(finder.pieces.size_mm))
            places.append(FoundPiece(*place, one.support) if reading.sure else one)
            namings.append(recogniser.naming(reading))
        told = _together(namings, finder.pieces)
        return [look(one, None, (1.0, False), told[i], finder.pieces) for i, one in enumerate(places)]

    @TimedStep("light")
    def _meter(self, picture: Pyramid, level: float) -> None:
        """Measure the light by the patches, or scale the last correction by the change of `level`. Update `dazzled`."""
        measured = measure(picture.image, self.projection, self.mat)
        self._correction = measured or self._correction.dim(level / self._level)
        self._level = level
        white = white_patch(picture.image, self.projection, self.mat) if measured is None else None
        self.dazzled = white is not None and max(white) > SATURATED

    @TimedStep("light")
    def burnt_mm2(self, picture: Pyramid) -> float:
        """Return the mat's area clipped in any channel."""
        edge = round(MARGIN_MM * SCALE)
        mat = np.ascontiguousarray(self._coarsely(picture)[edge:-edge, edge:-edge])
        clear = cv2.inRange(mat, (0, 0, 0), (SATURATED - 1,) * 3)
        return float(clear.size - cv2.countNonZero(clear)) / SCALE**2

    def white(self, picture: Pyramid) -> float | None:
        """Return the white patch's gray level; None if covered, uneven or outside."""
        levels = white_patch(picture.image, self.projection, self.mat)
        return None if levels is None else float(np.dot(levels, GRAY_OF))

    @TimedStep("sheet")
    def _coarsely(self, picture: Pyramid) -> Image:
        if self._sheets is None or self._sheets[0] is not picture:
            self._sheets = picture, self._coarse.rectify(picture.colour(self._coarse.shrink))
        return self._sheets[1]

    def _mine(self, finder: PieceFinder, found: Sequence[FoundPiece]) -> list[FoundPiece]:
        mine = []
        for one in found:
            zone = zone_of(one.x_mm, one.y_mm, self.zones)
            if (zone is None and finder is self._first) or (zone is not None and zone.set == finder.pieces.name):
                mine.append(one)
        return mine

    @Parts("names")
    def _name_looks(
        self, image: Image, finder: PieceFinder, found: Sequence[FoundPiece]
    ) -> Generator[None, None, list[Look]]:
        crops = finder.crops(image, found)
        patches = self._correction.unclip(crops)
        shown = reliefs(patches)
        dim = [shown[i] < FAINT and sum(cv2.mean(crop)[:3]) < 3 * DIM for i, crop in enumerate(crops)]
        rings = polar_crops(patches) if finder.pieces.shape != "card" else [None] * len(found)
        asked = [i for i in range(len(found)) if not finder.pieces.backs or shown[i] >= BLANK / 2]
        answers = yield from self._answers(image, finder, [(found[i], crops[i], patches[i]) for i in asked])
        namings = dict(zip(asked, _together(answers, finder.pieces), strict=True)) if answers else {}
        looks = [look(one, rings[i], (shown[i], dim[i]), namings.get(i), finder.pieces) for i, one in enumerate(found)]
        return [told for one, told in zip(found, looks, strict=True) if not is_paper(one, told, finder.pieces)]

    def _answers(
        self, image: Image, finder: PieceFinder, seen: Sequence[tuple[FoundPiece, Image, Image]]
    ) -> Generator[None, None, list[Naming]]:
        recogniser = self._recognisers.get(finder.pieces.name)
        if recogniser is None or not seen:
            return []
        names = self._names[finder.pieces.name]
        known = names.recall([found for found, _, _ in seen], partial(finder.crops, image))
        news = [i for i, naming in enumerate(known) if naming is None]
        patches = [seen[i][2] for i in news]
        if not patches:
            told = list[Naming]()
        elif isinstance(recogniser, PatientRecogniser):
            told = yield from recogniser.name_in_parts(patches)
        else:
            told = recogniser.name(patches)
        for i, naming in zip(news, told, strict=True):
            known[i] = sized = as_large(naming, seen[i][0], finder.pieces)
            names.keep(seen[i][0], seen[i][1], sized)
        return [naming for naming in known if naming is not None]

    def zone_sights(self, tracks: Sequence[Track], before: Sequence[ZoneSight] = ()) -> tuple[ZoneSight, ...]:
        """Return each zone's contents. before: those of the last rest."""
        told = {sight.zone: sight for sight in before}
        inside: dict[str, list[Sighting]] = {zone.name: [] for zone in self.zones}
        for track in tracks:
            zone = self._home(track)
            if zone is not None:
                inside[zone.name].append(_sighting(track))
        return tuple(arrange(zone, inside[zone.name], told.get(zone.name)) for zone in self.zones)

    def strays(self, tracks: Sequence[Track], blobs: Sequence[Blob]) -> tuple[Sighting, ...]:
        """Return pieces outside all zones, cards in others' zones and the reverse, and foreign objects."""
        outside = [_sighting(track) for track in tracks if self._home(track) is None]
        objects = [
            Sighting(FOREIGN_TRACKS + i, None, None, Sight.UNKNOWN, 0.0, round(b.x_mm, 2), round(b.y_mm, 2), 0.0)
            for i, b in enumerate(blobs)
        ]
        return (*outside, *objects)

    def _home(self, track: Track) -> MatZone | None:
        zone = zone_of(track.look.x_mm, track.look.y_mm, self.zones)
        cards = zone is not None and self.finders[zone.set].pieces.shape == "card"
        return zone if cards is (track.number >= CARD_TRACKS) else None

    def _even_regions(self) -> list[np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
        height, width = self._coarse.shape
        x = ((np.arange(width) + 0.5) / SCALE - MARGIN_MM)[None, :]
        y = ((np.arange(height) + 0.5) / SCALE - MARGIN_MM)[:, None]

        def inside(box: Box, room: float) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
            across = (x >= box.x - room) & (x <= box.x + box.width + room)
            return np.asarray(across & (y >= box.y - room) & (y <= box.y + box.height + room))

        regions = [inside(zone.box, -2.0) for zone in self.mat.zones]
        rest = inside(Box(0, 0, *self.mat.size_mm), -6.0)
        printed = [Box(m.x, m.y, m.side, m.side) for m in self.mat.markers] + [self.mat.white, self.mat.gray]
        for box in printed:
            rest &= ~inside(box, 5.0)
        for zone in self.mat.zones:
            rest &= ~inside(zone.box, 2.0)
        return [rest, *regions]


def _together(namings: Sequence[Naming], pieces: PieceSet) -> list[Naming]:
    return named_together(namings, pieces.kinds if pieces.unique else ())


def as_large(naming: Naming, found: FoundPiece, pieces: PieceSet) -> Naming:
    """Return the naming, without kind, guess and candidates if the size does not fit the guess."""
    if naming.guess is None or naming.guess not in pieces.kinds or not found.across_mm:
        return naming
    of_it = pieces.across_mm(naming.guess)
    if max(of_it, found.across_mm) <= OTHER_SIZE * min(of_it, found.across_mm):
        return naming
    return msgspec.structs.replace(naming, kind=None, guess=None, candidates=())


def _sighting(track: Track) -> Sighting:
    look = track.look
    return Sighting(
        track.number,
        look.kind if look.face is not Face.DOWN else None,
        look.face,
        look.sight,
        round(look.confidence, 4),
        round(look.x_mm, 2),
        round(look.y_mm, 2),
        round(look.angle_deg, 1),
        look.guess if look.sight is Sight.UNKNOWN else None,
    )
