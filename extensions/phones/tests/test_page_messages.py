"""What a page says becomes a frame if it has a page's form; nothing else goes to the daemon."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.bus.framing import pack
from referee_phones.frames import LONGEST_IN, Back, FromWorker, Go, Join, Name, PageTouch, Save, Speak
from referee_phones.page_messages import LONGEST, Outdated, to_frame

KEY, PROOF = "01" * 32, "ab" * 32


@pytest.mark.parametrize(
    ("said", "frame"),
    [
        ({"prove": PROOF, "join": KEY}, Join(7, KEY, PROOF)),
        ({"prove": PROOF, "join": KEY, "number": True}, Join(7, KEY, PROOF, number=True)),
        ({"prove": PROOF}, Back(7, PROOF)),
        ({"tap": {"serial": 3, "line": -1, "menu": True}}, PageTouch(7, 3, -1, True)),
        ({"tap": {"serial": 3, "line": 0}}, PageTouch(7, 3, 0, False)),
        ({"speak": "zh_Hant"}, Speak(7, "zh_Hant")),
        ({"name": "Anna"}, Name(7, "Anna")),
        ({"name": ""}, Name(7, "")),
        ({"name": "Anna", "colour": "green"}, Name(7, "Anna", "green")),
        ({"name": "Anna", "colour": "red", "seat": "b"}, Name(7, "Anna", "red", "b")),
        ({"save": True}, Save(7)),
        ({"go": True}, Go(7)),
    ],
)
def test_every_message_of_a_page(said: object, frame: FromWorker) -> None:
    assert to_frame(7, json.dumps(said)) == frame


@pytest.mark.parametrize(
    "said",
    [
        {}, [], 3, "x", {"join": KEY}, {"prove": "short"}, {"prove": PROOF, "go": True}, {"go": False}, {"save": False},
        {"prove": PROOF, "join": "CODE"}, {"prove": PROOF, "number": True}, {"prove": PROOF.upper()},
        {"tap": {"serial": 3}}, {"tap": {"serial": -1, "line": 0}}, {"tap": {"serial": 1, "line": -3}},
        {"tap": {"serial": 1, "line": 0, "seat": "b"}}, {"name": "x" * 65}, {"name": "x", "colour": "pink"},
        {"name": "x", "seat": "e"}, {"colour": "red"}, {"tap": {"serial": 3, "line": 0}, "seat": "b"},
        {"speak": "x" * 17}, {"link": 1},
        {"is": "to"},
    ],
)  # fmt: skip
def test_what_no_page_says(said: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        to_frame(7, json.dumps(said))


@pytest.mark.parametrize("said", [{"join": "CODE", "key": "0" * 32}, {"back": "0" * 32}, {"back": KEY}])
def test_a_page_that_says_its_key_is_from_before_an_update(said: object) -> None:
    with pytest.raises(Outdated):
        to_frame(7, json.dumps(said))


@pytest.mark.thorough
@settings(max_examples=20)
@given(st.text(max_size=LONGEST))
def test_whatever_is_sent_is_a_frame_that_the_daemon_reads_or_refused(text: str) -> None:
    try:
        frame = to_frame(7, text)
    except (ValueError, Outdated):
        return
    assert len(pack(frame)) <= LONGEST_IN


@given(st.text(max_size=64))
def test_a_name_of_any_letters_fits_a_frame(name: str) -> None:
    assert len(pack(to_frame(7, json.dumps({"name": name})))) <= LONGEST_IN
