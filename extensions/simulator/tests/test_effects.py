"""Effects of real cameras: each does what its number says, and nothing where the scene asks for nothing."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from referee_simulator.render import effects
from referee_simulator.table.scenes import Scene
from vision.camera import Image

PLAIN = Scene(7)
LOUD = msgspec.structs.replace(PLAIN, shot=5.0)
RAMP = np.repeat(np.linspace(0, 250, 1280).astype(np.uint8)[None, :, None], 720, axis=0).repeat(3, axis=2)

EFFECTS: dict[str, tuple[dict[str, float], Callable[[Scene], Image]]] = {
    "tremble": (
        {"tremble_px": 1.0},
        lambda scene: effects.tremble(effects.shot(RAMP, LOUD, 1), scene, 3, moving=False),
    ),
    "banding": ({"banding": 0.05}, lambda scene: effects.add_bands(RAMP, scene, 3)),
    "shot": ({"shot": 4.0}, lambda scene: effects.shot(RAMP, scene, 3)),
    "sharpen": ({"sharpen": 0.8}, lambda scene: effects.sharpen_picture(np.asarray(RAMP // 40 * 40), scene)),
    "jpeg": ({"jpeg": 40.0}, lambda scene: effects.compress(effects.shot(RAMP, LOUD, 1), scene)),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_an_effect_is_drawn_from_the_seed_and_only_if_asked_for(name: str) -> None:
    fields, effect = EFFECTS[name]
    asked = msgspec.structs.replace(PLAIN, **fields)
    assert not np.array_equal(effect(asked), effect(PLAIN))
    assert np.array_equal(effect(asked), effect(asked))


def test_tremble_has_the_standard_deviations_that_the_scene_says() -> None:
    scene = msgspec.structs.replace(PLAIN, tremble_px=0.5, tremble_hand_px=1.6)
    for moving, spread in ((False, 0.5), (True, 1.6)):
        shifts = [effects.tremble_of(scene, (1280, 720), n, moving=moving)[:, 2] for n in range(400)]
        assert np.std(shifts) == pytest.approx(spread, rel=0.1)


def test_shot_noise_grows_with_the_light() -> None:
    noise = effects.shot(RAMP, LOUD, 1).astype(float) - RAMP
    assert noise[:, 1000:1200].std() > 2 * noise[:, 100:200].std()


def test_exposure_makes_up_for_a_share_of_the_change() -> None:
    usual, darker = np.full((9, 9, 3), 100, np.uint8), np.full((9, 9, 3), 50, np.uint8)
    assert effects.answered_stops(msgspec.structs.replace(PLAIN, answer=0.5), usual, darker) == pytest.approx(0.5)
