"""A match of every game at real pins: what the displays hold against what the daemon says, after each press."""

from __future__ import annotations

import json

import pytest

from tests.machine.conftest import Boot, Figure
from tests.machine.installing import PLAY, TABLE, fresh
from tests.machine.qemu import Options

pytestmark = [pytest.mark.machine, pytest.mark.soak, pytest.mark.timeout(3600)]

MUX = ("1:0x3c", "1:0x3d", "2:0x3c", "2:0x3d")
TABLES = {
    "two-seats": Options(safe=False),
    "one-oled": Options(safe=False, displays=("0:0x3c",)),
    "four-seats": Options(safe=False, mux=True, displays=MUX),
}
MATCHES = [
    ("tellstones", "two-seats"),
    ("planetx", "two-seats"),
    ("fence", "two-seats"),
    ("runes", "two-seats"),
    ("tellstones", "one-oled"),
    ("planetx", "four-seats"),
]
"""Planet X on four seats: displays behind the i2c-mux, a rotary encoder's contacts, an SSD1322 on SPI for the table."""


@pytest.mark.parametrize(("game", "table"), MATCHES)
def test_a_match_of_every_game_at_the_pins(boot: Boot, figure: Figure, game: str, table: str) -> None:
    machine = boot(TABLES[table])
    fresh(machine, table)
    told = json.loads(machine.must(f"{PLAY} {TABLE} --seed 7 --game {game} --longest 10", 3000).out)
    figure(table=table, **told)
    assert (told["stuck"], told["wrong"], told["notes"]) == (0, 0, [])
    assert told["right"] == told["actions"] > 0
    assert told["compared"] > 0
    assert told["unlike"] == 0, told["first_unlike"]
