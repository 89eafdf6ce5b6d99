"""`referee setup`: whatever is answered, the file that it writes is a table that loads."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from device.cli.setup import WizardAnswers, compose, interview, write
from device.settings import load, parse, template
from device.settings.wiring_list import HEADER, groups
from vision.files import BadFile


@pytest.mark.parametrize("panels", [1, 2, 3, 4])
def test_every_answer_makes_a_table(panels: int) -> None:
    for camera, controller, display in itertools.product(
        ("picamera2", "v4l2", "none"), ("ssd1306", "sh1106"), (True, False)
    ):
        table = parse(compose(WizardAnswers("zh_Hant", panels, controller, camera, display)))
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
    assert answers == WizardAnswers("en", 2, "ssd1306", "picamera2", False)
    assert len(asked) == 6


def test_who_has_no_panel_plays_by_phone() -> None:
    answers = interview(lambda question, _values, usual: "0" if "OLEDs" in question else usual)
    assert (answers.panels, answers.phones) == (0, True)
    table = parse(compose(answers))
    assert (table.panels(), table.pages.on) == ({}, True)
    assert not parse(compose(WizardAnswers("en", 2, "ssd1306", "none", False))).pages.on


def test_a_written_file_loads_and_a_wrong_one_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "etc" / "table.toml"
    write(path, compose(WizardAnswers("ru", 2, "sh1106", "v4l2", False)))
    assert load(path).language == "ru"
    with pytest.raises(BadFile):
        write(path, "language = 3")
    assert load(path).language == "ru"
    assert [each.name for each in path.parent.iterdir()] == ["table.toml"]


def pins(answers: WizardAnswers) -> dict[tuple[str, str], int | None]:
    """The pin of every contact."""
    return {
        (part.key, contact.name): contact.pin
        for group in groups(parse(compose(answers)))
        for part in group.parts
        for contact in part.contacts
    }


def test_the_wires_are_those_of_the_documentation() -> None:
    """docs/wiring.md, the first table."""
    found = pins(WizardAnswers("en", 2, "ssd1306", "none", True))
    assert found["seats.a.input.back", "signal"] == 11
    assert found["seats.b.input.choose", "signal"] == 33
    assert found["seats.a.display", "SDA"] == found["seats.b.display", "SDA"] == 3
    assert found["table_display", "CS"] == 24
    assert len(found) == 2 * (3 * 2 + 4) + 7


@pytest.mark.parametrize("name", ["one-oled", "two-seats", "four-seats", "simulated"])
def test_every_contact_of_a_shipped_table_goes_where_it_belongs(name: str) -> None:
    for group in groups(load(template(name))):
        for contact in (each for part in group.parts for each in part.contacts):
            kind = "" if contact.pin is None else HEADER[contact.pin].name
            if contact.name in ("VCC", "VIN"):
                assert kind == "3V3"
            elif contact.name in ("GND", "A0", "A1", "A2"):
                assert kind == "GND"
            else:
                assert kind.startswith("GPIO") != bool(contact.to)


@pytest.mark.parametrize("panels", [1, 2, 3, 4])
def test_only_buses_and_supplies_share_a_pin_and_each_panel_has_a_ground_of_its_own(panels: int) -> None:
    found = pins(WizardAnswers("en", panels, "sh1106", "none", True))
    shared = {"SDA", "SCL", "VCC", "VIN", "GND", "A0", "A1", "A2"}
    alone = [pin for (_, name), pin in found.items() if name not in shared and pin is not None]
    assert len(set(alone)) == len(alone) == panels * 3 + 5
    grounds = {key.split(".")[1]: pin for (key, name), pin in found.items() if name == "GND" and "seats" in key}
    assert len(set(grounds.values())) == len(grounds)


def test_displays_behind_a_multiplexer_name_its_contacts_and_it_names_them() -> None:
    parts = {part.key: part for group in groups(load(template("four-seats"))) for part in group.parts}
    assert {str(contact) for contact in parts["seats.c.display"].contacts if contact.pin is None} == {"SD1", "SC1"}
    mux = {contact.name: contact.to for contact in parts["multiplexer"].contacts}
    assert mux["SD0"] == mux["SC0"] == "seats.a.display, seats.b.display"
    assert mux["SD1"] == "seats.c.display, seats.d.display"


def test_a_multiplexer_at_another_address_says_how_its_pins_are_set() -> None:
    text = template("four-seats").read_text().replace("1-0070/", "1-0073/")
    parts = {part.key: part for group in groups(parse(text)) for part in group.parts}
    mux = parts["multiplexer"]
    assert mux.address == 0x73
    supplied = {contact.name: HEADER[contact.pin].name for contact in mux.contacts if contact.pin is not None}
    assert (supplied["A0 (high)"], supplied["A1 (high)"], supplied["A2"]) == ("3V3", "3V3", "GND")


def test_each_of_several_multiplexers_is_a_part_of_its_own() -> None:
    """Two seats on the first channel of each: a channel's number alone says nothing."""
    text = template("four-seats").read_text().replace("1-0070/channel-1", "1-0071/channel-0")
    parts = {part.key: part for group in groups(parse(text)) for part in group.parts}
    first, second = parts["multiplexer.1-0070"], parts["multiplexer.1-0071"]
    assert (first.address, second.address) == (0x70, 0x71)
    for mux, seats in ((first, "ab"), (second, "cd")):
        users = ", ".join(f"seats.{seat}.display" for seat in seats)
        assert {each.name: each.to for each in mux.contacts if each.to} == {"SD0": users, "SC0": users}
    told = {str(contact) for contact in parts["seats.c.display"].contacts if contact.pin is None}
    assert told == {"SD0 1-0071", "SC0 1-0071"}


def test_a_bus_on_other_pins_is_drawn_there() -> None:
    text = template("one-oled").read_text().replace("port = 1,", "port = 9, sda = 23, scl = 24,")
    (group,) = groups(parse(text))
    wired = {contact.name: str(contact) for part in group.parts for contact in part.contacts}
    assert (wired["SDA"], wired["SCL"]) == ("GPIO 23 (pin 16)", "GPIO 24 (pin 18)")
