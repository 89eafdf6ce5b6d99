"""The hand that carries out what is ordered at a virtual table, for whoever plays by phone."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import chain
from pathlib import Path

import msgspec
import pytest

from device import games
from device.session.state import Play
from engine.entry import Act, Settle, Source, Start, Undo
from engine.game import Words
from engine.match import PendingOrder, replay
from engine.table import Health, Layout, Seat
from engine.text import Text, say
from extensions.simulator.tests.live.test_live import soon
from referee_simulator.live.dealing import Dealing
from referee_simulator.live.helping import AFTER_S, LACKING
from referee_simulator.live.hidden_pile import Turning
from referee_simulator.live.run import Live, LivePlan
from referee_simulator.players import menus
from referee_simulator.table.ground_truth import Truth, looks, members, remove
from referee_simulator.table.places import zones
from vision.mat import Mat

pytestmark = [pytest.mark.timeout(180)]
CROWN = ("place", "crown", "left")


def evening(
    folder: Path, course: Callable[[Live], Awaitable[None]], *, helped: bool, game: str = "tellstones", seats: int = 2
) -> None:
    """Runs a table at which a match of a game has begun, until the course is over."""
    live = Live(LivePlan(game=game, seats=seats, scene="easy", seed=5, port=0, ideal=True, helped=helped), folder)

    async def whole() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(live.run(lambda _doors: None, stop))
        try:
            for wish in menus.set_up(live.players, "a", games.spec(game), seats, {}):
                await live.players.grant(wish)
            await soon(lambda: bool(live.players.entries()))
            await course(live)
        finally:
            stop.set()
            await running

    asyncio.run(whole())


async def ordered(live: Live, seat: Seat, name: str = "tellstones", words: Words = CROWN) -> None:
    """A seat orders something: the crown into the line."""
    await soon(lambda: live.dealing.start is not None)
    game = live.played[name].game
    state = replay(game, tuple(live.players.entries())).state
    for wish in menus.enter(live.players, seat, lambda prefix: game.choices(state, seat, prefix), words):
        await live.players.grant(wish)
    await soon(lambda: live.dealing.pending is not None)


def crown(live: Live) -> tuple[float, float]:
    return next((body.x, body.y) for body in live.stage.truth().bodies if body.kind == "crown")


@pytest.mark.thorough
def test_a_hand_carries_out_what_was_ordered_and_the_referee_sees_it(tmp_path: Path) -> None:
    async def course(live: Live) -> None:
        before = crown(live)
        await ordered(live, "a")
        await soon(lambda: live.dealing.pending is None)
        assert crown(live) != before

    evening(tmp_path, course, helped=True)


@pytest.mark.thorough
def test_an_order_is_carried_out_once_the_table_lies_as_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies otherwise at the first look is somebody's to finish; who puts it back is helped."""
    looked: list[bool] = []

    def later(truth: Truth, mat: Mat, shown: Layout) -> bool:
        looked.append(len(looked) > 2 and looks(truth, mat, shown))
        return looked[-1]

    monkeypatch.setattr("referee_simulator.live.helping.looks", later)

    async def course(live: Live) -> None:
        before = crown(live)
        await ordered(live, "a")
        await soon(lambda: live.dealing.pending is None)
        assert crown(live) != before
        assert looked == [False, False, False, True]

    evening(tmp_path, course, helped=True)


@pytest.mark.thorough
def test_without_help_nothing_moves_by_itself(tmp_path: Path) -> None:
    async def course(live: Live) -> None:
        before = crown(live)
        await ordered(live, "a")
        await asyncio.sleep(AFTER_S + 1.0)
        assert crown(live) == before
        assert live.dealing.pending is not None

    evening(tmp_path, course, helped=False)


@pytest.mark.thorough
def test_a_seat_is_told_which_card_chance_laid_face_down_for_it(tmp_path: Path) -> None:
    """As long as it lies there, and nobody but the seat; whoever picked it knows."""

    async def laid(live: Live, seat: Seat) -> str:
        held = Counter(body.kind for body in live.stage.hands()[seat])
        await ordered(live, seat, "runes", ("lay",))
        await soon(lambda: live.dealing.pending is None)
        await soon(lambda: len(live.stage.hands()[seat]) < held.total())
        (card,) = held - Counter(body.kind for body in live.stage.hands()[seat])
        return card

    async def course(live: Live) -> None:
        stage = live.stage
        told = say("Laid face down for you: {card}.", card=Text(await laid(live, "a")))
        await soon(lambda: bool(stage.told_to("a")))
        assert (stage.told_to("a"), stage.told_to("b")) == ((told,), ())
        stage.pick("b", stage.hands()["b"][0].id)
        await laid(live, "b")
        assert (stage.told_to("a"), stage.told_to("b")) == ((told,), ())
        stage.table.lay(msgspec.structs.replace(stage.truth(), bodies=()))
        assert stage.told_to("a") == ()

    evening(tmp_path, course, helped=True, game="runes")


@pytest.mark.thorough
def test_the_card_of_the_automatic_opponent_is_turned_up_unasked_and_the_referee_sees_it(tmp_path: Path) -> None:
    async def course(live: Live) -> None:
        await ordered(live, "a", "runes", ("lay",))
        await soon(lambda: live.dealing.turning is not None)
        turning = live.dealing.turning
        assert turning is not None
        await soon(lambda: isinstance(live.players.entries()[-1], Act))
        act = live.players.entries()[-1]
        assert isinstance(act, Act)
        assert (act.words, act.source) == (("turn", turning.card), Source.CAMERA)
        assert live.stage.holding is not None, "the dealer has lost count"

    evening(tmp_path, course, helped=True, game="runes", seats=1)


@pytest.mark.thorough
def test_whatever_is_said_of_the_piles_top_card_the_hand_turns_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def course(live: Live) -> None:
        await ordered(live, "a", "runes", ("lay",))
        await soon(lambda: live.dealing.turning is not None)
        monkeypatch.setattr("referee_simulator.live.helping.AFTER_S", 8.0)
        turning = live.dealing.turning
        assert turning is not None
        said = next(kind for kind in ("ace-of-moons", "ace-of-suns") if kind != turning.card)
        await ordered(live, "a", "runes", ("turn", said))
        row = zones(live.stage.mat)["sequence-b"]
        await soon(lambda: bool(members(live.stage.truth(), row)))
        assert [body.kind for body in members(live.stage.truth(), row) if body] == [turning.card]

    evening(tmp_path, course, helped=True, game="runes", seats=1)


@pytest.mark.thorough
def test_what_the_pile_decides_and_an_order_says_is_told_to_the_seat_that_has_to_give_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def course(live: Live) -> None:
        await soon(lambda: live.dealing.start is not None)
        game = live.played["runes"].game
        state = replay(game, tuple(live.players.entries())).state
        before, trace = game.layout(state), game.trace(state, "a", game.read(state, "a", ("lay",)))
        due = PendingOrder("a", ("excuse",), state, before, msgspec.structs.replace(trace, declared=True))
        held = live.stage.hands()
        monkeypatch.setattr(Dealing, "turning", Turning(due, "excuse"))
        await soon(lambda: bool(live.stage.told_to("a")))
        told = say("Top card of the pile: {card}. Choose that in the list.", card=Text("excuse"))
        assert (live.stage.told_to("a"), live.stage.told_to("b"), live.stage.hands()) == ((told,), (), held)
        monkeypatch.setattr(Dealing, "turning", None)
        monkeypatch.setattr(Dealing, "pending", due)
        await soon(lambda: live.stage.told_to("a") == (LACKING,))  # it was ordered: nobody is to be told any more

    evening(tmp_path, course, helped=True, game="runes")


def asked_what_happened(live: Live) -> bool:
    stage = live.referee.core.session.stage
    return isinstance(stage, Play) and stage.case.question is not None


async def taken_back(live: Live, by: Seat, other: Seat) -> None:
    """A seat takes the last action back, and the other agrees."""
    players = live.players
    courses = (
        menus.open_menu(by),
        menus.pick(players, by, lambda text: text == say("Undo")),
        menus.pick(players, other, lambda text: text == say("Agree")),
    )
    for wish in chain(*courses):
        await players.grant(wish)


@pytest.mark.thorough
def test_what_is_taken_back_is_put_back_and_nobody_is_asked_what_happened(tmp_path: Path) -> None:
    """Once it is put back the next order is carried out from there."""

    async def course(live: Live) -> None:
        game = live.played["tellstones"].game
        await ordered(live, "a")
        await soon(lambda: live.dealing.pending is None)
        await taken_back(live, "b", "a")
        asked = asyncio.create_task(soon(lambda: asked_what_happened(live)))
        await soon(lambda: live.dealing.back is not None)
        await soon(lambda: live.dealing.back is None)
        shown = game.layout(replay(game, tuple(live.players.entries())).state)
        assert looks(live.stage.truth(), live.stage.mat, shown)
        await ordered(live, "a")
        await soon(lambda: live.dealing.pending is None)
        assert not asked.done()
        asked.cancel()
        acts = [type(entry) for entry in live.players.entries()]
        assert acts == [Start, Act, Settle, Undo, Act, Settle]

    evening(tmp_path, course, helped=True)


@pytest.mark.thorough
def test_hidden_stones_whose_exchange_is_taken_back_change_places_again(tmp_path: Path) -> None:
    async def course(live: Live) -> None:
        def line() -> list[str]:
            zone = zones(live.stage.mat)["line"]
            return [body.kind for body in members(live.stage.truth(), zone) if body is not None]

        async def done(seat: Seat, words: Words) -> None:
            await ordered(live, seat, words=words)
            await soon(lambda: live.dealing.pending is None)

        (first,) = line()
        await done("a", CROWN)
        await done("b", ("hide", first))
        await done("a", ("hide", "crown"))
        await done("b", ("swap", "1", "2"))
        assert line() == [first, "crown"]
        await taken_back(live, "b", "a")
        await soon(lambda: live.dealing.back is None)
        assert line() == ["crown", first]
        live.stage.lay()
        assert line() == ["crown", first]

    evening(tmp_path, course, helped=True)


@pytest.mark.soak
def test_the_hand_turns_up_the_stone_that_decides_the_match(tmp_path: Path) -> None:
    async def course(live: Live) -> None:
        game = live.played["tellstones"].game
        first = game.choices(replay(game, tuple(live.players.entries())).state, "a", ("hide",))[0].word
        turns = (("a", ("hide", first)), ("b", ("boast",)), ("a", ("prove",)), ("b", ("names", "1", first)))
        for seat, words in turns:
            await soon(lambda: live.dealing.start is not None and live.dealing.pending is None)
            match = replay(game, tuple(live.players.entries()))
            assert seat in game.actors(match.state)
            for wish in menus.enter(live.players, seat, partial(game.choices, match.state, seat), words):
                await live.players.grant(wish)
        await soon(lambda: replay(game, tuple(live.players.entries())).result is not None)
        await soon(lambda: replay(game, tuple(live.players.entries())).pending is None)

    evening(tmp_path, course, helped=True)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "orders"),
    [
        ("tellstones", (CROWN, ("place", "shield", "left"))),
        ("fence", (("keep",), ("keep",), ("weapon", "engagement"))),
    ],
)
def test_a_hand_carries_out_what_counted_as_done_while_nobody_saw_the_table(
    tmp_path: Path, game: str, orders: tuple[Words, ...]
) -> None:
    """In the order in which it was given; then the table is as the match believes it."""

    async def course(live: Live) -> None:
        await soon(lambda: live.dealing.start is not None)
        live.stage.throw("gone", on=True)
        await soon(lambda: live.referee.core.session.health is not Health.OK)
        before, known = live.stage.truth(), live.played[game].game
        for words in orders:
            state = replay(known, tuple(live.players.entries())).state
            (seat, *_) = sorted(known.actors(state))
            for wish in menus.enter(live.players, seat, partial(known.choices, state, seat), words):
                await live.players.grant(wish)
        match = replay(known, tuple(live.players.entries()))
        assert match.pending is None, "nobody could see it done"
        shown = known.layout(match.state)
        await soon(lambda: looks(live.stage.truth(), live.stage.mat, shown) and live.dealing.pending is None)
        assert live.stage.truth() != before
        live.stage.throw("gone", on=False)
        await soon(lambda: live.referee.core.session.health is Health.OK)
        stage = live.referee.core.session.stage
        assert isinstance(stage, Play)
        await soon(lambda: stage.alert == ())

    evening(tmp_path, course, helped=True, game=game)


@pytest.mark.thorough
def test_an_order_is_carried_out_though_its_piece_was_taken_off_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody put it back for a while: the table is set out as the match believes it, and then it is done."""
    monkeypatch.setattr("referee_simulator.live.helping.STUCK_S", 1.0)

    async def course(live: Live) -> None:
        await ordered(live, "a")
        gone = next(body for body in live.stage.truth().bodies if body.kind == "crown")
        live.stage.table.lay(remove(live.stage.truth(), gone.id))
        await soon(lambda: live.dealing.pending is None)
        zone = zones(live.stage.mat)["line"]
        assert "crown" in [body.kind for body in members(live.stage.truth(), zone) if body is not None]

    evening(tmp_path, course, helped=True)
