"""Names that pieces keep while they lie as they lay."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from vision.camera import Image
from vision.finding.name_cache import NameCache
from vision.finding.pieces import FoundPiece
from vision.recognition.naming import Naming

HERE = FoundPiece(100.0, 50.0, 0.0, 0.9)
KNOWN = Naming("axe", 0.99, 12.0, "axe")


def printed(mark: int, seed: int = 0, light: float = 1.0) -> Image:
    """A crop of a token with a mark, as a noisy camera sees it."""
    face = np.full((60, 60, 3), 120, np.uint8)
    cv2.putText(face, str(mark), (15, 45), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (30, 30, 160), 4, cv2.LINE_AA)
    noise = np.random.default_rng(seed).normal(0, 3, face.shape)
    return np.clip(cv2.GaussianBlur(face, (0, 0), 1.0) * light + noise, 0, 255).astype(np.uint8)


def named(naming: Naming = KNOWN) -> NameCache:
    names = NameCache()
    names.keep(HERE, printed(6), naming)
    return names


def recalled(names: NameCache, found: FoundPiece, crop: Image) -> Naming | None:
    """The answer for one piece of a picture that shows the same wherever it is cropped."""

    def crops(places: Sequence[FoundPiece]) -> Image:
        return np.stack([crop for _ in places]) if places else np.zeros((0, 60, 60, 3), np.uint8)

    (naming,) = names.recall([found], crops)
    return naming


@pytest.mark.parametrize("light", [1.0, 1.03])
def test_what_lies_as_it_lay_keeps_its_name_through_noise_and_slow_light(light: float) -> None:
    names = named()
    for seed in range(1, 4):
        assert recalled(names, FoundPiece(100.2, 49.9, 0.5, 0.8), printed(6, seed, light)) == KNOWN


@pytest.mark.parametrize(
    ("found", "mark"),
    [(HERE, 8), (FoundPiece(102.0, 50.0, 0.0, 0.9), 6), (FoundPiece(100.0, 50.0, 20.0, 0.9), 6)],
    ids=["another print", "another place", "turned"],
)
def test_what_was_handled_is_named_anew_and_its_name_forgotten(found: FoundPiece, mark: int) -> None:
    names = named()
    assert recalled(names, found, printed(mark, 1)) is None
    assert recalled(names, HERE, printed(6, 2)) is None


def test_doubtful_names_are_not_kept_nor_any_after_a_correction() -> None:
    assert recalled(named(Naming(None, 0.6, 0.0, "axe")), HERE, printed(6, 1)) is None
    names = named()
    names.forget()
    assert recalled(names, HERE, printed(6, 1)) is None
