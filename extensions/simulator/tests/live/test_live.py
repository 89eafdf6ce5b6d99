"""A whole evening in real time: the shipped daemon and worker, a placed stone, and nothing left behind."""

from __future__ import annotations

import asyncio
import base64
import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from device import games
from device.displays.keeper import Light
from device.journal import Journal
from device.key_gestures import Button
from device.lessons import lessons
from device.screens.page_view import PageView
from device.session.messages import Joined
from device.session.state import Play, Session, Setup, SetupPage
from engine.catalogue import complete
from engine.entry import Act, Resign, Source, Start
from engine.errors import Invalid
from engine.table import Face
from engine.text import Text
from referee_simulator.live.run import CAMERA_EYES, TRUE_EYES, Live, LivePlan
from referee_simulator.players import menus
from referee_simulator.players.world import Tap
from referee_simulator.table.ground_truth import remove

pytestmark = [pytest.mark.timeout(180)]


async def soon(done: Callable[[], bool], seconds: float = 100.0) -> None:
    async with asyncio.timeout(seconds):
        while not done():
            await asyncio.sleep(0.05)


async def played(live: Live) -> None:
    """Starts a match at the buttons and has seat b place the crown for seat a (T12)."""
    players, stage = live.players, live.stage
    for wish in menus.set_up(players, "a", games.spec("tellstones"), 2, {}):
        await players.grant(wish)
    await soon(lambda: bool(players.entries()))
    await asyncio.sleep(2.5)
    crown = next(body for body in stage.truth().bodies if body.kind == "crown")
    stage.take("b", crown.id)
    for step in range(1, 13):
        stage.carry("b", crown.x + (275 - crown.x) * step / 12, crown.y + (160 - crown.y) * step / 12)
        await asyncio.sleep(0.08)
    await asyncio.sleep(0.3)
    stage.drop("b", 275, 160)
    await soon(lambda: len(players.entries()) > 1)


@pytest.mark.soak
def test_the_shipped_daemon_follows_a_hand_at_the_virtual_table(tmp_path: Path) -> None:
    live = Live(LivePlan(scene="easy", seed=5, port=0), tmp_path)

    async def evening() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(live.run(lambda _panel: None, stop))
        try:
            await played(live)
        finally:
            stop.set()
            await running

    asyncio.run(evening())
    assert not (tmp_path / "frames").exists()
    start, act = entries(tmp_path)
    assert isinstance(start, Start)
    assert isinstance(act, Act)
    assert (act.seat, act.words[:2], act.source) == ("a", ("place", "crown"), Source.CAMERA)
    assert not any(any(pixels.bits) for pixels in live.stage.screens().values()), "a display was left lit"


@pytest.mark.thorough
def test_the_tables_page_shows_the_cameras_picture_of_each_rest(tmp_path: Path) -> None:
    """From the camera to the page, by the shipped worker and daemon: what the last hand moved is marked where it is."""
    live = Live(LivePlan(scene="easy", seed=5, port=0, picture=True), tmp_path)

    def page() -> PageView:
        return live._pages.sheet(None)

    async def evening() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(live.run(lambda _panel: None, stop))
        try:
            await played(live)
            await soon(lambda: bool(page().marks))
        finally:
            stop.set()
            await running

    asyncio.run(evening())
    shown = page()
    assert base64.b64decode(shown.picture)[:2] == b"\xff\xd8"
    (mark,) = shown.marks
    assert math.hypot(mark.x_mm - 275, mark.y_mm - 160) < 8.0
    assert not mark.back


@pytest.mark.soak
@pytest.mark.parametrize("game", ["fence", "runes"])
def test_scripted_players_play_with_the_cards_that_were_dealt(
    tmp_path: Path, game: str, caplog: pytest.LogCaptureFixture
) -> None:
    plan = LivePlan(game=game, scene="easy", seed=7, port=0, auto="honest", ideal=game == "runes", language="ru")
    live = Live(plan, tmp_path)

    async def evening() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(live.run(lambda _panel: None, stop))
        try:
            await soon(lambda: len(live.players.entries()) > 10, 120.0)
        finally:
            stop.set()
            await running

    asyncio.run(evening())
    assert live.stage.holding is not None, "the dealer has lost count"
    assert "wrong" not in caplog.text
    assert live.referee.core.session.language == "ru"


@pytest.mark.thorough
def test_a_table_that_plays_itself_makes_room_for_people(tmp_path: Path) -> None:
    """Its players leave in the menu, without a result, and start the next match once every seat is taken."""
    live = Live(LivePlan(scene="easy", seed=5, port=0, ideal=True, auto="honest", helped=True, laid=True), tmp_path)
    opened_with: list[int] = []

    def session() -> Session:
        return live.referee.core.session

    def join(seat: str) -> None:
        live.referee.core.take(Joined(seat, live.referee.clock.now()))

    async def evening() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(live.run(lambda _doors: opened_with.append(len(live.players.entries())), stop))
        try:
            await soon(lambda: len(live.players.entries()) > 1)
            join("a")
            await soon(lambda: isinstance(session().stage, Setup) and session().stage.page is SetupPage.CHECK)
            assert live.stage.auto() == "off"
            await asyncio.sleep(3.0)
            assert isinstance(session().stage, Setup), "one seat is free"
            join("b")
            await soon(lambda: len(live.players.entries()) == 1)
        finally:
            stop.set()
            await running

    asyncio.run(evening())
    assert opened_with == [1], "the match runs when the page opens"
    with Journal(tmp_path / "journal.db") as journal:
        first, _ = journal.matches()
        assert not any(isinstance(entry, Resign) for entry in journal.entries(first))


def entries(folder: Path) -> tuple[object, ...]:
    with Journal(folder / "journal.db") as journal:
        assert journal.current is not None
        return journal.entries(journal.current)


def test_one_alone_is_dealt_a_hand_against_the_automatic_opponent(tmp_path: Path) -> None:
    live = Live(LivePlan(game="runes", seats=1, port=0, ideal=True), tmp_path)
    assert {seat: len(cards) for seat, cards in live.stage.hands().items()} == {"a": 5}
    assert live.told_eyes() == TRUE_EYES


@pytest.mark.parametrize("game", ["runes", "planetx"])
def test_a_table_is_laid_for_one_alone(tmp_path: Path, game: str) -> None:
    """With the options that a game alone needs, whichever they are."""
    live = Live(LivePlan(game=game, seats=1, port=0, ideal=True, laid=True), tmp_path)

    async def evening() -> None:
        stop = asyncio.Event()
        await live.run(lambda _doors: stop.set(), stop)

    asyncio.run(evening())
    stage = live.referee.core.session.stage
    assert isinstance(stage, Setup)
    assert (stage.page, stage.game, stage.seats) == (SetupPage.CHECK, game, ("a",))


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["runes", "planetx"])
def test_one_alone_is_taught_in_a_match_against_the_automatic_opponent(tmp_path: Path, game: str) -> None:
    live = Live(LivePlan(game=game, seats=1, port=0, ideal=True, helped=True, laid=True, auto="honest"), tmp_path)
    (solo,) = (each for each in lessons()[game] if each.seats == (1,))

    def taught() -> bool:
        stage, card = live.referee.core.session.stage, live.stage.lesson("a")
        return isinstance(stage, Play) and card is not None and card.reads

    async def evening() -> None:
        stop, ready = asyncio.Event(), asyncio.Event()
        running = asyncio.create_task(live.run(lambda _doors: ready.set(), stop))
        try:
            await ready.wait()
            live.referee.core.take(Joined("a", live.referee.clock.now()))
            live.stage.learn("a", "begin")
            await soon(taught)
        finally:
            stop.set()
            await running

    asyncio.run(evening())
    stage, card = live.referee.core.session.stage, live.stage.lesson("a")
    assert isinstance(stage, Play)
    assert solo.fits(stage.match.start.options, 1)
    assert card is not None
    assert card.told == ((Text(solo.steps[0].text), solo.steps[0].clause),)


@pytest.mark.thorough
def test_the_demo_plays_on_when_asked_and_a_lesson_ends_no_match_of_people(tmp_path: Path) -> None:
    live = Live(LivePlan(game="tellstones", port=0, ideal=True, helped=True, laid=True, auto="honest"), tmp_path)

    def stage() -> Setup | Play:
        return live.referee.core.session.stage

    def started() -> Start | None:
        here = stage()
        return here.match.start if isinstance(here, Play) else None

    def checks() -> bool:
        here = stage()
        return live.stage.auto() == "off" and isinstance(here, Setup) and here.page is SetupPage.CHECK

    async def evening() -> None:
        stop, ready = asyncio.Event(), asyncio.Event()
        running = asyncio.create_task(live.run(lambda _doors: ready.set(), stop))
        try:
            await ready.wait()
            await soon(lambda: isinstance(stage(), Play))
            live.referee.core.take(Joined("a", live.referee.clock.now()))
            await soon(checks)
            live.stage.play("honest")
            await soon(lambda: isinstance(stage(), Play))
            assert live.stage.auto() == "honest"
            demo = started()
            live.referee.core.take(Joined("b", live.referee.clock.now()))
            await soon(lambda: started() not in (None, demo))
            begun = len(live.players.entries())
            live.stage.learn("a", "begin")
            await asyncio.sleep(3)
            assert isinstance(stage(), Play)
            assert len(live.players.entries()) == begun
            assert live.stage.lesson("a") is None
        finally:
            stop.set()
            await running

    asyncio.run(evening())


@pytest.mark.thorough
def test_cards_are_in_nobodys_hand_once_another_game_is_chosen(tmp_path: Path) -> None:
    live = Live(LivePlan(game="runes", port=0, ideal=True, laid=True), tmp_path)

    def setup() -> Setup:
        stage = live.referee.core.session.stage
        assert isinstance(stage, Setup)
        return stage

    async def choose(game: str) -> None:
        while setup().page is not SetupPage.GAME:
            await live.players.grant(Tap("a", Button.BACK))
        for wish in menus.pick(live.players, "a", lambda text: text == Text(games.spec(game).title)):
            await live.players.grant(wish)
        assert setup().game == game

    async def evening() -> None:
        stop, ready = asyncio.Event(), asyncio.Event()
        running = asyncio.create_task(live.run(lambda _doors: ready.set(), stop))
        try:
            await ready.wait()
            held = live.stage.hands()
            assert {seat: len(cards) for seat, cards in held.items()} == {"a": 5, "b": 5}
            await choose("tellstones")
            await soon(lambda: live.stage.hands() == {})
            await choose("runes")
            await soon(lambda: live.stage.hands() == held)
        finally:
            stop.set()
            await running

    asyncio.run(evening())


@pytest.mark.parametrize("game", ["fence", "runes"])
def test_cards_are_seen_through_the_camera(tmp_path: Path, game: str) -> None:
    for name in ("fence-cards", "fence-figures", "fence-markers", "decktet", "counters"):
        (tmp_path / "enrolled" / name).mkdir(parents=True)  # as if they were enrolled
    assert Live(LivePlan(game=game, port=0), tmp_path).told_eyes() == CAMERA_EYES


def test_a_deck_that_is_corrected_at_the_table_is_played_with_from_then_on(tmp_path: Path) -> None:
    live = Live(LivePlan(game="runes", port=0, ideal=True), tmp_path)
    core = live.referee.core
    known = core.table.games["fence"]
    assert known.deck is not None
    corrected = msgspec.structs.replace(known, deck=known.deck.correct("RF01", "sp", "6"))
    core.table = msgspec.structs.replace(core.table, games={**core.table.games, "fence": corrected})
    assert live.played["fence"] is corrected


def test_a_game_that_has_no_mat_for_so_many_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="no mat for 3 players"):
        Live(LivePlan(seats=3), tmp_path)


@pytest.mark.thorough
def test_an_error_of_the_table_ends_neither_the_evening_nor_the_match(tmp_path: Path) -> None:
    """A hand is at work on a piece that is not there: camera, eyes, dealer and pages all fail at once."""
    spec = games.spec("tellstones")
    with Journal(tmp_path / "journal.db") as journal:
        journal.append((Start(0.0, spec.name, dict(complete(spec.options, {})), ("a", "b"), 5),))
    live = Live(LivePlan(scene="easy", seed=5, port=0, ideal=True), tmp_path)

    async def evening() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(live.run(lambda _panel: None, stop))
        try:
            await soon(lambda: live.dealing.start is not None and live.dealing.right(live.stage.truth()))
            live.dealing.look()
            believed = live.stage.truth()
            broken = live.stage.truth().bodies[0]
            live.stage.flip("a", broken.id)
            live.stage.table.arrange(remove(believed, broken.id), "a", (), asyncio.get_running_loop().time())
            await soon(lambda: live.stage.trouble is not None)
            assert live.stage.truth() == believed
            await asyncio.sleep(1.5)
            assert not running.done()
            live.stage.flip("a", broken.id)
            await soon(lambda: live.stage.truth().body(broken.id).face is Face.DOWN)
        finally:
            stop.set()
            await running

    asyncio.run(evening())
    assert [type(entry) for entry in entries(tmp_path)] == [Start]


def test_displays_that_rest_wake_when_somebody_works_at_the_bench(tmp_path: Path) -> None:
    live = Live(LivePlan(port=0, ideal=True), tmp_path)
    panes = list(live.panes.values())
    for pane in panes:
        pane.keeper._light = Light.DARK
    live.bench._requests._worked()
    assert all(pane.keeper._wake.is_set() for pane in panes)
