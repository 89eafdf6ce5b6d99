"""Picture files: what OpenCV reads counts, whatever its name; litter does not; what cannot be read says why."""

from __future__ import annotations

import os
import resource
import struct
import time
import zlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.faces import tile
from vision.pictures import (
    BROKEN,
    COMPRESSED,
    EMPTY,
    FLOATS,
    FOREIGN,
    HEIC,
    LARGE,
    Unread,
    files,
    folders,
    pictures,
    read,
    skipped_text,
)

PNG = cv2.imencode(".png", tile("A"))[1].tobytes()
PHONE = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"


def test_the_content_decides_and_not_the_name(tmp_path: Path) -> None:
    for end in (".jpg", ".ppm", ".tiff"):
        (tmp_path / f"a{end}").write_bytes(cv2.imencode(end, tile("A"))[1].tobytes())
    for name in ("b.jfif", "bare"):
        (tmp_path / name).write_bytes(PNG)
    found = pictures(tmp_path)
    assert [path.name for path in found] == ["a.jpg", "a.ppm", "a.tiff", "b.jfif", "bare"]
    assert not any(isinstance(read(path), Unread) for path in found)


@pytest.mark.parametrize("name", [".hidden.png", "._a.png", "Thumbs.db", "desktop.ini", "__MACOSX", ".DS_Store"])
def test_what_file_managers_leave_is_not_there(tmp_path: Path, name: str) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / name).write_bytes(PNG)
    (tmp_path / "folders" / name).mkdir(parents=True)
    assert files(tmp_path / "files") == []
    assert folders(tmp_path / "folders") == []


@pytest.mark.parametrize(
    ("name", "data", "why", "told"),
    [
        ("a.png", PNG[: len(PNG) // 2], BROKEN, False),
        ("a.jpg", b"garbage", BROKEN, False),
        ("a.jpg", b"", EMPTY, False),
        ("a.jpg", PHONE, HEIC, False),
        ("a.heic", PHONE, HEIC, True),
        ("bare", PHONE[:12], HEIC, True),
        ("notes.txt", b"taken on Sunday", FOREIGN, True),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, name: str, data: bytes, why: str, told: bool) -> None:
    """told: it is left out at once, because it does not even pretend to be a picture."""
    (tmp_path / name).write_bytes(data)
    left: list[Unread] = []
    assert len(pictures(tmp_path, left.append)) == (not told)
    assert left == ([Unread(tmp_path / name, why)] if told else [])
    assert read(tmp_path / name) == Unread(tmp_path / name, why)


FACE = tile("A")
NUMBERS: dict[str, NDArray[np.floating[Any] | np.integer[Any]]] = {
    "colours": FACE.astype(np.float32) / 255,
    "double": FACE.astype(np.float64),
    "gray": FACE[..., 0].astype(np.float32) / 255,
    "whole": FACE[..., 0].astype(np.int32),
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("name", ["a.tif", "a.TIFF", "a"])
def test_a_tiff_of_numbers_is_not_called_broken(tmp_path: Path, kind: str, name: str) -> None:
    data = cv2.imencode(".tiff", NUMBERS[kind])[1].tobytes()
    (tmp_path / name).write_bytes(data)
    assert read(tmp_path / name) == Unread(tmp_path / name, FLOATS)
    (tmp_path / "half.tif").write_bytes(data[: len(data) // 2])
    assert read(tmp_path / "half.tif") == Unread(tmp_path / "half.tif", BROKEN)


@pytest.mark.parametrize("end", ["hdr", "pfm"])
def test_so_is_any_other_picture_of_numbers(tmp_path: Path, end: str) -> None:
    (tmp_path / f"a.{end}").write_bytes(cv2.imencode(f".{end}", NUMBERS["colours"])[1].tobytes())
    assert read(tmp_path / f"a.{end}") == Unread(tmp_path / f"a.{end}", FLOATS)


def test_a_tiff_that_is_packed_in_a_strange_way_says_so(tmp_path: Path) -> None:
    data = bytearray(cv2.imencode(".tiff", FACE)[1].tobytes())
    tag = data.index(struct.pack("<HHI", 259, 3, 1))
    data[tag + 8 : tag + 10] = struct.pack("<H", 34887)  # LERC
    (tmp_path / "a.tif").write_bytes(data)
    assert read(tmp_path / "a.tif") == Unread(tmp_path / "a.tif", COMPRESSED)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_a_tiff_of_8_or_16_bits_is_read(tmp_path: Path, kind: type[np.uint8 | np.uint16]) -> None:
    (tmp_path / "a.tif").write_bytes(
        cv2.imencode(".tif", np.asarray(FACE * np.uint64(np.iinfo(kind).max // 255), kind))[1].tobytes()
    )
    found = read(tmp_path / "a.tif")
    assert not isinstance(found, Unread)
    assert np.array_equal(found, FACE)


def test_a_name_that_is_not_utf8_is_no_picture(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff\xfe.dat")).write_bytes(b"anything")
    skipped: list[Unread] = []
    assert pictures(tmp_path, skipped.append) == []
    assert len(skipped) == 1


def test_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    assert read(tmp_path / "a.png") == Unread(tmp_path / "a.png", "is not there")


def test_what_was_skipped_is_told_by_reason(tmp_path: Path) -> None:
    left = [Unread(tmp_path / "A" / "1.jpg", BROKEN), Unread(tmp_path / "n", FOREIGN), Unread(tmp_path / "2", BROKEN)]
    told = skipped_text(left, tmp_path)
    assert told == f"3 files of {tmp_path} skipped: A/1.jpg, 2 (broken); n (no picture that OpenCV can read)"


def bomb(width: int, height: int) -> bytes:
    """A PNG that claims so many pixels, and has a few rows of them."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(width + 1)) for _ in range(min(height, 200))) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_a_picture_of_too_many_pixels_is_refused_before_they_are_decoded(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(bomb(300, 200))
    assert not isinstance(read(path), Unread)
    path.write_bytes(bomb(6000, 5000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert read(path) == Unread(path, LARGE)
    path.write_bytes(bomb(30_000, 30_000))
    assert read(path) == Unread(path, LARGE), "more than Pillow itself would take"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000, "kilobytes"


@pytest.mark.thorough
def test_a_file_too_long_for_a_picture_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "a.png").open("wb") as file:
        file.write(PNG)
        file.truncate(10**9)
    found = read(tmp_path / "a.png")
    assert isinstance(found, Unread)
    assert found.why.startswith("is longer than 100,000,000 bytes")


def test_a_part_that_claims_to_be_longer_than_the_file_is_refused_before_room_is_made_for_it(tmp_path: Path) -> None:
    path, begun = tmp_path / "a.png", time.process_time()
    at = PNG.index(b"IDAT") - 4
    path.write_bytes(PNG[:at] + struct.pack(">I", 2**31 - 1) + PNG[at + 4 :])
    assert read(path) == Unread(path, BROKEN)
    assert time.process_time() - begun < 0.5
