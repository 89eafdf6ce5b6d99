"""What pages are sent, and when: nothing before a key is recognised, and nothing by which others' taps are counted."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.bus.framing import pack
from device.owner.claim import code_of
from device.screens.page_view import AnswerList, PageView
from engine.errors import Invalid
from engine.text import Text
from extensions.phones.tests.daemon.phone import Phone
from referee_phones.daemon import seats
from referee_phones.daemon.handshake import KeyProof
from referee_phones.daemon.links import OWN_S, SAYS, TAPS
from referee_phones.daemon.pages import OTHERS_S, Pages
from referee_phones.daemon.seats import RefusalReason, SeatedPhones
from referee_phones.frames import (
    LINKS,
    SHOWN_BYTES,
    Admit,
    Back,
    Close,
    Closed,
    FromWorker,
    Go,
    Hello,
    Join,
    Name,
    PageOpened,
    PageTouch,
    Save,
    Speak,
    To,
    ToWorker,
)

KEY, OTHER = Phone("0"), Phone("1")
CODES = {"a": code_of(1), "b": code_of(2)}
SEATS = ("a", "b", "table")


class Wire:
    """A worker that keeps what it is sent, with the time."""

    def __init__(self, context: House, audience: str) -> None:
        self._house, self.audience, self.takes = context, audience, True
        self.sent: list[tuple[float, To | Close]] = []
        self.admitted: list[int] = []
        self.public = ""

    def send(self, frame: ToWorker) -> None:
        if isinstance(frame, Hello):
            self.public = frame.public
            return
        if isinstance(frame, Admit):
            self.admitted.append(frame.link)
            return
        assert isinstance(frame, To | Close), "nobody gives a seat a file"
        self.sent.append((self._house.at, frame))

    def texts(self, link: int = 1) -> list[dict[str, Any]]:
        return [json.loads(frame.text) for _, frame in self.sent if frame.link == link and frame.text]

    def stream(self) -> tuple[tuple[float, bytes], ...]:
        """All that went over the socket, and when."""
        return tuple((at, pack(frame)) for at, frame in self.sent)


class House:
    """Pages at a table of two, whose every seat has a number that all see, one that it alone sees, and a list."""

    def __init__(self) -> None:
        self.at = 0.0
        self.guests = SeatedPhones(codes=CODES)
        self.public, self.private, self.serials = 0, {"a": 0, "b": 0}, {"a": 1, "b": 1}
        self.names: list[tuple[str, Name, bool]] = []
        self.tapped: list[tuple[str, PageTouch, float]] = []
        self.unkept = self.crowded = False
        self.asked = self.saves = 0
        self.pages = Pages(self, lambda: self.at)
        self.wires = {name: Wire(self, name) for name in SEATS}
        for wire in self.wires.values():
            self.pages.meet_worker(wire)

    # What pages need of the daemon.

    def sheet(self, audience: str | None) -> PageView:
        self.asked += 1
        own = "" if audience is None else f"{self.private[audience]}"
        serial = 0 if audience is None else self.serials[audience]
        return PageView(Text(f"{self.public}"), status=Text(own), answers=AnswerList(serial, lines=(Text("Continue"),)))

    def language(self) -> str:
        return "en"

    def join(self, seat: str, key: str, proof: KeyProof, network: str, *, by_number: bool) -> RefusalReason | None:
        if self.unkept:
            return RefusalReason.UNKEPT
        found = seats.join(self.guests, seat, key, proof, by_number=by_number)
        if isinstance(found, RefusalReason):
            return found
        self.guests = found
        self.pages.on_step()
        return None

    def back(self, seat: str, proof: KeyProof) -> RefusalReason | None:
        return seats.back(self.guests, seat, proof)

    def secret(self, seat: str) -> str:
        return self.guests.phones.get(seat, "")

    def leave(self, seat: str) -> RefusalReason | None:
        self.guests = seats.leave(self.guests, seat)
        self.pages.on_step()
        return None

    def barred_reason(self, seat: str) -> RefusalReason | None:
        return None

    def tap(self, seat: str, touch: PageTouch, seen_at: float) -> bool:
        self.tapped.append((seat, touch, seen_at))
        return not self.crowded

    def name(self, seat: str, frame: Name, *, by_anyone: bool) -> Text | None:
        self.names.append((seat, frame, by_anyone))
        if frame.text == "?":
            raise Invalid(Text("no name"))
        return Text("not drawn") if frame.text == "\u0939" else None

    def save(self) -> None:
        self.saves += 1

    # What happens at the table.

    def says(self, audience: str, *frames: FromWorker) -> None:
        for frame in frames:
            self.pages.on_frame(self.wires[audience], frame)

    def pass_s(self, seconds: float) -> None:
        """Time goes on; what is due is sent when it is."""
        end = self.at + seconds
        while (due := self.pages.due) is not None and due <= end:
            self.at = max(self.at, due)
            self.pages.publish()
        self.at = end

    def sit(self, seat: str, link: int = 1, phone: Phone = KEY) -> None:
        self.says(seat, PageOpened(link), self.joins(seat, phone, link))
        self.pass_s(1.0)

    def joins(self, seat: str, phone: Phone, link: int = 1, code: str | None = None) -> Join:
        """A phone with a code; without one, with the seat's first."""
        return phone.join(self.wires[seat].public, link, CODES[seat] if code is None else code)

    def returns(self, seat: str, phone: Phone, link: int = 1) -> Back:
        return phone.back(self.wires[seat].public, link)

    def take_tap(self, *, heeded: bool = True) -> None:
        """The daemon takes a tap: the seat's private number grows, and its list is another."""
        seat, _, _ = self.tapped[-1]
        if heeded:
            self.private[seat] += 1
            self.serials[seat] += 1
        self.pages.on_step(seat, heeded=heeded)


def why(wire: Wire, link: int = 1) -> str | None:
    last = wire.texts(link)[-1]
    return last.get("why")


def test_nothing_of_a_match_goes_to_a_seats_page_before_its_key_was_recognised() -> None:
    context = House()
    context.says("a", PageOpened(1), PageTouch(1, 1, 0), Name(1, "Anna"), Go(1), Speak(1, "ru"))
    context.pages.on_step("b")
    context.pass_s(1.0)
    assert context.wires["a"].sent == []
    assert (context.tapped, context.names, context.asked) == ([], [], 0)
    context.says("a", context.joins("a", KEY))
    context.pass_s(1.0)
    assert [sorted(text) for text in context.wires["a"].texts()] == [["joined"], ["at", "number", "sheet"]]
    assert context.wires["a"].texts()[1]["sheet"]["status"] == "0"


def test_the_tables_page_shows_at_once_what_everybody_sees_and_does_nothing() -> None:
    context = House()
    context.says(
        "table",
        PageOpened(1),
        context.joins("a", KEY),
        context.returns("a", KEY),
        PageTouch(1, 1, 0),
        Go(1),
        Name(1, "x"),
    )
    context.pass_s(1.0)
    (shown,) = context.wires["table"].texts()
    assert shown["sheet"]["heading"] == "0"
    assert (context.tapped, context.names, context.guests.phones) == ([], [], {})
    assert context.pages.refused == 5


def test_only_what_differs_is_sent_and_only_the_newest() -> None:
    context = House()
    context.sit("a")
    for _ in range(5):
        context.public += 1
        context.pages.on_step("b")
    context.pass_s(1.0)
    context.pages.on_step("b")
    context.pass_s(1.0)
    assert context.wires["a"].texts()[2:] == [{"sheet": {"heading": "5"}, "number": 2, "at": 1.25}]


def test_what_others_did_waits_for_the_grid_and_ones_own_answer_for_a_finer_one() -> None:
    context = House()
    context.sit("a")
    context.sit("b", phone=OTHER)
    context.at = 10.01
    context.public += 1
    context.pages.on_step("b")
    context.pass_s(1.0)
    assert context.wires["b"].sent[-1][0] == pytest.approx(10.0 + OWN_S)
    assert context.wires["a"].sent[-1][0] == pytest.approx(10.0 + OTHERS_S)


@pytest.mark.parametrize(
    ("code", "expected"),
    [("", RefusalReason.UNKNOWN), ("WRONG", RefusalReason.UNKNOWN), (CODES["b"], RefusalReason.UNKNOWN)],
)
def test_a_wrong_code_is_refused_with_a_sentence(code: str, expected: RefusalReason) -> None:
    context = House()
    context.says("a", PageOpened(1, "ru"), context.joins("a", KEY, 1, code))
    context.pass_s(1.0)
    (told,) = context.wires["a"].texts()
    assert told["why"] == expected
    assert any("а" <= letter <= "я" for letter in told["refused"])


def test_the_second_phone_with_a_code_hears_that_it_was_used() -> None:
    context = House()
    context.sit("a")
    context.says("a", PageOpened(2), context.joins("a", OTHER, 2))
    context.pass_s(1.0)
    assert why(context.wires["a"], 2) == RefusalReason.SPENT
    assert context.pages.seated == {"a"}


def test_a_phone_comes_back_to_its_seat_and_an_unknown_one_does_not() -> None:
    """The worker hears whose link it is only from here."""
    context = House()
    context.sit("a")
    context.says(
        "a", Closed(1), PageOpened(2), context.returns("a", KEY, 2), PageOpened(3), context.returns("a", OTHER, 3)
    )
    context.pass_s(1.0)
    assert context.wires["a"].admitted == [1, 2]
    assert ["joined" in text or sorted(text)[-1] for text in context.wires["a"].texts(2)] == [True, "sheet"]
    assert why(context.wires["a"], 3) == RefusalReason.UNKNOWN


def test_of_two_pages_with_one_key_the_newer_plays_and_the_older_is_told() -> None:
    context = House()
    context.sit("a")
    context.says("a", PageOpened(2), context.returns("a", KEY, 2))
    last = context.wires["a"].sent[-1][1]
    assert isinstance(last, Close)
    assert json.loads(last.text)["why"] == RefusalReason.SUPERSEDED
    context.says("a", PageTouch(1, 1, 0))
    assert context.tapped == []


def test_a_challenge_lets_a_page_in_once_and_is_good_for_its_own_link() -> None:
    context = House()
    context.says("a", PageOpened(1), context.joins("a", KEY, 1, "WRONG"), context.joins("a", KEY))
    again = context.returns("a", KEY)
    context.says("a", again)
    assert (context.wires["a"].admitted, context.pages.refused) == ([1], 1), "a wrong code costs no challenge"
    context.says("a", Closed(1), PageOpened(2), Back(2, again.proof))
    context.pass_s(1.0)
    assert why(context.wires["a"], 2) == RefusalReason.UNKNOWN


def test_a_seat_that_is_passed_on_closes_the_page_that_had_it() -> None:
    context = House()
    context.sit("a")
    context.guests = seats.invite(context.guests, "a", code_of(9))
    context.says("a", PageOpened(2), context.joins("a", OTHER, 2, code_of(9)))
    context.pass_s(1.0)
    assert why(context.wires["a"], 1) == RefusalReason.REVOKED
    assert isinstance(context.wires["a"].sent[-3][1], Close)
    assert context.wires["a"].texts(2)[0]["joined"] == "a"
    context.says("a", PageOpened(3), context.returns("a", KEY, 3))
    context.pass_s(1.0)
    assert why(context.wires["a"], 3) == RefusalReason.REVOKED


def test_a_phone_gives_its_seat_up() -> None:
    context = House()
    context.sit("a")
    context.says("a", Go(1))
    assert why(context.wires["a"]) == RefusalReason.REVOKED
    assert context.pages.seated == frozenset()


def test_what_could_not_be_written_was_not_accepted() -> None:
    context = House()
    context.unkept = True
    context.sit("a")
    assert why(context.wires["a"]) == RefusalReason.UNKEPT
    assert context.pages.seated == frozenset()


def test_a_tap_says_what_it_saw_and_since_when() -> None:
    context = House()
    context.sit("a")
    shown = context.wires["a"].sent[-1][0]
    context.says("a", PageTouch(1, 1, 0))
    assert context.tapped == [("a", PageTouch(1, 1, 0), shown)]


@pytest.mark.parametrize("touch", [PageTouch(1, 2, 0), PageTouch(1, 0, 0), PageTouch(1, 1, 0, menu=True)])
def test_a_tap_on_what_this_page_does_not_show_is_stale(touch: PageTouch) -> None:
    context = House()
    context.sit("a")
    context.says("a", touch)
    context.pass_s(1.0)
    assert (context.tapped, why(context.wires["a"])) == ([], RefusalReason.STALE)


def test_a_tap_that_came_too_late_is_stale_too() -> None:
    context = House()
    context.sit("a")
    context.says("a", PageTouch(1, 1, 0))
    context.take_tap(heeded=False)
    context.pass_s(1.0)
    assert why(context.wires["a"]) == RefusalReason.STALE


def test_one_tap_waits_at_a_time_and_no_more_than_a_few_a_second() -> None:
    context = House()
    context.sit("a")
    context.says("a", *[PageTouch(1, 1, 0)] * 100)
    assert len(context.tapped) == 1
    context.pass_s(1.0)
    assert [text["why"] for text in context.wires["a"].texts()[2:]] == [RefusalReason.BUSY] * SAYS
    for _ in range(100):
        context.take_tap(heeded=False)
        context.says("a", PageTouch(1, 1, 0))
    assert len(context.tapped) <= 2 * TAPS


def test_a_tap_for_which_there_was_no_room_is_told_and_the_next_one_counts() -> None:
    context = House()
    context.sit("a")
    context.crowded = True
    context.says("a", PageTouch(1, 1, 0))
    context.pass_s(1.0)
    assert why(context.wires["a"]) == RefusalReason.BUSY
    context.crowded = False
    context.says("a", PageTouch(1, 1, 0))
    assert len(context.tapped) == 2


def test_names_go_to_the_disk_so_they_are_rationed() -> None:
    context = House()
    context.sit("a")
    context.says("a", *[Name(1, "Anna")] * 50)
    assert 1 <= len(context.names) <= 5
    for link in range(2, 30):
        context.says("a", PageOpened(link), context.returns("a", KEY, link), *[Name(link, "Anna")] * 5)
    assert len(context.names) <= 5


def test_a_name_that_cannot_be_one_is_refused_with_its_own_sentence() -> None:
    context = House()
    context.sit("a")
    context.says("a", Name(1, "?"))
    context.pass_s(1.0)
    assert context.wires["a"].texts()[-1] == {"refused": "no name", "why": "name"}


def test_a_name_that_displays_do_not_show_is_taken_and_that_is_said() -> None:
    context = House()
    context.sit("a")
    context.says("a", Name(1, "\u0939"))
    context.pass_s(1.0)
    assert context.wires["a"].texts()[-1] == {"note": "not drawn"}


def test_the_tables_page_names_a_seat_and_a_seats_page_only_its_own() -> None:
    context = House()
    context.says("table", PageOpened(1), Name(1, "Anna", "red", "b"), Name(1, "Bert"))
    context.sit("a")
    context.says("a", Name(1, "Carl", seat="b"), Name(1, "Dora", "green"))
    assert context.names == [("b", Name(1, "Anna", "red", "b"), True), ("a", Name(1, "Dora", "green"), False)]


def test_a_record_goes_in_parts_to_the_pages_that_asked_for_it() -> None:
    context, record = House(), bytes(range(256)) * 300
    context.sit("a")
    context.says("table", PageOpened(1), PageOpened(2), Save(1))
    context.says("b", PageOpened(1), Save(1))
    context.says("a", Save(1), Save(1))
    context.pass_s(1.0)
    assert why(context.wires["a"]) == RefusalReason.BUSY, "it is being written already"
    assert context.saves == 2
    context.pages.on_record(record)
    context.pass_s(1.0)
    for audience in ("a", "table"):
        parts = [text for text in context.wires[audience].texts() if "part" in text]
        assert [(each["at"], each["of"]) for each in parts] == [(0, 3), (1, 3), (2, 3)]
        assert b"".join(base64.b64decode(each["part"]) for each in parts) == record
    assert not any("part" in text for text in (*context.wires["table"].texts(2), *context.wires["b"].texts()))
    assert all(len(frame.text) < SHOWN_BYTES for _, frame in context.wires["a"].sent if isinstance(frame, To))


def test_a_match_that_cannot_be_saved_is_said_and_asking_is_rationed() -> None:
    context = House()
    context.says("table", PageOpened(1), Save(1))
    context.pages.on_record(None)
    context.pass_s(0.5)
    assert ["could not be saved" in each["note"] for each in context.wires["table"].texts() if "note" in each] == [True]
    for _ in range(20):
        context.says("table", Save(1))
        context.pages.on_record(None)
    assert context.saves <= 4


def test_a_page_may_change_its_language() -> None:
    context = House()
    context.says("table", PageOpened(1, "zh-Hant"), PageOpened(2, "xx"))
    context.pass_s(1.0)
    context.says("table", Speak(1, "ru"))
    context.pass_s(1.0)
    whole = context.sheet(None)
    assert context.wires["table"].texts(1)[0]["sheet"]["answers"]["lines"] != [str(whole.answers.lines[0])]
    assert context.wires["table"].texts(2)[0]["sheet"]["answers"]["lines"] == [str(whole.answers.lines[0])]
    assert "answers" in context.wires["table"].texts(1)[1]["sheet"]


def test_who_asks_for_everything_again_and_again_costs_little() -> None:
    context = House()
    context.sit("a")
    before, sent = context.asked, len(context.wires["a"].sent)
    for number in range(200):
        context.says("a", Speak(1, "en" if number % 2 else "ru"), context.returns("a", KEY))
        context.pass_s(0.01)
    assert context.asked - before <= 2.0 / OTHERS_S + 1
    assert len(context.wires["a"].sent) - sent <= 2.0 / OWN_S * 2 * SAYS


def test_a_worker_that_takes_nothing_gets_the_newest_once_it_does() -> None:
    context = House()
    context.sit("a")
    before = len(context.wires["a"].sent)
    context.wires["a"].takes = False
    for _ in range(3):
        context.public += 1
        context.pages.on_step("b")
        context.pass_s(1.0)
    assert context.pages.due is None
    assert len(context.wires["a"].sent) == before
    context.wires["a"].takes = True
    context.pages.ready(context.wires["a"])
    context.pass_s(1.0)
    assert [text["sheet"] for text in context.wires["a"].texts()[before:]] == [{"heading": "3"}]


def test_with_its_worker_its_pages_are_gone() -> None:
    context = House()
    context.sit("a")
    context.says("a", PageOpened(2))
    context.pages.lose_worker(context.wires["a"])
    context.pages.on_step("a")
    context.says("a", PageTouch(1, 1, 0))
    assert (context.pages.due, context.pages.seated, context.tapped) == (None, frozenset(), [])


def test_strangers_cannot_keep_the_phone_that_has_the_seat_away() -> None:
    context = House()
    context.sit("a")
    context.says("a", *(PageOpened(number) for number in range(2, LINKS + 20)))
    assert why(context.wires["a"], 2) == RefusalReason.FULL
    assert [frame for _, frame in context.wires["a"].sent if isinstance(frame, Close) and frame.link == 1] == []
    context.says("a", PageOpened(999), context.returns("a", KEY, 999))
    context.pass_s(1.0)
    assert context.wires["a"].texts(999)[0]["joined"] == "a"


def test_two_hundred_who_look_on_keep_the_first_of_them() -> None:
    context = House()
    context.says("table", *(PageOpened(number) for number in range(1, 201)))
    context.pass_s(1.0)
    assert "sheet" in context.wires["table"].texts(1)[-1]
    assert why(context.wires["table"], 200) == RefusalReason.FULL
    assert isinstance(context.wires["table"].sent[0][1], Close)


def test_a_link_that_is_not_there_is_not_answered() -> None:
    context = House()
    context.says("a", context.joins("a", KEY, 7), PageOpened(1), PageOpened(1), Closed(8))
    context.pass_s(1.0)
    assert (context.wires["a"].sent, context.pages.refused) == ([], 2)


def test_a_page_that_was_ended_is_gone_at_the_right_time() -> None:
    context = House()
    context.sit("a")
    context.says("a", PageOpened(2), context.returns("a", KEY, 2))
    assert why(context.wires["a"], 1) == RefusalReason.SUPERSEDED
    context.says("a", Closed(1))
    assert context.pages.refused == 0
    assert context.pages.seated == {"a"}
    context.says("a", Closed(2))
    assert context.pages.seated == set()


EVENTS = st.lists(st.tuples(st.integers(1, 400), st.sampled_from(["public", "own", "other"])), max_size=25)


def played(events: list[tuple[int, str]], private: dict[int, int]) -> dict[str, tuple[tuple[float, bytes], ...]]:
    """The streams of all audiences but b's. events: hundredths of a second to wait, and what happens then; private: so
    many private taps of b follow an event, each at another moment."""
    context = House()
    context.sit("a")
    context.sit("b", phone=OTHER)
    context.says("table", PageOpened(1))
    context.pass_s(1.0)
    for number, (wait, kind) in enumerate(events):
        start = context.at
        for tap in range(private.get(number, 0)):
            context.pass_s(wait / 100 / 7)
            context.private["b"] += tap + 1
            context.serials["b"] += 1
            context.pages.on_step("b", heeded=True)
        context.pass_s(start + wait / 100 - context.at)
        if kind == "public":
            context.public += 1
            context.pages.on_step("b")
        elif kind == "own":
            context.private["a"] += 1
            context.pages.on_step("a", heeded=True)
    context.pass_s(2.0)
    return {name: context.wires[name].stream() for name in ("a", "table")}


@pytest.mark.thorough
@settings(max_examples=150)
@given(
    EVENTS,
    st.dictionaries(st.integers(0, 24), st.integers(1, 6)),
    st.dictionaries(st.integers(0, 24), st.integers(1, 6)),
)
def test_nobody_counts_another_seats_private_taps(
    events: list[tuple[int, str]], one: dict[int, int], other: dict[int, int]
) -> None:
    """Bytes, lengths, order and times are the same however often b taps for itself alone (law 5)."""
    assert played(events, one) == played(events, other)
