"""Cards at the live table: held, laid and taken by hand; dealt and drawn by the dealer once it is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from device import art, games
from device.journal import Journal
from device.key_gestures import Button
from device.session.table import KnownGame
from engine.catalogue import AnyGame, complete
from engine.entry import Act, Correct, Resign, Settle, Source, Start, Undo
from engine.game import OptionValue
from engine.grammar import sentences
from engine.match import replay
from engine.table import Face
from extensions.simulator.tests.live.test_live_stage import HandClock
from referee_simulator.hardware.oled import SimulatedOled
from referee_simulator.hardware.pins import Pins
from referee_simulator.live.arranging import arrange_zones
from referee_simulator.live.dealing import Dealing
from referee_simulator.live.helping import AFTER_S, LACKING, LOOK_S, STUCK_S, WAITS, Helping
from referee_simulator.live.live_stage import LOST_COUNT, PICK, LiveStage
from referee_simulator.live.table_parts import Parts
from referee_simulator.table.ground_truth import Body, looks, lying, members, put
from referee_simulator.table.places import Maintenance, zones
from referee_simulator.table.scenes import Scene

SEATS = ("a", "b")


class Sitting:
    """A live table for two with its dealer, and a journal that the test writes."""

    def __init__(self, game: str, folder: Path) -> None:
        self.spec = games.spec(game)
        self.known = {game: KnownGame(self.spec, games.game(self.spec))}
        mat = games.mats([game])[game]
        self.clock = HandClock()
        parts = Parts(Pins({("a", Button.CHOOSE): 7}, seed=1), {"a": SimulatedOled()})
        self.stage = LiveStage(self.known, game, SEATS, mat, scene=Scene(seed=4), parts=parts, clock=self.clock)
        self.journal = Journal(folder / "journal.db")
        self.dealing = Dealing(self.stage, self.known, self.journal, self.clock)

    def start(self, seed: int = 11, **options: OptionValue) -> None:
        self.record(Start(0.0, self.spec.name, dict(complete(self.spec.options, options)), SEATS, seed))

    def record(self, *entries: Start | Act | Correct | Settle | Undo | Resign) -> None:
        """What is told once the hands are gone."""
        self.clock.time += 1.0
        self.journal.append(entries)
        self.dealing.look()

    @property
    def game(self) -> AnyGame:
        return self.known[self.spec.name].game

    def state(self) -> Any:
        """Of the match so far."""
        return replay(self.game, self.journal.entries(self.journal.current or 0)).state

    def begin_bout(self) -> None:
        """Both keep the hands that they were dealt."""
        self.start(starter="a")
        for seat in SEATS:
            self.record(Act(0.0, seat, ("keep",), Source.BUTTONS))

    def hand(self, seat: str) -> list[str]:
        return [body.kind for body in self.stage.hands()[seat]]

    def pile(self, zone: str) -> list[str]:
        return [body.kind for body in lying(self.stage.truth(), zones(self.stage.mat)[zone])]

    def card(self, seat: str, kind: str) -> Body:
        return next(body for body in self.stage.hands()[seat] if body.kind == kind)

    def lay(self, seat: str, kind: str, zone: str, *, up: bool = True, x: float = 0.0) -> int:
        """By hand, in the middle of a zone, or `x` mm to the right of it."""
        ident, box = self.card(seat, kind).id, zones(self.stage.mat)[zone].box
        place = box.x + box.width / 2 + x, box.y + box.height / 2
        self.stage.bring(seat, ident, up, *place)
        self.clock.time += 0.5
        self.stage.drop(seat, *place)
        return ident

    def top(self, zone: str) -> Body:
        return lying(self.stage.truth(), zones(self.stage.mat)[zone])[-1]


@pytest.fixture
def runes(tmp_path: Path) -> Iterator[Sitting]:
    sitting = Sitting("runes", tmp_path)
    yield sitting
    sitting.journal.close()


@pytest.fixture
def fence(tmp_path: Path) -> Iterator[Sitting]:
    sitting = Sitting("fence", tmp_path)
    yield sitting
    sitting.journal.close()


def test_hands_are_dealt_before_a_match_and_anew_for_it(runes: Sitting) -> None:
    assert runes.stage.conceals
    assert [len(runes.hand(seat)) for seat in SEATS] == [5, 5]
    before = runes.hand("a")
    runes.start(seed=12)
    every = Counter([*runes.hand("a"), *runes.hand("b"), *runes.pile("pile")])
    assert len(every) == 45
    assert set(every.values()) == {1}
    assert runes.hand("a") != before


def test_nothing_moves_on_a_table_that_is_dealt_as_it_lies(runes: Sitting) -> None:
    """A camera would take a pile that moved for one that was touched."""

    def seen() -> list[object]:
        bodies = runes.stage.truth().bodies
        return [(b.id, b.set, b.x, b.y, b.angle, b.face, b.face is Face.UP and b.kind) for b in bodies]

    before = sorted(seen(), key=str)
    runes.start(seed=12)
    assert sorted(seen(), key=str) == before


def test_other_rules_deal_other_cards(fence: Sitting) -> None:
    assert not fence.stage.conceals
    fence.start(mode="advanced")
    advanced = len([body for body in (*fence.stage.truth().bodies, *fence.stage.truth().away) if "card" in body.set])
    fence.start(mode="basic")
    basic = len([body for body in (*fence.stage.truth().bodies, *fence.stage.truth().away) if "card" in body.set])
    assert (advanced, basic) == (54, 35)


def test_a_card_is_laid_and_taken_back_by_hand(runes: Sitting) -> None:
    runes.start()
    held = runes.hand("a")
    ident = runes.lay("a", held[2], "card-a", up=False)
    assert runes.stage.truth().body(ident).face is Face.DOWN
    assert runes.hand("a") == [*held[:2], *held[3:]]
    assert runes.stage.table.scripts_since(0.0)[-1].strokes[0].holds == (ident,)
    runes.stage.take("a", ident)
    runes.stage.keep("a")
    assert sorted(runes.hand("a")) == sorted(held)
    with pytest.raises(KeyError):
        runes.stage.bring("b", ident, True, 10.0, 10.0)


def test_the_dealer_knows_what_lies_face_down(runes: Sitting) -> None:
    """Whatever was laid by hand is what the dealer follows; the card drawn afterwards is the pile's own."""
    runes.start()
    chosen = {seat: runes.hand(seat)[3] for seat in SEATS}
    for seat, kind in chosen.items():
        runes.lay(seat, kind, f"card-{seat}", up=False)
        runes.record(Act(1.0, seat, ("lay",), Source.CAMERA))
    assert runes.stage.holding is not None
    for seat, kind in chosen.items():
        assert kind not in runes.stage.holding.hand(seat)
        assert runes.hand(seat) == list(runes.stage.holding.hand(seat))


def test_what_was_ordered_is_waited_for(runes: Sitting) -> None:
    runes.start()
    runes.record(Act(1.0, "a", ("lay",)))
    assert len(runes.hand("a")) == 5
    kind = runes.hand("a")[0]
    runes.lay("a", kind, "card-a", up=False)
    runes.record(Settle(2.0, Source.CAMERA))
    assert runes.stage.holding is not None
    assert kind not in runes.stage.holding.hand("a")


def test_the_dealer_draws_what_nobody_need_watch(fence: Sitting) -> None:
    """F74: a card goes to the discards, and the timer's top card takes its place."""
    fence.begin_bout()
    held, state, holding = fence.hand("a"), fence.state(), fence.stage.holding
    assert holding is not None
    found = (words for words in sentences(fence.game, state, "a") if words[0] == "exchange" and "?" not in words)
    words = next(words for words in found if holding.real(state, "a", words))
    card = fence.game.read(state, "a", words).card
    drawn = fence.pile("timer")[-1]
    fence.lay("a", card, "discard")
    assert len(fence.hand("a")) == 5
    fence.record(Act(1.0, "a", words, Source.CAMERA))
    assert Counter(fence.hand("a")) == Counter(held) - Counter([card]) + Counter([drawn])
    assert len(fence.pile("timer")) == 11
    assert fence.pile("discard") == [card]


def test_a_card_drawn_for_no_reason_stays_where_it_was_taken(fence: Sitting) -> None:
    """The referee is to see it; the dealer does not put it back behind its back."""
    fence.begin_bout()
    fence.stage.take("a", fence.top("timer").id)
    fence.stage.keep("a")
    fence.dealing.look()
    assert (len(fence.hand("a")), len(fence.pile("timer"))) == (7, 11)


def test_an_undo_takes_the_dealer_back(fence: Sitting) -> None:
    fence.begin_bout()
    before = fence.stage.holding
    fence.record(Act(1.0, "a", ("move", "forward"), Source.CAMERA), Undo(2.0, "a"))
    assert fence.stage.holding is before


def helped(sitting: Sitting, helping: Helping, seconds: float) -> None:
    """So long a hand does what it finds to do."""
    for _ in range(round(seconds / LOOK_S)):
        sitting.clock.time += LOOK_S
        sitting.dealing.look()
        helping.look()


def test_what_is_taken_back_is_put_back_before_anything_else_is_done(fence: Sitting) -> None:
    fence.begin_bout()
    helping, state = Helping(fence.stage, fence.dealing, fence.clock, seed=1), fence.state()

    def lies(as_in: Any) -> bool:
        return looks(fence.stage.truth(), fence.stage.mat, fence.game.layout(as_in))

    fence.record(Act(1.0, "a", ("move", "forward")))
    helped(fence, helping, 15.0)
    fence.record(Settle(2.0, Source.CAMERA), Undo(3.0, "a"), Act(4.0, "a", ("move", "back")))
    assert not lies(state)
    helped(fence, helping, AFTER_S + 1.0)
    assert looks(fence.stage.table.settle(fence.clock.time), fence.stage.mat, fence.game.layout(state))
    helped(fence, helping, 30.0)
    assert fence.dealing.back is None
    assert lies(fence.state())
    fence.record(Settle(5.0, Source.CAMERA), Undo(6.0, "a"))
    helped(fence, helping, 15.0)
    assert lies(state)


def test_a_card_that_was_laid_face_down_goes_back_into_the_hand(runes: Sitting) -> None:
    runes.start()
    helping = Helping(runes.stage, runes.dealing, runes.clock, seed=1)
    held = runes.hand("a")
    runes.record(Act(1.0, "a", ("lay",)))
    helped(runes, helping, 15.0)
    assert len(runes.hand("a")) == 4
    runes.record(Settle(2.0, Source.CAMERA), Undo(3.0, "a"))
    helped(runes, helping, 15.0)
    assert runes.dealing.back is None
    assert Counter(runes.hand("a")) == Counter(held)


def test_a_seat_with_a_page_is_asked_which_card_it_lays(runes: Sitting) -> None:
    runes.start()
    stage = runes.stage
    helping = Helping(stage, runes.dealing, runes.clock, seed=1, paged=lambda: "a")
    runes.record(Act(1.0, "a", ("lay",)))
    helped(runes, helping, 15.0)
    assert len(runes.hand("a")) == 5
    assert (stage.told_to("a"), stage.told_to("b")) == ((PICK,), ())
    card = stage.hands()["a"][3]
    stage.pick("a", card.id)
    helped(runes, helping, 15.0)
    assert len(runes.hand("a")) == 4
    assert card.kind not in runes.hand("a")
    assert stage.told_to("a") == ()


def test_what_a_camera_saw_done_since_is_put_back_by_nobody(runes: Sitting) -> None:
    """Nor is what was never carried out."""
    runes.start()
    helping = Helping(runes.stage, runes.dealing, runes.clock, seed=1)
    runes.record(Act(1.0, "a", ("lay",)), Undo(2.0, "a"))
    assert runes.dealing.back is not None
    helped(runes, helping, AFTER_S + 1.0)
    assert runes.dealing.back is None
    assert runes.stage.table.busy_until() == 0.0
    runes.lay("a", runes.hand("a")[0], "card-a", up=False)
    runes.record(Act(3.0, "a", ("lay",), Source.CAMERA), Undo(4.0, "a"), Act(5.0, "a", ("lay",), Source.CAMERA))
    assert runes.dealing.back is None


def test_whoever_has_other_cards_than_were_dealt_goes_on_by_hand(
    runes: Sitting, caplog: pytest.LogCaptureFixture
) -> None:
    runes.start()
    runes.record(Act(1.0, "a", ("lay",), Source.CAMERA))
    assert runes.stage.holding is None
    assert "lost count" in caplog.text
    runes.lay("a", runes.hand("a")[0], "card-a", up=False)
    assert len(runes.hand("a")) == 4


def test_after_a_card_that_nobody_holds_was_said_to_be_played_the_hand_goes_on_with_the_next_order(
    fence: Sitting,
) -> None:
    """For it the table is set out as the match believes it. Pages say from then on that what they show as cards may be
    wrong."""
    fence.begin_bout()
    helping, stage = Helping(fence.stage, fence.dealing, fence.clock, seed=1), fence.stage

    def done(seat: str, *words: str) -> bool:
        """Whether a hand does it."""
        fence.record(Act(1.0, seat, words))
        helped(fence, helping, AFTER_S + STUCK_S + 12.0)
        there = looks(stage.truth(), stage.mat, fence.game.layout(fence.state()))
        if there:
            fence.record(Settle(1.0, Source.CAMERA))
        return there

    assert done("a", "move", "forward")
    assert "straight-thrust-4" not in fence.hand("a")
    assert not done("a", "play", "straight-thrust", "4")
    assert (stage.told_to("a"), stage.told_to("b"), stage.trouble) == ((LACKING,), (), None)
    fence.record(Settle(1.0, Source.BUTTONS))
    helped(fence, helping, STUCK_S + 2.0)
    assert stage.trouble == WAITS, "although nobody ordered anything"
    assert done("b", "play", "parry-riposte", "4")
    assert stage.told_to("a") == stage.told_to("b") == (LOST_COUNT,)
    assert done("a", "play", "parry-riposte", "5")
    assert done("b", "play", "parry-riposte", "5")
    assert stage.trouble is None


def test_pages_say_that_a_table_lies_wrongly_only_while_it_does(tellstones: Sitting) -> None:
    helping, stage = Helping(tellstones.stage, tellstones.dealing, tellstones.clock, seed=1), tellstones.stage
    in_disorder(tellstones)
    helped(tellstones, helping, STUCK_S + 2.0)
    assert stage.waits is None, "no match is on the table"
    start = Start(0.0, "tellstones", dict(complete(tellstones.spec.options, {"starter": "a"})), SEATS, 11)
    stage.prepare(start)
    tellstones.record(start)
    helped(tellstones, helping, STUCK_S + 2.0)
    assert stage.waits is None
    in_disorder(tellstones)
    helped(tellstones, helping, STUCK_S - 1.0)
    assert stage.waits is None, "who moves something by hand is given time"
    helped(tellstones, helping, 3.0)
    assert stage.told_to("a") == (WAITS,)
    stage.lay()
    helped(tellstones, helping, 0.4)
    assert stage.told_to("a") == ()


def test_no_piece_lies_wrongly_in_a_match_that_is_played_with_the_buttons_alone(tmp_path: Path) -> None:
    sitting = Sitting("planetx", tmp_path)
    helping = Helping(sitting.stage, sitting.dealing, sitting.clock, seed=1)
    sitting.start(camera=False)
    in_disorder(sitting)
    helped(sitting, helping, STUCK_S + 2.0)
    assert sitting.stage.waits is None
    sitting.journal.close()


def test_a_table_is_set_out_anew_as_the_referee_was_corrected(tellstones: Sitting) -> None:
    """Nobody ever saw it so; hidden stones stay what they are."""
    start = Start(
        0.0, "tellstones", dict(complete(tellstones.spec.options, {"first_stone": "scales", "starter": "a"})), SEATS, 11
    )
    tellstones.stage.prepare(start)
    tellstones.record(start)
    for seat, words in (
        ("a", ("place", "crown", "left")),
        ("b", ("place", "sword", "right")),
        ("a", ("hide", "sword")),
    ):
        tellstones.record(Act(1.0, seat, words, Source.CAMERA))
    assert line(tellstones) == [("scales", Face.UP)], "nobody moved anything"
    tellstones.record(Correct(2.0, ("pool", "1")))
    tellstones.stage.lay()
    assert line(tellstones) == [("scales", Face.UP), ("sword", Face.DOWN)]
    assert looks(tellstones.stage.truth(), tellstones.stage.mat, tellstones.game.layout(tellstones.state()))


def test_a_stone_that_lies_beside_the_zones_comes_back_and_none_comes_twice(tellstones: Sitting) -> None:
    start = Start(
        0.0, "tellstones", dict(complete(tellstones.spec.options, {"first_stone": "scales", "starter": "a"})), SEATS, 11
    )
    tellstones.stage.prepare(start)
    tellstones.record(start)
    stage, shown = tellstones.stage, tellstones.game.layout(tellstones.state())
    (scales,) = (body for body in stage.truth().bodies if body.kind == "scales")
    beside = put(stage.truth(), msgspec.structs.replace(scales, x=-500.0))
    assert not looks(beside, stage.mat, shown)
    found = arrange_zones(beside, stage.mat, shown, Maintenance())
    assert looks(found, stage.mat, shown)
    assert sorted(body.id for body in found.bodies) == sorted(body.id for body in stage.truth().bodies)


def test_a_pile_is_carried_whole_and_lies_as_what_is_under_it(runes: Sitting) -> None:
    runes.start()
    for kind in runes.hand("a")[:3]:
        runes.lay("a", kind, "discards")
    runes.stage.take("a", runes.top("discards").id, pile=True)
    box = zones(runes.stage.mat)["pile"].box
    runes.stage.drop("a", box.x + 20, box.y + 30)
    pile = lying(runes.stage.truth(), zones(runes.stage.mat)["pile"])
    assert len(pile) == 38
    assert {body.face for body in pile} == {Face.DOWN}
    assert runes.pile("discards") == []


def test_a_splay_closes_up_when_its_oldest_card_goes(runes: Sitting) -> None:
    runes.start()
    kinds = runes.hand("a")[:4]
    for kind in kinds[:3]:
        runes.lay("a", kind, "sequence-a")
    zone = zones(runes.stage.mat)["sequence-a"]
    first = min(lying(runes.stage.truth(), zone), key=lambda body: body.x)
    assert first.kind == kinds[0]
    runes.stage.take("a", first.id)
    runes.stage.keep("a")
    runes.lay("a", kinds[3], "sequence-a", x=-30.0)
    row = sorted(lying(runes.stage.truth(), zone), key=lambda body: body.x)
    assert [body.kind for body in row] == kinds[1:]
    assert row[0].x == pytest.approx(first.x)


def test_the_table_is_set_out_for_the_rules_that_were_chosen(fence: Sitting) -> None:
    spec = fence.spec
    usual = Start(0.0, "fence", dict(complete(spec.options, {})), SEATS, 5)
    lies = fence.stage.truth()
    fence.stage.prepare(usual)
    assert fence.stage.truth() == lies
    fence.stage.prepare(msgspec.structs.replace(usual, options=dict(complete(spec.options, {"start_gap": 4}))))
    assert fence.stage.truth() != lies


@pytest.fixture
def tellstones(tmp_path: Path) -> Iterator[Sitting]:
    sitting = Sitting("tellstones", tmp_path)
    yield sitting
    sitting.journal.close()


def in_disorder(sitting: Sitting) -> None:
    """Every piece of the table on one heap."""
    for body in sitting.stage.truth().bodies:
        sitting.stage.take("a", body.id)
        sitting.stage.drop("a", 40.0, 40.0)


def line(sitting: Sitting) -> list[tuple[str, Face]]:
    """From left to right, as the stones truly are."""
    zone = zones(sitting.stage.mat)["line"]
    return [(body.kind, body.face) for body in members(sitting.stage.truth(), zone) if body is not None]


def test_while_a_match_goes_on_the_table_is_set_out_as_it_believes_it(tellstones: Sitting) -> None:
    start = Start(
        0.0, "tellstones", dict(complete(tellstones.spec.options, {"first_stone": "scales", "starter": "a"})), SEATS, 11
    )
    tellstones.stage.prepare(start)
    tellstones.record(start)
    first, one, two = "scales", "crown", "sword"
    for seat, words in [("a", ("place", one, "left")), ("b", ("place", two, "right")), ("a", ("hide", one))]:
        tellstones.record(Act(1.0, seat, words, Source.CAMERA))
    in_disorder(tellstones)
    tellstones.stage.lay()
    assert line(tellstones) == [(one, Face.DOWN), (first, Face.UP), (two, Face.UP)]
    tellstones.record(Act(2.0, "b", ("swap", "1", two)))
    tellstones.stage.lay()
    assert [kind for kind, _ in line(tellstones)] == [one, first, two], "it is ordered, and no hand has done it yet"
    tellstones.record(Settle(3.0, Source.BUTTONS))
    in_disorder(tellstones)
    tellstones.stage.lay()
    assert line(tellstones) == [(two, Face.UP), (first, Face.UP), (one, Face.DOWN)]
    tellstones.record(Resign(4.0, "a"))
    tellstones.stage.lay()
    assert len(line(tellstones)) == 1, "for a new match"


def test_cards_are_set_out_as_a_match_in_progress_has_them(fence: Sitting) -> None:
    fence.begin_bout()
    held, timer = fence.hand("a"), fence.pile("timer")
    fence.lay("a", held[0], "discard")
    fence.stage.take("b", fence.top("timer").id)
    fence.stage.keep("b")
    fence.stage.lay()
    assert (fence.hand("a"), fence.pile("timer"), fence.pile("discard")) == (held, timer, [])


def test_cards_that_their_owner_corrected_are_dealt_and_drawn_as_corrected(fence: Sitting) -> None:
    deck = games.build(fence.spec)[1]
    assert deck is not None
    for copy in deck.copies()[::2]:
        deck = deck.correct(copy.id, "sp", "6")
    fence.known["fence"] = KnownGame(fence.spec, deck.game(), deck)
    fence.start()
    new = {kind for kind in fence.hand("a") + fence.hand("b") + fence.pile("timer") if kind.endswith("-sp6")}
    assert new
    assert all(art.card("fence-cards", kind).notes[0] == "SP 6" for kind in new)
    assert fence.stage.holding is not None
    assert fence.stage.holding.agrees(fence.state())
