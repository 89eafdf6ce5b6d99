"""The table of the two paths, over cards drawn for it."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.faces import lit, tile
from tools.lab.card_paths import Count, Row, lines, main


def photographed(folder: Path) -> Path:
    for number, kind in enumerate("ABEK"):
        card = np.vstack([cv2.resize(tile(letter), (126, 88)) for letter in (kind, "7RS2"[number])])
        for part, light in (("enrol", 1.0), ("test", 0.8)):
            (folder / part / kind).mkdir(parents=True)
            picture = lit(np.asarray(card, np.uint8), (light, 1.0, light), seed=number)
            cv2.imwrite(str(folder / part / kind / "1.png"), picture)
    return folder


@pytest.mark.thorough
def test_cards_cut_aslant_or_with_a_rim_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(photographed(tmp_path / "own")), "--size", "63x88", "--json"])
    found = {row["cut"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(found) == ["straight", "aslant", "rim"]
    for row in found.values():
        assert (row["flat"]["pictures"], row["flat"]["wrong"], row["flat"]["strangers"]) == (4, 0, 0)
    assert found["aslant"]["flat"]["accepted"] >= max(3, found["aslant"]["network"]["accepted"])
    assert found["rim"]["flat"]["accepted"] >= found["rim"]["network"]["accepted"]


def test_a_person_reads_both_paths() -> None:
    _, told = lines([Row("own", "aslant", Count(25, 0, 0, 1), Count(25, 20, 0, 0))])
    assert told.split() == ["own", "aslant", "25", "20", "(", "0)", "0", "(", "0)", "0", "(", "1)"]
