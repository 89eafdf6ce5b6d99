"""`referee setup`: whatever is answered, the file that it writes is a table that loads."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from device.settings import SettingsError, load, parse
from device.settings.wizard import Answers, compose, interview, write


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
    with pytest.raises(SettingsError):
        write(path, "language = 3")
    assert load(path).language == "ru"
    assert [each.name for each in path.parent.iterdir()] == ["table.toml"]
