"""The lens from pictures of the printed board, and points to and from an ideal picture."""

from __future__ import annotations

from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from vision.camera import Frame, Image, NoFrameYet, Pyramid
from vision.files import BadFile
from vision.registration.lens import (
    CalibrationBoard,
    CalibrationFailed,
    Lens,
    LensUnfit,
    calibrate,
    load_lens,
    save_lens,
)
from vision.registration.views import views

TRUE = Lens((1280, 720), (1000.0, 1000.0), (640.0, 360.0))
GOOD = msgspec.json.encode(TRUE)


def view(number: int) -> Image:
    """The board before an ideal lens, tilted another way each time."""
    board = CalibrationBoard()
    scale = 4
    width, height = board.columns * board.square_mm, board.rows * board.square_mm
    flat = board.charuco().generateImage((round(width * scale), round(height * scale)))
    turn = cv2.Rodrigues(np.array([0.35 * np.cos(number * 1.1), 0.35 * np.sin(number * 1.1), 0.1 * number]))[0]
    corners = np.array([[0, 0, 0], [width, 0, 0], [width, height, 0], [0, height, 0]]) - [width / 2, height / 2, 0]
    places = corners @ turn.T + [0, 0, 360.0]
    pixels = (places[:, :2] / places[:, 2:] * TRUE.focal[0] + TRUE.centre).astype(np.float32)
    source = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * flat.shape[1::-1] - 0.5
    warp = cv2.getPerspectiveTransform(source.astype(np.float32), pixels)
    return np.asarray(cv2.warpPerspective(flat, warp, TRUE.size, flags=cv2.INTER_AREA, borderValue=200), np.uint8)


def test_the_focal_length_is_found(tmp_path: Path) -> None:
    lens = calibrate([view(number) for number in range(8)], CalibrationBoard())
    assert lens.focal[0] == pytest.approx(1000, rel=0.02)
    assert lens.error_px < 1.0
    save_lens(lens, tmp_path / "lens.json")
    assert load_lens(tmp_path / "lens.json") == lens


def test_too_few_pictures_are_refused_with_advice() -> None:
    with pytest.raises(CalibrationFailed, match="take at least"):
        calibrate([view(0), np.zeros((720, 1280), np.uint8)], CalibrationBoard())


def test_distortion_goes_there_and_back() -> None:
    lens = Lens((1280, 720), (1000.0, 1000.0), (640.0, 360.0), (-0.2, 0.05, 0.001, -0.001, 0.0))
    points = np.array([[10.0, 20.0], [640, 360], [1200, 650]])
    assert lens.distort(lens.undistort(points)) == pytest.approx(points, abs=0.05)
    half = lens.scale(640, 360)
    assert half.distort(half.undistort(points / 2)) == pytest.approx(points / 2, abs=0.05)


@pytest.mark.parametrize("size", [(640, 480), (1640, 1232), (720, 1280)])
def test_it_says_nothing_of_pictures_of_another_shape(size: tuple[int, int]) -> None:
    with pytest.raises(LensUnfit, match=rf"of 1280 x 720, and these are of another shape, {size[0]} x {size[1]}"):
        TRUE.scale(*size)
    assert TRUE.scale(854, 480).focal[0] == pytest.approx(667, rel=0.01), "rounded to whole pixels it is the same"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "is not there"),
        (b"", "is empty"),
        (b"{", "is not JSON"),
        (b"[]", "Expected `object`"),
        (GOOD.replace(b"1280", b"0"), "size is 0 x 720 pixels"),
        (GOOD.replace(b"720", b"-720"), "size is 1280 x -720 pixels"),
        (GOOD.replace(b"1000.0", b"0.0"), "focal is"),
        (GOOD.replace(b"1000.0", b"1e308"), "focal is"),
        (GOOD.replace(b"1000.0", b"9" * 5000), "out of range"),
        (GOOD.replace(b"640.0", b"64000.0"), "centre"),
        (GOOD.replace(b"[0.0,", b"["), "distortion is not five numbers"),
        (GOOD.replace(b"[0.0,", b"[1e300,"), "distortion is not five numbers"),
    ],
)
def test_a_file_that_holds_no_lens_says_so(tmp_path: Path, content: bytes | None, why: str) -> None:
    if content is not None:
        assert content != GOOD
        (tmp_path / "lens.json").write_bytes(content)
    with pytest.raises(BadFile, match=rf"lens\.json: .*{why}.*referee calibrate"):
        load_lens(tmp_path / "lens.json")


def test_pictures_of_several_sizes_are_refused() -> None:
    with pytest.raises(CalibrationFailed, match="640 x 360 and 1280 x 720"):
        calibrate([view(0), view(1)[:360, :640].copy()], CalibrationBoard())


class Held:
    """A camera before which the board is moved: `shown` are its pictures; None: none comes in time."""

    def __init__(self, shown: list[Image | None]) -> None:
        self.shown = iter(shown)

    def read(self, timeout_s: float) -> Frame | None:
        for number, image in enumerate(self.shown, 1):
            if image is None:
                raise NoFrameYet("not yet")
            return Frame(number, 0.0, Pyramid(image), image)
        return None

    def open(self) -> None: ...

    def pace(self, frames_per_second: float) -> None: ...

    def close(self) -> None: ...


@pytest.mark.thorough
def test_pictures_are_taken_where_the_board_is_held_still_and_otherwise_than_before() -> None:
    one, two, empty = view(0), view(3), np.zeros((720, 1280), np.uint8)
    shown = [one, one, one, None, one, two, empty, two, two, one, one, two, two]
    taken = list(views(Held(shown), CalibrationBoard()))
    assert [image is one for image in taken] == [True, False]
    assert [image is two for image in taken] == [False, True]
