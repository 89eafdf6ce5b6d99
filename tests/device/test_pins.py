"""Pins by gpiozero's own lgpio factory, on a stand-in for lgpio: wherever the process is, and whatever lgpio raises."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import gpiozero
import pytest
from gpiozero.pins.local import LocalPiFactory

from device import pins
from device.pins import PinLost

STAND_INS = Path(__file__).with_name("stand_ins")
NOT_TO_BE_WRITTEN = "/proc"
"""Not even by root, as somebody's home is for the user `referee`."""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Raspberry Pi with lgpio, in a process that has not used it yet."""
    monkeypatch.syspath_prepend(STAND_INS)
    for name in ("lgpio", "gpiozero.pins.lgpio"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in ("LG_WD", "GPIOZERO_PIN_FACTORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(LocalPiFactory, "_get_revision", lambda factory: 0xA02082)
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    yield
    if gpiozero.Device.pin_factory is not None:
        gpiozero.Device.pin_factory.close()


def lgpio() -> ModuleType:
    return sys.modules["lgpio"]


def test_a_pin_is_opened_also_where_nothing_may_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(NOT_TO_BE_WRITTEN)
    with pins.open_input(17) as button:
        assert not button.is_active
    assert Path(lgpio().__file__ or "").parent == STAND_INS
    assert type(gpiozero.Device.pin_factory).__name__ == "LGPIOFactory"


def test_relative_names_mean_the_same_files_afterwards_and_nothing_is_left_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    pins.ready()
    assert Path.cwd() == tmp_path / "here"
    assert not [*tmp_path.glob("*/*"), *tmp_path.glob("*/.*")]
    assert "LG_WD" not in os.environ


def test_a_folder_that_was_set_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LG_WD", str(tmp_path))
    monkeypatch.chdir(NOT_TO_BE_WRITTEN)
    pins.ready()
    assert (tmp_path / ".lgd-nfy0").is_fifo()
    assert Path.cwd() == Path(NOT_TO_BE_WRITTEN)


def test_what_lgpio_raises_is_a_pin_that_cannot_be_used() -> None:
    pins.ready()
    lgpio().busy.add(22)
    with pytest.raises(PinLost, match=r"pin 22 cannot be used \(GPIO busy\)"):
        pins.open_input(22)
    with pins.open_input(27) as button:
        lgpio().busy.add(27)
        with pytest.raises(PinLost, match="GPIO27"):
            pins.watch(button, lambda ticks, state: None)
        lgpio().busy.clear()


def test_a_user_who_may_not_use_the_chip_is_told_so_and_no_other_library_is_tried(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    importlib.import_module("lgpio").forbidden.set()
    with pytest.raises(PinLost, match=r"no pins that can be used \(can not open gpiochip\)"):
        pins.ready()


def test_another_factory_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    pins.ready()
    assert type(gpiozero.Device.pin_factory).__name__ == "MockFactory"
    assert "lgpio" not in sys.modules
