"""The page on which `referee play` asks for the camera: people see which is which, and tap it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from referee_phones.camera_choice import Offer, choose
from tests.browser.test_pages import Guest
from tests.vision.cameras.stream_server import StreamServer, serving
from vision.cameras import CameraSpec

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


class Asked(threading.Thread):
    """`referee play`, which asks for the camera."""

    def __init__(self, server: StreamServer) -> None:
        super().__init__(daemon=True)
        self.page, self.chosen, self.opened = "", "", threading.Event()
        self._offers = [
            Offer("0", "HD Webcam (/dev/video0)", CameraSpec("stream", server.address())),
            Offer("2", "Document camera (/dev/video2)", CameraSpec("opencv", "/nowhere")),
        ]

    def run(self) -> None:
        self.chosen = choose(self._offers, "en", self._ready)

    def _ready(self, page: str) -> None:
        self.page = page
        self.opened.set()


@pytest.fixture
def asked() -> Iterator[Asked]:
    with serving() as server:
        server.picture = np.full((480, 640, 3), 90, np.uint8)
        cv2.putText(server.picture, "mat", (180, 260), cv2.FONT_HERSHEY_SIMPLEX, 4, (240, 240, 240), 8)
        thread = Asked(server)
        thread.start()
        assert thread.opened.wait(20)
        yield thread
        thread.join(20)
        assert not thread.is_alive()


@pytest.mark.parametrize(("width", "dark"), [(360, False), (820, True)])
def test_each_camera_shows_its_picture_and_one_tap_chooses(
    browser: Chrome, asked: Asked, width: int, *, dark: bool
) -> None:
    guest = Guest(browser)
    guest.holds(width, 1000, dark=dark)
    browser.get(asked.page)
    guest.wait(lambda: bool(browser.find_elements(By.CSS_SELECTOR, "#cameras img:not([hidden])")), 30)
    guest.reads("HD Webcam (/dev/video0)", "Document camera (/dev/video2)", "another program")
    guest.find("#address").send_keys("192.168.1.20")
    guest.button("Show its picture").click()
    guest.reads("those begin with rtsp:// or http://.")
    assert guest.faults() == []
    Select(guest.find("#language")).select_by_value("ru")
    guest.wait(lambda: "Какая камера" in guest.find("h1").text)
    Select(guest.find("#language")).select_by_value("en")
    guest.wait(lambda: "Which camera" in guest.find("h1").text)
    guest.wait(lambda: bool(browser.find_elements(By.CSS_SELECTOR, "#cameras img:not([hidden])")), 30)
    guest.button("Use this camera").click()
    guest.reads("The table is starting.")
    asked.join(20)
    assert asked.chosen == "0"
