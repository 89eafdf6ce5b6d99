"""Noise of one gray level on every rendered picture: what a verdict must not depend on.

As a plugin of pytest it is on for a whole run: `GRAIN=7 python -m pytest -p tools.grain tests/vision`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import pytest

from referee_simulator.render.camera import Renderer
from vision.camera import Image

SEED = "GRAIN"
"""The environment variable with the seed of the noise; without it pictures stay as they are."""


def grainy(draw: Callable[..., Image], seed: int) -> Callable[..., Image]:
    """Return a `Renderer.picture` that adds -1, 0 or 1 to every value, the same noise for the same seed and frame."""

    def picture(renderer: Renderer, truth: Any, over: Any, at: float, serial: int, *more: Any, **named: Any) -> Image:
        image = draw(renderer, truth, over, at, serial, *more, **named)
        noise = np.random.default_rng((seed, serial)).integers(-1, 2, image.shape, np.int16)
        return np.asarray(np.clip(image + noise, 0, 255), np.uint8)

    return picture


@contextmanager
def grain(seed: int | None) -> Iterator[None]:
    """Put the noise on all pictures that are rendered meanwhile; None: no noise."""
    with pytest.MonkeyPatch.context() as patch:
        if seed is not None:
            patch.setattr(Renderer, "picture", grainy(Renderer.picture, seed))
        yield


def pytest_configure(config: pytest.Config) -> None:
    if (seed := os.environ.get(SEED)) is not None:
        noise = ExitStack()
        noise.enter_context(grain(int(seed)))
        config.add_cleanup(noise.close)
