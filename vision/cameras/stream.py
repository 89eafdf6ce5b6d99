"""Reads a network camera (RTSP, HTTP) by OpenCV's FFmpeg.

Messages name its host alone, as its address may hold a password.
"""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

import cv2
import numpy as np

from engine.table import Health
from vision.camera import CameraLost, Frame, Image, NoFrameYet
from vision.files import BadFile, read_text

if TYPE_CHECKING:
    from vision.cameras import CameraSpec

OPEN_S = 6.0
"""Seconds until the first picture; RTSP waits for a whole one."""

STALLED_S = 1.8
"""Seconds without pictures until a stream counts as stalled; Wi-Fi may pause 1 s."""

PORTS = {"rtsp": 554, "rtsps": 322, "http": 80, "https": 443}
STATUS = re.compile(rb"(?:HTTP|RTSP)/\d\.\d (\d{3})")

MESSAGES = {
    Health.NO_NETWORK: ("the referee may not use the network here", "docs/wiring.md says how to permit it"),
    Health.UNREACHABLE: ("nothing answers at its address", "check the address, its power and the network"),
    Health.REFUSED: ("it rejects the user name or password", "correct them in its address"),
    Health.NO_VIDEO: ("its address leads to no video", "copy the address from the camera's app or manual"),
    Health.STALLED: ("its stream has stopped", "check its power and its network"),
    Health.ENDED: ("it has ended its stream", "start it again at the camera"),
}
"""Causes of missing pictures with remedies, for the log and `referee doctor`."""


class StreamCamera:
    """A network `Camera`. A thread receives all pictures, so the newest is never late."""

    def __init__(self, spec: CameraSpec) -> None:
        self._target, self._width, self._interval = spec.target, spec.width, 1.0 / spec.fps
        self._news = threading.Condition()
        self._image: Image | None = None
        self._at, self._serial, self._read = 0.0, 0, 0
        self._lost: CameraLost | None = None
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        """Begin to connect. Raises CameraLost for an unreadable address. `read` raises NoFrameYet before pictures."""
        try:
            address = read_text(Path(self._target)) if self._target.startswith("/") else self._target
            urlsplit(address)
        except (BadFile, ValueError) as error:
            raise CameraLost("the camera's address cannot be read; correct it in the table file") from error
        self._thread = threading.Thread(target=self._receive, args=(address,), daemon=True)
        self._thread.start()

    def read(self, timeout_s: float) -> Frame | None:
        """Return the newest picture, waiting until it is new. Raises CameraLost and NoFrameYet."""
        with self._news:
            if not self._news.wait_for(lambda: self._lost or self._serial > self._read, timeout_s):
                raise NoFrameYet(f"no picture within {timeout_s:g} s")
            if self._lost is not None or self._image is None:
                raise self._lost or NoFrameYet("no picture")
            self._read, image, at = self._serial, self._image, self._at
        return Frame.of(self._read, at, image)

    def pace(self, frames_per_second: float) -> None:
        self._interval = 1.0 / frames_per_second

    def close(self) -> None:
        """End the thread, waiting several OPEN_S at worst: FFmpeg aborts a process that ends before."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()

    def _receive(self, address: str) -> None:
        lost = self._connect(address)
        with self._news:
            self._lost = lost
            self._news.notify()

    def _connect(self, address: str) -> CameraLost:
        limits = [
            *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, round(OPEN_S * 1000)),
            *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, round(STALLED_S * 1000)),
        ]
        began = time.monotonic()
        capture = cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits)
        try:
            if not capture.isOpened():
                return _error_of(address, _why_closed(urlsplit(address), time.monotonic() - began))
            return _error_of(address, self._pass_on(capture))
        finally:
            capture.release()

    def _pass_on(self, capture: cv2.VideoCapture) -> Health:
        """Keep the newest picture until the stream ends; return why."""
        due = 0.0
        while not self._end.is_set():
            asked = time.monotonic()
            if not capture.grab():
                return Health.STALLED if time.monotonic() - asked >= STALLED_S else Health.ENDED
            at = time.monotonic()
            if at < due:
                continue
            due = max(due + self._interval, at)
            good, image = capture.retrieve()
            if good:
                with self._news:
                    self._image, self._at, self._serial = (
                        self._shrunk(np.asarray(image, np.uint8)),
                        at,
                        self._serial + 1,
                    )
                    self._news.notify()
        return Health.ENDED

    def _shrunk(self, image: Image) -> Image:
        height, width = image.shape[:2]
        if width <= self._width:
            return image
        size = self._width, round(height * self._width / width)
        return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _error_of(address: str, health: Health) -> CameraLost:
    return CameraLost(f"the camera at {urlsplit(address).hostname}: {'; '.join(MESSAGES[health])}", health)


def _why_closed(address: SplitResult, waited_s: float) -> Health:
    """Ask the camera without a password; return why no stream could be opened."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
    except OSError:
        return Health.NO_NETWORK
    try:
        link = socket.create_connection((address.hostname or "", address.port or PORTS[address.scheme]), OPEN_S)
    except (OSError, ValueError):
        return Health.UNREACHABLE
    try:
        with closing(link):
            found = STATUS.match(_answer(link, address))
    except OSError:
        return Health.STALLED
    if found is not None and found[1] in (b"401", b"403"):
        return Health.REFUSED
    return Health.STALLED if found is not None and waited_s >= OPEN_S else Health.NO_VIDEO


def _answer(link: socket.socket, address: SplitResult) -> bytes:
    if not address.scheme.endswith("s"):
        return _ask(link, address)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # as FFmpeg does; no secret is sent
    with context.wrap_socket(link, server_hostname=address.hostname) as secured:
        return _ask(secured, address)


def _ask(link: socket.socket, address: SplitResult) -> bytes:
    host = address.netloc.rpartition("@")[2]
    path = f"{address.path or '/'}{'?' if address.query else ''}{address.query}"
    if address.scheme.startswith("rtsp"):
        link.sendall(f"DESCRIBE {address.scheme}://{host}{path} RTSP/1.0\r\nCSeq: 1\r\n\r\n".encode())
    else:
        link.sendall(f"GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
    return link.recv(64)
