"""A phone as the table's camera: a match that is filmed through its page gets the verdicts of the pictures themselves.

Chromium's fake camera plays the simulator's pictures; each bears its number, which is painted over before it is looked
at.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import aiohttp
import cv2
import msgspec
import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait

from device.daemon import assembly
from device.journal import Journal
from device.owner.claim_files import camera_files
from engine.entry import Entry
from extensions.phones.tests.daemon.phone import Phone
from referee_phones.frames import LONGEST_PICTURE
from referee_phones.websocket import UNFIT
from referee_simulator.harness.plan import Plan, PlannedMatch, game_and_mat, matches_of, settings_of
from referee_simulator.harness.planned_table import table_of
from referee_simulator.harness.sights import PictureSight
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.judge.tally import Tally
from referee_simulator.players.players import Manner, Players
from tests.browser.filming import film, phone
from tests.browser.shipped import Shipped
from vision.camera import CameraLost, Frame, Image, NoFrameYet
from vision.cameras.phone import LATE_S, PhoneCamera
from vision.cameras.ring import phone_ring

PER_SECOND = 5
"""Pictures of the film: slow enough that the page sends each of them."""

BITS, SIDE = 12, 24
"""Squares of a picture's number, and their side in pixels."""

PATIENCE_S = 60.0


def numbered(picture: Image, number: int | None) -> Image:
    """Return the picture with its number along the upper edge; gray for None."""
    made = picture.copy()
    for bit in range(BITS):
        level = 128 if number is None else 255 * (number >> bit & 1)
        made[:SIDE, bit * SIDE : (bit + 1) * SIDE] = level
    return made


def number_of(picture: Image) -> int:
    inner = slice(SIDE // 4, 3 * SIDE // 4)
    squares = (picture[inner, bit * SIDE : (bit + 1) * SIDE][:, inner] for bit in range(BITS))
    return sum((square.mean() > 128) << bit for bit, square in enumerate(squares))


class Verdicts(msgspec.Struct, frozen=True):
    """A match as it was judged."""

    entries: tuple[Entry, ...]
    tally: Tally


def judged(planned: PlannedMatch, folder: Path, actions: int, changed: Callable[[Image], Image]) -> Verdicts:
    """Play so many actions of a match. changed: returns what is looked at instead of a picture."""
    folder.mkdir()
    (folder / "enrolled").symlink_to(planned.enrolled)
    settings = settings_of(planned.seats, folder)
    rules, seats = assembly.session_table(settings), tuple(sorted(settings.seats))
    known, mat = game_and_mat(rules, planned.plan.game, planned.seats, planned.options)
    table, holding = table_of(known, mat, seats, planned)
    rendered = table.frame

    def frame(at: float, dimmed: float = 0.0) -> Frame | None:
        found = rendered(at, dimmed)
        return None if found is None else Frame.of(found.serial, found.at, changed(found.image))

    table.frame = frame  # type: ignore[method-assign]
    world = Timed(settings, seed=planned.seed, rules=rules, sight=PictureSight(table, settings), drawn=False)
    players = Players(world, known, seats, planned.seed, Manner(longest=actions), holding=holding)
    asyncio.run(world.run(players.whole_match(planned.options)))
    with closing(Journal(folder / "journal.db")) as journal:
        return Verdicts(tuple(journal.current_entries()), players.tally)


@contextmanager
def filmed(folder: Path, pictures: list[Image]) -> Iterator[dict[int, Image]]:
    """Show the pictures to a phone that is a table's camera; yields those that reach the table, by number."""
    folder.mkdir()
    reel = film(folder / "film.y4m", (numbered(each, number) for number, each in enumerate(pictures)), PER_SECOND)
    with Shipped(folder, 'source = "phone"') as shipped, phone(reel) as browser:
        browser.get(f"{shipped.page('camera')}#{camera_files(folder / 'state').codes().card}")
        with closing(PhoneCamera(str(phone_ring(folder / "state")))) as camera:
            opened(camera)
            yield received(camera, len(pictures))


def opened(camera: PhoneCamera) -> None:
    """Open the camera, once the referee has made room for its pictures."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            return camera.open()
        except CameraLost:
            assert time.monotonic() < until, "the referee makes no room for pictures"
            time.sleep(0.1)


def received(camera: PhoneCamera, count: int) -> dict[int, Image]:
    """Return so many pictures by number, once the film has shown all of them."""
    found, until = dict[int, Image](), time.monotonic() + PATIENCE_S + 3 * count / PER_SECOND
    while len(found) < count:
        assert time.monotonic() < until, f"only {len(found)} of {count} pictures came"
        try:
            frame = camera.read(1.0)
        except (CameraLost, NoFrameYet):
            continue
        assert frame is not None
        found.setdefault(number_of(frame.image), numbered(frame.image, None))
    return found


def compare(folder: Path, game: str, seed: int, actions: int) -> dict[str, int]:
    """The verdicts of a match's pictures are those of the same pictures taken by a phone; returns how many of each."""
    (planned,) = matches_of(Plan(game=game, scene="easy", orders="seen", seed=seed), folder)
    pictures: list[Image] = []

    def kept(picture: Image) -> Image:
        pictures.append(picture)
        return numbered(picture, None)

    plain = judged(planned, folder / "file", actions, kept)
    assert plain.tally.actions == actions
    with filmed(folder / "phone", pictures) as taken:
        assert sorted(taken) == list(range(len(pictures)))
    assert any(not np.array_equal(numbered(each, None), taken[number]) for number, each in enumerate(pictures))
    rest = iter(sorted(taken.items()))
    by_phone = judged(planned, folder / "by phone", actions, lambda _picture: next(rest)[1])
    assert by_phone.entries == plain.entries
    assert by_phone.tally.worth == plain.tally.worth
    assert next(rest, None) is None
    return dict(plain.tally.worth)


@pytest.mark.browser
def test_a_match_by_phone_has_the_verdicts_of_its_pictures(tmp_path: Path) -> None:
    assert compare(tmp_path, "tellstones", 1, 3) == {"right": 3}


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("game", ["tellstones", "planetx", "fence", "runes"])
def test_longer_matches_by_phone_have_the_verdicts_of_their_pictures(tmp_path: Path, game: str, seed: int) -> None:
    assert compare(tmp_path, game, seed, 10) == {"right": 10}


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
            opened(camera)
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
            opened(camera)
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


@pytest.mark.browser
def test_a_phone_that_comes_back_is_the_camera_again(tmp_path: Path, still: Path) -> None:
    code = camera_files(tmp_path / "state").codes
    with Shipped(tmp_path, 'source = "phone"') as shipped, phone(still) as browser:
        browser.get(f"{shipped.page('camera')}#{code().card}")
        with closing(PhoneCamera(str(phone_ring(tmp_path / "state")))) as camera:
            opened(camera)
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
            opened(camera)
            settled(camera)
        shipped.restart_referee()
        with closing(PhoneCamera(str(phone_ring(tmp_path / "state")))) as camera:
            opened(camera)
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
            opened(camera)
            frame = camera.read(1.0)
            assert frame is not None
            assert frame.image.shape == (48, 64, 3)
