"""An order that turns a piece up counts once it is turned; an order is done when it was done, not when it may be."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from device import games
from device.session.messages import Append, Restarted, Tick
from device.session.state import PanelMode, ProposalKind
from device.session.table import KnownGame, Table
from engine.catalogue import complete
from engine.entry import Act, Correct, Entry, Settle, Source, Start
from engine.table import Face, Layout, Observation, Touch
from tests.device.session.conftest import Mat, Seated

Make = Callable[..., Seated]
Lay = Callable[[Layout], Mat]


def hidden(seated: Make, mat: Lay, *, camera: bool = True) -> tuple[Seated, Mat]:
    """a to order; the Line is Crown and Scales, both face down, and everybody saw them go down."""
    table = seated(camera=camera)
    table.start(first_stone="scales")
    lying = mat(table.layout())
    table.see(lying.observe(0.0))
    for seat, words, hand in (("a", "place crown left", "b"), ("b", "hide crown", "a"), ("a", "hide scales", "b")):
        step(table, lying, seat, words, hand)
    step(table, lying, "b", "place sword left", "a")
    assert table.match.state.active == "a"
    return table, lying


def step(table: Seated, lying: Mat, seat: str, words: str, hand: str) -> None:
    if not table.table.camera:
        table.act(seat, *[str(text) for text in words_of(table, seat, words)])
        return
    lying.do(table.trace(seat, tuple(words.split())))
    table.see(lying.observe(0.0, frozenset(hand)))
    assert isinstance(table.entries[-1], Act)


def words_of(table: Seated, seat: str, words: str) -> list[object]:
    game, said = table.table.games["tellstones"].game, tuple(words.split())
    steps = [(said[:n], said[n]) for n in range(len(said))]
    return [next(c.text for c in game.choices(table.match.state, seat, p) if c.word == w) for p, w in steps]


def challenged(table: Seated, answer: str) -> None:
    """a challenges the Crown (stone 2), b answers."""
    table.act("a", "Challenge", "stone 2", "Yes")
    if table.screen("b").menu is None:
        table.press("b", "choose")
    table.pick("b", f"Name it {answer}" if f"Name it {answer}" in table.text("b") else answer)
    if table.play.menu_state("b").mode is PanelMode.CONFIRM:
        table.pick("b", "Yes")
    assert table.match.pending is not None


def turned(lying: Mat, index: int, kind: str, hand: str) -> Observation:
    """The stone at a place is turned up, and shows `kind`."""
    seen = lying.observe(0.0)
    line = seen.zone("line")
    pieces = list(line.pieces)
    stone = pieces[index]
    assert stone is not None
    pieces[index] = msgspec.structs.replace(stone, kind=kind, face=Face.UP)
    zones = tuple(msgspec.structs.replace(z, pieces=tuple(pieces)) if z.zone == "line" else z for z in seen.zones)
    touched = (Touch(stone.track, True, 1.0, frozenset(hand)),)
    return msgspec.structs.replace(seen, zones=zones, touched=touched, hands=frozenset(hand))


@pytest.mark.parametrize("answer", ["Crown", "Scales"])
def test_right_or_wrong_shows_once_the_stone_is_turned(answer: str, seated: Make, mat: Lay) -> None:
    table, lying = hidden(seated, mat)
    challenged(table, answer)
    for name in ("a", "b", "table"):
        assert "Turn up place 2 of line" in table.text(name)
        assert "crown" not in table.text(name), "nobody has seen it yet"
    score = table.match.state.score
    assert score == ((0, 1) if answer == "Crown" else (1, 0))
    before = table.screen("table").panels
    assert not table.play.order
    told = len(table.play.told)
    table.see(turned(lying, 1, "crown", "b"))
    assert table.entries[-1] == Settle(table.entries[-1].at, Source.CAMERA)
    assert table.match.pending is None
    assert table.screen("table").panels != before
    assert len(table.play.told) > told, "what was sealed is told"
    assert "crown" in table.text("a")


def test_before_it_is_turned_right_and_wrong_look_the_same(seated: Make, mat: Lay) -> None:
    """The answers differ, and so does what everybody heard; what they lead to does not show."""
    shown = []
    for answer in ("Crown", "Scales"):
        table, _ = hidden(seated, mat)
        challenged(table, answer)
        shown.append(table.text("a").replace(answer, "*").replace(answer.lower(), "*"))
    assert shown[0] == shown[1]


def test_another_face_than_believed_is_proposed_as_a_correction(seated: Make, mat: Lay) -> None:
    table, lying = hidden(seated, mat)
    challenged(table, "Scales")
    table.see(turned(lying, 1, "scales", "b"))
    assert table.play.proposal is not None
    assert (table.play.proposal.kind, table.play.proposal.by) == (ProposalKind.CORRECT, None)
    for seat in ("a", "b"):
        assert "place 2 of line: it's scales" in str(table.screen(seat).prompt)
    table.pick("a", "Agree")
    table.pick("b", "Agree")
    correct, settle = table.entries[-2:]
    assert isinstance(correct, Correct)
    assert correct.again
    assert settle == Settle(settle.at, Source.CAMERA)
    assert table.match.state.score == (0, 1), "b named what the stone shows"
    assert table.match.pending is None


def test_a_correction_that_was_refused_is_not_proposed_again_and_again(seated: Make, mat: Lay) -> None:
    table, lying = hidden(seated, mat)
    challenged(table, "Scales")
    table.see(turned(lying, 1, "scales", "b"))
    table.pick("a", "Decline")
    table.now += 10.0
    table.give(Tick(table.now))
    assert table.play.proposal is None
    table.press("b", "choose")
    table.pick("b", "Done")
    assert table.match.pending is None
    assert table.match.state.score == (1, 0)


def test_without_a_camera_somebody_says_what_the_stone_showed(seated: Make, mat: Lay) -> None:
    table, _ = hidden(seated, mat, camera=False)
    challenged(table, "Scales")
    assert "Turn up place 2 of line" in str(table.screen("b").prompt)
    assert "crown" not in table.text("a")
    table.pick("b", "It's a different one")
    assert table.screen("b").menu is not None
    table.press("b", "back", "back")
    assert table.match.pending is not None
    table.press("a", "choose")
    table.pick("a", "Done")
    assert table.match.pending is None
    assert "crown" in table.text("a")


def test_the_end_shows_once_the_last_stone_is_turned(seated: Make, mat: Lay) -> None:
    table, lying = hidden(seated, mat)
    table.long("a")
    table.pick("a", "Correct the referee", "The score", "Seat A", "Points: 2")
    table.pick("b", "Agree")
    table.see(lying.observe(0.0))
    challenged(table, "Scales")
    assert table.match.result is not None
    assert "Rematch" not in table.text("a")
    assert "wins" not in table.text("a")
    table.see(turned(lying, 1, "crown", "b"))
    assert "Rematch" in table.text("a")
    assert "wins" in table.text("a")


@pytest.mark.parametrize("how", ["power cut", "worker"])
def test_after_a_restart_an_exchange_of_hidden_stones_is_asked_for(how: str, seated: Make, mat: Lay) -> None:
    table, lying = hidden(seated, mat)
    step(table, lying, "a", "hide sword", "b")
    table.press("b", "choose")
    table.pick("b", "Swap", "stone 1", "stone 2")
    assert table.match.pending is not None
    if how == "power cut":
        table = seated(camera=True, entries=tuple(table.entries))
    else:
        table.give(Restarted(table.now))
    count = len(table.entries)
    table.see(lying.observe(0.0))
    assert len(table.entries) == count, "nobody knows whether it was done"
    assert table.match.pending is not None
    assert table.text("b").count("Done") == 1
    table.pick("b", "Something else")
    assert table.match.pending is not None
    table.see(lying.observe(0.0))
    assert len(table.entries) == count
    table.press("b", "choose")
    table.pick("b", "Done")
    assert isinstance(table.entries[-1], Settle)


def test_after_a_restart_what_can_be_seen_to_be_done_is_done(seated: Make, mat: Lay) -> None:
    table = seated(camera=True)
    table.start(first_stone="scales")
    lying = mat(table.layout())
    table.see(lying.observe(0.0))
    lying.do(table.trace("a", ("place", "crown", "left")))
    table.act("a", "Place", "Crown", "left end")
    again = seated(camera=True, entries=tuple(table.entries))
    again.see(lying.observe(0.0))
    assert again.entries[-1] == Settle(again.entries[-1].at, Source.CAMERA)
    (append,) = [effect for effect in again.effects if isinstance(effect, Append)]
    assert len(append.entries) == 1


def test_a_card_that_the_order_named_wrongly_is_put_right_by_whoever_named_it() -> None:
    """Nothing that the referee believed was wrong: what the order said is corrected, and the match goes on with it."""
    spec = games.spec("runes")
    known, seats = KnownGame(spec, games.game(spec)), ("a", "b")
    start = Start(0.0, "runes", dict(complete(spec.options, {})), seats, 1)
    table = Seated(Table(seats, {"runes": known}), (start, *laid("a", 1.0), *laid("b", 2.0)))
    table.press("a", "back")
    table.act("a", "Aces – Rank 5", "Aces", "Ace of Moons")
    table.pick("a", "It's a different one", "A card of a sequence is another", "Seat A", "1: Ace of Moons")
    table.pick("a", "Aces – Rank 5", "Aces", "Ace of Leaves")
    assert "1: Ace of Moons, Ace of Leaves" in table.text("b"), "everybody agrees to it"
    table.pick("b", "Agree")
    assert table.entries[-1] == Correct(table.entries[-1].at, ("card", "a", "1", "ace-of-leaves"))
    assert [queued.card for queued in table.match.state.wizards[0].sequence] == ["ace-of-leaves"]
    assert table.match.pending is None


def laid(seat: str, at: float) -> tuple[Entry, ...]:
    return Act(at, seat, ("lay",)), Settle(at, Source.BUTTONS)


@pytest.mark.parametrize("answer", ["Crown", "Scales"])
def test_the_first_press_after_a_restart_tells_what_became_of_an_order(seated: Make, mat: Lay, answer: str) -> None:
    """Also at a panel that goes from hand to hand: somebody has it as soon as there is power."""
    before, _ = hidden(seated, mat, camera=False)
    challenged(before, answer)
    for panel, shared in (("b", False), (None, True)):
        table = seated(before.entries, shared=shared)
        assert "Turn up place 2 of line" in table.text(panel)
        table.press(panel, "choose")
        table.pick(panel, "Done")
        assert table.entries[-1] == Settle(table.entries[-1].at, Source.BUTTONS)
        assert table.match.pending is None
