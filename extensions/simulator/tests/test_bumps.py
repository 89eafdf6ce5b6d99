"""Bumps of the virtual camera: when they come, where they leave it, and a match through many of them."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from extensions.simulator.tests.tables import MAT, MATS
from referee_simulator.harness.bumps import ASIDE_DEG, TILTED_DEG, TURNED_DEG, Bumps, bump_scene, sees_all
from referee_simulator.harness.plan import Plan
from referee_simulator.harness.run import simulate
from referee_simulator.judge.tally import Details
from referee_simulator.render.camera import optics_of
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.scenes import Scene, draw, load_scenes
from referee_simulator.table.virtual import VirtualTable
from tests.device.cli.refusing import refused

SCENE = draw(load_scenes()["normal"], 3)


def test_bumps_come_as_often_as_asked_for_and_each_moves_the_camera() -> None:
    table = VirtualTable(MAT, Truth(), SCENE, MAT.sides["2"])
    bumps, seen = Bumps(table, 20.0, 7), [SCENE]
    while bumps.due() < 20_000.0:
        bumps.run_due(bumps.due() - 0.001)
        assert table.scene is seen[-1]
        bumps.run_due(bumps.due())
        seen.append(table.scene)
    assert len(seen) == pytest.approx(1000, rel=0.1)
    assert len(set(seen)) == len(seen)
    assert all(abs(one.roll_deg - SCENE.roll_deg) <= TURNED_DEG for one in seen), "it stays about where it stood"
    assert all(abs(one.tilt_deg - SCENE.tilt_deg) <= TILTED_DEG for one in seen)
    assert all(max(map(abs, one.aside_deg)) <= ASIDE_DEG for one in seen)


@pytest.mark.parametrize("name", sorted(MATS))
def test_a_bumped_camera_sees_all_of_the_mat(name: str) -> None:
    mat = MATS[name]
    for seed, ranges in product(range(40), load_scenes().values()):
        assert sees_all(bump_scene(draw(ranges, seed), mat, random.Random(seed)), mat)
    assert not sees_all(Scene(1, aside_deg=(30.0, 0.0)), mat)


def test_who_looks_to_the_right_and_down_sees_the_mat_farther_left_and_up() -> None:
    middle = np.array([[MAT.size_mm[0] / 2, MAT.size_mm[1] / 2, 0.0]])
    straight, aside = (optics_of(MAT, Scene(1, aside_deg=way)).project(middle)[0] for way in ((0.0, 0.0), (1.0, 0.5)))
    right, down = aside - straight
    assert right < 0
    assert right / down == pytest.approx(2.0, rel=0.01)


@pytest.mark.thorough
@pytest.mark.timeout(240)
def test_a_match_goes_on_through_bumps() -> None:
    found = simulate(Plan(game="tellstones", seed=8485976, matches=12, only=2, seats=4, cheat_rate=0.1, bump_s=20.0))
    assert isinstance(found.details, Details)
    assert (found.verdicts.wrong, found.false_accusations, found.cheats.missed) == (0, 0, 0), found.details.notes
    assert found.details.stuck == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--bump", "20"), "it needs --headless"),
        (("--headless", "--ideal", "--bump", "20"), "there is no camera to bump"),
        (("--no-camera", "--bump", "20"), "there is no camera to bump"),
        (("--headless", "--faults", "1", "--bump", "20"), "the seed draws it"),
    ],
)
def test_where_nothing_can_be_bumped_it_is_said(words: tuple[str, ...], said: str) -> None:
    assert said in refused("simulate", *words)
