"""What the herald keeps and when it says it: all again at each connection, nothing before its time, within limits."""

from __future__ import annotations

import pytest

from device.bus.broker_address import is_broker
from referee_record.herald import memory, topics
from referee_record.herald.memory import AGAIN_S, UNREAD_S, Memory, Message

MATCH, NEXT = "7" * 32, "8" * 32


def link(n: int) -> bytes:
    return f'{{"n":{n}}}'.encode()


def said(made: Memory, now: float, most: int = 1000) -> list[Message]:
    """All that is due by now, as one after the other goes out."""
    found = list[Message]()
    while len(found) < most and (message := made.next(now)) is not None:
        made.note_sent(message, now)
        found.append(message)
    return found


def begun(delay_s: float = 0.0, count: int = 3, at: float = 0.0) -> Memory:
    made = Memory("table-1", delay_s)
    made.present(True)
    for n in range(count):
        made.link(MATCH, n, link(n), at)
    made.again(0.0)
    return made


def test_first_that_it_is_there_then_how_it_looks_then_every_link() -> None:
    made = begun()
    made.glance(b"looks", 0.0)
    assert said(made, 0.0) == [
        Message("referee/v1/table-1/alive", b"1", True),
        Message("referee/v1/table-1/glance", b"looks", True),
        *(Message(f"referee/v1/table-1/match/{MATCH}/{n}", link(n), False) for n in range(3)),
    ]
    assert said(made, 1.0) == []
    assert made.due() is None


def test_at_each_connection_all_is_said_again() -> None:
    made = begun()
    made.glance(b"looks", 0.0)
    first = said(made, 0.0)
    made.again(0.0)
    assert said(made, 0.0) == first
    made.again(0.0)
    assert said(made, 0.0, most=3) == first[:3]
    made.link(MATCH, 3, link(3), 1.0)
    assert said(made, 1.0) == [*first[3:], Message(topics.link("table-1", MATCH, 3), link(3), False)]


def test_a_match_before_is_said_again_until_the_broker_was_there_for_long_since_its_last_link_was_read() -> None:
    made = begun()
    said(made, 0.0)
    made.link(NEXT, 0, link(10), 50.0)
    said(made, AGAIN_S - 0.1)
    made.again(1e6)
    assert [each.payload for each in said(made, 1e6)[1:]] == [link(0), link(1), link(2), link(10)]
    made.glance(b"looks", 1e6)
    said(made, 1e6 + 0.2)
    made.again(2e6)
    assert [each.payload for each in said(made, 2e6)[2:]] == [link(10)]
    made.again(3e6)
    assert [each.payload for each in said(made, 3e6)[2:]] == [link(10)], "what goes on is said from its begin on"


def test_what_a_broker_may_have_lost_is_said_again_however_long_it_is_away_and_however_often() -> None:
    made = begun()
    said(made, 3.0)
    whole = [link(0), link(1), link(2), link(10)]
    made.link(NEXT, 0, link(10), 100.0)
    for back in (600.0, 1200.0, 1e6):
        made.again(back)
        assert [each.payload for each in said(made, back + 10.0)[1:]] == whole


def test_how_long_nobody_reads_counts_as_a_time_in_which_the_broker_is_there() -> None:
    made = begun()
    said(made, 0.0)
    made.link(NEXT, 0, link(10), 50.0)
    unread = made.next(AGAIN_S)
    assert unread is not None
    made.unread(unread, AGAIN_S)
    made.again(1e6)
    assert [each.payload for each in said(made, 1e6)[1:]] == [link(10)]


def test_a_match_whose_end_nobody_read_is_said_again_whole() -> None:
    made = begun()
    said(made, 0.0, most=3)
    made.link(NEXT, 0, link(10), 1.0)
    made.again(1e6)
    assert [each.payload for each in said(made, 1e6)[1:]] == [link(0), link(1), link(2), link(10)]
    assert made.links == 4
    made.glance(b"looks", 1e6)
    said(made, 1e6 + AGAIN_S)
    made.again(2e6)
    assert made.links == 1


def test_only_the_newest_glance_goes_out_and_one_that_came_meanwhile_is_still_due() -> None:
    made = begun(count=0)
    made.glance(b"one", 0.0)
    made.glance(b"two", 0.1)
    alive, two = said(made, 0.1)
    assert (alive.payload, two.payload) == (topics.ALIVE, b"two")
    made.glance(b"three", 0.2)
    three = made.next(0.2)
    assert three is not None
    made.glance(b"four", 0.3)
    assert [each.payload for each in said(made, 0.3)] == [b"four"]
    made.note_sent(three, 0.3)
    made.glance(b"five", 0.4)
    five = made.next(0.4)
    assert five is not None
    made.glance(b"six", 0.5)
    assert made.next(0.5) is not None
    made.note_sent(five, 0.5)
    assert [each.payload for each in said(made, 0.5)] == [b"six"], "what the broker has is the one before"


def test_how_a_match_looked_last_goes_out_before_how_the_next_one_looks_and_at_each_connection() -> None:
    made = begun(count=0)
    made.glance(b"first", 0.0, "1" * 32)
    said(made, 0.0)
    made.glance(b"first over", 10.0, "1" * 32, "Anna wins")
    made.glance(b"second", 40.0, "2" * 32)
    made.again(0.0)
    assert [each.payload for each in said(made, 60.0)[1:]] == [b"first over", b"second"]
    made.glance(b"second over", 70.0, "2" * 32, "B wins")
    second = made.next(70.0)
    assert second is not None
    made.glance(b"third", 71.0, "3" * 32)
    made.note_sent(second, 71.0)
    assert [each.payload for each in said(made, 71.0)] == [b"third"]
    made.again(0.0)
    assert [each.payload for each in said(made, 71.0)[1:]] == [b"first over", b"second over", b"third"]
    for number in range(4, 2 * memory.ENDED):
        made.glance(str(number).encode(), 80.0, f"{number:032x}")
    made.again(0.0)
    assert len(said(made, 80.0)) == 1 + memory.ENDED + 1


def test_how_a_match_ended_is_held_back_while_nobody_reads_and_said_before_the_newest_stands_again() -> None:
    made = begun(count=0)
    made.present(True)
    made.glance(b"over", 0.0, MATCH, "a wins")
    made.glance(b"next", 0.0, "8" * 32)
    assert [each.payload for each in said(made, 0.0, most=1)] == [b"1"]
    over = made.next(0.0)
    assert over is not None
    assert over.payload == b"over"
    assert not made.lasts(over)
    made.unread(over, 0.0)
    made.link(MATCH, 0, link(0), 0.0)
    assert [(each.payload, made.lasts(each)) for each in said(made, 0.0)] == [(b"next", True), (link(0), False)]
    assert made.due() == UNREAD_S
    assert [each.payload for each in said(made, UNREAD_S)] == [b"over", b"next"]
    assert made.due() is None


def test_how_a_match_ended_is_said_again_if_another_began_before_anybody_read_it() -> None:
    made = begun(count=1)
    said(made, 0.0)
    made.glance(b"over", 1.0, MATCH, "A has won.")
    over = made.next(1.0)
    assert over is not None
    assert made.lasts(over)
    made.note_sent(over, 1.0, read=False)
    made.glance(b"next", 20.0, NEXT)
    assert [each.payload for each in said(made, 20.0)] == [b"over", b"next"]


def test_with_a_long_delay_a_result_is_told_though_the_next_match_begins_soon() -> None:
    made = begun(delay_s=900.0, count=0)
    said(made, 0.0)
    made.glance(b"begins", 0.0, "1" * 32)
    made.glance(b"goes on", 20.0, "1" * 32)
    made.glance(b"over", 22.0, "1" * 32, "Anna wins")
    made.glance(b"next", 26.0, "2" * 32)
    assert [each.payload for each in said(made, 925.9)] == [b"over"]
    assert [each.payload for each in said(made, 926.0)] == [b"next"]
    for tenth in range(10_000):
        made.glance(b"", 930.0 + tenth / 10, "2" * 32, str(tenth))
        assert len(made._glances) <= 4 * memory.GLANCES + 2


def test_nothing_of_a_match_leaves_before_the_delay_is_over() -> None:
    made = begun(delay_s=300.0, at=10.0)
    made.glance(b"looks", 20.0)
    assert [each.payload for each in said(made, 309.9)] == [topics.ALIVE]
    assert made.due() == 310.0
    assert [each.payload for each in said(made, 310.0)] == [link(n) for n in range(3)]
    assert made.due() == 320.0
    assert [each.payload for each in said(made, 320.0)] == [b"looks"]
    made.again(0.0)
    assert len(said(made, 320.0)) == 5, "what was said once need not wait again"


def test_with_a_long_delay_some_glances_are_kept_and_each_is_told_in_time() -> None:
    made = begun(delay_s=640.0, count=0)
    for tenth in range(20_000):
        made.glance(str(tenth).encode(), tenth / 10)
        assert len(made._glances) <= 2 * memory.GLANCES + 2
    _, shown = said(made, 1999.9)
    assert 13_499 < int(shown.payload) <= 13_599, "the newest that is old enough, at most ten seconds older"


def test_what_waits_for_a_broker_that_is_away_for_long_is_little() -> None:
    made = begun(count=0)
    for number in range(10_000):
        made.glance(str(number).encode(), number / 4)
        assert len(made._glances) == 1
    assert said(made, 1e6)[-1].payload == b"9999"


def test_links_that_nobody_read_are_held_back_and_said_again() -> None:
    made = begun()
    said(made, 5.0, most=1)
    first = made.next(5.0)
    assert first is not None
    made.unread(first, 5.0)
    assert made.next(5.0) is None
    assert made.due() == 5.0 + UNREAD_S
    made.glance(b"looks", 5.5)
    assert [each.payload for each in said(made, 5.5)] == [b"looks"], "who shows how it looks is not held up"
    assert [each.payload for each in said(made, 5.0 + UNREAD_S)] == [link(n) for n in range(3)]


def test_what_is_kept_has_a_limit_and_the_oldest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "BYTES", 10 * len(link(100)))
    made = begun(count=0)
    for n in range(100, 200):
        made.link(MATCH, n, link(n), 0.0)
    assert made.links == 10
    assert [each.payload for each in said(made, 0.0)[1:]] == [link(n) for n in range(190, 200)]
    for n in range(200, 205):
        made.link(MATCH, n, link(n), 0.0)
    assert [each.payload for each in said(made, 0.0)] == [link(n) for n in range(200, 205)]


def test_a_table_that_is_not_heard_is_told_of_and_what_it_said_still_goes_out() -> None:
    made = begun()
    said(made, 0.0, most=2)
    made.present(False)
    assert [each.payload for each in said(made, 0.0)] == [topics.GONE, link(1), link(2)]
    made.present(True)
    assert [each.payload for each in said(made, 0.0)] == [topics.ALIVE]


@pytest.mark.parametrize("name", ["table-1", "Tisch 4", "一号桌"])
def test_a_name_is_one_level_of_a_topic(name: str) -> None:
    assert topics.is_name(name)


@pytest.mark.parametrize("name", ["", "a/b", "+", "#", "table\n1", "x" * 65])
def test_a_name_that_would_be_more_than_that_is_none(name: str) -> None:
    assert not topics.is_name(name)


@pytest.mark.parametrize("port", ["1", "80", "8883", "59999", "64999", "65499", "65529", "65535"])
def test_a_port_that_there_is_may_be_a_brokers(port: str) -> None:
    assert is_broker(f"club.local:{port}")
    assert is_broker("club.local")


@pytest.mark.parametrize("port", ["", "0", "08883", "65536", "65540", "66000", "70000", "99999", "123456"])
def test_a_port_that_is_none_is_no_brokers(port: str) -> None:
    assert not is_broker(f"club.local:{port}")
