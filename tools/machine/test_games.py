"""A match of every game at real pins: what the displays hold against what the daemon says, after each press."""

from __future__ import annotations

import json

import pytest

from tools.machine.conftest import Boot, Figure
from tools.machine.installing import PLAY, TABLE, UP, fresh, kill
from tools.machine.qemu import Options
from tools.machine.showing import DARK_S, seconds_to_dark, until_lit

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


def test_five_displays_on_three_buses_are_dark_soon_after_kill_9(boot: Boot, figure: Figure) -> None:
    """Behind the i2c-mux and on SPI. `referee dark`, which systemd starts afterwards, takes a second or more."""
    machine = boot(TABLES["four-seats"])
    fresh(machine, "four-seats")
    machine.wait(UP, 300)
    until_lit(machine, 5, 120)
    killed = kill(machine)
    machine.wait("test $(systemctl show --value --property=NRestarts referee) = 1", 180)
    dark = seconds_to_dark(machine, killed)
    figure(dark_s=dark)
    assert dark is not None
    assert dark <= DARK_S
