"""What was worked out of a set is kept beside it: the same to the byte, never of other pictures, never if damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.vision.faces import disc, lit, tile, turned
from vision.recognition import cache, enrolment, recogniser
from vision.recognition.enrolment import BACK, EnrolledSet, EnrolmentError, retake, save
from vision.recognition.index import read_index
from vision.recognition.models import SHA256
from vision.recognition.prints import printed
from vision.recognition.recogniser import EnrolledRecogniser

LETTERS = "AKRX"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "stones"
    pictures = {letter: (disc(letter), turned(disc(letter), 9.0)) for letter in LETTERS}
    save(EnrolledSet("stones", 4, {**pictures, BACK: (tile(" "),)}), made)
    return made


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, int]]]:
    """What is heard of the work."""
    heard: list[tuple[int, int]] = []
    yield heard
    monkeypatch.undo()


def load(folder: Path, steps: list[tuple[int, int]]) -> EnrolledRecogniser:
    steps.clear()
    return recogniser.load(folder, lambda done, of: steps.append((done, of)))


def everything(judge: EnrolledRecogniser) -> bytes:
    """All that a recogniser compares with, and what it says, to the byte."""
    crops = [lit(disc(letter), (0.6, 0.95, 1.25)) for letter in LETTERS]
    said = [msgspec.json.encode(naming) for naming in judge.name(crops)]
    held = judge.gallery
    arrays = [held.vectors, held.starts, held.alike, *held.details, *held.references]
    told = repr((held.kinds, held.long, held.turns))
    return b"".join([*said, *(np.asarray(each).tobytes() for each in arrays), told.encode()])


@pytest.mark.thorough
def test_the_second_start_does_no_work_and_gives_the_same_to_the_byte(
    folder: Path, steps: list[tuple[int, int]]
) -> None:
    first = everything(load(folder, steps))
    assert steps == [(done, len(steps)) for done in range(1, len(steps) + 1)], "each step is heard once"
    assert len(steps) > 1
    assert everything(load(folder, steps)) == first
    assert steps == []
    assert everything(EnrolledRecogniser(enrolment.load(folder))) == first, "and as if it were not kept"


@pytest.mark.thorough
def test_prints_are_kept_alike(tmp_path: Path) -> None:
    folder = tmp_path / "cards"
    cards = {letter: (tile(letter)[:, 4:-4], lit(tile(letter), (0.8, 0.9, 1.0))[:, 4:-4]) for letter in LETTERS}
    save(EnrolledSet("cards", 2, cards), folder)
    steps: list[int] = []
    crops = [lit(tile(letter), (1.3, 1.0, 0.7)) for letter in LETTERS]
    first = printed.load(folder, lambda done, of: steps.append(done))
    again = printed.load(folder, lambda done, of: steps.append(done))
    assert steps == [1, 2, 3, 4]
    plain = printed.PrintedRecogniser(enrolment.load(folder))
    assert first.name(crops) == again.name(crops) == plain.name(crops)
    for one, other in zip(first._references.values(), again._references.values(), strict=True):
        assert one.tobytes() == other.tobytes()


def another_picture(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    retake(folder, read_index(folder), {"A": [tile("B")]})


def another_symmetry(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = msgspec.structs.replace(read_index(folder), symmetry=2)
    (folder / "enrolled.json").write_bytes(msgspec.json.encode(index))


def another_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SHA256, "other.onnx", "0" * 64)
    cache._program.cache_clear()


def another_version(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.recognition.cache.cv2.__version__", "9.9")
    cache._program.cache_clear()


def another_code(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "CODE", (*cache.CODE, "camera.py"))
    cache._program.cache_clear()


@pytest.mark.quick(1)
@pytest.mark.parametrize("change", [another_picture, another_symmetry, another_network, another_version, another_code])
def test_whatever_differs_it_is_worked_out_anew(
    folder: Path,
    steps: list[tuple[int, int]],
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path, pytest.MonkeyPatch], None],
) -> None:
    load(folder, steps)
    change(folder, monkeypatch)
    found = everything(load(folder, steps))
    assert steps, "it was worked out"
    assert found == everything(EnrolledRecogniser(enrolment.load(folder)))
    load(folder, steps)
    assert steps == [], "and kept again"
    monkeypatch.undo()
    cache._program.cache_clear()


@pytest.mark.quick(1)
@pytest.mark.parametrize("harm", ["a bit of the head", "a bit of the arrays", "cut short", "empty", "a folder"])
def test_a_damaged_file_is_not_believed(folder: Path, steps: list[tuple[int, int]], harm: str) -> None:
    first = everything(load(folder, steps))
    (path,) = folder.glob("*.cache")
    data = bytearray(path.read_bytes())
    if harm == "a folder":
        path.unlink()
        path.mkdir()
    else:
        data[20 if "head" in harm else len(data) // 2] ^= 4
        path.write_bytes({"cut short": bytes(data[: len(data) // 3]), "empty": b""}.get(harm, bytes(data)))
    assert everything(load(folder, steps)) == first
    assert steps


@pytest.mark.thorough
def test_where_nothing_can_be_kept_it_works_all_the_same(
    folder: Path, steps: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("vision.files.writing.os.fsync", full)
    first = everything(load(folder, steps))
    assert list(folder.glob("*.cache*")) == []
    assert everything(load(folder, steps)) == first


def test_a_picture_that_was_damaged_is_still_told(folder: Path, steps: list[tuple[int, int]]) -> None:
    load(folder, steps)
    picture = folder / read_index(folder).references[0].file
    picture.write_bytes(b"no picture")
    with pytest.raises(EnrolmentError, match=picture.name):
        load(folder, steps)
    picture.unlink()
    with pytest.raises(EnrolmentError, match=picture.name):
        load(folder, steps)


def test_what_is_enrolled_while_it_is_worked_out_is_not_kept_for_what_was_there_before(folder: Path) -> None:
    before = cache.fingerprint(folder)
    cache.worked_out(folder, "any", lambda: (retake(folder, read_index(folder), {"A": [tile("B")]}), {})[1])
    assert cache.fingerprint(folder) != before
    assert not (folder / "any.cache").exists()
