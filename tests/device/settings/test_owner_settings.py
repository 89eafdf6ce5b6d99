"""What an owner chooses over the table file: which settings there are, what fits, and that nothing of it keeps a table
dark."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from device.settings import TableSettings, load, template
from device.settings.owner_settings import DAMAGED, KEPT, LONGEST, at_start, changes, keep, laid_over, settings_of
from device.settings.table import BuzzerSettings, NoCamera, PagesSettings, Value
from tests.commands import app
from vision.files import Refused

TEMPLATES = ("one-oled", "two-seats", "four-seats", "simulated")


def table(state: Path, name: str = "two-seats") -> TableSettings:
    return msgspec.structs.replace(load(template(name)), state_dir=state)


def test_which_settings_there_are_stands_in_the_table_files_schema(tmp_path: Path) -> None:
    found = {each.key: str(each.title) for each in settings_of(table(tmp_path))}
    assert found["name"] == "The table's name"
    assert found["timing.dim_s"] == "Displays dim after"
    assert found["seats.b.display.contrast"] == "Brightness (B)"
    assert found["camera.number"] == "Which camera"
    assert not [key for key in found if "input" in key or "bus" in key or key.endswith("_dir")], "wires stay"
    assert "buzzer.sounds" not in found, "it has none"
    buzzing = msgspec.structs.replace(table(tmp_path), buzzer=BuzzerSettings(18))
    assert changes(buzzing, "buzzer.sounds", "off").buzzer == BuzzerSettings(18, "off")
    assert "seats.a.phone" not in found, "there are no pages"
    paged = {
        each.key: str(each.title)
        for each in settings_of(msgspec.structs.replace(table(tmp_path), pages=PagesSettings(True)))
    }
    assert paged["seats.a.phone"] == "By phone, too (A)"
    alone = msgspec.structs.replace(table(tmp_path), camera=NoCamera(), seats={})
    assert [each.key for each in settings_of(alone)] == ["name", "keep_days"], "phones alone"


@pytest.mark.parametrize("name", TEMPLATES)
def test_all_that_may_be_chosen_fits(tmp_path: Path, name: str) -> None:
    filed = table(tmp_path, name)
    for setting in settings_of(filed):
        for value, _ in setting.owned.values or (("Green table", None),):
            made = settings_of(changes(filed, setting.key, value))
            assert {each.key: each.value for each in made} == {
                each.key: value if each.key == setting.key else each.value for each in settings_of(filed)
            }


def test_what_was_chosen_holds_until_it_is_given_back_to_the_table_file(tmp_path: Path) -> None:
    filed = table(tmp_path)
    assert laid_over(filed).table == filed
    keep(tmp_path, "timing.dim_s", 60.0)
    keep(tmp_path, "name", "Green table")
    laid = laid_over(filed)
    assert (laid.table.timing.dim_s, laid.table.name, laid.wrong) == (60.0, "Green table", ())
    assert laid_over(laid.table) == laid, "laid over twice is laid over once"
    keep(tmp_path, "timing.dim_s", None)
    assert laid_over(filed).chosen == {"name": "Green table"}


def test_a_number_is_what_its_setting_takes_however_it_was_written(tmp_path: Path) -> None:
    (tmp_path / KEPT).write_text('{"timing.dim_s": 60}')
    assert repr(laid_over(table(tmp_path)).table.timing.dim_s) == "60.0"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("timing.dim_s", "soon"),
        ("timing.dim_s", -1.0),
        ("seats.c.display.contrast", 255),
        ("seats.a.display.contrast", 256),
        ("seats.a.display.contrast", 31.5),
        ("seats.a.display.rotation", 90),
        ("seats.a.input.back", 3),
        ("state_dir", "/"),
        ("pages.group", "root"),
        ("name", "x" * 61),
        ("", 1),
        ("nothing.of.it", 1),
    ],
)
def test_a_choice_that_does_not_fit_is_left_out_alone(
    tmp_path: Path, key: str, value: Value, caplog: pytest.LogCaptureFixture
) -> None:
    filed = table(tmp_path)
    (tmp_path / KEPT).write_text(json.dumps({key: value, "timing.dark_s": 300.0}))
    laid = laid_over(filed)
    assert laid.chosen == {"timing.dark_s": 300.0}
    assert [fault.key for fault in laid.wrong] == [key]
    with caplog.at_level(logging.INFO):
        assert at_start(filed) == laid.table
    assert "left out" in caplog.text
    assert "timing.dark_s is 300.0" in caplog.text


@pytest.mark.parametrize("damage", [b"", b"[1]", b"\xff", b'{"timing.dim_s": {}}', b'{"name": [1]}'])
def test_what_cannot_be_read_leaves_the_table_file_and_is_told(tmp_path: Path, damage: bytes) -> None:
    filed = table(tmp_path)
    (tmp_path / KEPT).write_bytes(damage)
    laid = laid_over(filed)
    assert (laid.table, laid.chosen, len(laid.wrong)) == (filed, {}, 1)
    keep(tmp_path, "timing.dim_s", 60.0)
    assert laid_over(filed).chosen == {"timing.dim_s": 60.0}
    assert (tmp_path / DAMAGED).read_bytes() == damage


def test_what_the_system_does_not_let_be_read_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / KEPT).symlink_to(KEPT)
    for value in (60.0, None):
        with pytest.raises(Refused, match="Too many levels"):
            keep(tmp_path, "timing.dim_s", value)
    (wrong,) = laid_over(table(tmp_path)).wrong
    assert "nothing can be chosen" in str(wrong)
    assert [path.name for path in tmp_path.iterdir() if path.is_symlink()] == [KEPT]
    assert not (tmp_path / DAMAGED).exists()


def test_a_file_that_is_far_too_long_is_none_of_choices(tmp_path: Path) -> None:
    (tmp_path / KEPT).write_text(json.dumps({"name": "Green table"}) + " " * LONGEST)
    assert laid_over(table(tmp_path)).chosen == {}


def test_the_doctor_tells_what_was_chosen_and_what_was_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    text = template("two-seats").read_text().replace("/var/lib/referee", str(tmp_path))
    file = tmp_path / "table.toml"
    file.write_text(text.replace("/run/referee", str(tmp_path / "run")))
    (tmp_path / KEPT).write_text('{"timing.dim_s": 60.0, "timing.dark_s": "never"}')
    told = CliRunner().invoke(app, ["doctor", "--json", "--table", str(file)])
    found = {each["key"]: each for each in map(json.loads, told.stdout.splitlines())}
    assert found["timing.dim_s"]["ok"]
    assert "60.0 was chosen on the owner's page" in found["timing.dim_s"]["found"]
    assert not found["timing.dark_s"]["ok"]
    assert "choose it again" in found["timing.dark_s"]["remedy"]
