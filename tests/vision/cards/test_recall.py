"""Cards that are back where they lay: known again by what shows of them, and by nothing that only resembles it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import msgspec
import numpy as np
import pytest

from device.games import mats
from engine.table import Face, Sight
from referee_simulator.table.setting import piece_set
from tests.vision.cards.watched import Watched, card, shown, something
from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.cards.comparing import RestComparison
from vision.cards.reader import Reader
from vision.cards.recall import PICTURES, Memory, PastPicture, ReturnedCard, TableNow, recall_cards
from vision.cards.remaining import remaining
from vision.finding.pieces import PieceFinder
from vision.recognition.enrolment import BACK
from vision.recognition.naming import Naming
from vision.registration.rectify import corner_projection
from vision.tracking.looks import Look, Track

SEA, PACT, END, PLAIN = (
    Track(number, Look(x, 246.0, turn, kind, Face.UP, Sight.SEEN, 1.0), kind)
    for number, x, turn, kind in (
        (1, 147.0, 2.0, "sea"),
        (2, 163.0, -3.0, "pact"),
        (3, 181.0, 1.0, "end"),
        (4, 169.0, 1.0, "plain"),
    )
)
"""The last has an outline, and no print."""


@cache
def cards() -> CardSheet:
    mat = mats(["runes"])["runes"]
    corners = np.array([[100.0, 60.0], [1180.0, 60.0], [1180.0, 820.0], [100.0, 820.0]])
    projection = corner_projection(corners, mat.size_mm, 1280, 960, None)
    zones = [zone for zone in mat.zones if zone.set == "decktet"]
    return CardSheet(PieceFinder(projection, mat, piece_set("decktet"), mat.zones, strays=False), zones)


@cache
def finder() -> PieceFinder:
    mat = mats(["runes"])["runes"]
    corners = np.array([[100.0, 60.0], [1180.0, 60.0], [1180.0, 820.0], [100.0, 820.0]])
    projection = corner_projection(corners, mat.size_mm, 1280, 960, None)
    return PieceFinder(projection, mat, piece_set("decktet"), mat.zones, strays=False)


def sheet(*lying: Track) -> Image:
    """Cards on a dark ground, the lowest first, each with a print of its own."""
    on = cards()
    picture = np.full((*finder().sheet.shape, 3), 60, np.uint8)
    for track in lying:
        rng = np.random.default_rng(sum(map(ord, track.look.kind or "")))
        quad = on.quad(track.look)
        width, height = (round(side) for side in on.size)
        pattern = np.full((height, width, 3), 200, np.uint8)
        if track.look.kind == "plain":
            cv2.rectangle(pattern, (1, 1), (width - 2, height - 2), (120, 120, 120), 1)
        for _ in range(0 if track.look.kind == "plain" else 40):
            x, y = int(rng.integers(4, width - 8)), int(rng.integers(4, height - 8))
            cv2.rectangle(pattern, (x, y), (x + 5, y + 5), [int(v) for v in rng.integers(0, 120, 3)], -1)
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), -quad.angle_deg, 1.0)
        turn[:, 2] += np.array([quad.x - width / 2, quad.y - height / 2])
        size = picture.shape[1::-1]
        mask = on.mask(quad) > 0
        print_out = cv2.blur(pattern, (3, 3))
        picture[mask] = cv2.warpAffine(print_out, turn, size, borderMode=cv2.BORDER_REPLICATE)[mask]
    return picture


def moved(track: Track, x: float, y: float, turn: float) -> Track:
    look = msgspec.structs.replace(
        track.look, x_mm=track.look.x_mm + x, y_mm=track.look.y_mm + y, angle_deg=track.look.angle_deg + turn
    )
    return msgspec.structs.replace(track, look=look)


def remembered(*lay: Track) -> Memory:
    memory, seen = Memory(), sheet(*lay)
    memory.keep(PastPicture(seen, finder(), seen), lay, cards().zones)
    return memory


def back(memory: Memory, still: tuple[Track, ...], now: Image, name: str | None = None) -> list[ReturnedCard]:
    on = cards()
    shown = np.zeros(now.shape[:2], np.uint8)
    for track in still:
        shown |= on.mask(on.quad(track.look))
    seen = TableNow(finder(), now, shown, np.ones_like(shown))
    return list(recall_cards(on, seen, memory.of({track.number for track in still}), lambda _quad, _seen: name))


def test_a_card_put_back_below_another_is_known_by_the_strip_that_shows() -> None:
    (one,) = back(remembered(PACT, END), (END,), sheet(PACT, END))
    assert one.track == PACT
    assert [other.number for other in one.above] == [END.number]
    assert not (one.visible & cards().mask(cards().quad(END.look))).any()


def test_a_card_of_which_plain_paper_shows_is_back_if_its_outline_lies_where_it_did() -> None:
    memory = remembered(SEA, PLAIN, END)
    assert PLAIN in [one.track for one in back(memory, (END,), sheet(SEA, PLAIN, END))]
    for now in (
        sheet(SEA, END),
        sheet(SEA, moved(PLAIN, 2.0, 0.0, 0.0), END),
        sheet(SEA, moved(PLAIN, 0.0, 0.0, 3.0), END),
    ):
        assert PLAIN.number not in [one.track.number for one in back(memory, (END,), now)]


@pytest.mark.parametrize("way", [(3.0, -2.0, 0.0), (-2.0, 4.0, 3.0), (1.0, 1.0, -2.0)])
def test_a_card_is_not_put_back_to_a_hairs_breadth(way: tuple[float, float, float]) -> None:
    (one,) = back(remembered(PACT), (), sheet(moved(PACT, *way)))
    wanted = moved(PACT, *way).look
    assert one.track.number == PACT.number
    assert np.hypot(one.track.look.x_mm - wanted.x_mm, one.track.look.y_mm - wanted.y_mm) < 0.5
    assert abs(one.track.look.angle_deg - wanted.angle_deg) < 0.5


@pytest.mark.parametrize("other", [(), (moved(SEA, 16.0, 0.0, -5.0),)])
def test_another_card_in_its_place_or_none_is_not_taken_for_it(other: tuple[Track, ...]) -> None:
    assert back(remembered(PACT, END), (END,), sheet(*other, END)) == []


def test_a_card_that_differs_by_one_sign_is_another() -> None:
    now = sheet(PACT)
    middle = cards().quad(PACT.look)
    cv2.circle(now, (round(middle.x), round(middle.y)), round(3.0 * cards().scale), (20, 20, 160), -1)
    assert back(remembered(PACT), (), now) == []


@pytest.mark.parametrize(("name", "taken"), [(PACT.look.kind, [PACT.number]), (None, []), ("end", [])])
def test_a_strip_that_looks_only_nearly_as_it_did_is_of_that_card_if_its_name_is_read_there(
    name: str | None, taken: list[int]
) -> None:
    now = sheet(PACT, END)
    middle = cards().quad(PACT.look)
    cv2.circle(
        now, (round(middle.x - 23 * cards().scale), round(middle.y)), round(2.4 * cards().scale), (20, 20, 160), -1
    )
    assert [one.track.number for one in back(remembered(PACT, END), (END,), now, name)] == taken


@pytest.mark.parametrize(("name", "taken"), [(PACT.look.kind, [PACT.number]), (None, [PACT.number]), ("end", [])])
def test_a_card_in_full_sight_is_not_the_one_it_looks_like_if_it_is_read_as_another(
    name: str | None, taken: list[int]
) -> None:
    assert [one.track.number for one in back(remembered(PACT), (), sheet(PACT), name)] == taken


@pytest.mark.parametrize(("pushed_mm", "order"), [(0.0, [SEA.number, PACT.number]), (-30.0, [PACT.number, SEA.number])])
def test_a_card_that_is_back_lies_below_what_lay_on_it_unless_that_lies_elsewhere_now(
    pushed_mm: float, order: list[int]
) -> None:
    upper = moved(PACT, pushed_mm, 0.0, 0.0)
    now = sheet(SEA, PACT) if not pushed_mm else sheet(upper, SEA)
    (sea,) = (one for one in back(remembered(SEA, PACT), (), sheet(SEA, PACT)) if one.track.number == SEA.number)
    work = RestComparison(cards(), now, sheet(upper), finder().usable, (upper,))
    work.put_back([sea])
    assert [track.number for track in work.known] == order


@pytest.mark.parametrize(("aside", "left"), [(3.0, {1}), (10.0, {1, 2})])
def test_a_card_that_lies_just_where_another_lay_is_in_its_place_and_one_laid_beside_it_is_not(
    aside: float, left: set[int]
) -> None:
    came = moved(END, PACT.look.x_mm + aside - END.look.x_mm, 0.0, PACT.look.angle_deg - END.look.angle_deg)
    work = RestComparison(cards(), sheet(SEA, PACT, came), sheet(SEA, PACT), finder().usable, (SEA, PACT))
    kept, covered, gone = remaining(work, [cards().quad(came.look)])
    assert {track.number for track in kept} == left
    assert {track.number for track in gone} == {1, 2} - left
    assert covered == []


def test_a_card_stays_of_which_the_print_does_though_something_darkens_its_paper() -> None:
    before, now = sheet(PACT, END), sheet(PACT, END)
    own = cards().mask(cards().quad(PACT.look)) & (cards().mask(cards().quad(END.look)) ^ 1)
    paper = (now.min(axis=2) > 190) & (own > 0)
    now[paper] = 150
    work = RestComparison(cards(), now, before, finder().usable, (PACT, END))
    assert work.still == {END.number}
    assert work.partly_still == {PACT.number, END.number}
    assert [track.number for track in remaining(work, [])[0]] == [PACT.number, END.number]
    other = RestComparison(cards(), sheet(moved(SEA, 16.0, 0.0, -5.0), END), before, finder().usable, (PACT, END))
    assert other.partly_still == {END.number}


@pytest.mark.parametrize(("lowest_first", "below"), [((END, PACT), {PACT.number}), ((PACT, END), set())])
def test_what_came_lies_below_a_card_whose_print_is_still_to_be_seen(
    lowest_first: tuple[Track, Track], below: set[int]
) -> None:
    came = msgspec.structs.replace(END.look, x_mm=PACT.look.x_mm + 40.0)
    end = msgspec.structs.replace(END, look=came)
    work = RestComparison(
        cards(), sheet(*(end if t is END else t for t in lowest_first)), sheet(PACT), finder().usable, (PACT,)
    )
    work.mark_found_again(cards().quad(PACT.look), work.shows(PACT))
    assert work.cards_above(came) == below


@pytest.mark.parametrize(("aside", "known"), [(1.5, True), (9.0, False)])
def test_a_rectangle_just_where_a_card_was_known_is_that_card(aside: float, known: bool) -> None:
    work = RestComparison(cards(), sheet(PACT), sheet(PACT), finder().usable, (PACT,))
    assert work.is_known(cards().quad(moved(PACT, aside, 0.0, 1.0).look)) is known


@pytest.mark.parametrize("came", [True, False])
def test_a_card_was_pushed_only_to_where_the_table_looks_otherwise(came: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The strip of one ace is like that of another that lay there all the time."""
    there = moved(END, PACT.look.x_mm - END.look.x_mm, 0.0, 0.0)
    way = round((there.look.x_mm - END.look.x_mm) * cards().scale), 0
    monkeypatch.setattr("vision.cards.comparing.slid", lambda *_: {END: way})
    now = sheet(SEA, there) if came else sheet(SEA, PACT)
    work = RestComparison(cards(), now, sheet(SEA, PACT, END), finder().usable, (SEA, PACT, END))
    assert work.slid == (frozenset({END.number}) if came else frozenset())


@pytest.mark.parametrize(("known", "aside_mm", "pushed"), [(True, 0.0, False), (False, 0.0, True), (True, 15.0, True)])
def test_a_pushed_card_that_is_read_as_another_just_there_is_another(
    known: bool, aside_mm: float, pushed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever never was read may be anything, and what is read beside it lies upon it."""
    unread = msgspec.structs.replace(END.look, kind=None, face=None, sight=Sight.UNKNOWN)
    lay = END if known else msgspec.structs.replace(END, look=unread)
    there = moved(END, PACT.look.x_mm - END.look.x_mm, 0.0, 0.0)
    way = round((there.look.x_mm - END.look.x_mm) * cards().scale), 0
    monkeypatch.setattr("vision.cards.comparing.slid", lambda *_: {lay: way})
    other = msgspec.structs.replace(there.look, kind="author", face=Face.UP, sight=Sight.SEEN)
    other = msgspec.structs.replace(other, x_mm=other.x_mm + aside_mm)
    tracks = (SEA, PACT, lay)
    work = RestComparison(cards(), sheet(SEA, there), sheet(SEA, PACT, END), finder().usable, tracks, lambda _: other)
    assert (END.number in work.slid) is pushed


def test_a_card_that_is_not_found_went_with_the_one_that_was_pushed_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there = moved(END, PACT.look.x_mm - END.look.x_mm, 0.0, 0.0)
    way = round((there.look.x_mm - END.look.x_mm) * cards().scale), 0
    monkeypatch.setattr("vision.cards.comparing.slid", lambda *_: {END: way})
    work = RestComparison(cards(), sheet(SEA, there), sheet(SEA, PACT, END), finder().usable, (SEA, PACT, END))
    along = work.pushed_with(PACT)
    assert along is not None
    assert along.look.x_mm - PACT.look.x_mm == pytest.approx(there.look.x_mm - END.look.x_mm, abs=1.0)
    monkeypatch.setattr("vision.cards.comparing.slid", lambda *_: {})
    nobody = RestComparison(cards(), sheet(SEA, there), sheet(SEA, PACT, END), finder().usable, (SEA, PACT, END))
    assert nobody.pushed_with(PACT) is None


class Backs:
    """Takes every part of a card for a back's."""

    def name_part(self, _crop: Image, _seen: Image, _kinds: Sequence[str] = ()) -> Naming:
        return Naming(BACK, 0.99, 0.0, BACK, 0.99)


@pytest.mark.parametrize("below", [True, False])
def test_the_rest_of_a_card_that_was_found_askew_is_no_other_card(below: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    on = cards()
    askew, beside = (on.quad(moved(END, x, 0.0, 0.0).look) for x in (12.0, 16.0))
    other = moved(PACT, beside.x / on.scale - on.quad(PACT.look).x / on.scale, 0.0, 0.0)
    lying = (SEA, other, END) if below else (SEA, END)
    work = RestComparison(on, sheet(*lying), sheet(SEA), finder().usable, (SEA,))
    found = [msgspec.structs.replace(one, shown=shown, support=0.8) for one, shown in ((beside, 0.0), (askew, 1.0))]
    monkeypatch.setattr("vision.cards.reader.Arrivals.quads", lambda _: found)
    came = Reader(work, lambda whole: [END.look for _ in whole], Backs(), unique=True).rest().came
    assert [one.look.kind for one in came] == ([None, "end"] if below else ["end"])


def test_what_is_seen_elsewhere_under_another_number_is_forgotten() -> None:
    memory = remembered(PACT, END)
    elsewhere = msgspec.structs.replace(moved(PACT, 110.0, 0.0, 0.0), number=9)
    seen = sheet(elsewhere, END)
    memory.keep(PastPicture(seen, finder(), seen), (elsewhere, END), cards().zones)
    assert {one.track.number for one in memory.of(())} == {9, END.number}


@pytest.mark.thorough
def test_only_the_last_pictures_are_kept() -> None:
    memory = remembered(PACT, END)
    for _ in range(PICTURES - 1):
        memory.keep(PastPicture(sheet(END), finder(), sheet(END)), (END,), cards().zones)
    assert {one.track.number for one in memory.of(())} == {PACT.number, END.number}
    for number in range(PICTURES):
        track = msgspec.structs.replace(
            END, number=20 + number, look=msgspec.structs.replace(END.look, kind=str(number))
        )
        memory.keep(PastPicture(sheet(END), finder(), sheet(END)), (track,), cards().zones)
    assert PACT.number not in {one.track.number for one in memory.of(())}


def test_the_ground_is_told_without_the_cards_that_lie_as_they_did(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full table there may be more paper than ground."""
    monkeypatch.setattr("vision.cards.comparing.stands_out", lambda _sheet, _usable, other: other)
    far = moved(PACT, 120.0, 0.0, 0.0)
    work = RestComparison(cards(), sheet(SEA), sheet(SEA, far), finder().usable, (SEA, far))
    other, still, gone = work.solid(), cards().mask(cards().quad(SEA.look)), cards().mask(cards().quad(far.look))
    assert other[still > 0].mean() > 0.95
    assert not other[gone > 0].any()


class Ends:
    """Takes every part of a card for that of one kind."""

    def name_part(self, _crop: Image, _seen: Image, _kinds: Sequence[str] = ()) -> Naming:
        return Naming("end", 0.99, 0.0, "end", 0.99)


def test_a_card_that_was_pushed_along_and_not_found_is_covered_where_it_would_lie(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on, way = cards(), (round(-16.0 * cards().scale), 0)
    pushed = [moved(track, way[0] / on.scale, 0.0, 0.0) for track in (PACT, END)]
    monkeypatch.setattr("vision.cards.comparing.slid", lambda *_: {END: way})
    monkeypatch.setattr("vision.cards.reader.Arrivals.quads", lambda _: [])
    work = RestComparison(on, sheet(*pushed), sheet(PACT, END), finder().usable, (PACT, END))
    rest = Reader(work, lambda _: [], Ends(), unique=True).rest()
    assert [(track.number, track.look.sight) for track in rest.covered] == [(PACT.number, Sight.COVERED)]
    assert rest.perhaps_gone == {PACT.number}
    assert rest.gone == []


def test_a_plain_patch_where_a_printed_card_lay_is_not_that_card() -> None:
    table, lying = Watched(), card("author", 272.0, 246.0)
    assert shown(table.see(lying), "card-a") == ["author"]
    assert not any(table.see().zone("card-a").pieces)
    paper = something(lying.x, lying.y, lying.width, lying.height, (161, 175, 171))
    assert not any(table.see(paint=[paper]).zone("card-a").pieces)
