"""Cuts the mat out of the picture of a rest: straightened for the table's page, or as the camera took it to be kept."""

from __future__ import annotations

import cv2
import numpy as np

from engine.table import Observation
from vision.camera import Pyramid
from vision.messages import Picture, Report, RestPicture
from vision.pipeline import Scene
from vision.survey import MatSurvey

WIDEST_PX = 1200
"""Longest side of a picture in pixels."""

LONGEST = 80 * 1024
"""Bytes of a picture."""

QUALITIES = (80, 65, 50, 35, 20)
"""Qualities of a JPEG that are tried in turn until it is short enough."""

KEPT_QUALITY = 95
"""Quality of a JPEG in which pieces are to be recognised again."""

GRAY = 128
"""Level of everything beyond the mat."""


def mat_picture(scene: Scene, report: Report) -> Picture | None:
    """Return the straightened mat of a report's rest as JPEG; None as for `kept_picture`, or if longer than LONGEST at
    every quality."""
    if (rest := _bare_rest(scene, report)) is None:
        return None
    survey, bare, observation = rest
    image = survey.straighten(bare, WIDEST_PX / max(survey.mat.size_mm))
    for quality in QUALITIES:
        good, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if good and len(data) <= LONGEST:
            places = {track: at for zone in observation.zones for track, at in survey.apparent_places(zone).items()}
            return Picture(report.frame, bytes(data), at=observation.at, places=places)
    return None


def kept_picture(scene: Scene, report: Report) -> RestPicture | None:
    """Return the frame of a report's rest as JPEG, gray beyond the mat's rim; None without observation, with a hand or
    unknown object in it, or if something moves again."""
    if (rest := _bare_rest(scene, report)) is None:
        return None
    survey, bare, observation = rest
    mat = np.zeros(bare.image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mat, np.rint(survey.surroundings(0.0)).astype(np.int32), 1)
    image = np.where(mat[..., None] > 0, bare.image, np.uint8(GRAY))
    good, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, KEPT_QUALITY])
    return RestPicture(bytes(data), observation) if good else None


def _bare_rest(scene: Scene, report: Report) -> tuple[MatSurvey, Pyramid, Observation] | None:
    """Return survey, picture and observation of a rest; None as for `kept_picture`."""
    survey, bare, observation = scene.survey, scene.bare, report.observation
    if survey is None or bare is None or observation is None or report.moving:
        return None
    return survey, bare, observation
