"""What was learned is read only as it was shipped: another network would give wrong names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from vision.files import BadFile
from vision.recognition import models
from vision.recognition.embedding import Embedding
from vision.recognition.models import NETWORK, read_model


def test_the_digest_is_that_of_the_shipped_file() -> None:
    assert read_model(NETWORK) == NETWORK.read_bytes()


@pytest.mark.parametrize("harm", ["bit", "short", "gone"])
def test_a_file_that_is_not_the_shipped_one_is_refused_by_name(tmp_path: Path, harm: str) -> None:
    copy = tmp_path / NETWORK.name
    data = bytearray(NETWORK.read_bytes())
    data[len(data) // 2] ^= 1
    if harm != "gone":
        copy.write_bytes(bytes(data) if harm == "bit" else NETWORK.read_bytes()[:-1])
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
    assert set(models.SHA256) == {NETWORK.name}
