"""Removes the shake of the camera: aligns each rectified picture with the known board."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image

POINTS = 150
LEAST_POINTS = 16
FARTHEST_PX = 12.0
"""A board does not move farther than this (half a cell) without being laid anew."""

Floats = npt.NDArray[np.float32]


class Steady:
    """Follows corners of the known board into each picture. Hands and moved pieces are outvoted."""

    def __init__(self) -> None:
        self._known: Image | None = None
        self._points: Floats | None = None
        self._last: npt.NDArray[np.float64] = np.eye(2, 3)

    @property
    def empty(self) -> bool:
        """Whether no board is known yet."""
        return self._known is None

    def know(self, gray: Image) -> None:
        """The board to lie on from now on."""
        self._known = gray
        points = cv2.goodFeaturesToTrack(gray, POINTS, 0.02, 7)
        self._points = None if points is None else np.asarray(points, np.float32)

    def __call__(self, board: Image) -> Image:
        """The picture moved onto the known board; unmoved if too little of it is seen."""
        gray = np.asarray(cv2.cvtColor(board, cv2.COLOR_BGR2GRAY), np.uint8)
        if self._known is None or self._points is None or len(self._points) < LEAST_POINTS:
            return board
        self._last = self._moved(gray)
        if float(np.abs(self._last - np.eye(2, 3)).max()) < 0.02:
            return board
        size = (board.shape[1], board.shape[0])
        back = cv2.warpAffine(
            board, self._last, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(back, np.uint8)

    def _moved(self, gray: Image) -> npt.NDArray[np.float64]:
        assert self._known is not None
        assert self._points is not None
        guess = np.asarray(cv2.transform(self._points, self._last), np.float32)
        found, status, _ = cv2.calcOpticalFlowPyrLK(
            self._known, gray, self._points, guess, winSize=(15, 15), maxLevel=1, flags=cv2.OPTFLOW_USE_INITIAL_FLOW
        )
        good = status.ravel() == 1
        if np.count_nonzero(good) < LEAST_POINTS:
            return self._last
        fit, inliers = cv2.estimateAffinePartial2D(
            self._points[good], found[good], method=cv2.RANSAC, ransacReprojThreshold=0.7
        )
        if fit is None or np.count_nonzero(inliers) < LEAST_POINTS:
            return self._last
        corner = np.array([gray.shape[1], gray.shape[0], 1.0])
        far = max(float(np.abs(fit[:, 2]).max()), float(np.abs(fit @ corner - corner[:2]).max()))
        return self._last if far > FARTHEST_PX else np.asarray(fit, np.float64)
