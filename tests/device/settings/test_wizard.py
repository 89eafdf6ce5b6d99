"""`referee setup`: whatever is answered, the file that it writes is a table that loads."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from device.settings import load, parse
from device.settings.wires import wires
from device.settings.wizard import Answers, compose, interview, write
from vision.files import BadFile


@pytest.mark.parametrize("panels", [1, 2, 3, 4])
def test_every_answer_makes_a_table(panels: int) -> None:
    for camera, controller, display in itertools.product(
        ("picamera2", "v4l2", "none"), ("ssd1306", "sh1106"), (True, False)
    ):
        table = parse(compose(Answers("zh_Hant", panels, controller, camera, display)))
        assert len(table.panels()) == panels
        assert (table.shared is not None) == (panels == 1)
        assert (table.table_display is not None) == display
        assert table.language == "zh_Hant"


def test_the_questions_offer_what_they_take() -> None:
    asked: list[str] = []

    def usual(question: str, answers: tuple[str, ...], default: str) -> str:
        asked.append(question)
        assert default in answers
        return default

    answers = interview(usual)
    assert answers == Answers("en", 2, "ssd1306", "picamera2", False)
    assert len(asked) == 5


def test_a_written_file_loads_and_a_wrong_one_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "etc" / "table.toml"
    write(path, compose(Answers("ru", 2, "sh1106", "v4l2", False)))
    assert load(path).language == "ru"
    with pytest.raises(BadFile):
        write(path, "language = 3")
    assert load(path).language == "ru"
    assert [each.name for each in path.parent.iterdir()] == ["table.toml"]


def test_the_wires_are_those_of_the_documentation() -> None:
    """docs/wiring.md, the first table."""
    found = {(w.part, w.contact): w.to for w in wires(parse(compose(Answers("en", 2, "ssd1306", "none", True))))}
    assert found["seats.a", "back"] == "GPIO 17 (pin 11)"
    assert found["seats.b", "choose"] == "GPIO 13 (pin 33)"
    assert found["seats.b.display", "SDA"] == "GPIO 2 (pin 3)"
    assert [found[f"seats.{seat}.display", "address"] for seat in "ab"] == ["0x3C", "0x3D"]
    assert found["table_display", "CS"] == "GPIO 8 (pin 24)"
    assert len(found) == 2 * (3 + 3) + 5


def test_no_two_wires_share_a_pin_but_those_of_a_bus() -> None:
    found = list(wires(parse(compose(Answers("en", 4, "sh1106", "none", True)))))
    alone = [wire.to for wire in found if wire.contact not in ("SDA", "SCL", "address")]
    assert len(set(alone)) == len(alone) == 4 * 3 + 5
    assert {wire.to.partition(",")[2] for wire in found if wire.contact == "SDA"} == {
        " by a channel of the multiplexer (i2c-22)",
        " by a channel of the multiplexer (i2c-23)",
    }
