"""Open matters that are no entry outlast a restart: refusals, questions of the referee, and proposals of players."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
from pathlib import Path

import msgspec
import pytest

from device.daemon.core import BREATH_S, Core, Store
from device.daemon.match_identity import simulated_chance
from device.journal import Journal, JournalFull
from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from device.session import match_start
from device.session.match_start import Pending
from device.session.messages import Tick
from device.session.state import Play, ProposalKind
from engine.arbiter import AWAY, ActionStep, Question
from engine.entry import Act, Restored, Start
from engine.table import Layout, Move, Observation, Seat, Spot, Touch, Trace
from engine.text import say
from tests.device.daemon.test_core import Room
from tests.device.session.conftest import Mat, tellstones
from tests.device.session.test_asked import UNKNOWN
from vision.messages import Report

GAME = tellstones().game
ONE, OTHER = Spot("line", 0), Spot("line", 1)
DISPLAYS = ("a", "b", "table")


class Watched(Room):
    """A table under a perfect camera: the Scales lie on the Line, and a is to act."""

    def __init__(self, folder: Path) -> None:
        with_match = Journal(folder / "journal.db")
        if with_match.current is None:
            with_match.write([Start(0.0, "tellstones", {"first_stone": "scales", "starter": "a"}, ("a", "b"), 5)])
        with_match.close()
        super().__init__(folder, camera=True)

    def layout(self) -> Layout:
        return GAME.layout(self.play.match.state)

    def see(self, observation: Observation) -> None:
        self.now += 1.0
        seen = msgspec.structs.replace(observation, at=self.now)
        self.core.take(Report(0, self.now, False, seen.health, seen))

    def act(self, lying: Mat, seat: Seat, words: str, hand: Seat) -> None:
        match, count = self.play.match, self.entries
        lying.do(GAME.trace(match.state, seat, GAME.read(match.state, seat, tuple(words.split()))))
        self.see(lying.observe(0.0, frozenset(hand)))
        assert self.entries > count

    @property
    def entries(self) -> int:
        return len(self.journal.entries(1))

    def wait(self) -> None:
        self.now += 10.0
        self.core.take(Tick(self.now))

    def restart(self) -> Mat:
        """A new daemon, and what its camera will see: pieces that it never saw before."""
        self.journal.close()
        self.shown.clear()
        self.start()
        return Mat(self.layout())

    def menu(self, seat: Seat) -> None:
        self.now += 1.0
        self.core.take(Key(seat, Button.CHOOSE, Gesture.LONG, self.now))

    def choose(self, seat: Seat, text: str) -> None:
        menu = self.screen(seat).menu
        assert menu is not None
        names = [str(item) for item in menu.items]
        self.press(seat, *["next"] * ((names.index(text) - menu.cursor) % len(names)), "choose")

    def alerts(self) -> set[str]:
        return {str(self.screen(display).alert) for display in DISPLAYS}


def hidden_stones(folder: Path, kind: type[Watched] = Watched) -> tuple[Watched, Mat]:
    made = kind(folder)
    lying = Mat(made.layout())
    made.see(lying.observe(0.0))
    made.act(lying, "a", "place crown right", "b")
    made.act(lying, "b", "hide scales", "a")
    made.act(lying, "a", "hide crown", "b")
    return made, lying


def exchange(made: Watched, lying: Mat) -> None:
    """Two hidden stones are exchanged without an order, which the referee refuses."""
    lying.do(Trace(made.layout(), moves=(Move(ONE, OTHER), Move(OTHER, ONE))))
    made.see(lying.observe(0.0, frozenset("b")))
    made.wait()


def refused(folder: Path, kind: type[Watched] = Watched) -> Watched:
    made, lying = hidden_stones(folder, kind)
    exchange(made, lying)
    assert made.play.case.disorder
    return made


def asked(folder: Path, kind: type[Watched] = Watched) -> Watched:
    """A stone was laid that nobody can name; any of six may be it."""
    made = kind(folder)
    lying = Mat(made.layout())
    made.see(lying.observe(0.0))
    seen = lying.observe(0.0, frozenset("ab"))
    line, pool, *rest = seen.zones
    line = msgspec.structs.replace(line, pieces=(*line.pieces, UNKNOWN))
    touched = tuple(Touch(p.track, True, 1.0, frozenset("ab")) for p in pool.pieces if p is not None)
    pool = msgspec.structs.replace(pool, pieces=())
    made.see(msgspec.structs.replace(seen, zones=(line, pool, *rest), touched=touched))
    made.wait()
    assert made.play.case.question is not None
    return made


def test_what_was_refused_is_refused_after_a_restart(tmp_path: Path) -> None:
    made = refused(tmp_path)
    before, wanted = made.alerts(), made.play.alert
    made.restart()
    assert made.alerts() == before
    assert made.play.alert == wanted
    assert made.play.case.disorder


def test_hidden_stones_count_as_put_back_only_once_all_seats_say_so(tmp_path: Path) -> None:
    made = refused(tmp_path)
    lying = made.restart()
    made.see(lying.observe(0.0))
    assert made.play.case.disorder, "the camera sees no difference"
    assert made.play.proposal is not None
    assert made.play.proposal.kind is ProposalKind.RESTORED
    made.choose("a", "Decline")
    lying = made.restart()
    assert made.play.case.disorder
    made.see(lying.observe(0.0))
    made.choose("a", "Agree")
    made.choose("b", "Agree")
    assert not made.play.case.disorder
    assert made.alerts() == {"None"}
    made.restart()
    assert made.alerts() == {"None"}
    lying = Mat(made.layout())
    made.see(lying.observe(0.0))
    made.act(lying, "b", "place flag left", "a")


def test_without_a_camera_a_seat_can_say_that_it_is_put_right(tmp_path: Path) -> None:
    made = refused(tmp_path)
    made.restart()
    made.menu("a")
    made.choose("a", "Everything is back in place")
    assert not made.play.case.disorder
    assert isinstance(made.journal.entries(1)[-1], Restored)


def test_a_question_waits_for_its_answer_after_a_restart(tmp_path: Path) -> None:
    made = asked(tmp_path)
    question = made.play.case.question
    assert question is not None
    screens = {display: made.screen(display) for display in DISPLAYS}
    lying = made.restart()
    assert {display: made.screen(display) for display in DISPLAYS} == screens
    made.see(lying.observe(0.0))
    assert made.play.case.question == question, "a picture alone answers nothing"
    made.press(question.seat, "choose")
    assert isinstance(made.journal.entries(1)[-1], Act)
    assert made.restart() is not None
    assert made.play.case.question is None


def test_a_question_that_is_answered_with_something_else_leaves_what_is_seen(tmp_path: Path) -> None:
    made = asked(tmp_path)
    question = made.play.case.question
    assert question is not None
    made.restart()
    made.choose(question.seat, "Something else")
    assert made.play.case.question is None
    assert not made.play.case.disorder
    assert any("may have been swapped" in each for each in made.alerts())


def test_a_proposal_and_who_agreed_to_it_outlast_a_restart(tmp_path: Path) -> None:
    made, _ = hidden_stones(tmp_path)
    made.menu("a")
    made.choose("a", "Offer a draw")
    proposed = made.play.proposal
    assert proposed is not None
    assert proposed.agreed == {"a"}
    made.restart()
    assert made.play.proposal == proposed
    made.choose("b", "Agree")
    assert made.play.match.result is not None


def test_an_alert_is_on_disk_before_anybody_sees_it(tmp_path: Path) -> None:
    made, lying = hidden_stones(tmp_path)
    kept = list[str | None]()

    def show(display: str, screen: Screen, language: str) -> None:
        if screen.alert is not None:
            kept.append(made.journal.setting(match_start.PENDING))

    made.show = show  # type: ignore[method-assign]
    exchange(made, lying)
    assert kept
    assert all(each and msgspec.json.decode(each, type=Pending).disorder for each in kept)


def test_what_is_put_right_is_not_brought_back(tmp_path: Path) -> None:
    made, lying = hidden_stones(tmp_path)
    exchange(made, lying)
    lying.do(Trace(made.layout(), moves=(Move(ONE, OTHER), Move(OTHER, ONE))))
    made.see(lying.observe(0.0, frozenset("b")))
    assert not made.play.case.disorder
    made.restart()
    assert not made.play.case.disorder
    assert made.alerts() == {"None"}


@pytest.mark.parametrize(
    "spoil", ["", "{", '{"seed":5,"at":999.0,"disorder":true}', '{"seed":6,"at":0.0,"disorder":true}']
)
def test_what_belongs_to_another_moment_or_cannot_be_read_opens_nothing(tmp_path: Path, spoil: str) -> None:
    made = Watched(tmp_path)
    made.core.keep(match_start.PENDING, spoil)
    made.restart()
    assert not made.play.case.disorder


def test_what_this_version_cannot_show_does_not_end_the_match(tmp_path: Path) -> None:
    made = Watched(tmp_path)
    question = Question("a", ((ActionStep("a", ("nonsense",)),),))
    found = Pending(5, made.play.match.at, question=question)
    made.core.keep(match_start.PENDING, msgspec.json.encode(found).decode())
    made.restart()
    assert made.play.case.question is None
    assert made.play.match.start.game == "tellstones"


def test_what_the_journal_lost_is_told_until_somebody_presses(tmp_path: Path) -> None:
    made = Watched(tmp_path)
    lost = say("The journal was damaged. The intact part is saved; check the disk.")
    made.journal.close()
    made.journal = Journal(made.path)
    made.core = Core(made.table, Store(made.journal), simulated_chance(6), made, now=lambda: made.now, told=(lost,))
    made.restart()
    assert made.alerts() == {str(lost)}
    made.press("a", "choose")
    made.restart()
    assert made.alerts() == {"None"}


def test_a_refusal_that_a_full_disk_does_not_keep_is_not_shown_until_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, lying = hidden_stones(tmp_path)

    def full(*_given: object, **_named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(made.journal, "write", full)
        exchange(made, lying)
        assert made.alerts() == {str(JournalFull.refused)}
        due = made.core.wake_at()
        assert due is not None
        assert due >= made.now + BREATH_S, "not a thousand times a second"
    made.now = due
    made.core.take(Tick(made.now))
    assert made.play.case.disorder
    made.press("a", "next")
    assert made.alerts() != {str(JournalFull.refused)}


def test_everybody_reads_that_no_camera_watched_during_a_restart(tmp_path: Path) -> None:
    made = Watched(tmp_path)
    made.restart()
    assert AWAY not in [each.text for each in made.play.told], "nothing is hidden yet"
    made, _ = hidden_stones(tmp_path)
    made.restart()
    assert made.play.told[-1].text == AWAY


class Killed(Watched):
    """A daemon that is killed at the moment at which a display shows that something is open."""

    def show(self, display: str, screen: Screen, language: str) -> None:
        super().show(display, screen, language)
        stage = self.core.session.stage if hasattr(self, "core") else None
        if isinstance(stage, Play) and (stage.case.disorder or stage.case.question is not None):
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["refused", "asked"])
def test_a_kill_loses_nothing_that_a_display_showed(tmp_path: Path, kind: str) -> None:
    child = multiprocessing.get_context("spawn").Process(
        target=refused if kind == "refused" else asked, args=(tmp_path, Killed)
    )
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    made = Watched(tmp_path)
    assert made.play.case.disorder == (kind == "refused")
    assert (made.play.case.question is not None) == (kind == "asked")
    assert (made.alerts() != {"None"}) == (kind == "refused")
