"""The ground on which pieces lie, and what stands out from it."""

from __future__ import annotations

import numpy as np

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
