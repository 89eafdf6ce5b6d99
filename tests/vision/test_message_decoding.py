"""Nothing received is trusted: neither by the daemon nor by the vision worker."""

from __future__ import annotations

import logging

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.message_decoding import LONGEST, Inbox
from vision.messages import VERSION as LINK
from vision.messages import FromWorker, Report


def inbox() -> Inbox[FromWorker]:
    return Inbox("vision", FromWorker, LINK)


REPORT = msgspec.json.encode({"type": "report", "frame": 1, "at": 0.5, "moving": False, "health": "ok"})


def test_a_good_message_comes_through() -> None:
    message = inbox().receive(REPORT)
    assert isinstance(message, Report)
    assert message.frame == 1


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "undecodable"),
        (b"\xff\xfe", "undecodable"),
        (b'{"type":"report"}', "undecodable"),
        (b'{"type":"unheard of"}', "undecodable"),
        (b"[" * 100_000, "undecodable"),
        (REPORT[:-1] + b',"version":99}', "wrong version"),
        (b'"' + b"x" * LONGEST + b'"', "too long"),
    ],
)
def test_bad_messages_are_counted_logged_once_and_dropped(
    data: bytes, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    box = inbox()
    with caplog.at_level(logging.WARNING):
        assert [box.receive(data) for _ in range(3)] == [None] * 3
    assert box.dropped == {kind: 3}
    assert len(caplog.records) == 1
    assert box.receive(REPORT) is not None


@given(st.binary(max_size=200))
def test_no_bytes_at_all_can_stop_an_inbox(data: bytes) -> None:
    box = inbox()
    assert box.receive(data) is None
    assert sum(box.dropped.values()) == 1


def test_a_log_line_tells_nothing_of_the_contents(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        inbox().receive(b'{"type":"report","frame":"secret crown"}')
    assert "crown" not in caplog.text
