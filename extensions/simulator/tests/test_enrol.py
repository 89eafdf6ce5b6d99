"""Simulated pieces are enrolled as an owner would: one that is not found is laid elsewhere, a few times."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.games import mats
from referee_simulator.harness import enrol
from referee_simulator.harness.enrol import TRIES, NotEnrolled
from referee_simulator.table.ground_truth import Body
from referee_simulator.table.scenes import Scene
from vision.camera import Image
from vision.mat import Mat
from vision.recognition.naming import PieceSet


@pytest.mark.parametrize("refusals", [1, TRIES - 1, TRIES])
def test_pieces_are_laid_out_anew_if_one_is_not_found(
    refusals: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried, seen = list[tuple[Body, ...]](), enrol._shot

    def shot(mat: Mat, pieces: PieceSet, bodies: tuple[Body, ...], scene: Scene, look: int) -> dict[str, Image]:
        tried.append(bodies)
        if len(tried) <= refusals:
            raise NotEnrolled("not found")
        return dict(seen(mat, pieces, bodies, scene, look))

    monkeypatch.setattr(enrol, "_shot", shot)
    monkeypatch.setattr(enrol, "SHOTS", 1)
    mat = mats(["runes"])["runes"]
    if refusals == TRIES:
        with pytest.raises(NotEnrolled):
            enrol.enrol(mat, "counters", 3, tmp_path)
    else:
        assert enrol.enrol(mat, "counters", 3, tmp_path).pictures
    assert len({tuple((body.x, body.y) for body in bodies) for bodies in tried}) == min(refusals + 1, TRIES)
