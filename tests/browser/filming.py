"""A browser whose camera is a film, as a phone that is the table's camera."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

import cv2
from selenium import webdriver

from tests.browser.conftest import chromium
from vision.camera import CameraLost, Image
from vision.cameras.phone import PhoneCamera

PATIENCE_S = 60.0


def film(path: Path, pictures: Iterable[Image], per_second: int) -> Path:
    """Write pictures as an uncompressed film (YUV4MPEG2), which Chromium's fake camera plays again and again."""
    with path.open("wb") as file:
        for number, picture in enumerate(pictures):
            height, width = picture.shape[:2]
            if not number:
                file.write(f"YUV4MPEG2 W{width} H{height} F{per_second}:1 Ip A1:1 C420\n".encode())
            file.write(b"FRAME\n" + cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420).tobytes())
    return path


def phone(filmed: Path) -> webdriver.Chrome:
    """Return a browser that lets pages use its camera, which plays this film."""
    return chromium(
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={filmed}",
        "--ignore-certificate-errors",
    )


def open_camera(camera: PhoneCamera) -> None:
    """Open the camera, once the referee has made room for its pictures."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            return camera.open()
        except CameraLost:
            assert time.monotonic() < until, "the referee makes no room for pictures"
            time.sleep(0.1)
