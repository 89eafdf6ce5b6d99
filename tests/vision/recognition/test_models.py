"""What was learned is read only as it was shipped: another network would give wrong names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.vision.faces import tile
from vision.files import BadFile
from vision.recognition import models
from vision.recognition.confidence import weights
from vision.recognition.embedding import Embedding
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.models import FITS, NETWORK, read_model
from vision.recognition.recogniser import EnrolledRecogniser


@pytest.mark.parametrize("path", [NETWORK, FITS])
def test_the_digests_are_those_of_the_shipped_files(path: Path) -> None:
    assert read_model(path) == path.read_bytes()


@pytest.mark.parametrize("harm", ["bit", "short", "gone"])
@pytest.mark.parametrize("path", [NETWORK, FITS])
def test_a_file_that_is_not_the_shipped_one_is_refused_by_name(tmp_path: Path, path: Path, harm: str) -> None:
    copy = tmp_path / path.name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    if harm != "gone":
        copy.write_bytes(bytes(data) if harm == "bit" else path.read_bytes()[:-1])
    with pytest.raises(BadFile, match=rf"{copy}: is (damaged|not there).*; install the referee again"):
        read_model(copy)


def test_no_recogniser_is_made_of_a_wrong_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = Path(shutil.copy(NETWORK, tmp_path))
    with copy.open("r+b") as file:
        file.seek(-5, 2)
        file.write(b"\0\0\0\0")
    monkeypatch.setattr("vision.recognition.embedding.NETWORK", copy)
    with pytest.raises(BadFile, match=r"embedding\.onnx"):
        Embedding()


def test_no_recogniser_is_made_of_wrong_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / FITS.name
    copy.write_bytes(FITS.read_bytes().replace(b"1", b"2", 1))
    monkeypatch.setattr("vision.recognition.confidence.FITS", copy)
    weights.cache_clear()
    try:
        with pytest.raises(BadFile, match=r"confidence\.json"):
            EnrolledRecogniser(EnrolledSet("one", "any", {"A": (tile("A"),)}))
    finally:
        weights.cache_clear()
    assert set(models.SHA256) == {NETWORK.name, FITS.name}
