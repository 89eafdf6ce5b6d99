"""Observes a picture, a folder of pictures or a video with the shipped vision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

import msgspec
import numpy as np

from engine.table import Health, Observation, Seat, Sighting
from vision.camera import CameraLost, Frame
from vision.cameras import CameraSpec
from vision.cameras.opencv import FOLDER_PACE_S, OpenCVCamera
from vision.cards.tracks import CARD_TRACKS
from vision.mat import Mat
from vision.pictures import HEIC_SUFFIXES, PROMISES, Skip, Unread, is_picture, pictures, read, unheard
from vision.pipeline import Scene
from vision.recognition.naming import PieceSet, Recogniser
from vision.registration.lens import Lens, Points
from vision.survey import FOREIGN_TRACKS


class SeenPiece(msgspec.Struct, frozen=True):
    """A piece: millimetres on the mat (origin top left, y down), degrees clockwise.

    id: the same in every picture, except of foreign objects.
    zone: None outside all.
    state: seen, covered or unknown.
    error_mm: 95 % bound; None for foreign objects.
    """

    id: int
    zone: str | None
    x_mm: float
    y_mm: float
    angle_deg: float
    kind: str | None
    face: str | None
    confidence: float
    state: str
    error_mm: float | None = None


class SeenPicture(msgspec.Struct, frozen=True, omit_defaults=True):
    """A picture, or a rest of a video.

    touched: ids handled since the last rest.
    health: "no_mat" without markers, "mirrored" if only mirrored ones.
    instead: another mat found.
    ms: milliseconds by step (docs/developers/camera.md).
    """

    image: str
    t: float
    pieces: tuple[SeenPiece, ...]
    touched: tuple[int, ...]
    health: Health = Health.OK
    instead: str = ""
    ms: Mapping[str, float] = {}


class Optics(msgspec.Struct, frozen=True):
    """Lens, and corners of a mat without markers."""

    lens: Lens | None = None
    corners_px: Points | None = None


def look(
    path: Path,
    mat: Mat,
    sets: Mapping[str, PieceSet],
    recognisers: Mapping[str, Recogniser],
    *,
    sides: Mapping[Seat, str] | None = None,
    optics: Optics | None = None,
    others: Iterable[Mat] = (),
    skip: Skip = unheard,
) -> Iterator[SeenPicture]:
    """Yield a result per picture, or per rest of a video.

    sets, recognisers: by set name.
    others: possible wrong mats.
    skip: receives unreadable files of a folder.
    Raises CameraLost if nothing is readable, OSError if a folder cannot be listed, LensUnfit.
    """
    optics = optics or Optics()
    scene = Scene(optics.lens, optics.corners_px)
    scene.setup(mat, sets, recognisers, sides or {}, others=others)
    if path.is_dir():
        yield from _stills(path, scene, skip)
    elif path.suffix.lower() in PROMISES | HEIC_SUFFIXES or is_picture(path):
        image = read(path)
        if isinstance(image, Unread):
            raise CameraLost(f"{path} cannot be read ({image.why})")
        yield _still(path.name, Frame.of(1, 0.0, image), scene)
    else:
        yield from _rests(path, scene)


def _stills(folder: Path, scene: Scene, skip: Skip) -> Iterator[SeenPicture]:
    found = 0
    for number, path in enumerate(pictures(folder, skip)):
        image = read(path)
        if isinstance(image, Unread):
            skip(image)
            continue
        found += 1
        yield _still(path.name, Frame.of(number + 1, number * FOLDER_PACE_S, image), scene)
    if not found:
        raise CameraLost(f"{folder} holds no picture that OpenCV can read; give one with .jpg or .png files")


def _still(name: str, frame: Frame, scene: Scene) -> SeenPicture:
    observation = scene.still(frame)
    if observation is None:
        return SeenPicture(name, frame.at, (), (), scene.unfound, scene.instead, _round_values(scene.times.ms))
    return _report_picture(name, observation, scene, scene.times.ms)


def _rests(video: Path, scene: Scene) -> Iterator[SeenPicture]:
    camera = OpenCVCamera(CameraSpec("opencv", str(video)))
    camera.open()
    found = False
    try:
        first = camera.read(1.0)
        if first is None:
            raise CameraLost(f"{video} holds no picture that can be read")
        for observation, ms in _observe_video(chain([first], _frames(camera)), scene):
            found = True
            yield _report_picture(video.name, observation, scene, ms)
    finally:
        camera.close()
    if not found:
        lost = scene.survey is None
        yield SeenPicture(video.name, 0.0, (), (), scene.unfound if lost else Health.OK, scene.instead if lost else "")


def _frames(camera: OpenCVCamera) -> Iterator[Frame]:
    while (frame := camera.read(1.0)) is not None:
        yield frame


def _observe_video(frames: Iterable[Frame], scene: Scene) -> Iterator[tuple[Observation, Mapping[str, float]]]:
    spent: dict[str, float] = {}
    for frame in frames:
        report = scene.feed(frame)
        spent = _both(spent, scene.times.ms)
        if report.observation is not None:
            yield report.observation, spent
        if not report.looking:
            spent = {}
    if (last := scene.finish()) is not None:
        yield last, _both(spent, scene.times.ms)


def _both(before: Mapping[str, float], now: Mapping[str, float]) -> dict[str, float]:
    return {name: before.get(name, 0.0) + now.get(name, 0.0) for name in (*before, *now)}


def _report_picture(image: str, observation: Observation, scene: Scene, ms: Mapping[str, float]) -> SeenPicture:
    inside = [
        _piece(one, zone.zone, _error_mm(one, zone.zone, scene))
        for zone in observation.zones
        for one in zone.pieces
        if one is not None
    ]
    outside = [_piece(one, None, _error_mm(one, None, scene)) for one in observation.strays]
    touched = tuple(sorted(touch.track for touch in observation.touched))
    at = round(observation.at, 3)
    return SeenPicture(image, at, (*inside, *outside), touched, observation.health, ms=_round_values(ms))


def _round_values(ms: Mapping[str, float]) -> dict[str, float]:
    return {name: round(spent, 2) for name, spent in ms.items()}


def _error_mm(one: Sighting, zone: str | None, scene: Scene) -> float | None:
    """Return the error bound, outside zones the largest of its possible sets; None for foreign objects."""
    if one.track >= FOREIGN_TRACKS:
        return None
    assert scene.watched is not None
    sets, card = scene.watched.sets, one.track >= CARD_TRACKS
    names = {each.set for each in scene.watched.mat.zones if zone in (None, each.name)}
    place = np.array([[one.x_mm, one.y_mm]], np.float64)
    told = [scene.errors_mm(place, sets[name]) for name in names if (sets[name].shape == "card") is card]
    return round(float(np.max(told)), 2)


def _piece(one: Sighting, zone: str | None, error_mm: float | None) -> SeenPiece:
    face = one.face.value if one.face is not None else None
    return SeenPiece(
        one.track, zone, one.x_mm, one.y_mm, one.angle_deg, one.kind, face, one.confidence, one.sight.value, error_mm
    )
