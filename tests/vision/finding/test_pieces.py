"""Relief tells backs from faces."""

from __future__ import annotations

import numpy as np

from tests.vision.scenes import KINDS, face
from vision.finding.pieces import relief


def test_relief_tells_backs_from_faces() -> None:
    rng = np.random.default_rng(2)
    for noise in (0, 6):
        backs = np.clip(face(None) + rng.normal(0, noise, (160, 160, 3)), 0, 255).astype(np.uint8)
        assert relief(backs) < 0.06
        for kind in KINDS:
            assert relief(np.clip(face(kind) + rng.normal(0, noise, (160, 160, 3)), 0, 255).astype(np.uint8)) > 0.5
