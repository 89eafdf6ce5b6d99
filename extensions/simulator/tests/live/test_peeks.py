"""What a hand looks at for a seat at a virtual table: that seat alone is shown it, until its next action."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.catalogue import complete
from engine.entry import Act, Settle, Source, Start
from engine.table import Face
from extensions.simulator.tests.live.test_dealing import SEATS, Sitting
from referee_simulator.live.helping import AFTER_S, LOOK_S, Helping
from referee_simulator.panel.feed import Feed, Held
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.setting import piece_set
from vision.mat_picture import mat_picture
from vision.pipeline import Scene

TURNS = (
    ("a", ("place", "crown", "left")),
    ("b", ("place", "sword", "right")),
    ("a", ("hide", "crown")),
    ("b", ("hide", "sword")),
)
"""After them the crown lies hidden at the left, and the sword at the right."""


class Told:
    """All that pages beside the referee's are told, from the start on."""

    def __init__(self, sitting: Sitting) -> None:
        self._bench = Feed(sitting.stage, "en")
        self._seats = {seat: Held(sitting.stage, seat, "en") for seat in SEATS}
        self.bench: list[str | bytes] = []
        self.seats: dict[str, list[str]] = {seat: [] for seat in SEATS}

    def look(self) -> None:
        self.bench += self._bench.news()
        for seat, held in self._seats.items():
            self.seats[seat] += held.news()

    def shown(self, seat: str) -> list[str]:
        """The pieces that the page of a seat shows now."""
        self.look()
        return [piece["name"] for piece in json.loads(self.seats[seat][-1])["shown"]]


class Evening:
    """A match of Tellstones with two hidden stones. twin: each of them is the other, and nothing else differs."""

    def __init__(self, folder: Path, *, twin: bool = False) -> None:
        self.sitting = Sitting("tellstones", folder)
        options = dict(complete(self.sitting.spec.options, {"first_stone": "scales", "starter": "a"}))
        start = Start(0.0, "tellstones", options, SEATS, 11)
        self.sitting.stage.prepare(start)
        self.sitting.record(start)
        self.sitting.record(*(Act(1.0, seat, words, Source.CAMERA) for seat, words in TURNS))
        self.sitting.stage.lay()
        if twin:
            self._exchange()
        self._helping = Helping(self.sitting.stage, self.sitting.dealing, self.sitting.clock, 7)
        self.told = Told(self.sitting)
        self._lens: Scene | None = None
        self.pictures: list[bytes] = []
        self.busy = 0
        """Frames in which something is lifted or a hand is there."""

    def _exchange(self) -> None:
        truth = self.sitting.stage.truth()
        one, other = (body.kind for body in truth.bodies if body.face is Face.DOWN)
        kinds = {one: other, other: one}
        bodies = (msgspec.structs.replace(b, kind=kinds.get(b.kind, b.kind)) for b in truth.bodies)
        self.sitting.stage.table.lay(Truth(tuple(bodies), truth.away))

    def film(self) -> None:
        """From now on the shipped vision looks at what is ordered, and keeps the pictures that may leave it."""
        pieces = piece_set("stones")
        self._lens = Scene()
        self._lens.setup(self.sitting.stage.mat, {"stones": pieces}, {}, {"a": "bottom", "b": "top"})
        self.watch()

    def watch(self) -> None:
        """A frame of the simulated camera."""
        if self._lens is None:
            return
        now = self.sitting.clock.time
        frame = self.sitting.stage.table.frame(now)
        assert frame is not None
        picture, resting = mat_picture(self._lens, self._lens.feed(frame)), self.sitting.stage.table.resting(now)
        self.busy += not resting
        if picture is not None:
            assert resting, "a picture left while something was lifted"
            self.pictures.append(picture.jpeg)

    def rest(self) -> None:
        for _ in range(6):
            self.watch()
            self.sitting.clock.time += LOOK_S

    def order(self, seat: str, *words: str) -> None:
        """Somebody orders it, the hand does it, and the referee sees it."""
        self.sitting.record(Act(self.sitting.clock.time, seat, words, Source.BUTTONS))
        until = self.sitting.clock.time + AFTER_S + 2 * LOOK_S
        while self.sitting.clock.time < until or not self.sitting.stage.table.resting(self.sitting.clock.time):
            self._helping.look()
            self.told.look()
            self.watch()
            self.sitting.clock.time += LOOK_S
        self.sitting.record(Settle(self.sitting.clock.time, Source.CAMERA))
        self.told.look()


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    found = Evening(tmp_path)
    yield found
    found.sitting.journal.close()


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Evening]:
    (tmp_path / "twin").mkdir()
    found = Evening(tmp_path / "twin", twin=True)
    yield found
    found.sitting.journal.close()


def test_whoever_peeks_sees_the_stone_until_the_next_action_of_that_seat(evening: Evening) -> None:
    assert evening.told.shown("a") == []
    evening.order("a", "peek", "1")
    assert evening.told.shown("a") == ["Crown"]
    evening.order("b", "place", "flag", "left")
    assert evening.told.shown("a") == ["Crown"]
    evening.order("a", "place", "knight", "left")
    assert evening.told.shown("a") == []


def test_a_new_match_shows_nothing_of_the_one_before(evening: Evening) -> None:
    evening.order("a", "peek", "1")
    evening.sitting.start()
    assert evening.told.shown("a") == []


def test_once_a_match_is_left_it_shows_nothing_any_more(evening: Evening) -> None:
    evening.order("a", "peek", "1")
    evening.sitting.journal.leave()
    evening.sitting.dealing.look()
    assert evening.told.shown("a") == []


def test_nobody_else_is_told_what_a_seat_saw(evening: Evening, twin: Evening) -> None:
    """Twins that differ in what lies hidden alone differ in what the seat that looked is told, and in nothing else."""
    for each in (evening, twin):
        each.order("a", "peek", "1")
        each.order("b", "place", "flag", "left")
    assert (evening.told.shown("a"), twin.told.shown("a")) == (["Crown"], ["Sword"])
    assert evening.told.seats["b"] == twin.told.seats["b"]
    assert evening.told.bench == twin.told.bench
    assert recorded(evening) == recorded(twin)


def test_the_camera_shows_the_same_at_twins_and_nothing_while_a_stone_is_held_up(
    evening: Evening, twin: Evening
) -> None:
    for each in (evening, twin):
        each.film()
        each.order("a", "peek", "1")
        each.rest()
        assert each.busy > 5
    assert len(evening.pictures) == 2
    assert evening.pictures == twin.pictures


def test_a_stone_that_shows_its_face_would_tell_twins_apart(evening: Evening, twin: Evening) -> None:
    for each in (evening, twin):
        truth = each.sitting.stage.truth()
        up = tuple(msgspec.structs.replace(body, face=Face.UP) for body in truth.bodies)
        each.sitting.stage.table.lay(Truth(up, truth.away))
        each.film()
    assert len(evening.pictures) == len(twin.pictures) == 1
    assert evening.pictures != twin.pictures


def recorded(evening: Evening) -> tuple[Any, ...]:
    journal = evening.sitting.journal
    return journal.entries(journal.current or 0)
