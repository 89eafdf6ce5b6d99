from __future__ import annotations

import msgspec
import pytest

from engine import clocks
from engine import match as matches
from engine.catalogue import complete
from engine.entry import Act, Correct, Draw, Entry, Flag, Pause, Resign, Settle, Source, Start, Undo, decode, encode
from engine.errors import Illegal, Invalid
from engine.grammar import sentences
from engine.match import Match
from tests.engine.specs import game, spec

GAME = game("tellstones")
CLOCK: dict[str, str | int] = {"kind": "chess", "seconds": 60, "increment": 5}


def begun(**clock: str | int) -> Match:
    options = dict(complete(spec("tellstones").options, {"starter": "a"}))
    return matches.begin(GAME, Start(0.0, "tellstones", options, ("a", "b"), 1, clock))


def first(match: Match) -> str:
    kind = GAME.layout(match.state).zone("line").pieces[0].kind
    assert kind is not None
    return kind


def test_a_refused_entry_changes_nothing_and_names_its_clauses() -> None:
    match = begun()
    with pytest.raises(Illegal) as refusal:
        matches.advance(GAME, match, Act(1.0, "b", ("hide", first(match))))
    assert "T9" in refusal.value.clauses
    with pytest.raises(Invalid):
        matches.advance(GAME, match, Act(1.0, "a", ("dance",)))


def test_an_order_at_the_buttons_is_owed_until_it_is_settled_and_what_the_camera_saw_is_not() -> None:
    match = begun()
    ordered, _ = matches.advance(GAME, match, Act(1.0, "a", ("hide", first(match))))
    assert ordered.pending is not None
    settled, _ = matches.advance(GAME, ordered, Settle(2.0, Source.CAMERA))
    assert settled.pending is None
    seen, _ = matches.advance(GAME, match, Act(1.0, "a", ("hide", first(match)), Source.CAMERA))
    assert seen.pending is None
    with pytest.raises(Invalid):
        matches.advance(GAME, seen, Settle(2.0, Source.BUTTONS))


def test_undo_goes_back_to_the_state_before_and_ends_at_a_revelation() -> None:
    match = begun()
    hidden, _ = matches.advance(GAME, match, Act(1.0, "a", ("hide", first(match)), Source.CAMERA))
    undone, told = matches.advance(GAME, hidden, Undo(2.0, "a"))
    assert undone.state == match.state
    assert told[0].audience is None
    with pytest.raises(Invalid, match="no seat"):
        matches.advance(GAME, hidden, Undo(2.0, "d"))
    peeked, events = matches.advance(GAME, hidden, Act(2.0, "b", ("peek", "1"), Source.CAMERA))
    assert any(event.reveals for event in events)
    with pytest.raises(Invalid):
        matches.advance(GAME, peeked, Undo(3.0, "b"))


def test_a_correction_works_after_a_revelation_and_cannot_be_undone() -> None:
    hidden, _ = matches.advance(GAME, begun(), Act(1.0, "a", ("hide", first(begun())), Source.CAMERA))
    peeked, _ = matches.advance(GAME, hidden, Act(2.0, "b", ("peek", "1"), Source.CAMERA))
    word = next(c.word for c in GAME.corrections(peeked.state) if not c.final)
    words: tuple[str, ...] = (word,)
    while not (choices := GAME.corrections(peeked.state, words))[0].final:
        words = (*words, choices[0].word)
    corrected, _ = matches.advance(GAME, peeked, Correct(3.0, (*words, choices[0].word)))
    assert corrected.state != peeked.state
    assert corrected.past == ()


def test_a_pause_stops_the_clocks_and_everything_else() -> None:
    match = begun(**CLOCK)
    paused, _ = matches.advance(GAME, match, Pause(10.0, True))
    with pytest.raises(Invalid):
        matches.advance(GAME, paused, Act(11.0, "a", ("hide", first(match))))
    resumed, _ = matches.advance(GAME, paused, Pause(100.0, False))
    with pytest.raises(Invalid):
        matches.advance(GAME, resumed, Flag(149.0, "a"))
    lost, _ = matches.advance(GAME, resumed, Flag(150.0, "a"))
    assert lost.result is not None
    assert lost.result.winners == {"b"}


def test_each_move_winds_the_clock_of_moves_as_of_version_3() -> None:
    clock: dict[str, str | int] = {"kind": "move", "seconds": 60}
    match = begun(**clock)
    older = matches.begin(GAME, msgspec.structs.replace(match.start, version=2))
    hide = Act(50.0, "a", ("hide", first(match)), Source.CAMERA)
    for begins, left in ((match, 10.0), (older, 60.0)):
        hidden, _ = matches.advance(GAME, begins, hide)
        undone, _ = matches.advance(GAME, hidden, Undo(80.0, "a"))
        assert clocks.seconds_left(undone.clocks, "a", 80.0) == left
        assert clocks.seconds_left(undone.clocks, "b", 80.0) == 60.0


def test_what_was_resigned_in_a_pause_is_put_right() -> None:
    paused, _ = matches.advance(GAME, begun(), Pause(1.0, True))
    resigned, _ = matches.advance(GAME, paused, Resign(2.0, "a"))
    again, _ = matches.advance(GAME, resigned, Correct(3.0, ("turn", "b")))
    assert again.result is None


def test_a_flag_may_only_be_noted() -> None:
    noted, told = matches.advance(GAME, begun(**CLOCK, fall="note"), Flag(60.0, "a"))
    assert noted.result is None
    assert told
    with pytest.raises(Invalid):
        matches.advance(GAME, noted, Flag(61.0, "a"))


def test_resigning_loses_and_a_draw_ends_without_a_winner() -> None:
    resigned, _ = matches.advance(GAME, begun(), Resign(1.0, "a"))
    assert resigned.result is not None
    assert resigned.result.winners == {"b"}
    drawn, told = matches.advance(GAME, begun(), Draw(1.0))
    assert drawn.result is not None
    assert not drawn.result.winners
    assert str(drawn.result.text) == "A draw by agreement."
    assert [(event.text, event.audience) for event in told] == [(drawn.result.text, None)]
    late = Act(2.0, "b", ("boast",))
    with pytest.raises(Illegal, match="over") as refusal:
        matches.advance(GAME, resigned, late)
    assert refusal.value.clauses[0] == "T9"
    with pytest.raises(Invalid, match="over"):  # no rule of the game ended it
        matches.advance(GAME, drawn, late)


def test_time_never_goes_back() -> None:
    match, _ = matches.advance(GAME, begun(), Act(5.0, "a", ("hide", first(begun()))))
    with pytest.raises(Invalid):
        matches.advance(GAME, match, Settle(4.0, Source.BUTTONS))


def test_a_replay_is_the_match_to_the_byte() -> None:
    start = begun(**CLOCK).start
    entries: list[Entry] = [start, Act(1.0, "a", ("hide", first(begun())), Source.CAMERA), Undo(2.0, "b")]
    live = matches.begin(GAME, start)
    for entry in entries[1:]:
        live, _ = matches.advance(GAME, live, entry)
    again = matches.replay(GAME, [decode(encode(entry)) for entry in entries])
    assert matches.encode(again) == matches.encode(live)
    with pytest.raises(Invalid):
        matches.replay(GAME, entries[1:])


def challenged() -> Match:
    """Two stones lie face down, and the first is named as what the referee believes it to be."""
    match = begun()
    for seat, *words in [
        ("a", "place", str(GAME.layout(match.state).zone("pool").pieces[0].kind), "right"),
        ("b", "hide", "1"),
        ("a", "hide", "2"),
        ("b", "challenge", "1"),
        ("a", "names", first(match)),
    ]:
        match, _ = matches.advance(GAME, match, Act(1.0, seat, tuple(words)))
    return match


def test_an_order_that_showed_another_stone_counts_again_from_the_repaired_belief() -> None:
    match = challenged()
    assert match.state.score == (1, 0)
    assert match.pending is not None
    other = next(s.kind for s in match.pending.state.mats[0].line if s.kind != first(begun()))
    again, _ = matches.advance(GAME, match, Correct(2.0, ("is", "1", other), again=True))
    assert again.state.score == (0, 1)
    assert again.pending is not None
    assert GAME.layout(again.state).zone("line").pieces[0].kind == other


def test_what_ended_the_match_can_still_be_carried_out_and_repaired() -> None:
    match = begun()
    for seat, *words in [
        ("a", "hide", first(match)),
        ("b", "boast"),
        ("a", "prove"),
        ("b", "names", "1", next(k for k in ("crown", "shield") if k != first(match))),
    ]:
        match, _ = matches.advance(GAME, match, Act(1.0, seat, tuple(words)))
    assert match.result is not None
    assert match.pending is not None
    settled, _ = matches.advance(GAME, match, Settle(2.0, Source.CAMERA))
    assert settled.result == match.result
    repaired, _ = matches.advance(GAME, settled, Correct(3.0, ("score", "a", "1")))
    assert repaired.state.score == (1, 0)
    drawn, _ = matches.advance(GAME, begun(), Draw(1.0))
    with pytest.raises(Invalid):
        matches.advance(GAME, drawn, Correct(2.0, ("score", "a", "1")))


def test_a_private_note_leaves_nothing_to_take_back() -> None:
    planet = game("planetx")
    options = dict(complete(spec("planetx").options, {"marks": True, "level": "genius"}))
    match = matches.begin(planet, Start(0.0, "planetx", options, ("a", "b"), 1))
    seat = min(planet.actors(match.state))
    words = next(w for w in sentences(planet, match.state, seat) if w[0] == "mark")
    noted, _ = matches.advance(planet, match, Act(1.0, seat, words))
    assert noted.state != match.state
    assert noted.past == match.past
