"""The camera's picture on the table's page: only of a rest in which every piece is plainly as everybody knows it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import msgspec
import pytest

from device import games
from device.screens.page_view import MarkView, PageView, Wire, wire
from device.session.check import GONE
from device.session.messages import Silence, Tick
from device.session.page_views import sheet
from device.session.state import Play, Session
from device.session.table import Table
from engine.table import Face, Observation, Piece, Seat, Sight, Sighting, Spot, public
from referee_phones.daemon.rest_pictures import RestPictures
from tests.device.session.conftest import Mat, Seated, tellstones
from tests.device.session.stages import table as every_game
from tests.device.session.twins import GAMES, Pair, pairs
from tests.engine.ideal import IdealTable
from vision.messages import Picture, Report

replace = msgspec.structs.replace
PAIRS = 60


class Shown(Seated):
    """A match of Tellstones under a camera that sends pictures: the Scales lie on the Line, and were seen there."""

    def __init__(self) -> None:
        super().__init__(
            Table(("a", "b"), {"tellstones": tellstones()}, screen=True, camera=True, mats=games.mats(["tellstones"]))
        )
        self.pictures = RestPictures()
        self.start(first_stone="scales")
        self.lying = Mat(self.layout())
        self.seen(self.lying.observe(0.0))

    def seen(self, observation: Observation, name: bytes = b"rest") -> None:
        """A rest with its picture, whose pieces seem to be a little to the right."""
        at = self.now + 1.0
        pieces = (one for zone in observation.zones for one in zone.pieces if one is not None)
        places = {one.track: (one.x_mm + 3.0, one.y_mm) for one in pieces}
        self.pictures.on_picture(Picture(0, name, at=at, places=places))
        self.see(observation)

    def act_by_hand(self, seat: Seat, *words: str, name: bytes = b"rest") -> None:
        self.lying.do(self.trace(seat, words))
        other: Seat = "b" if seat == "a" else "a"
        self.seen(self.lying.observe(0.0, frozenset(other)), name)

    def page(self) -> PageView:
        return self.pictures.put_in(sheet(self.table, self.session, None), self.session)

    @property
    def shown(self) -> str:
        return self.page().picture


def base64_of(name: str) -> str:
    return {"rest": "cmVzdA==", "later": "bGF0ZXI="}[name]


def turned_up(observation: Observation) -> Observation:
    """The first stone of the Line shows its face."""
    line, *others = observation.zones
    first, *rest = line.pieces
    assert first is not None
    up = replace(first, kind="scales", face=Face.UP)
    return replace(observation, zones=(replace(line, pieces=(up, *rest)), *others))


def test_a_rest_is_shown_and_what_the_last_action_touched_is_marked_where_it_seems_to_be() -> None:
    table = Shown()
    assert table.shown == base64_of("rest")
    assert table.page().marks == ()
    table.act_by_hand("a", "hide", "scales", name=b"later")
    (mark,) = table.page().marks
    scales = table.lying.observe(0.0).zone("line").pieces[0]
    assert scales is not None
    assert mark == MarkView("line", scales.x_mm + 3.0, scales.y_mm, 0.0, back=False)
    assert table.shown == base64_of("later")


def test_a_picture_that_is_not_shown_before_something_moves_is_never_shown() -> None:
    table = Shown()
    assert table.shown == base64_of("rest")
    table.act_by_hand("a", "hide", "scales", name=b"later")
    table.give(Report(9, table.now + 0.1, moving=True, health=table.session.health))
    assert table.shown == ""  # the one before shows the Scales face up, which they are not any more
    table.give(Report(10, table.now + 0.2, moving=False, health=table.session.health))
    assert table.shown == ""
    table.seen(table.lying.observe(0.0), b"later")
    assert table.shown == base64_of("later")


def test_while_a_stone_lies_as_it_must_not_the_picture_before_says_which_is_to_be_put_back() -> None:
    table = Shown()
    table.act_by_hand("a", "hide", "scales")
    assert table.shown == base64_of("rest")
    table.seen(turned_up(table.lying.observe(0.0, frozenset("b"))), b"later")
    assert table.shown == base64_of("rest")
    table.give(Tick(table.now + 10.0))
    assert "face down" in str(table.play.alert[0])
    assert table.shown == base64_of("rest")
    assert [(mark.zone, mark.back) for mark in table.page().marks] == [("line", True)]


def test_while_somebody_looks_at_a_stone_no_picture_is_taken() -> None:
    """The order to peek is open from the tap until the stone is down again."""
    table = Shown()
    table.act_by_hand("a", "hide", "scales")
    table.act_by_hand("b", "place", "crown", "left")
    table.act_by_hand("a", "hide", "crown")
    assert table.shown == base64_of("rest")
    table.act("b", "Peek", "stone 1")
    assert table.match.pending is not None
    table.seen(table.lying.observe(0.0), b"later")
    assert table.match.pending is not None
    assert table.shown == base64_of("rest")


def unclear(observation: Observation) -> Observation:
    return _with_first(observation, sight=Sight.UNKNOWN)


def covered(observation: Observation) -> Observation:
    return _with_first(observation, sight=Sight.COVERED)


def with_stranger(observation: Observation) -> Observation:
    return replace(observation, strays=(Sighting(99, None, None, Sight.UNKNOWN, 0.0, 5.0, 5.0, 0.0),))


def with_one_more(observation: Observation) -> Observation:
    line, *others = observation.zones
    more = Sighting(98, "crown", Face.UP, Sight.SEEN, 1.0, 5.0, 5.0, 0.0)
    return replace(observation, zones=(replace(line, pieces=(*line.pieces, more)), *others))


def _with_first(observation: Observation, *, sight: Sight) -> Observation:
    line, *others = observation.zones
    first, *rest = line.pieces
    assert first is not None
    return replace(observation, zones=(replace(line, pieces=(replace(first, sight=sight), *rest)), *others))


@pytest.mark.parametrize("change", [unclear, covered, with_stranger, with_one_more])
def test_a_rest_with_anything_unclear_or_strange_is_not_shown(change: Callable[[Observation], Observation]) -> None:
    table = Shown()
    assert table.shown == base64_of("rest")
    table.seen(change(table.lying.observe(0.0)), b"later")
    assert table.shown == base64_of("rest")
    table.seen(table.lying.observe(0.0), b"later")
    assert table.shown == base64_of("later")


def test_without_a_camera_and_in_another_match_nothing_is_shown() -> None:
    table = Shown()
    before = table.session
    assert table.shown == base64_of("rest")
    table.give(Silence(table.now + 1.0, GONE))
    assert table.shown == ""
    table.session = before
    assert table.shown == ""
    table.seen(table.lying.observe(0.0))
    assert table.shown == base64_of("rest")
    start = replace(table.match.start, seed=99)
    other = replace(table.play, match=replace(table.match, start=start), case=replace(table.play.case, seen=None))
    table.session = replace(before, stage=other)
    assert table.shown == ""


def of_twins(pair: Pair, seen: Observation) -> list[Wire]:
    """The table's page at each of two tables at which the camera sees the same."""
    found = []
    for session in (pair.left, pair.right):
        play = session.stage
        assert isinstance(play, Play)
        case = replace(play.case, seen=seen, question=None)
        moment: Session = replace(session, stage=replace(play, case=case))
        pictures = RestPictures()
        tracks = (one.track for zone in seen.zones for one in zone.pieces if one is not None)
        pictures.on_picture(Picture(0, b"rest", at=seen.at, places=dict.fromkeys(tracks, (1.0, 1.0))))
        found.append(wire(pictures.put_in(sheet(every_game(), moment, None), moment), "en"))
    return found


@pytest.mark.parametrize("game", GAMES)
def test_tables_that_differ_in_secrets_show_the_same_picture(game: str) -> None:
    known, shown, differ = every_game().games[game].game, 0, 0
    alike = (pair for pair in pairs("pictures", game) if pair.audience is None)
    for pair in islice(alike, PAIRS):
        play = pair.left.stage
        assert isinstance(play, Play)
        pending = play.match.pending
        layout = public(known.layout(play.match.state) if pending is None else pending.before)
        left, right = of_twins(pair, IdealTable.of(layout).observe(1.0))
        assert left == right
        shown += bool(left["picture"])
        other = pair.right.stage
        assert isinstance(other, Play)
        differ += play.match.state != other.match.state
    assert differ > PAIRS / 2
    assert shown > PAIRS / 8, "twins without a picture prove nothing"


def test_a_piece_is_compared_by_what_everybody_knows_of_it() -> None:
    """A stone face up in the place of one that lies face down is never plainly seen, whichever it is."""
    table = Shown()
    table.act_by_hand("a", "hide", "scales")
    layout = public(table.layout())
    assert layout.at(Spot("line", 0)) == Piece(None, Face.DOWN)
    case = table.play.case
    assert case.plainly_seen(layout) is not None
    assert case.seen is not None
    assert replace(case, seen=turned_up(case.seen)).plainly_seen(layout) is None
