"""The page on which `referee play` asks for the camera: pictures of each, and the choice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import cv2
import msgspec
import numpy as np
import pytest

from referee_phones.camera_choice import ChoicePage, Offer
from referee_phones.play import graphical
from tests.vision.cameras.stream_server import StreamServer, serving
from vision.cameras import CameraSpec

PATIENCE_S = 30.0


@pytest.fixture
def server() -> Iterator[StreamServer]:
    with serving() as made:
        made.picture = np.full((480, 640, 3), 90, np.uint8)
        yield made


def offer(spec: CameraSpec, value: str = "0") -> Offer:
    return Offer(value, "HD Webcam (/dev/video0)", spec)


def talked(offers: list[Offer], talk: Callable[[Any], Awaitable[None]]) -> str:
    """Open the page and talk on its link; return what was chosen, "" for nothing."""

    async def main() -> str:
        site = ChoicePage(offers)
        await site.start()
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.ws_connect(f"{site.address()}link", headers={"Origin": site.address().rstrip("/")}) as link,
            ):
                await asyncio.wait_for(talk(link), PATIENCE_S)
            with suppress(TimeoutError):
                return await asyncio.wait_for(site.choice, 0.2)
            return ""
        finally:
            await site.end()

    return asyncio.run(main())


async def picture(link: Any, number: int) -> Any:
    """Return the next picture of a camera."""
    while True:
        heard = await link.receive()
        if heard.type is aiohttp.WSMsgType.BINARY and heard.data[0] == number:
            return cv2.imdecode(np.frombuffer(heard.data[1:], np.uint8), cv2.IMREAD_COLOR)


async def message(link: Any, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    while True:
        heard = await link.receive()
        if heard.type is aiohttp.WSMsgType.TEXT and wanted(said := msgspec.json.decode(heard.data)):
            return dict(said)


def test_each_camera_shows_its_own_small_picture_and_the_chosen_one_is_taken(server: StreamServer) -> None:
    async def talk(link: Any) -> None:
        first, second = await picture(link, 0), await picture(link, 1)
        assert (first.shape, second.shape) == ((240, 320, 3), (180, 320, 3))
        assert abs(first.mean() - 90) < 5
        assert abs(second.mean() - 200) < 5
        await link.send_json({"choose": "1"})
        await message(link, lambda said: said["is"] == "chosen")

    with serving() as other:
        other.picture = np.full((90, 160, 3), 200, np.uint8)
        offers = [offer(CameraSpec("stream", each.address()), value) for each, value in ((server, "0"), (other, "7"))]
        assert talked(offers, talk) == "7"


def test_a_camera_that_another_program_uses_says_so(tmp_path: Path) -> None:
    async def talk(link: Any) -> None:
        said = await message(link, lambda said: bool(said.get("cameras") and said["cameras"][0]["fault"]))
        assert "another program" in said["cameras"][0]["fault"]

    assert talked([offer(CameraSpec("opencv", str(tmp_path / "gone")))], talk) == ""


def test_an_address_shows_its_picture_before_it_is_chosen(server: StreamServer) -> None:
    address = server.address("closed", "anna:se%40cret@")

    async def talk(link: Any) -> None:
        await link.send_json({"look": address})
        said = await message(link, lambda said: bool(said.get("cameras")))
        assert said["cameras"][0]["name"] == "127.0.0.1"
        assert (await picture(link, 0)).shape == (240, 320, 3)
        await link.send_json({"choose": "0"})

    assert talked([], talk) == address


def test_a_wrong_password_is_said_at_the_address(server: StreamServer) -> None:
    async def talk(link: Any) -> None:
        await link.send_json({"look": server.address("closed", "anna:wrong@")})
        said = await message(link, lambda said: bool(said.get("cameras") and said["cameras"][0]["fault"]))
        assert "user name or password" in said["cameras"][0]["fault"]

    assert talked([], talk) == ""


@pytest.mark.parametrize("address", ["192.168.1.20", "file:///etc/passwd", "/etc/passwd"])
def test_what_is_no_address_is_refused(address: str) -> None:
    async def talk(link: Any) -> None:
        await link.send_json({"look": address})
        assert "rtsp://" in (await message(link, lambda said: said["is"] == "refused"))["why"]

    assert talked([], talk) == ""


@pytest.mark.parametrize("choice", ["phone", "none"])
def test_a_phone_and_none_can_be_chosen(choice: str) -> None:
    assert talked([], lambda link: link.send_json({"choose": choice})) == choice


@pytest.mark.parametrize("said", ['{"choose": "1"}', '{"choose": "usb"}', '{"choose": 4}', "[", "{}"])
def test_nothing_else_can_be_chosen(said: str, tmp_path: Path) -> None:
    assert talked([offer(CameraSpec("opencv", str(tmp_path)))], lambda link: link.send_str(said)) == ""


def test_the_end_leaves_no_camera_open(server: StreamServer) -> None:
    async def main() -> list[bool]:
        site = ChoicePage([offer(CameraSpec("stream", server.address()))])
        await site.start()
        end = time.monotonic() + PATIENCE_S
        while site.previews[0].jpeg is None and time.monotonic() < end:
            await asyncio.sleep(0.02)
        await site.end()
        return [preview.is_alive() for preview in site.previews]

    assert asyncio.run(main()) == [False]


def test_a_terminal_without_windows_is_asked_itself() -> None:
    assert graphical({"DISPLAY": ":0"})
    assert graphical({"WAYLAND_DISPLAY": "wayland-0"})
    assert not graphical({"TERM": "xterm"})
