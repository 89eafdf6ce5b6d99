"""Which of a sensor's modes to use: one that shows all that the lens does.

Many modes read only the middle of the sensor. picamera2 chooses by size and shape alone, and takes such a one for
1280 x 720: of camera v1 it would show three quarters of the width, of v2 59%, of v3 67%.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

WHOLE = 0.98
"""Share of the largest field's width and height: some modes leave out a few columns at the edge."""


def whole_field(modes: Sequence[Mapping[str, Any]], size: tuple[int, int]) -> dict[str, Any] | None:
    """Of picamera2's `sensor_modes` the smallest that shows all and fills pictures of that size, as its `sensor=`.

    If none is so large, the largest. None if the camera tells nothing of its fields (one on USB does not).
    """
    known = [mode for mode in modes if "crop_limits" in mode]
    fields = [mode["crop_limits"][2:] for mode in known]
    widest, highest = (max((field[axis] for field in fields), default=0) for axis in (0, 1))
    whole = [mode for mode in known if _covers(mode["crop_limits"][2:], (WHOLE * widest, WHOLE * highest))]
    if not whole:
        return None
    large = [mode for mode in whole if _covers(mode["size"], size)]
    chosen = min(large, key=_cost) if large else max(whole, key=lambda mode: _area(mode["size"]))
    return {"output_size": tuple(chosen["size"]), "bit_depth": chosen["bit_depth"]}


def _covers(size: Sequence[float], least: Sequence[float]) -> bool:
    return size[0] >= least[0] and size[1] >= least[1]


def _cost(mode: Mapping[str, Any]) -> tuple[int, int]:
    """Of modes of one size the one with the finest steps: it tells more in the dark."""
    return _area(mode["size"]), -int(mode["bit_depth"])


def _area(size: Sequence[int]) -> int:
    return size[0] * size[1]
