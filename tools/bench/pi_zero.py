"""How a core of a Pi Zero 2 W compares with one of this machine, by OpenCV's ArUco pass, which both do."""

from __future__ import annotations

import statistics
from functools import partial

import cv2

from tests.vision.scenes import World, load_mat, seven
from tools.bench.spent import processor_seconds
from vision.registration.lens import dictionary

PASS_INSTRUCTIONS = 82.5e6
"""Of a pass over the picture below on a Cortex-A53: `aruco` of `make machine-bench` (docs/developers/machine.md)."""

INSTRUCTIONS_A_SECOND = 0.7e9
"""Assumed: 1 GHz, and 0.6 to 0.8 instructions a cycle, which no board has shown yet."""

ROUNDS = 20


def slower() -> float:
    """So many times longer OpenCV's work takes there: with 0.6 instructions a cycle a sixth more, with 0.8 an eighth
    less. For Python it is a rough guide."""
    mat = load_mat()
    image = World(mat, seven(mat)).render()
    detector = cv2.aruco.ArucoDetector(dictionary(mat.dictionary))
    here = statistics.median(processor_seconds(partial(detector.detectMarkers, image)) for _ in range(ROUNDS))
    return PASS_INSTRUCTIONS / INSTRUCTIONS_A_SECOND / here
