"""A second look at what was not plainly seen: when it is taken, what it tells, and that it ends."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import cv2
import msgspec
import pytest
import zmq

from engine.table import Arrangement, Face, Health, Observation, Sight, Sighting, Touch, ZoneSight
from tests.vision.scenes import CONFIG, LINE_Y, Hand, Stone
from tests.vision.tables import MAT, SIDES, STONES, Correlator, Table, enrolled, kinds
from vision import worker
from vision.camera import CameraLost, Frame, Image
from vision.cameras import CameraSpec
from vision.config import WorkerConfig
from vision.look_schedule import LATER_S, Doubts, tells_more
from vision.messages import Quit, Report, VisionSetup
from vision.picture_checks import Watch
from vision.pipeline import BLIND_S
from vision.recognition.naming import Naming
from vision.still_pictures import look

ALONE = [Stone(150, LINE_Y, "crown")]


class Hesitant:
    """A recogniser that abstains at first. asked: how often it was."""

    def __init__(self, reader: Correlator, times: int) -> None:
        self._reader, self._times, self.asked = reader, times, 0

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        self.asked += 1
        if self.asked > self._times:
            return self._reader.name(crops)
        return [Naming(None, 0.1, 0.0, None) for _ in crops]


class Patient(Hesitant):
    """A recogniser that names in three parts."""

    def __init__(self, reader: Correlator, times: int = 0) -> None:
        super().__init__(reader, times)

    def name_in_parts(self, crops: Sequence[Image]) -> Generator[None, None, list[Naming]]:
        yield
        yield
        return self.name(crops)


@pytest.fixture(scope="module")
def reader() -> Correlator:
    return enrolled()


def seen(
    sight: Sight = Sight.SEEN, kind: str | None = "crown", *, at: float = 10.0, touched: tuple[Touch, ...] = ()
) -> Observation:
    face = Face.UP if sight is Sight.SEEN else None
    piece = Sighting(1, kind, face, sight, 1.0, 10.0, 20.0, 0.0)
    return Observation(1, at, (ZoneSight("line", Arrangement.ROW, (piece,)),), touched)


def dues(*looks: Observation) -> list[float]:
    """How long after each look the next was due; -1: never."""
    doubts, waits = Doubts(), []
    for one in looks:
        doubts.note_look(one)
        waits.append(next((wait for wait in (0.5, *LATER_S, 60.0) if doubts.due(one.at + wait)), -1.0))
    return waits


def test_what_is_not_seen_is_looked_at_again_ever_later_and_not_for_ever() -> None:
    assert dues(*(seen(Sight.UNKNOWN, None, at=10.0 * n) for n in range(5))) == [*LATER_S, -1.0, -1.0]


@pytest.mark.parametrize(
    ("touch", "again"),
    [
        (Touch(1, lifted=True, certainty=1.0, hands=frozenset({"a"})), False),
        (Touch(1, lifted=True, certainty=1.0, hands=None), True),
        (Touch(1, lifted=True, certainty=0.6, hands=frozenset({"a"})), True),
    ],
)
def test_what_went_without_a_hand_or_perhaps_is_looked_at_again(touch: Touch, again: bool) -> None:
    assert (dues(seen(touched=(touch,))) == [LATER_S[0]]) is again


def test_plain_sight_needs_no_second_look() -> None:
    assert dues(seen()) == [-1.0]


def test_what_came_and_was_not_made_out_is_looked_for_again_though_all_else_is_plain() -> None:
    doubts = Doubts()
    doubts.note_look(seen(), unclear=True)
    assert doubts.due(10.0 + LATER_S[0])
    assert not doubts.due(10.0 + LATER_S[0] - 0.1)


def test_a_second_look_tells_more_if_anything_differs() -> None:
    assert tells_more(seen(Sight.UNKNOWN, None), seen())
    assert not tells_more(seen(Sight.UNKNOWN, None), seen(Sight.UNKNOWN, None, at=12.0))


def doubted(reader: Patient) -> Table:
    """A table whose one stone was not named, in the first part of a second look at it."""
    table = Table(reader, ALONE)
    while reader.asked < 1:
        table.step()
    while not table.step().looking:
        assert table.now < LATER_S[0] + 2.0
    return table


def told(reader: Hesitant, seconds: float) -> list[Observation]:
    """What is told of one stone at rest in so many seconds."""
    table = Table(reader, ALONE)
    for _ in range(round(seconds)):
        table.step(after=1.0)
    return table.seen


@pytest.mark.thorough
def test_a_piece_that_is_named_a_second_later_is_told(reader: Correlator) -> None:
    first, second = told(Hesitant(reader, 1), 4.0)
    assert [kinds(one) for one in (first, second)] == [[None], ["crown"]]
    assert second.touched == ()
    assert second.hands == frozenset()
    assert second.at - first.at >= LATER_S[0]


def test_a_piece_that_is_never_named_is_told_once_and_not_looked_at_for_ever(reader: Correlator) -> None:
    hesitant = Hesitant(reader, 1000)
    assert len(told(hesitant, sum(LATER_S) + 3.0)) == 1
    assert hesitant.asked == 1 + len(LATER_S)


def test_a_doubt_is_spread_over_pictures_and_what_the_first_showed_is_told(reader: Correlator) -> None:
    table = Table(Patient(reader), [Stone(150, LINE_Y, "crown"), Stone(260, LINE_Y, "hammer")])
    first, second, third, fourth = (table.step() for _ in range(4))
    assert (first.observation, second.observation, fourth.observation) == (None, None, None)
    assert [each.looking for each in (first, second, third)] == [True, True, False]
    assert not any(each.moving for each in table.reports), "nobody has come: no display wakes"
    assert third.observation is not None
    assert third.observation.at == first.at
    assert kinds(third.observation) == ["crown", "hammer"]


def test_each_picture_of_a_look_is_reported_as_it_is_and_what_was_seen_as_it_was(
    reader: Correlator, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(Patient(reader), ALONE)
    table.step()
    monkeypatch.setattr(Watch, "judge", lambda *_: Health.GLARE)
    assert (table.step().health, table.step().health) == (Health.GLARE, Health.OK)
    assert table.seen[-1].health is Health.OK


def test_what_a_hand_left_counts_as_moving_until_it_is_told(reader: Correlator) -> None:
    stone = Stone(150, LINE_Y, "crown")
    table = Table(Patient(reader), [stone])
    table.rest()
    table.carry(stone, 230, LINE_Y)
    while table.step().observation is None:
        assert table.reports[-1].moving
    assert [each.looking for each in table.reports[-3:]] == [True, True, False]
    assert not table.reports[-1].moving


def test_in_a_second_look_nothing_moves_and_a_hand_does_not_wait_for_it(reader: Correlator) -> None:
    patient = Patient(reader, 1)
    table = doubted(patient)
    assert not any(each.moving for each in table.reports)
    comes = table.step(Hand(150, LINE_Y, "bottom"))
    assert (comes.moving, comes.looking, comes.observation) == (True, False, None)
    assert patient.asked == 1, "the rest of it is left undone"
    assert kinds(table.rest(2.0)) == ["crown"], "and is made good at the next rest"


def test_a_moment_in_the_dark_within_a_second_look_leaves_the_table_to_be_told(
    reader: Correlator, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = doubted(Patient(reader, 1000))
    before = table.seen[-1]
    with monkeypatch.context() as dark:
        dark.setattr(Watch, "judge", lambda *_: Health.DARK)
        assert table.step().health is Health.DARK
    assert table.rest(2.0).serial > before.serial


def test_a_second_look_over_several_pictures_tells_what_it_finds(reader: Correlator) -> None:
    table = doubted(Patient(reader, 1))
    assert kinds(table.rest(0.4)) == ["crown"]
    assert not any(each.moving for each in table.reports)


def test_a_hand_that_comes_meanwhile_finds_the_rest_told_and_is_followed(reader: Correlator) -> None:
    table = Table(Patient(reader), ALONE)
    table.rest()
    table.scene.rebase()
    assert table.step().observation is None
    comes = table.step(Hand(150, LINE_Y, "bottom"))
    assert comes.moving
    assert comes.observation is not None
    assert kinds(comes.observation) == ["crown"]
    assert table.rest(2.0).hands == {"a"}


class Film:
    """A recording, at some places of which the camera is lost. ends: called once all its pictures were seen."""

    def __init__(self, frames: list[Frame | CameraLost], ends: Callable[[], object]) -> None:
        self._frames, self._ends = frames, ends

    def open(self) -> None:
        """It is there."""

    def pace(self, fps: float) -> None:
        """It has its own."""

    close = open

    def read(self, timeout: float) -> Frame | None:
        if not self._frames:
            self._ends()
            return None
        frame = self._frames.pop(0)
        if isinstance(frame, CameraLost):
            raise frame
        return frame


def reported(
    frames: list[Frame | CameraLost], reader: Correlator | Patient, monkeypatch: pytest.MonkeyPatch
) -> list[Report]:
    """What the worker tells of a recording."""
    with zmq.Context() as context, context.socket(zmq.PAIR) as mine, context.socket(zmq.PAIR) as its:
        mine.bind("inproc://film")
        its.connect("inproc://film")
        film = Film(frames, lambda: mine.send(msgspec.json.encode(Quit())))
        monkeypatch.setattr(worker, "open_camera", lambda _: film)
        one = worker.Worker(WorkerConfig(CameraSpec("opencv", "film"), "", (str(CONFIG),)), its)
        one._recognisers["stones"] = reader
        zones = {zone.name: zone.set for zone in MAT.zones}
        mine.send(msgspec.json.encode(VisionSetup("tellstones", tuple(zones), zones, SIDES)))
        one.run()
        heard = list[Report]()
        while mine.poll(0):
            heard.append(msgspec.json.decode(mine.recv(), type=Report))
    return heard


def test_once_a_camera_that_was_gone_for_a_moment_is_back_the_table_is_told(
    reader: Correlator, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = Table(None, ALONE).world
    frames: list[Frame | CameraLost] = [world.shoot(1, 0.2), CameraLost("unplugged"), *(world.shoot(2, 1.2),) * 2]
    first, *gone, back, last = reported(frames, reader, monkeypatch)
    assert {report.health for report in gone} == {Health.NO_FRAMES}
    assert (first.frame, back.frame, last.frame) == (1, 2, 2)
    assert back.observation is not None
    assert back.observation.touched == ()
    assert last.observation is None


def test_the_worker_tells_the_last_rest_of_a_recording_that_ends_within_the_look(
    reader: Correlator, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, last = reported([Table(None, ALONE).world.shoot(1, 0.2)], Patient(reader), monkeypatch)
    assert (first.frame, first.looking, first.observation) == (1, True, None)
    assert (last.frame, last.looking) == (0, False)
    assert last.observation is not None
    assert kinds(last.observation) == ["crown"]


@pytest.mark.parametrize("pictures", [2, 5], ids=["ends within it", "goes on"])
def test_of_a_look_over_several_pictures_of_a_video_all_milliseconds_are_told(
    reader: Correlator, tmp_path: Path, pictures: int
) -> None:
    image = Table(None, ALONE).world.render()
    video = cv2.VideoWriter(
        str(tmp_path / "v.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 10, (image.shape[1], image.shape[0])
    )
    for _ in range(pictures):
        video.write(image)
    video.release()
    (seen,) = look(tmp_path / "v.avi", MAT, {"stones": STONES}, {"stones": Patient(reader)}, sides=SIDES)
    assert seen.ms.keys() >= {"mat", "light", "pieces", "names", "tracks"}, "of its first picture and of its last"


def test_a_look_that_nothing_follows_is_finished_and_one_before_a_gap_is_not(reader: Correlator) -> None:
    table = Table(Patient(reader), ALONE)
    table.step()
    last = table.scene.finish()
    assert last is not None
    assert kinds(last) == ["crown"]
    assert table.scene.finish() is None
    table.scene.rebase()
    table.step()
    late = table.step(after=BLIND_S + 1.0)
    assert late.observation is None, "it is looked at again"
    assert table.rest().at == late.at
