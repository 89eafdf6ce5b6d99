"""Cards one on another: splays that are laid, taken from, turned over and pushed along."""

from __future__ import annotations

import random

import msgspec
import numpy as np
import pytest

from device.games import mats
from engine.arbiter.evidence import SURE
from engine.table import Face, Sight
from referee_simulator.players.improvised import COASTER
from referee_simulator.table.ground_truth import Body, Truth, opposite
from referee_simulator.table.scenes import Scene, draw, load_scenes
from referee_simulator.table.setting import piece_set
from tests.vision.cards.watched import CARDS, SCENE, TWINS, Watched, card, recogniser, renderer, shown, tracks
from vision.camera import Image
from vision.cards.arrivals import Arrivals
from vision.cards.comparing import RestComparison
from vision.cards.reader import Reader
from vision.cards.strips import Strips
from vision.cards.tracks import Cards
from vision.finding.quad import Quad
from vision.recognition.naming import Naming
from vision.recognition.prints.printed import PrintedRecogniser
from vision.registration.markers import Locator
from vision.step_timing import run_together
from vision.survey import MatSurvey
from vision.tracking.tracker import Look


@pytest.mark.thorough
def test_a_splay_laid_card_by_card_keeps_its_names_and_tracks() -> None:
    table = Watched()
    splay = [card("author", 147, 246, 2.0), card("sea", 165, 244, -3.0), card("pact", 183, 247, 4.0)]
    table.see()
    first = table.see(splay[0])
    second = table.see(*splay[:2])
    third = table.see(*splay)
    assert shown(third, "sequence-a") == ["author", "sea", "pact"]
    assert tracks(third, "sequence-a")[:2] == tracks(second, "sequence-a")
    assert tracks(second, "sequence-a")[:1] == tracks(first, "sequence-a")
    assert [touch.track for touch in third.touched] == tracks(third, "sequence-a")[2:]


@pytest.mark.thorough
def test_who_takes_a_card_from_a_splay_is_seen_to_take_it() -> None:
    table = Watched()
    one, other = card("author", 147, 246, 2.0), card("sea", 165, 244, -3.0)
    table.see(one)
    before = table.see(one, other)
    after = table.see(one)
    assert shown(after, "sequence-a") == ["author"]
    assert [(touch.track, touch.lifted) for touch in after.touched] == [(tracks(before, "sequence-a")[1], True)]


@pytest.mark.thorough
def test_a_card_that_is_put_back_below_others_is_the_one_that_was_taken() -> None:
    table = Watched()
    splay = [card("author", 147, 246, 6.0), card("sea", 162, 247, -5.0), card("pact", 181, 246, 6.0)]
    for count in range(1, 4):
        before = table.see(*splay[:count])
    table.see(splay[0], splay[2])
    seen = table.see(*splay)
    assert shown(seen, "sequence-a") == ["author", "sea", "pact"]
    assert tracks(seen, "sequence-a") == tracks(before, "sequence-a")
    assert [(touch.track, touch.lifted) for touch in seen.touched] == [(tracks(before, "sequence-a")[1], True)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("x", "y"),
    [*(pytest.param(*at, marks=pytest.mark.soak) for at in ((150.0, 256.0), (190.0, 238.0))), (167.0, 246.0)],
)
def test_an_object_over_cards_is_no_card_and_changes_none(x: float, y: float) -> None:
    table = Watched()
    splay = [card("author", 147, 246, 2.0), card("sea", 165, 244, -3.0), card("pact", 183, 247, 4.0)]
    for count in range(1, 4):
        before = table.see(*splay[:count])
    covered = table.see(*splay, msgspec.structs.replace(COASTER, x=x, y=y, angle=25.0))
    freed = table.see(*splay)
    assert shown(freed, "sequence-a") == shown(covered, "sequence-a") == ["author", "sea", "pact"]
    assert tracks(freed, "sequence-a") == tracks(covered, "sequence-a") == tracks(before, "sequence-a")
    assert all(touch.certainty < SURE for touch in covered.touched)
    assert not freed.touched
    assert [one.sight for one in freed.zone("sequence-a").pieces if one is not None] == [Sight.SEEN] * 3


@pytest.mark.thorough
def test_cards_of_a_splay_that_are_turned_over_together_are_all_seen_so_under_a_warm_lamp() -> None:
    table = Watched(Scene(seed=3, kelvin=2900.0))
    splay = [card("author", 147, 246, 2.0), card("sea", 165, 247, 4.0), card("pact", 183, 247, -2.0)]
    for count in range(1, 4):
        before = table.see(*splay[:count])
    turned = [msgspec.structs.replace(one, face=Face.DOWN, angle=one.angle + 180, y=one.y - 1) for one in splay[1:]]
    seen = table.see(splay[0], *turned)
    assert [one.face for one in seen.zone("sequence-a").pieces if one is not None] == [Face.UP, Face.DOWN, Face.DOWN]
    assert tracks(seen, "sequence-a") == tracks(before, "sequence-a")
    assert sorted(touch.track for touch in seen.touched) == sorted(tracks(before, "sequence-a")[1:])


@pytest.mark.thorough
def test_cards_that_hid_another_and_go_with_it_leave_nothing_behind() -> None:
    eyes = Watched()
    lowest, left, right = card("sea", 150, 245), card("pact", 130, 245), card("end", 170, 245)
    eyes.see(lowest)
    eyes.see(lowest, left, right)
    assert eyes.see().zone("sequence-a").pieces == ()


def test_an_older_card_turned_over_below_the_newest_takes_nothing_from_it() -> None:
    eyes = Watched()
    older, newest = card("sea", 147, 245, 2.0), card("pact", 165, 244, -1.0)
    eyes.see(older)
    before = eyes.see(older, newest)
    seen = eyes.see(card("sea", 145, 244, -2.0, Face.DOWN), newest)
    (under, over) = seen.zone("sequence-a").pieces
    assert over == before.zone("sequence-a").pieces[1]
    assert under is not None
    assert (under.kind, under.face) in ((None, Face.DOWN), (None, None))


@pytest.mark.thorough
def test_cards_of_a_splay_that_close_up_under_the_next_one_are_found_again_by_their_strips() -> None:
    eyes = Watched()
    oldest, *others = (
        card(kind, 146 + 18 * n, 245 - n, 2.0 - n) for n, kind in enumerate(("sea", "pact", "author", "end"))
    )
    for number in range(4):
        before = eyes.see(oldest, *others[:number])
    pushed = [msgspec.structs.replace(body, x=body.x - 18) for body in others]
    seen = eyes.see(*pushed, card("huntress", 200, 245, 3.0))
    assert shown(seen, "sequence-a") == ["pact", "author", "end", "huntress"]
    assert tracks(seen, "sequence-a")[:3] == tracks(before, "sequence-a")[1:]
    assert {touch.track for touch in seen.touched if not touch.lifted} == set(tracks(seen, "sequence-a")[:3])


@pytest.mark.thorough
def test_a_card_turned_over_between_two_of_a_splay_is_seen_so_though_it_lies_otherwise_then() -> None:
    eyes = Watched()
    splay = [card("author", 147, 246, 2.0), card("sea", 165, 244, 5.0), card("pact", 185, 247, 0.0)]
    for count in range(1, 4):
        before = eyes.see(*splay[:count])
    seen = eyes.see(splay[0], msgspec.structs.replace(splay[1], face=Face.DOWN, angle=174.0, y=247.0), splay[2])
    assert shown(seen, "sequence-a") == ["author", None, "pact"]
    assert tracks(seen, "sequence-a") == tracks(before, "sequence-a")


@pytest.mark.thorough
@pytest.mark.parametrize("turned", [Face.DOWN, Face.UP])
def test_a_strip_lies_where_its_print_does(turned: Face) -> None:
    """Its own short sides are seen in part, and one of the long ones may be that of a card beside it."""
    eyes, now = Watched(kinds=(*CARDS, *TWINS)), (144.0, 243.9, 175.8)
    row = [card("sea", 165.1, 244.1, -1.6), card("excuse", 183.0, 246.7, -6.0)]
    for lying in ((row[0],), row):
        eyes.see(card("ace-of-waves", 146.6, 245.7, 5.8, opposite(turned)), *lying)
    seen = eyes.see(card("ace-of-waves", *now, turned), *row).zone("sequence-a").pieces[0]
    assert seen is not None
    assert (seen.kind, seen.face) == ("ace-of-waves" if turned is Face.UP else None, turned)
    assert np.hypot(seen.x_mm - now[0], seen.y_mm - now[1]) < 1.0


@pytest.mark.thorough
def test_a_card_turned_over_beside_one_that_lies_face_down_is_not_taken_for_a_part_of_that() -> None:
    eyes = Watched(draw(load_scenes()["normal"], 12), (*CARDS, *TWINS))
    hidden, last = card("ace-of-waves", 149.8, 245.4, 1.4, Face.DOWN), card("excuse", 183.0, 246.7, -6.0)
    for lying in ((), (card("sea", 165.1, 244.1, -1.6),), (card("sea", 165.1, 244.1, -1.6), last)):
        before = eyes.see(hidden, *lying)
    seen = eyes.see(hidden, card("sea", 164.3, 244.6, -0.3, Face.DOWN), last)
    assert [one.face for one in seen.zone("sequence-a").pieces if one] == [Face.DOWN, Face.DOWN, Face.UP]
    assert tracks(seen, "sequence-a") == tracks(before, "sequence-a")


@pytest.mark.thorough
def test_a_back_that_hardly_stands_out_is_a_card_if_it_is_read() -> None:
    eyes = Watched(draw(load_scenes()["hard"], 23), (*CARDS, *TWINS))
    hidden, other = card("ace-of-leaves", 147.0, 244.5, 184.0, Face.DOWN), card("end", 193.4, 246.4, 1.9)
    eyes.see(other)
    assert shown(eyes.see(hidden, other), "sequence-a") == [None, "end"]


@pytest.mark.thorough
def test_a_face_turned_up_beside_a_back_is_read_though_that_may_show_there() -> None:
    eyes = Watched(draw(load_scenes()["normal"], 18), (*CARDS, *TWINS))
    first, one = card("ace-of-leaves", 146.6, 246.3, 2.7), card("end", 165.7, 243.5, 3.4, Face.DOWN)
    hidden, last = card("author", 182.1, 246.9, -3.0, Face.DOWN), card("pact", 200.6, 245.5, -4.4)
    for lying in ((first,), (first, one), (first, one, hidden), (first, one, hidden, last)):
        eyes.see(*lying)
    now = card("author", 181.8, 244.3, -2.9), card("pact", 202.6, 245.6, -7.3, Face.DOWN)
    assert shown(eyes.see(first, one, *now), "sequence-a") == ["ace-of-leaves", None, "author", None]


@pytest.mark.thorough
def test_a_card_turned_over_upside_down_and_askew_is_read_where_it_lay() -> None:
    eyes = Watched(kinds=(*CARDS, *TWINS))
    below, hidden = card("author", 165.7, 245.5, -2.1), card("end", 183.0, 245.2, 5.9, Face.DOWN)
    last = card("ace-of-leaves", 200.3, 244.9, -2.2)
    for lying in ((below,), (below, hidden), (below, hidden, last)):
        before = eyes.see(*lying)
    seen = eyes.see(below, card("end", 183.7, 246.4, 177.5), last)
    assert shown(seen, "sequence-a") == ["author", "end", "ace-of-leaves"]
    assert tracks(seen, "sequence-a") == tracks(before, "sequence-a")


@pytest.mark.thorough
def test_a_card_turned_over_under_one_that_came_later_stays_below_it() -> None:
    """It is known again as it lay when nothing lay on it yet."""
    eyes = Watched()
    lowest, up, top = card("sea", 275.5, 49.5, 183), card("pact", 254.6, 49.7, 180), card("author", 243, 47.2, 3)
    down = card("pact", 253, 47.6, 2.5, Face.DOWN)
    for before in ((lowest,), (lowest, up), (lowest, down), (lowest, down, top)):
        eyes.see(*before)
    again = eyes.see(lowest, up, top)
    assert shown(again, "sequence-b") == ["sea", "pact", "author"]
    assert [touch.track for touch in again.touched] == tracks(again, "sequence-b")[1:2]
    seen = eyes.see(lowest, msgspec.structs.replace(down, x=256, y=51, angle=6), top)
    assert shown(seen, "sequence-b") == ["sea", None, "author"]
    assert tracks(seen, "sequence-b") == tracks(again, "sequence-b")


@pytest.mark.thorough
def test_a_card_taken_from_between_is_gone_though_what_it_hid_is_too_little_to_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it hid and what showed before of the card below are read together."""

    read = Strips.look

    def strip(strips: Strips, quad: Quad, seen: Image) -> Look:
        on = strips._on
        return read(strips, quad, seen) if np.count_nonzero(seen) > 0.35 * on.area else on.look(quad)

    eyes = Watched()
    splay = [card("author", 143, 249, -6.0), card("sea", 160, 249.6, -4.0), card("end", 178, 250.1, -5.0)]
    for count in range(1, 4):
        before = eyes.see(*splay[:count])
    monkeypatch.setattr(Strips, "look", strip)
    seen = eyes.see(splay[0], splay[2])
    assert shown(seen, "sequence-a") == ["author", "end"]
    assert [touch.track for touch in seen.touched] == tracks(before, "sequence-a")[1:2]


@pytest.mark.thorough
@pytest.mark.parametrize("aside", [-2.5, pytest.param(5.6, marks=pytest.mark.soak)])
def test_a_card_put_back_over_the_one_that_was_laid_in_its_place_takes_its_place_again(aside: float) -> None:
    """Of the other one nothing but a rim would show, and paper looks like paper."""
    eyes = Watched()
    below, own = card("author", 178.3, 250.3, 175.0), card("huntress", 198.7, 252.9, 1.3)
    eyes.see(below)
    before = eyes.see(below, own)
    eyes.see(below, card("end", 198.7 - aside, 253.2, 3.5))
    seen = eyes.see(below, own)
    assert shown(seen, "sequence-a") == ["author", "huntress"]
    assert tracks(seen, "sequence-a") == tracks(before, "sequence-a")


@pytest.mark.thorough
def test_a_card_put_back_over_the_strip_of_another_lies_on_it() -> None:
    """The other was seen beside a card that lay a little further away."""
    eyes = Watched()
    below, own = card("end", 284.4, 51.1, 174.3), card("author", 265.2, 51.2, 176.6)
    for before in ((below,), (below, own), (below, card("pact", 262.0, 50.0, 178.0)), (below, own)):
        eyes.see(*before)
    assert shown(eyes.see(own), "sequence-b") == ["author"]


@pytest.mark.thorough
def test_a_card_of_which_more_is_seen_when_one_that_nobody_found_goes_lies_there_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    eyes = Watched()
    low, unfound, top = card("author", 160.8, 249.9, -1.0), card("sea", 169, 250, 6.0), card("end", 192, 251, -3.0)
    before = eyes.see(low)
    with monkeypatch.context() as forgetful:
        forgetful.setattr("vision.cards.tracks._topmost", lambda lying, _: [t for t in lying if t.look.kind != "sea"])
        assert shown(eyes.see(low, unfound), "sequence-a") == ["author"]
    assert shown(eyes.see(low, unfound, top), "sequence-a") == ["author", "end"]
    monkeypatch.setattr("vision.cards.arrivals.quads_in", lambda *_: [])
    seen = eyes.see(low, top)
    assert [(piece.kind, piece.sight) for piece in seen.zone("sequence-a").pieces if piece is not None] == [
        ("author", Sight.SEEN),
        ("end", Sight.SEEN),
    ]
    assert tracks(seen, "sequence-a")[:1] == tracks(before, "sequence-a")
    assert not seen.touched


@pytest.mark.thorough
@pytest.mark.parametrize("askew", [(-5.7, -6.6), pytest.param((4.7, 0.8), marks=pytest.mark.soak)])
def test_two_older_cards_turned_over_together_are_both_seen_so(askew: tuple[float, float]) -> None:
    eyes = Watched()
    splay = [card(kind, 147 + 18 * n, 246, 2.0 - n) for n, kind in enumerate(("sea", "author", "pact", "end"))]
    for count in range(1, 5):
        before = eyes.see(*splay[:count])
    pairs = zip(splay[:2], askew, strict=True)
    turned = [msgspec.structs.replace(one, face=Face.DOWN, x=one.x + 1, angle=angle) for one, angle in pairs]
    seen = eyes.see(*turned, *splay[2:])
    assert [piece.face for piece in seen.zone("sequence-a").pieces if piece] == [Face.DOWN, Face.DOWN, Face.UP, Face.UP]
    assert tracks(seen, "sequence-a") == tracks(before, "sequence-a")


@pytest.mark.thorough
def test_a_face_down_card_put_back_between_others_lies_there_again() -> None:
    eyes = Watched()
    oldest, second, hidden, newest = (
        card("author", 143, 250, 8.0),
        card("sea", 161, 250, -1.0),
        card("pact", 179, 251, -3.0, Face.DOWN),
        card("end", 197, 246, 8.0),
    )
    for bodies in ((oldest,), (oldest, second), (oldest, second, hidden), (oldest, second, hidden, newest)):
        eyes.see(*bodies)
    eyes.see(oldest, second, newest)
    seen = eyes.see(oldest, second, msgspec.structs.replace(hidden, y=247, angle=-4.0), newest)
    assert shown(seen, "sequence-a") == ["author", "sea", None, "end"]
    assert [one.sight for one in seen.zone("sequence-a").pieces if one] == [Sight.SEEN] * 4


@pytest.mark.thorough
def test_a_card_laid_a_little_aside_of_where_the_newest_lay_replaces_it() -> None:
    eyes = Watched()
    older = card("sea", 144, 249, 7.0), card("author", 162, 249, 2.0), card("pact", 180, 249, -6.0)
    for count in range(1, 4):
        eyes.see(*older[:count])
    eyes.see(*older, card("huntress", 194.3, 248.6, -2.0))
    assert shown(eyes.see(*older, card("end", 199, 244.7, 6.0)), "sequence-a") == ["sea", "author", "pact", "end"]


@pytest.mark.thorough
def test_the_back_below_a_card_that_is_gone_is_not_taken_for_that_card_turned_over() -> None:
    eyes = Watched()
    oldest, hidden = card("author", 143.2, 246.1, 0.7), card("sea", 160.7, 246.4, 4.4, Face.DOWN)
    newest, other = card("pact", 178.3, 244.2, 0.1), card("end", 173.9, 249.1, -2.8)
    for bodies in ((oldest,), (oldest, hidden), (oldest, hidden, newest), (oldest, hidden, other)):
        eyes.see(*bodies)
    assert shown(eyes.see(oldest, hidden, newest), "sequence-a") == ["author", None, "pact"]


@pytest.mark.parametrize("lay", [True, False])
def test_plain_paper_that_shows_below_a_card_is_one_if_a_card_lay_there_and_else_a_reflection(
    lay: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, one, other = Watched(), card("author", 147, 246, 2.0), card("sea", 160, 247, -3.0)
    table.see(one, other) if lay else table.see()
    table.see(other)
    monkeypatch.setattr("vision.cards.reader.BLANK", 2.0)  # as if nothing were printed there
    monkeypatch.setattr("vision.cards.recall.LEAST_PRINT", 1.0)
    monkeypatch.setattr(PrintedRecogniser, "name_part", lambda *_: Naming(None, 0.0, 0.0))
    seen = table.see(msgspec.structs.replace(one, x=145.5, y=247.0), other).zone("sequence-a").pieces
    assert [piece.sight for piece in seen if piece is not None] == [Sight.UNKNOWN, Sight.SEEN][0 if lay else 1 :]


def test_a_card_that_was_pushed_as_another_came_upon_it_is_covered_though_plain_paper_shows_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, one, other = Watched(), card("author", 147, 246, 2.0), card("sea", 162, 247, -3.0)
    before = table.see(one)
    monkeypatch.setattr("vision.cards.reader.BLANK", 2.0)  # as if nothing were printed there
    monkeypatch.setattr(PrintedRecogniser, "name_part", lambda *_: Naming(None, 0.0, 0.0))
    seen = table.see(msgspec.structs.replace(one, x=151.0, y=247.0), other)
    piece, _ = seen.zone("sequence-a").pieces
    assert piece is not None
    assert (piece.track, piece.sight) == (*tracks(before, "sequence-a"), Sight.COVERED)


@pytest.mark.thorough
def test_a_card_lies_still_though_one_that_is_pushed_comes_to_hide_more_of_it() -> None:
    eyes = Watched()
    older = [card("author", 146, 248, 8.0, Face.DOWN), card("sea", 162, 247, 5.0, Face.DOWN)]
    pushed = card("pact", 187, 246, 8.0)
    for lying in (older[:1], older, [*older, pushed]):
        before = eyes.see(*lying)
    newest = card("end", 195, 251, 10.0)
    seen = eyes.see(*older, msgspec.structs.replace(pushed, x=180.4), newest)
    assert shown(seen, "sequence-a") == [None, None, "pact", "end"]
    assert tracks(seen, "sequence-a")[:3] == tracks(before, "sequence-a")
    assert [touch.track for touch in seen.touched if touch.lifted] == tracks(seen, "sequence-a")[3:]


@pytest.mark.thorough
def test_paper_of_a_card_that_was_pushed_along_is_no_other_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """More of it shows than always does, under one that came to lie askew: a sliver, which may resemble any print."""
    eyes = Watched()
    oldest, pushed, newest = card("author", 147, 246), card("sea", 165, 247, 2.0), card("end", 188, 246, -14.0)
    for lying in ((oldest,), (oldest, pushed)):
        eyes.see(*lying)
    found, read, slivers = Arrivals.quads, Strips.look, list[Quad]()

    def quads(arrivals: Arrivals) -> list[Quad]:
        came, work = found(arrivals), arrivals.work
        if work.slid:
            slivers[:] = [work.on.quad(Look(169.0, 247.0, 2.0, None, None, Sight.UNKNOWN, 0.0))]
            visible = work.on.mask(slivers[0]) & (work.lying() == 0)
            for each in came:
                visible &= work.on.mask(each) == 0
            arrivals.between = [(slivers[0], np.asarray(visible, np.uint8))]
        return came

    def strip(strips: Strips, quad: Quad, seen: Image) -> Look:
        look = read(strips, quad, seen)
        sliver = quad in slivers
        return msgspec.structs.replace(look, kind="pact", face=Face.UP, sight=Sight.SEEN) if sliver else look

    monkeypatch.setattr(Arrivals, "quads", quads)
    monkeypatch.setattr(Strips, "look", strip)
    seen = eyes.see(msgspec.structs.replace(pushed, x=149.0), newest)
    assert slivers
    assert shown(seen, "sequence-a") == ["sea", "end"]


@pytest.mark.thorough
@pytest.mark.parametrize("askew", [True, False])
def test_a_card_is_not_gone_of_which_a_part_reads_as_ever_and_the_rest_seems_to_be_another(
    askew: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another came between it and the next, and with what is left of it they seem to be one card, which is not read."""
    eyes = Watched()
    oldest, newest = card("author", 147, 246), card("pact", 185, 246, 2.0)
    for lying in ((oldest,), (oldest, newest)):
        before = eyes.see(*lying)
    found = Arrivals.quads

    def quads(arrivals: Arrivals) -> list[Quad]:
        came = found(arrivals)
        both = arrivals.work.on.quad(Look(147.3, 246.2, 0.5, None, None, Sight.UNKNOWN, 0.0))
        return [msgspec.structs.replace(both, shown=0.0)] if came or arrivals.between else came

    if askew:
        monkeypatch.setattr(Arrivals, "quads", quads)
    seen = eyes.see(oldest, card("sea", 164, 246, 1.0), newest)
    assert shown(seen, "sequence-a") == ["author", "sea", "pact"]
    assert [tracks(seen, "sequence-a")[at] for at in (0, 2)] == tracks(before, "sequence-a")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "middle", [("sea", 166.5, 251.9, 10.1), ("huntress", 166.5, 251.9, 10.1), ("pact", 167.0, 250.5, 9.0)]
)
def test_a_card_upon_which_another_comes_to_lie_askew_and_near_is_not_taken_for_replaced(
    middle: tuple[str, float, float, float],
) -> None:
    eyes = Watched()
    lying = [card("author", 143.7, 249.0, -8.7), card(*middle), card("end", 173.6, 251.7, -8.2)]
    for count in (1, 2):
        before = eyes.see(*lying[:count])
    seen = eyes.see(*lying)
    assert shown(seen, "sequence-a") == ["author", middle[0], "end"]
    assert tracks(seen, "sequence-a")[:2] == tracks(before, "sequence-a")
    assert [touch.track for touch in seen.touched if touch.lifted] == tracks(seen, "sequence-a")[2:]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("own", "below", "row"),
    [
        (0.9, 0.5, ["author", "sea", "end"]),
        (0.7, 0.1, ["author", "end"]),
        (0.9, 0.8, ["author", "end"]),
    ],
)
def test_what_is_left_of_a_card_has_to_agree_with_it_and_rather_than_with_those_below(
    own: float, below: float, row: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    eyes = Watched()
    lying = [card("author", 143.7, 249.0, -8.7), card("sea", 166.5, 251.9, 10.1), card("end", 173.6, 251.7, -8.2)]
    for count in (1, 2):
        eyes.see(*lying[:count])
    monkeypatch.setattr(Strips, "fit_there", lambda _, _quad, _seen, kinds=(): own if kinds == ("sea",) else below)
    assert shown(eyes.see(*lying), "sequence-a") == row


@pytest.mark.thorough
def test_a_card_exchanged_for_another_under_one_that_stays_is_told_as_that() -> None:
    eyes = Watched()
    below, gone, above = card("author", 147, 246, 2.0), card("pact", 165, 246, -3.0), card("end", 183, 246, 1.0)
    for lying in ((below,), (below, gone), (below, gone, above)):
        before = eyes.see(*lying)
    seen = eyes.see(below, card("sea", 164.5, 247, -1.0), above)
    assert shown(seen, "sequence-a") == ["author", "sea", "end"]
    assert tracks(seen, "sequence-a")[1] not in tracks(before, "sequence-a")


@pytest.mark.thorough
def test_a_card_exchanged_for_another_that_lies_nearly_there_is_gone() -> None:
    eyes = Watched()
    below, gone = card("author", 143.7, 249.0, -8.7), card("sea", 166.5, 251.9, 10.1)
    for lying in ((below,), (below, gone)):
        eyes.see(*lying)
    seen = eyes.see(below, card("end", 173.6, 251.7, -8.2))
    assert shown(seen, "sequence-a") == ["author", "end"]


@pytest.mark.thorough
@pytest.mark.parametrize(("before", "row"), [(True, ["author", "pact"]), (False, ["author", None, "pact"])])
def test_what_was_no_card_at_the_look_before_is_none_if_it_has_no_clear_edges(
    before: bool, row: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    eyes = Watched()
    lying = [card("author", 147, 246), card("pact", 185, 246, 2.0)]
    for count in (1, 2):
        eyes.see(*lying[:count])

    def quads(arrivals: Arrivals) -> list[Quad]:
        work = arrivals.work
        strip = work.on.quad(Look(160.0, 256.0, 10.0, None, None, Sight.UNKNOWN, 0.0))
        work.objects = work.on.mask(strip) * np.uint8(before)
        return [msgspec.structs.replace(strip, shown=0.0, support=0.6)]

    monkeypatch.setattr(Arrivals, "quads", quads)
    monkeypatch.setattr(Reader, "_blank", lambda *_: False)
    assert shown(eyes.see(*lying), "sequence-a") == row


@pytest.mark.quick(1)
@pytest.mark.parametrize("printed", [True, False])
def test_what_was_never_read_and_hardly_stands_out_is_a_card_if_it_is_printed(
    printed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a lamp's reflection a card hardly stands out; a reflection alone shows no print."""
    eyes, unread = Watched(kinds=("author", "sea", "end")), card("pact", 147, 246, 1.0)
    before = eyes.see(unread)
    monkeypatch.setattr(RestComparison, "solid", lambda work, _=None: np.zeros_like(work.strange))
    if not printed:
        monkeypatch.setattr("vision.cards.reader.BLANK", 2.0)  # as if nothing were printed there
    assert tracks(eyes.see(unread), "sequence-a") == (tracks(before, "sequence-a") if printed else [])


@pytest.mark.thorough
def test_what_comes_where_a_card_lay_that_was_never_read_is_one_card(monkeypatch: pytest.MonkeyPatch) -> None:
    eyes = Watched(kinds=("author", "sea", "end"))
    unread, above = card("pact", 147, 246, 1.0), card("sea", 166, 246, 2.0)
    for lying in ((unread,), (unread, above)):
        eyes.see(*lying)

    def quads(arrivals: Arrivals) -> list[Quad]:
        there = arrivals.work.on.quad(Look(147.4, 246.0, 2.0, None, None, Sight.UNKNOWN, 0.0))
        return [msgspec.structs.replace(there, shown=0.0, support=0.9)]

    monkeypatch.setattr(Arrivals, "quads", quads)
    seen = eyes.see(card("huntress", 147.4, 246, 2.0), above)
    assert shown(seen, "sequence-a") == [None, "sea"]
    (there,) = [one for one in seen.zone("sequence-a").pieces if one is not None and one.kind is None]
    assert abs(there.x_mm - 147.4) < 2.0


@pytest.mark.thorough
def test_what_lies_below_cards_that_lay_there_lies_below_what_came_after_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though its edges may be found first."""
    eyes, orders = Watched(), list[list[float]]()

    def quads(arrivals: Arrivals) -> list[Quad]:
        on = arrivals.work.on
        lay, first, last = (on.quad(Look(x, 246.0, 0.0, None, None, Sight.UNKNOWN, 0.0)) for x in (100.0, 142.0, 184.0))
        for lying in (on.mask(lay), on.mask(lay) * np.uint8(0)):
            orders.append([quad.x for quad in arrivals._uppermost_first([first, last], lying)])
        return []

    monkeypatch.setattr(Arrivals, "quads", quads)
    eyes.see()
    below, beside = orders
    assert below[0] > below[1]
    assert beside[0] < beside[1]


@pytest.mark.thorough
def test_the_strip_of_a_card_is_read_beside_one_that_was_pushed_over_it_and_one_that_came() -> None:
    """Of one that was pushed a strip is known, and all of it lies on those before; so does the one that came last."""
    eyes = Watched()
    middle, newer = card("sea", 175, 247, 8.0), card("pact", 192, 246, -2.0)
    for lying in ((middle,), (middle, newer)):
        eyes.see(*lying)
    pushed = [msgspec.structs.replace(each, x=each.x - 15.0) for each in (middle, newer)]
    seen = eyes.see(card("author", 142, 246, -3.0), *pushed, card("end", 194, 248, 0.5))
    assert shown(seen, "sequence-a") == ["author", "sea", "pact", "end"]


@pytest.mark.thorough
def test_two_newer_cards_turned_over_are_seen_so_though_the_oldest_seems_to_lie_over_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A side of it and one of a back are taken for those of one card, of which nothing can be read."""
    eyes = Watched()
    oldest, one, other = (
        card("author", 145.7, 243.8, 12.2),
        card("sea", 161.3, 247.9, 6.7),
        card("pact", 178.7, 252.8, -8.5),
    )
    for lying in ((oldest,), (oldest, one), (oldest, one, other)):
        before = eyes.see(*lying)
    found = Arrivals.quads

    def quads(arrivals: Arrivals) -> list[Quad]:
        askew = arrivals.work.on.quad(Look(144.2, 253.4, 0.5, None, None, Sight.UNKNOWN, 0.0))
        return [msgspec.structs.replace(askew, shown=0.0), *found(arrivals)]

    monkeypatch.setattr(Arrivals, "quads", quads)
    turned = card("sea", 160.0, 249.6, -12.0, Face.DOWN), card("pact", 181.2, 254.8, 11.0, Face.DOWN)
    seen = eyes.see(oldest, *turned)
    assert shown(seen, "sequence-a") == ["author", None, None]
    assert tracks(seen, "sequence-a") == tracks(before, "sequence-a")
    assert [piece.face for piece in seen.zone("sequence-a").pieces if piece] == [Face.UP, Face.DOWN, Face.DOWN]


@pytest.mark.thorough
def test_a_card_that_was_not_made_out_at_first_lies_on_what_it_came_upon(monkeypatch: pytest.MonkeyPatch) -> None:
    eyes = Watched()
    older, newest = card("author", 151, 252, 0.0), card("sea", 162, 252, 12.0)
    before = eyes.see(older)
    with monkeypatch.context() as patched:
        patched.setattr(Reader, "_objects", lambda _, quads, looks: list(quads))
        eyes.see(older, newest)
    found = eyes.see(older, newest)
    assert len(tracks(found, "sequence-a")) == 2
    seen = eyes.see(newest)
    assert tracks(seen, "sequence-a") == tracks(found, "sequence-a")[1:]
    assert [touch.track for touch in seen.touched if touch.lifted] == tracks(before, "sequence-a")


@pytest.mark.thorough
def test_a_card_that_was_not_made_out_at_first_lies_below_what_it_was_pushed_under(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = renderer(SCENE)
    known, pushed = card("author", 262, 246, 0.0), card("sea", 297, 246, 4.0)
    first = draw.frame(Truth((known,)), (), 1.0, 1)
    mat, cards = mats(["runes"])["runes"], Cards()
    fit, _ = Locator(mat).look(first.picture.gray())
    assert fit is not None
    survey = MatSurvey(fit.projection, mat, ["card-a"], {"decktet": piece_set("decktet")}, {"decktet": recogniser()})
    run_together(survey.observe(first.picture, cards))
    both = draw.frame(Truth((pushed, known)), (), 2.0, 2)
    with monkeypatch.context() as patched:
        patched.setattr(Reader, "_objects", lambda _, quads, looks: list(quads))
        run_together(survey.observe(both.picture, cards))
    run_together(survey.observe(both.picture, cards))
    assert [track.known for track in cards.tracks][-1] == "author"
    assert len(cards.tracks) == 2


def test_a_card_whose_strip_looks_like_that_of_the_one_that_lay_there_is_read_anew() -> None:
    """Two aces differ in the symbol alone: exchanged by one a little beside it, it would seem to have been pushed."""
    eyes = Watched(kinds=TWINS)
    (known,) = tracks(eyes.see(card("ace-of-leaves", 143, 247, 1.6)), "sequence-a")
    seen = eyes.see(card("ace-of-waves", 136, 249, 1.6))
    assert shown(seen, "sequence-a") == ["ace-of-waves"]
    assert tracks(seen, "sequence-a") != [known]
    assert shown(eyes.see(card("ace-of-waves", 124, 247, 1.6)), "sequence-a") == ["ace-of-waves"]


def test_a_card_exchanged_for_its_twin_is_read_though_the_one_on_it_was_taken_as_well() -> None:
    eyes = Watched(kinds=(*TWINS, "author"))
    below = card("ace-of-leaves", 143, 247, 1.6)
    for lying in ((below,), (below, card("author", 161, 247, 1.0))):
        eyes.see(*lying)
    assert shown(eyes.see(card("ace-of-waves", 136, 249, 1.6)), "sequence-a") == ["ace-of-waves"]


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(6))
def test_who_moves_the_camera_moves_no_card_of_a_splay(number: int) -> None:
    """Everything looks otherwise then, and the strips of its older cards could hardly be read again."""
    rng = random.Random(f"bumped/{number}")
    scene, splay = draw(load_scenes()["normal"], rng.getrandbits(20)), list[Body]()
    eyes = Watched(scene, (*CARDS, *TWINS))
    for place, kind in enumerate(rng.sample((*CARDS, *TWINS), 5)):
        x, y = 147.0 + 18.0 * place + rng.uniform(-3.0, 3.0), 246.0 + rng.uniform(-3.0, 3.0)
        splay.append(card(kind, x, y, rng.uniform(-5.0, 5.0), rng.choice(list(Face))))
        before = eyes.see(*splay)
    tilt, roll = scene.tilt_deg + rng.uniform(1.0, 4.0), scene.roll_deg + rng.uniform(0.5, 2.0)
    eyes.move(msgspec.structs.replace(scene, tilt_deg=tilt, roll_deg=roll))
    after = eyes.see(*splay)
    assert shown(after, "sequence-a") == shown(before, "sequence-a")
    assert tracks(after, "sequence-a") == tracks(before, "sequence-a")
    assert after.touched == ()
    seen = eyes.see(*splay[:-1])
    assert [touch.track for touch in seen.touched] == tracks(before, "sequence-a")[-1:]
