"""Whatever pages ask of a live table, in whatever order and at whatever moment: every piece is there exactly once."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from device.journal import Journal
from device.web.private_site import Audience
from engine.entry import Resign
from engine.table import Face
from extensions.simulator.tests.live.test_dealing import Sitting
from referee_simulator.hands.writer import Writer
from referee_simulator.live.dealing import Dealing
from referee_simulator.panel.messages import decoder
from referee_simulator.panel.page_actions import Forbidden, Hand
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.virtual import Refused

GAMES = ("tellstones", "fence", "runes")
PAGES = (None, "a", "b")
"""The bench, and two seats' pages."""
Asked = dict[str, Any]


@pytest.fixture(scope="module", params=GAMES)
def sitting(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sitting:
    """It takes a while to draw a mat: one of each game is enough, cleared before every evening."""
    return Sitting(request.param, tmp_path_factory.mktemp("table"))


@pytest.fixture
def tellstones(tmp_path: Path) -> Sitting:
    return Sitting("tellstones", tmp_path)


def test_a_stone_that_a_hand_turns_over_cannot_be_taken_into_the_hand(tellstones: Sitting) -> None:
    """A double click, and a drag into the hand of cards before the stone is turned over."""
    stage, clock = tellstones.stage, tellstones.clock
    stone = stage.truth().bodies[0]
    stage.flip("a", stone.id)
    clock.time = 0.8
    with pytest.raises(Refused, match="hand is busy"):
        stage.take("a", stone.id)
    clock.time = 1.2
    stage.keep("a")
    clock.time = 10.0
    assert stage.truth().body(stone.id).face is Face.DOWN


def test_another_seat_cannot_take_peek_or_turn_what_somebody_holds(tellstones: Sitting) -> None:
    stage = tellstones.stage
    held, other = stage.truth().bodies[:2]
    stage.take("a", held.id)
    for ask in (stage.take, stage.peek, stage.flip):
        with pytest.raises(Refused, match="Somebody holds"):
            ask("b", held.id)
    with pytest.raises(Refused, match="holds something already"):
        stage.take("a", other.id)
    stage.drop("a", 101.0, 151.0)
    stage.take("b", held.id)


def test_who_does_not_sit_at_the_table_has_no_hand_over_it(tellstones: Sitting) -> None:
    stone = tellstones.stage.truth().bodies[0].id
    for seat in ("d", "shared"):
        for ask in (tellstones.stage.take, tellstones.stage.peek, tellstones.stage.flip):
            with pytest.raises(KeyError):
                ask(seat, stone)
    assert len(tellstones.stage.truth().bodies) == 7


def test_a_stone_that_lies_again_can_be_taken_while_another_hand_is_still_at_work(tellstones: Sitting) -> None:
    stage, clock = tellstones.stage, tellstones.clock
    first, second = stage.truth().bodies[:2]
    stage.flip("a", first.id)
    clock.time = stage.table.busy_until() - 0.3
    stage.flip("b", second.id)
    clock.time += 0.4
    stage.take("a", first.id)
    stage.drop("a", 101.0, 151.0)
    clock.time += 10.0
    lies = stage.truth().body(first.id)
    assert (lies.x, lies.y, lies.face) == (101.0, 151.0, Face.DOWN)


def test_a_stone_can_be_taken_as_soon_as_the_hand_has_let_go_of_it(tellstones: Sitting) -> None:
    stage, clock = tellstones.stage, tellstones.clock
    stone = stage.truth().bodies[0]
    stage.flip("a", stone.id)
    while stage.truth().body(stone.id).face is Face.UP:
        clock.time += 0.05
    assert not stage.table.resting(clock.time)
    assert stage.peek("a", stone.id) == stone.kind
    assert not stage.table.resting(stage.table.busy_until() - 0.05)
    stage.lower("a")
    clock.time += 10.0
    assert stage.truth().body(stone.id).face is Face.DOWN


def test_what_is_laid_down_does_not_undo_what_another_hand_is_doing(tmp_path: Path) -> None:
    """Runes: a card is laid into a strip while another card is being turned over."""
    sitting = Sitting("runes", tmp_path)
    sitting.start()
    stage, clock = sitting.stage, sitting.clock
    one, other = (body.id for body in stage.hands()["a"][:2])
    line = next(zone for zone in stage.mat.zones if zone.order.value == "splay" and zone.set == "decktet").box
    for ident in (one, other):
        stage.bring("a", ident, True, line.x + 40, line.y + 20)
        stage.drop("a", line.x + 40, line.y + 20)
        clock.time += 1.0
    stage.flip("b", one)
    clock.time += 0.2
    stage.take("a", other)
    stage.drop("a", line.x + 60, line.y + 20)
    clock.time += 10.0
    assert (stage.truth().body(one).face, stage.truth().body(other).face) == (Face.DOWN, Face.UP)


def test_people_let_go_of_what_simulated_players_want(tellstones: Sitting) -> None:
    stage = tellstones.stage
    stone = stage.truth().bodies[0]
    stage.take("b", stone.id)
    hand = Writer("bottom", 0.0, stage.mat.size_mm, random.Random(1))
    hand.turn(stone, (stone.x, stone.y, stone.angle))
    stage.act((hand.script(),))
    stage.keep("b")
    tellstones.clock.time = 10.0
    assert stage.truth().body(stone.id).face is Face.DOWN


def test_simulated_players_cannot_handle_what_is_gone(tellstones: Sitting) -> None:
    stage = tellstones.stage
    stone = stage.truth().bodies[0]
    stage.take("b", stone.id)
    stage.keep("b")
    hand = Writer("bottom", 0.0, stage.mat.size_mm, random.Random(1))
    hand.turn(stone, (stone.x, stone.y, stone.angle))
    with pytest.raises(Refused, match="no longer there"):
        stage.act((hand.script(),))
    assert stage.table.resting(1.0)


NUMBERS = st.integers(0, 120)
SEATS = st.sampled_from(("a", "a", "a", "b", "b", "d", "shared"))
X, Y = st.floats(-60, 480), st.floats(-60, 360)
FAR = st.sampled_from((-2000.0, 2000.0, 1e300))
LIGHT = st.sampled_from(("stops", "kelvin", "tilt_deg", "glare", "k1", "jitter_mm"))
FAULTS = st.sampled_from(("gone", "frozen", "black", "glare", "display a", "display z", "stuck a", "stuck x", ""))


def message(do: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Asked]:
    return st.fixed_dictionaries({"do": st.just(do), **fields})


MESSAGES = st.one_of(
    message("take", seat=SEATS, piece=NUMBERS, pile=st.booleans()),
    message("take", seat=SEATS, piece=NUMBERS),
    message("bring", seat=SEATS, card=NUMBERS, up=st.booleans(), x=X, y=Y),
    message("keep", seat=SEATS),
    message("carry", seat=SEATS, x=X | FAR, y=Y),
    message("drop", seat=SEATS, x=X | FAR, y=Y),
    message("flip", seat=SEATS, piece=NUMBERS),
    message("flip", seat=SEATS, piece=NUMBERS),
    message("peek", seat=SEATS, piece=NUMBERS),
    message("lower", seat=SEATS),
    message("pick", card=NUMBERS),
    message("lay"),
    message("turn", knob=LIGHT, value=st.floats(allow_nan=False, allow_infinity=False)),
    message("throw", switch=FAULTS, on=st.booleans()),
    message("press", panel=SEATS, button=st.sampled_from(("back", "choose", "dance"))),
    message("release", panel=SEATS, button=st.sampled_from(("back", "choose"))),
    message("play", auto=st.sampled_from(("off", "honest", "tea"))),
    message("dance", seat=SEATS),
)
OTHERS = st.sampled_from(("players turn", "players carry off", "leave", "match", "resign", "look"))
STEPS = st.lists(
    st.tuples(
        st.sampled_from((None, None, *PAGES)),
        st.one_of(MESSAGES, MESSAGES, MESSAGES, OTHERS),
        NUMBERS,
        st.sampled_from((0.0, 0.1, 0.4, 0.8, 3.0)),
    ),
    min_size=10,
    max_size=30,
)


class Anybody:
    """All pages of one table, simulated players beside them, and the dealer."""

    def __init__(self, sitting: Sitting, folder: Path) -> None:
        """The table is cleared; folder: of this evening's journal."""
        self.sitting, self.stage = sitting, sitting.stage
        self.sitting.clock.time += 100.0
        self.sitting.journal = Journal(folder / "journal.db")
        self.sitting.dealing = Dealing(self.stage, self.sitting.known, self.sitting.journal, self.sitting.clock)
        self.stage.lay()
        self.rng = random.Random(3)
        self.pages = {seat: self._opened(seat) for seat in PAGES}
        self.refused = Counter[str]()

    def _opened(self, seat: str | None) -> Hand:
        return Hand(self.stage, Audience(seat))

    def ask(self, page: str | None, asked: Asked) -> None:
        """As it comes over the link. What is refused changes nothing."""
        named = dict(asked)
        if "piece" in named:
            named["piece"] = self._some(named["piece"])
        if "card" in named:
            held = [body.id for bodies in self.stage.hands().values() for body in bodies] or [0]
            named["card"] = held[named["card"] % len(held)]
        before = self.stage.truth()
        try:
            self.pages[page].obey(decoder.decode(json.dumps(named)))
        except (msgspec.MsgspecError, KeyError, Forbidden, Refused) as error:
            self.refused[type(error).__name__] += 1
            assert self.stage.truth() == before

    def other(self, what: str, page: str | None, number: int) -> None:
        match what:
            case "leave":
                self.pages[page].leave()
                self.pages[page] = self._opened(page)
            case "match":
                self.sitting.start(seed=number)
            case "resign" if self.sitting.dealing.start is not None:
                self.sitting.record(Resign(0.0, "a"))
            case "players turn" | "players carry off":
                self._play(self._some(number), off=what.endswith("off"))

    def _play(self, ident: int, *, off: bool) -> None:
        body = next((body for body in self.stage.table.settle(self.now).bodies if body.id == ident), None)
        if body is None:
            return
        hand = Writer("top", self.now, self.stage.mat.size_mm, self.rng)
        hand.carry(body, (body.x, body.y, body.angle), turn=not off, off=off)
        try:
            self.stage.act((hand.script(),))
        except Refused:
            self.refused["players"] += 1

    def _some(self, number: int) -> int:
        """The number of a piece that is somewhere: mostly the same, so that hands meet."""
        truth = self.stage.truth()
        there = sorted(body.id for body in (*truth.bodies, *truth.away))
        return there[0 if number % 3 else number % len(there)]

    @property
    def now(self) -> float:
        return self.sitting.clock.time

    def check(self) -> None:
        """Every piece is there once, now and later, and every card that is held is in one hand."""
        for later in (0.0, 0.3, 1.0, 20.0):
            once(self.stage.table.truth(self.now + later))
        held = [body.id for bodies in self.stage.hands().values() for body in bodies]
        assert len(held) == len(set(held))


def once(truth: Truth) -> None:
    numbers = Counter(body.id for body in (*truth.bodies, *truth.away))
    assert set(numbers.values()) <= {1}


def play(sitting: Sitting, steps: list[tuple[str | None, Asked | str, int, float]]) -> None:
    with TemporaryDirectory() as folder:
        anybody = Anybody(sitting, Path(folder))
        before = len(anybody.stage.truth().bodies) + len(anybody.stage.truth().away)
        for page, asked, number, wait in steps:
            anybody.ask(page, asked) if isinstance(asked, Mapping) else anybody.other(asked, page, number)
            anybody.check()
            anybody.sitting.clock.time += wait
            anybody.sitting.dealing.look()
            anybody.check()
        truth = anybody.stage.truth()
        assert len(truth.bodies) + len(truth.away) == before
        anybody.sitting.journal.close()


QUICK = settings(
    max_examples=15,
    phases=(Phase.explicit, Phase.generate),
    derandomize=True,
)
LONG = settings(QUICK, max_examples=2500, derandomize=False)


@pytest.mark.quick(1)
@QUICK
@given(steps=STEPS)
def test_whatever_pages_ask_every_piece_is_there_once(sitting: Sitting, steps: Any) -> None:
    play(sitting, steps)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@LONG
@given(steps=STEPS)
def test_whatever_pages_ask_for_long_every_piece_is_there_once(sitting: Sitting, steps: Any) -> None:
    play(sitting, steps)
