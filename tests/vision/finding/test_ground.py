"""The ground on which pieces lie, and what stands out from it."""

from __future__ import annotations

import numpy as np
import pytest

from vision.finding.ground import stands_out


def test_ground_is_not_followed_into_what_came_though_its_edge_is_faint_in_places() -> None:
    light = 0.8 + 0.2 * np.linspace(0.0, 1.0, 640)[None, :, None]
    fade = np.clip(np.linspace(0.0, 2.0, 200), 0.0, 1.0)[None, :, None]
    sheet = np.full((460, 640, 3), (80.0, 100.0, 85.0))
    sheet[150:290, 200:400] = sheet[150:290, 200:400] * (1 - fade) + np.array((100.0, 82.0, 104.0)) * fade
    seen, usable = np.asarray(sheet * light, np.uint8), np.ones((460, 640), np.uint8)
    news = np.zeros_like(usable)
    news[150:290, 200:400] = 1
    followed, told = (np.count_nonzero(stands_out(seen, usable, given)[155:285, 265:395]) for given in (None, news))
    assert followed < 0.5 * 130 * 130
    assert told > 0.9 * 130 * 130


@pytest.mark.parametrize("shine", [60.0, 90.0])
def test_a_card_s_back_beside_a_lamp_s_reflection_is_no_ground_though_it_is_as_bright(shine: float) -> None:
    """The reflection makes the mat around the back as bright as the back is, but not purple."""
    rows, columns = np.mgrid[:426, :587]
    sheet = np.full((426, 587, 3), (70.0, 90.0, 70.0))
    sheet[170:255, 176:293] = (92.0, 70.0, 97.0)
    sheet[170:258, 296:412] = (200.0, 215.0, 220.0)
    reflected = shine * np.exp(-((rows - 330) ** 2 + (columns - 300) ** 2) / (2 * 130.0**2))
    seen = np.asarray(np.clip(sheet + reflected[:, :, None], 0, 255), np.uint8)
    solid = stands_out(seen, np.ones(seen.shape[:2], np.uint8))
    assert solid[175:250, 181:288].mean() > 0.95
    assert solid[20:150].mean() < 0.02, "the mat, where it is lit otherwise"
