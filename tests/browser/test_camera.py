"""A phone as the table's camera, through its page."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing, suppress
from pathlib import Path

import aiohttp
import cv2
import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait

from device.owner.claim_files import camera_files
from extensions.phones.tests.daemon.phone import Phone
from referee_phones.frames import LONGEST_PICTURE
from referee_phones.websocket import UNFIT
from tests.browser.filming import PATIENCE_S, film, open_camera, phone
from tests.browser.shipped import Shipped
from tools.phone_verdicts import compare, judge_twice
from vision.camera import CameraLost, Frame, Image, NoFrameYet
from vision.cameras.phone import LATE_S, PhoneCamera
from vision.cameras.ring import phone_ring

PER_SECOND = 5
"""Pictures of the film, a second."""


@pytest.mark.browser
def test_a_match_by_phone_has_the_verdicts_of_its_pictures() -> None:
    plain, by_phone = judge_twice(("tellstones", 1), 3)
    assert by_phone == plain
    assert plain.worth == {"right": 3}


@pytest.mark.soak
def test_longer_matches_by_phone_have_the_verdicts_of_their_pictures() -> None:
    assert not compare(matches=12, seed=2, jobs=1).differ


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film in which nothing happens, half dark and half light; without noise a camera counts as frozen."""
    rng, picture = np.random.default_rng(1), np.full((360, 640, 3), 60, np.uint8)
    picture[:, 320:] = 160
    noisy = (picture + rng.integers(0, 9, picture.shape, np.uint8) for _ in range(10))
    return film(tmp_path_factory.mktemp("film") / "still.y4m", noisy, PER_SECOND)


def reads(browser: webdriver.Chrome, text: str) -> None:
    """Wait until the page says this."""
    main = (By.TAG_NAME, "main")
    WebDriverWait(browser, PATIENCE_S).until(expected_conditions.text_to_be_present_in_element(main, text))


def settled(camera: PhoneCamera) -> Frame:
    """Return the next picture once the phone sends them."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        with suppress(CameraLost, NoFrameYet):
            frame = camera.read(1.0)
            assert frame is not None
            return frame
    raise AssertionError("no picture came")


@pytest.mark.browser
def test_another_phone_takes_over_and_who_has_no_key_sends_nothing(tmp_path: Path, still: Path) -> None:
    files = camera_files(tmp_path / "state")
    with Shipped(tmp_path, 'source = "phone"') as shipped, phone(still) as browser:
        page = shipped.page("camera")
        browser.get(page)
        reads(browser, "Scan the camera's code in the table settings with this phone.")
        browser.get(f"{page}#WRONGWRONGWRONG2")  # no reload: the page takes a code that is no good from its address
        reads(browser, "The table does not know this phone.")
        with closing(PhoneCamera(str(phone_ring(tmp_path / "state")))) as camera:
            open_camera(camera)
            with pytest.raises(CameraLost):
                camera.read(1.0)
            browser.get(f"{page}#{files.codes().card}")
            reads(browser, "The table is receiving the pictures.")
            frame = settled(camera)
            assert [round(float(half.mean()), -1) for half in np.hsplit(frame.image, 2)] == [60, 160]
            with phone(still) as other:
                other.get(f"{page}#{files.codes().card}")
                reads(other, "The table is receiving the pictures.")
                reads(browser, "Another phone is the camera now.")
            browser.get("about:blank")
            time.sleep(LATE_S)
            with pytest.raises(CameraLost, match="is its page open"):
                camera.read(0.1)
            assert "Traceback" not in shipped.log()


def cropped(camera: PhoneCamera, browser: webdriver.Chrome, corners: tuple[float, ...], text: str) -> Image:
    """Return a picture of which the page says this.

    The crop is asked for again and again: the table's own worker reads the ring as well, and forgets it at its start.
    """
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        camera.crop(corners)
        image = settled(camera).image
        grey = abs(image[0, 0].astype(int) - 128).max() < 12
        if grey == bool(corners) and text in browser.find_element(By.TAG_NAME, "main").text:
            return image
    raise AssertionError(f"the page never says {text!r}")


@pytest.mark.browser
def test_once_the_mat_is_found_nothing_else_leaves_the_phone(tmp_path: Path, still: Path) -> None:
    whole, only = "it gets the whole picture.", "Only the mat and a hand's width around it are sent."
    with Shipped(tmp_path, 'source = "phone"') as shipped, phone(still) as browser:
        browser.get(f"{shipped.page('camera')}#{camera_files(tmp_path / 'state').codes().card}")
        with closing(PhoneCamera(str(phone_ring(tmp_path / "state")))) as camera:
            open_camera(camera)
            settled(camera)
            reads(browser, whole)
            image = cropped(camera, browser, (0.25, 0.25, 0.75, 0.25, 0.75, 0.75, 0.25, 0.75), only)
            outside = np.ones(image.shape[:2], bool)
            outside[88:272, 158:482] = False
            assert abs(image[outside].astype(int) - 128).max() < 12
            middle = image[92:268, 162:478]
            assert [round(float(half.mean()), -1) for half in np.hsplit(middle, 2)] == [60, 160]
            image = cropped(camera, browser, (), whole)
            assert [round(float(half.mean()), -1) for half in np.hsplit(image, 2)] == [60, 160]


IPHONE = """
    DeviceOrientationEvent.requestPermission = async () => {
        setTimeout(() => window.dispatchEvent(new DeviceOrientationEvent("deviceorientation", { beta: 60, gamma: 0 })));
        return "granted";
    };"""


@pytest.mark.browser
def test_an_iphone_is_asked_for_its_tilt_by_a_touch(tmp_path: Path, still: Path) -> None:
    with Shipped(tmp_path, 'source = "phone"') as shipped, phone(still) as browser:
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": IPHONE})
        browser.get(f"{shipped.page('camera')}#{camera_files(tmp_path / 'state').codes().card}")
        reads(browser, "This phone can tell you when it is tilted too far, if you let it.")
        browser.find_element(By.XPATH, "//button[.='Allow it']").click()
        reads(browser, "The phone is tilted by 60°.")
        assert not browser.find_elements(By.XPATH, "//button[.='Allow it']")


@pytest.mark.browser
def test_a_phone_that_comes_back_is_the_camera_again(tmp_path: Path, still: Path) -> None:
    code = camera_files(tmp_path / "state").codes
    with Shipped(tmp_path, 'source = "phone"') as shipped, phone(still) as browser:
        browser.get(f"{shipped.page('camera')}#{code().card}")
        with closing(PhoneCamera(str(phone_ring(tmp_path / "state")))) as camera:
            open_camera(camera)
            settled(camera)
            browser.refresh()
            reads(browser, "The table is receiving the pictures.")
            before = settled(camera).serial
            assert settled(camera).serial > before


@pytest.mark.browser
def test_a_phone_stays_the_camera_when_the_table_restarts(tmp_path: Path, still: Path) -> None:
    with Shipped(tmp_path, 'source = "phone"') as shipped, phone(still) as browser:
        browser.get(f"{shipped.page('camera')}#{camera_files(tmp_path / 'state').codes().card}")
        with closing(PhoneCamera(str(phone_ring(tmp_path / "state")))) as camera:
            open_camera(camera)
            settled(camera)
        shipped.restart_referee()
        with closing(PhoneCamera(str(phone_ring(tmp_path / "state")))) as camera:
            open_camera(camera)
            reads(browser, "The table is receiving the pictures.")
            assert settled(camera).serial > 0


@pytest.mark.browser
def test_bad_pictures_are_refused_in_a_sentence_and_a_strangers_link_ends(tmp_path: Path) -> None:
    good, jpeg = cv2.imencode(".jpg", np.full((48, 64, 3), 90, np.uint8))
    assert good

    async def visit(address: str, code: str) -> None:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(PATIENCE_S)) as session:
            challenge = None
            while challenge is None:  # at first the gateway has not reached the referee
                async with session.ws_connect(f"{address}link", ssl=False) as link:
                    challenge = (await link.receive_json()).get("challenge")
            async with session.ws_connect(f"{address}link", ssl=False) as link:
                await link.receive_json()
                await link.send_bytes(jpeg.tobytes())
                ended = await link.receive()
                assert (ended.type, ended.data) == (aiohttp.WSMsgType.CLOSE, UNFIT)
            async with session.ws_connect(f"{address}link", ssl=False) as link:
                await link.send_json(Phone().joins((await link.receive_json())["challenge"], code))
                assert await link.receive_json() == {"joined": "camera"}
                await link.send_bytes(bytes(LONGEST_PICTURE + 1))
                assert (await link.receive_json())["why"] == "picture"
                await link.send_bytes(b"no picture")
                assert {next(iter(await link.receive_json())) for _ in range(2)} == {"took", "refused"}
                await link.send_bytes(jpeg.tobytes())
                assert (await link.receive_json())["took"]["said"]

    with Shipped(tmp_path, 'source = "phone"') as shipped:
        asyncio.run(visit(shipped.page("camera"), camera_files(tmp_path / "state").codes().card))
        with closing(PhoneCamera(str(phone_ring(tmp_path / "state")))) as camera:
            open_camera(camera)
            frame = camera.read(1.0)
            assert frame is not None
            assert frame.image.shape == (48, 64, 3)
