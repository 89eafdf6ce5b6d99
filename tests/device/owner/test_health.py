"""How a table is, in sentences: nothing is told of what is well, and nothing of what the machine does not tell."""

from __future__ import annotations

import pytest

from device.owner.context import Facts, KnownItem
from device.owner.health import HOT_C, LITTLE_ROOM, status, wrong
from engine.table import Health
from engine.text import Text

STONES = KnownItem("stones", Text("Tellstones"), done=True)
WELL = Facts(
    displays={"a": True, "table": True},
    looks=True,
    camera=Health.OK,
    frame_ms=120.4,
    sets=(STONES, KnownItem("pawns", Text("The Search for Planet X"))),
    pages={"table": 1, "a": 1},
    free_bytes=3_000_000_000,
    free_memory_bytes=200_000_000,
    heat_c=51.2,
    throttled=0,
    version="1.2",
)


def told(facts: Facts) -> list[str]:
    return [str(text) for text in wrong(facts)]


def changed(**fields: object) -> Facts:
    known = {name: getattr(WELL, name) for name in WELL.__struct_fields__}
    return Facts(**{**known, **fields})


def test_a_table_that_is_well_needs_nothing() -> None:
    assert told(WELL) == []
    assert told(Facts()) == []


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"displays": {"b": False}}, "“B” is not responding"),
        ({"camera": Health.NO_FRAMES}, "cable"),
        ({"camera": None}, "starting"),
        ({"camera": Health.DARK}, "dark"),
        ({"camera": Health.NO_MAT}, "mat"),
        ({"sets": (KnownItem("stones", Text("Tellstones")),)}, "enrolled"),
        ({"pages": {"table": 1, "b": 0}}, "pages are not running: B."),
        ({"pages": {"table": 0, "owner": 0}}, "pages are not running: table, owner."),
        ({"free_bytes": LITTLE_ROOM - 1}, "49 MB"),
        ({"heat_c": HOT_C}, "75"),
        ({"throttled": 0x50005}, "too weak"),
        ({"saved": False}, "Nothing is saved"),
        ({"safe": True}, "Safe mode"),
    ],
)
def test_each_thing_that_is_wrong_has_one_sentence(fields: dict[str, object], word: str) -> None:
    (sentence,) = told(changed(**fields))
    assert word in sentence


def test_a_table_without_a_camera_is_not_asked_for_one() -> None:
    assert told(changed(looks=False, camera=None, sets=(KnownItem("stones", Text("Tellstones")),))) == []
    assert "No camera" in " ".join(map(str, status(changed(looks=False, camera=None))))


def test_how_it_is_says_what_is_known_and_leaves_out_the_rest() -> None:
    lines = [str(text) for text in status(WELL)]
    assert lines == [
        "Displays connected: A, table",
        "Last camera analysis: 120 ms",
        "Enrolled: Tellstones",
        "Temperature: 51 °C",
        "Not slowed down since the start",
        "Free disk space: 3000 MB",
        "Free memory: 200 MB",
        "Version 1.2",
    ]
    assert [str(text) for text in status(Facts())] == ["No camera: each move is entered"]


@pytest.mark.parametrize(("flags", "word"), [(0x50005, "now"), (0x50000, "since the start"), (0x8, "now")])
def test_what_heat_and_power_cost_is_told(flags: int, word: str) -> None:
    assert any("slowed down" in line.lower() and word in line for line in map(str, status(changed(throttled=flags))))
