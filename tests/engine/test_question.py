"""What a question says that nobody can tell, and in which order its answers come."""

from __future__ import annotations

from engine.arbiter import ActionStep, agreement, gather
from engine.arbiter.verdict import likeliest_first, unseen
from engine.catalogue import complete
from engine.table import Arrangement, Face, Layout, Observation, Piece, Sight, Sighting, Spot, ZoneLayout, ZoneSight
from tests.engine.specs import game as load
from tests.engine.specs import spec

LINE = ZoneLayout("line", Arrangement.ROW, (Piece("crown"), Piece(None, Face.DOWN), Piece("flag")))
POOL = ZoneLayout("pool", Arrangement.AREA, (Piece("sword"),))
CROWN, BACK, FLAG, SWORD = ((1, "crown"), (2, None), (3, "flag"), (4, "sword"))
Told = tuple[int, str | None]


def seen(line: tuple[Told, ...], pool: tuple[Told, ...] = (SWORD,), dim: tuple[int, ...] = ()) -> Observation:
    def sighting(told: Told) -> Sighting:
        track, kind = told
        if track in dim:
            return Sighting(track, None, None, Sight.UNKNOWN, 0.3, 0.0, 0.0, 0.0)
        return Sighting(track, kind, Face.UP if kind else Face.DOWN, Sight.SEEN, 0.99, 0.0, 0.0, 0.0)

    zones = (("line", Arrangement.ROW, line), ("pool", Arrangement.AREA, pool))
    return Observation(1, 0.0, tuple(ZoneSight(n, o, tuple(map(sighting, each))) for n, o, each in zones))


BEFORE = agreement(Layout((LINE, POOL)), seen((CROWN, BACK, FLAG)))


def said(observation: Observation) -> str:
    return str(unseen(gather(BEFORE, observation)))


def test_what_is_missing_is_named_and_a_hidden_piece_only_by_its_place() -> None:
    assert said(seen((BACK, FLAG))) == "Not seen: crown, line."
    assert said(seen((CROWN, FLAG))) == "Not seen: place 2 of line."
    assert said(seen((CROWN, BACK, FLAG), ())) == "Not seen: sword, pool."


def test_what_was_plainly_moved_is_not_missing() -> None:
    assert unseen(gather(BEFORE, seen((CROWN, BACK, FLAG, SWORD), ()))) is None
    assert unseen(gather(BEFORE, seen((CROWN, BACK, FLAG)))) is None


def test_what_cannot_be_told_is_told_by_its_place() -> None:
    assert said(seen((CROWN, BACK, (9, None)), dim=(9,))) == "Not clear: place 3 of line."
    assert said(seen((CROWN, BACK, FLAG), (SWORD, (9, None)), dim=(9,))) == "Not clear: pool."
    assert unseen(gather(BEFORE, seen((CROWN, BACK, FLAG), dim=(3,)))) is None, "it was not touched"


def test_the_answer_that_vision_guesses_comes_first() -> None:
    game = load("tellstones")
    state = game.setup(complete(spec("tellstones").options, {"first_stone": "scales", "starter": "a"}), ("a", "b"), 1)
    answers = ((), *((ActionStep("a", ("place", kind, "right")),) for kind in ("crown", "sword", "flag")))
    unknown = Sighting(9, None, None, Sight.UNKNOWN, 0.3, 0.0, 0.0, 0.0, "sword")
    told = Observation(1, 0.0, (ZoneSight("line", Arrangement.ROW, (unknown,)),))
    assert likeliest_first(game, state, answers, told) == (answers[2], *answers[:2], answers[3])
    assert likeliest_first(game, state, answers, seen(())) == answers


def test_of_pieces_in_an_area_that_nobody_can_name_each_is_first_taken_for_what_it_looks_like() -> None:
    """Else the one that is moved would be asked about as another."""
    pool = ZoneLayout("pool", Arrangement.AREA, tuple(map(Piece, ("flag", "hammer", "scales", "sword"))))
    guesses = {1: "scales", 2: "flag", 3: None, 4: "sword"}
    lying = tuple(Sighting(n, None, None, Sight.UNKNOWN, 0.3, 0.0, 0.0, 0.0, kind) for n, kind in guesses.items())
    base = agreement(Layout((pool,)), Observation(1, 0.0, (ZoneSight("pool", Arrangement.AREA, lying),))).base
    assert [base.track(Spot("pool", index)) for index in range(4)] == [2, 3, 1, 4]
