"""The figure of the displays: bytes a change of screen, against luma's whole frame."""

from __future__ import annotations

import pytest

from tools.bench.bench_displays import measure

MANY = 400
"""Presses after which the set-up, whose screens change as a whole, weighs little."""


@pytest.mark.quick(1)
@pytest.mark.parametrize("presses", [20, pytest.param(MANY, marks=pytest.mark.soak)])
@pytest.mark.parametrize("controller", ["ssd1306", "sh1106", "ssd1322"])
def test_a_change_of_screen_costs_about_a_third_of_a_frame(controller: str, presses: int) -> None:
    told = measure(controller, presses=presses)
    assert told["ratio"] <= 0.4
    assert presses < MANY or told["mean_bytes"] <= told["luma_diff_bytes"], "luma's own framebuffer does not do better"
