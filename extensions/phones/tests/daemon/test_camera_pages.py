"""The page of a phone that is the camera: who gets in, and which pictures reach the ring."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from device.owner.claim import BITS
from device.owner.claim_files import camera_files
from engine.text import Text
from extensions.phones.tests.daemon.phone import Phone
from referee_phones.daemon.camera_pages import CameraPages
from referee_phones.daemon.seats import RefusalReason
from referee_phones.frames import (
    Admit,
    Back,
    Close,
    Closed,
    FromWorker,
    Go,
    Hello,
    Join,
    PageOpened,
    PagePicture,
    PageTouch,
    Speak,
    To,
    ToWorker,
)
from vision.cameras.ring import EDGE, PACE, REGION, RELOCKS, PictureRing
from vision.cameras.shared import RingReader

JPEG = b"\xff\xd8\xff the mat \xff\xd9"
CHANCE = random.Random(5)


class Worker:
    """A gateway's worker, which keeps what it is sent."""

    audience, takes = "camera", True

    def __init__(self) -> None:
        self.sent: list[ToWorker] = []

    def send(self, frame: ToWorker) -> None:
        self.sent.append(frame)


class Door:
    """The camera's pages with one worker, and the ring's reader."""

    def __init__(self, folder: Path) -> None:
        self.at, self.words = 10.0, (Text("Too dark for the camera."),)
        self.ring, self.folder = PictureRing(folder / "ring", 1000), folder
        self.reader = RingReader(str(folder / "ring"))
        self.reader.open("")
        self.pages = CameraPages(
            self.ring,
            camera_files(folder),
            lambda: self.at,
            lambda: None,
            drawn=lambda: CHANCE.getrandbits(BITS),
            words=lambda: self.words,
            language=lambda: "en",
        )
        self.worker = Worker()
        self.pages.meet_worker(self.worker)
        (hello,) = self.worker.sent
        assert isinstance(hello, Hello)
        self._public = hello.public

    def hears(self, *frames: FromWorker) -> list[ToWorker]:
        """Return the answers to these frames."""
        self.worker.sent.clear()
        for frame in frames:
            self.pages.on_frame(self.worker, frame)
        self.at += 1.0
        self.pages.publish()
        return self.worker.sent

    def joins(self, link: int, phone: Phone, code: str | None = None) -> list[ToWorker]:
        return self.hears(PageOpened(link), phone.join(self._public, link, code or self.pages.code))

    def returns(self, link: int, phone: Phone) -> list[ToWorker]:
        return self.hears(PageOpened(link), phone.back(self._public, link))


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    made = Door(tmp_path)
    yield made
    made.reader.close()
    made.ring.close()


def said(frames: list[ToWorker]) -> list[dict[str, Any]]:
    return [json.loads(each.text) for each in frames if isinstance(each, To | Close) and each.text]


def test_a_phone_with_the_code_is_the_camera_and_each_picture_is_acknowledged(door: Door) -> None:
    assert not door.pages.linked
    assert door.joins(1, Phone()) == [Admit(1), To(1, '{"joined":"camera"}')]
    assert door.pages.linked
    door.reader.wish(PACE, 750)
    door.reader.wish(RELOCKS, 3)
    door.reader.wish(REGION, 0, 0, EDGE, 0, EDGE, EDGE, 0, EDGE // 2)
    took = {"pace": 7.5, "relocks": 3, "region": [0, 0, 1, 0, 1, 1, 0, 0.5], "said": ["Too dark for the camera."]}
    for serial in (1, 2):
        assert said(door.hears(PagePicture(1, JPEG))) == [{"took": took}]
        slot = door.reader.wait(1.0)
        assert slot is not None
        assert (slot.serial, slot.data) == (serial, JPEG)
    door.words = (Text("The camera can't find the mat. Uncover its corners."),)
    door.hears(Speak(1, "ru"))
    (told,) = said(door.hears(PagePicture(1, JPEG)))
    assert told["took"]["said"] == ["Камера не находит поле. Освободите его углы."]


def test_a_code_is_good_for_one_phone_and_another_takes_the_place_of_the_first(door: Door) -> None:
    first, second, code = Phone(), Phone(), door.pages.code
    door.joins(1, first)
    assert door.pages.code not in ("", code)
    (refused,) = said(door.joins(2, second, code))
    assert refused["why"] == RefusalReason.SPENT
    ended, admitted, *_ = door.joins(3, second)
    assert isinstance(ended, Close)
    assert (ended.link, json.loads(ended.text)["why"], admitted) == (1, RefusalReason.REVOKED, Admit(3))
    (refused,) = said(door.returns(4, first))
    assert refused["why"] == RefusalReason.REVOKED


def test_a_phone_comes_back_with_its_key_also_to_a_table_that_was_switched_off(door: Door) -> None:
    phone = Phone()
    door.joins(1, phone)
    door.hears(Closed(1))
    assert not door.pages.linked
    door.returns(2, phone)
    assert door.pages.linked
    again = Door(door.folder)
    again.returns(1, phone)
    assert again.pages.linked


def test_what_is_no_jpeg_is_refused_in_a_sentence_and_the_next_picture_is_taken(door: Door) -> None:
    door.joins(1, Phone())
    for wrong in (b"", b"\x89PNG", JPEG[:-1], JPEG[1:], b"x" * 900):
        refused = next(each for each in said(door.hears(PagePicture(1, wrong))) if "refused" in each)
        assert refused["refused"].startswith("The table cannot read this phone's pictures.")
    assert door.reader.wait(0.01) is None
    door.hears(PagePicture(1, JPEG))
    assert door.reader.wait(1.0) is not None


def test_a_stranger_sends_no_picture(door: Door) -> None:
    (refused,) = said(door.joins(1, Phone(), "WRONGWRONGWRONG2"))
    assert refused["why"] == RefusalReason.UNKNOWN
    assert door.hears(PagePicture(1, JPEG), PagePicture(7, JPEG)) == []
    assert door.reader.wait(0.01) is None
    assert door.pages.refused == 2


def test_frames_in_any_order_break_nothing_and_only_the_cameras_pictures_arrive(door: Door) -> None:
    rng, phone = random.Random(1), Phone()
    door.joins(0, phone)
    for _ in range(3000):
        link = rng.randrange(4)
        sent = rng.randbytes(rng.randrange(40))
        frames = (
            PageOpened(link),
            Closed(link) if link else Go(link),
            Join(link, rng.randbytes(32).hex(), rng.randbytes(32).hex()),
            Back(link, rng.randbytes(32).hex()),
            PagePicture(link, rng.choice((sent, JPEG if link else sent))),
            PageTouch(link, 1, 1),
            Speak(link, "xx"),
        )
        door.hears(rng.choice(frames))
    assert door.reader.wait(0.01) is None
    assert door.pages.linked
    door.hears(PagePicture(0, JPEG))
    assert door.reader.wait(1.0) is not None
