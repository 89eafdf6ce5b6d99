"""The pictures that the machine's camera shows. Needs no machine."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.arbiter import Accept, ActionStep, Case
from engine.table import Health
from tests.vision.scenes import load_set
from tools.machine.film import Film, yuyv
from tools.machine.guest.agent import SIZE, add_grain
from vision.camera import Frame
from vision.picture_checks import FROZEN_S, Watch
from vision.pipeline import Scene
from vision.recognition import recogniser

WIDTH, HEIGHT = SIZE


def test_a_table_at_rest_is_not_taken_for_a_camera_that_stands_still() -> None:
    ramp = np.linspace(40, 200, WIDTH, dtype=np.uint8)
    still = yuyv(np.broadcast_to(ramp[None, :, None], (HEIGHT, WIDTH, 3)).copy())
    watch = Watch()
    for second in range(int(3 * FROZEN_S)):
        assert watch.judge(frame(second, add_grain(still))) is Health.OK


def frame(second: int, shown: bytes) -> Frame:
    """A picture as the vision worker gets it."""
    packed = np.frombuffer(shown, np.uint8).reshape(HEIGHT, WIDTH, 2)
    picture = np.asarray(cv2.cvtColor(packed, cv2.COLOR_YUV2BGR_YUYV), np.uint8)
    return Frame.of(second, float(second), picture)


@pytest.mark.thorough
def test_shown_as_slowly_as_in_the_machine_the_film_is_an_action_that_the_arbiter_accepts(tmp_path: Path) -> None:
    film = Film(tmp_path)
    readers = {"stones": recogniser.load(tmp_path / "enrolled/stones")}
    scene, case, accepted = Scene(), Case(), list[ActionStep]()
    scene.setup(film.mat, {"stones": load_set()}, readers, film.mat.sides["2"])
    for second, shown in enumerate((film.start(), *film.placing())):
        seen = scene.feed(frame(second, shown)).observation
        if seen is None or accepted:
            continue
        found = case.observe(film.game, film.match, seen, float(second), 4.0)
        case = found.case
        if isinstance(found.ruling, Accept):
            accepted += found.ruling.steps
            case = case.agree(film.game.layout(film.match.state))
    assert [(step.seat, step.words[0], step.words[2]) for step in accepted] == [("a", "place", "right")]
