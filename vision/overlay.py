"""Draws detections into a frame and gives advice, for calibration and the simulator's page."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from engine.table import Health, Observation, Sight
from engine.text import Text, say
from vision.camera import Frame, Image
from vision.mat import Mat
from vision.messages import Picture, Report
from vision.pipeline import Scene
from vision.registration.lens import Points
from vision.survey import MatSurvey

QUALITY = 75
COLOURS = {Sight.SEEN: (80, 200, 60), Sight.COVERED: (200, 160, 40), Sight.UNKNOWN: (40, 80, 230)}
FAINT_SCALE = 0.9
"""Pixels per millimetre along the sides of a zone below which cards cannot be told apart (scene `phone`: with 0.96
none of 114 actions was asked, with 0.62 47 of 87)."""

HINTS = {
    Health.NO_MAT: say("The mat is not found. Show at least two of its markers, flat and whole."),
    Health.MIRRORED: say("The camera's picture is mirrored. Turn mirroring off."),
    Health.DARK: say("It is too dark. Switch on a lamp."),
    Health.GLARE: say("It is too bright. Turn the lamp aside or dim it."),
    Health.NO_FRAMES: say("The picture is frozen. Check the camera's cable."),
    Health.BUMPED: say("The mat or the camera was bumped."),
    Health.SHAKING: say("The picture keeps moving. Tighten the camera's arm or stand."),
}


def picture(frame: Frame, scene: Scene, report: Report, longest: int | None = None) -> Picture:
    """Return the frame as JPEG, at most `longest` pixels wide and high, with zones and the latest pieces, and hints."""
    image = frame.image.copy()
    survey = scene.survey
    if survey is not None:
        _draw_zones(image, survey)
        if scene.observation is not None:
            _draw_pieces(image, survey, scene.observation)
    good, data = cv2.imencode(".jpg", _limit(image, longest), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return Picture(frame.serial, bytes(data) if good else b"", hints(scene, report, frame))


def _limit(image: Image, longest: int | None) -> Image:
    if longest is None or max(image.shape[:2]) <= longest:
        return image
    share = longest / max(image.shape[:2])
    return np.asarray(cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)


def hints(scene: Scene, report: Report, frame: Frame) -> tuple[Text, ...]:
    """Return advice on what to change; empty if all is well."""
    said = [_wrong_mat(scene, report)] if report.instead else []
    said += [HINTS[report.health]] if report.health in HINTS and not said else []
    if scene.blurred:
        said.append(say("The picture is blurred. Hold the camera still, and focus it on the mat."))
    survey = scene.survey
    if survey is None:
        return tuple(said)
    corners = survey.projection.pixels(_corners(0.0, 0.0, *survey.mat.size_mm))
    height, width = frame.image.shape[:2]
    if (corners < 0).any() or (corners > (width, height)).any():
        said.append(say("Part of the mat is outside the picture. Raise or move the camera."))
    elif least_scale(survey.projection.pixels, survey.mat) < FAINT_SCALE:
        said.append(
            say("A side of the mat is too small in the picture. Move the camera nearer, or more above the middle.")
        )
    return tuple(said)


def least_scale(project: Callable[[Points], Points], mat: Mat) -> float:
    """Return the fewest pixels per millimetre along a zone's side. project: N x 2 mm to pixels."""
    scales = []
    for zone in mat.zones:
        corners = _corners(zone.box.x, zone.box.y, zone.box.width, zone.box.height)
        sides, lengths = (np.diff(each, axis=0, append=each[:1]) for each in (project(corners), corners))
        scales.append(np.min(np.linalg.norm(sides, axis=1) / np.linalg.norm(lengths, axis=1)))
    return float(min(scales))


def _wrong_mat(scene: Scene, report: Report) -> Text:
    assert scene.watched is not None  # else no mat was searched for
    other, mat = scene.others[report.instead].title, scene.watched.mat.title
    return say("Wrong mat: {other}. Needed: {mat}.", other=Text(other), mat=Text(mat))


def _corners(x: float, y: float, width: float, height: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], np.float64)


def _draw_zones(image: Image, survey: MatSurvey) -> None:
    for zone in survey.zones:
        box = survey.projection.pixels(_corners(zone.box.x, zone.box.y, zone.box.width, zone.box.height))
        cv2.polylines(image, [np.rint(box).astype(np.int32)], True, (200, 200, 60), 1, cv2.LINE_AA)


def _draw_pieces(image: Image, survey: MatSurvey, observation: Observation) -> None:
    seen = [one for zone in observation.zones for one in zone.pieces if one is not None]
    for one in (*seen, *observation.strays):
        x, y = np.rint(survey.projection.pixels(np.array([[one.x_mm, one.y_mm]]), 4.0)[0]).astype(int)
        cv2.circle(image, (int(x), int(y)), 12, COLOURS[one.sight], 2, cv2.LINE_AA)
        word = one.kind or (one.face.value if one.face is not None else "?")
        cv2.putText(image, word, (int(x) - 20, int(y) - 18), cv2.FONT_HERSHEY_SIMPLEX, 0.5, COLOURS[one.sight], 1)
