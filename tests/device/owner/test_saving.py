"""What an owner made is saved and put back whole, or not at all; and nothing else gets in that way."""

from __future__ import annotations

import errno
import io
import random
import struct
import zipfile
from pathlib import Path

import pytest

from device.owner import saving
from device.owner.saving import LONGEST, MOST_FILES, outcome, put_back, restored, saved
from vision.files import BadFile

INDEX = b'{"name": "stones", "symmetry": 1, "references": [{"kind": "sword", "file": "0123.png"}]}'
PICTURE = b"\x89PNG\r\n\x1a\n and so on"
FILES = {
    "enrolled/stones/enrolled.json": INDEX,
    "enrolled/stones/0123.png": PICTURE,
    "decks/fence.toml": b"[cards]\n",
}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    for name, data in {**FILES, "journal.db": b"secret", "owner.json": b"secret", "enrolled/x.tmp": b"no"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def archive(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "saved.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return path


def test_what_is_saved_comes_back_in_another_table_and_nothing_else_is_in_it(state: Path, tmp_path: Path) -> None:
    data = saved(state)
    assert data is not None
    assert data == saved(state)
    assert b"secret" not in data
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        assert set(made.namelist()) == set(FILES)
    (tmp_path / "saved.zip").write_bytes(data)
    other = tmp_path / "other"
    (other / "enrolled" / "pawns").mkdir(parents=True)
    (other / "enrolled" / "pawns" / "enrolled.json").write_bytes(b"stays")
    written = restored(other, tmp_path / "saved.zip")
    assert {path.relative_to(other).as_posix(): path.read_bytes() for path in written} == FILES
    assert (other / "enrolled" / "pawns" / "enrolled.json").read_bytes() == b"stays"


@pytest.mark.parametrize(
    "name",
    [
        "../enrolled/stones/a.png", "/etc/passwd", "owner.json", "journal.db", "enrolled/../owner.json",
        "enrolled/stones/../../owner.json", "enrolled/stones/.hidden", "decks/a/b.toml", "enrolled\\stones\\a.png",
    ],
)  # fmt: skip
def test_one_file_in_the_wrong_place_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path, {**FILES, name: b"bad"})
    with pytest.raises(BadFile, match="no such archive"):
        restored(tmp_path / "state", path)
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("enrolled/stones/enrolled.json", b"{}"), ("enrolled/stones/enrolled.json", b"\xff"),
        ("enrolled/stones/enrolled.json", INDEX.replace(b"0123.png", b"..")),
        ("enrolled/stones/enrolled.json", INDEX.replace(b"0123", b"4567")),
        ("enrolled/stones/checked.json", b"no json"), ("enrolled/stones/checked.json", b"{}"),
        ("enrolled/stones/measured.json", b"no json"), ("enrolled/stones/measured.json", b'{"pictures": 1}'),
        ("enrolled/stones/0123.png", b"no picture"),
        ("decks/fence.toml", b"[cards"), ("decks/fence.toml", b"\xff"), ("decks/fence.toml", b"x = inf"),
    ],
)  # fmt: skip
def test_what_nobody_can_read_takes_the_place_of_no_good_one(
    state: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    path = archive(tmp_path, {"enrolled/stones/9999.png": PICTURE, **FILES, name: content})
    with pytest.raises(BadFile, match=r"saved\.zip: (enrolled|decks)/"):
        restored(state, path)
    assert {each: (state / each).read_bytes() for each in FILES} == FILES
    assert not (state / "enrolled" / "stones" / "9999.png").exists()


def test_an_index_may_name_a_picture_that_is_here_already(state: Path, tmp_path: Path) -> None:
    assert len(restored(state, archive(tmp_path, {"enrolled/stones/enrolled.json": INDEX}))) == 1


def test_a_file_that_swells_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, {"decks/fence.toml": bytes(LONGEST + 1)})
    with pytest.raises(BadFile):
        restored(tmp_path / "state", path)


ENTRY = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 3, 20, 0, 0, 0, 0, 0x21, 0, 0, 0, 1, *[0] * 6) + b"a"
"""The shortest of a directory, of a file without a byte: 47 bytes."""


def ended(entries: int, *, told: int | None = None, comment: bytes = b"") -> bytes:
    """An archive that is nothing but a directory, and its end. told: how many entries it says that it has."""
    count = entries if told is None else told
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, entries * len(ENTRY), 0, len(comment))
    return ENTRY * entries + end + comment


def large(entries: int) -> bytes:
    """The same with ZIP64, whose end says how many there are."""
    size = entries * len(ENTRY)
    end = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, size, 0)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, size, 1)
    return ENTRY * entries + end + locator + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 47, 0, 0)


@pytest.mark.parametrize(
    "data",
    [
        ended(MOST_FILES + 1), ended(60_000, told=1), ended(1, comment=b"PK\5\6"), large(60_000), large(1),
        b"", b"PK\5\6", ended(1)[:-1],
    ],
    ids=["files", "directory", "comment", "zip64", "small zip64", "nothing", "an end", "cut"],
)  # fmt: skip
def test_a_directory_of_more_entries_than_are_ever_saved_is_not_even_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    """Each entry takes memory and time, whatever it is of."""
    read: list[object] = []
    monkeypatch.setattr("zipfile.ZipFile", read.append)
    with pytest.raises(BadFile, match="no such archive"):
        put_back(tmp_path, io.BytesIO(data), "it")
    assert not read


@pytest.mark.parametrize("way", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_what_is_packed_as_nothing_is_saved_is_refused_before_it_is_unpacked(tmp_path: Path, way: int) -> None:
    """A damaged LZMA stream raises an error of its own, and may ask for gigabytes."""
    path = tmp_path / "packed.zip"
    with zipfile.ZipFile(path, "w", way) as made:
        made.writestr("decks/fence.toml", b"[cards]\n" * 50)
    data = bytearray(path.read_bytes())
    at = data.find(b"fence.toml") + len(b"fence.toml")
    data[at + 12 : at + 20] = b"\xff" * 8
    for packed in (path.read_bytes(), bytes(data)):
        with pytest.raises(BadFile, match=r"no such archive \(ValueError\)"):
            put_back(tmp_path / "state", io.BytesIO(packed), "it")


class Failing(io.BytesIO):
    """An archive on a disk that does not give it back."""

    def read(self, size: int | None = -1) -> bytes:
        raise OSError(errno.EIO, "Input/output error")


def test_a_disk_that_fails_is_not_taken_for_an_archive_that_nobody_can_read(state: Path, tmp_path: Path) -> None:
    data = saved(state)
    assert data is not None
    failed = outcome(tmp_path / "other", Failing(data))
    assert (failed.files, failed.sound, failed.fault) == (0, True, "[Errno 5] Input/output error")
    (tmp_path / "saved.zip").write_bytes(data[:-1])
    cut = outcome(tmp_path / "other", tmp_path / "saved.zip")
    assert (cut.files, cut.sound) == (0, False)
    assert "no such archive" in cut.fault
    assert outcome(tmp_path / "other", io.BytesIO(data)).files == len(FILES)


@pytest.mark.parametrize(("limit", "most"), [("MOST_FILES", 2), ("MOST_BYTES", sum(map(len, FILES.values())))])
def test_what_could_not_be_put_back_is_not_saved(
    state: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    """More files than are taken back, or an archive that is too long itself where what it holds is not."""
    monkeypatch.setattr(saving, limit, most)
    with pytest.raises(BadFile, match="holds more than"):
        saved(state)


def test_an_index_is_put_back_after_the_pictures_that_it_names(tmp_path: Path) -> None:
    path = archive(
        tmp_path,
        {"enrolled/stones/enrolled.json": INDEX.replace(b"0123", b"sword"), "enrolled/stones/sword.png": PICTURE},
    )
    folder = tmp_path / "state" / "enrolled" / "stones"
    (folder / "sword.png").mkdir(parents=True)  # there the disk takes nothing
    (folder / "enrolled.json").write_bytes(b"old")
    with pytest.raises(IsADirectoryError):
        restored(tmp_path / "state", path)
    assert (folder / "enrolled.json").read_bytes() == b"old"


def test_where_nothing_was_made_nothing_is_saved(tmp_path: Path) -> None:
    assert saved(tmp_path) is None


def test_an_empty_archive_and_none_at_all_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="holds nothing"):
        restored(tmp_path, archive(tmp_path, {}))
    with pytest.raises(BadFile):
        restored(tmp_path, tmp_path / "nowhere.zip")


def test_whatever_a_damaged_archive_holds_it_is_a_sentence(state: Path, tmp_path: Path) -> None:
    dice, good = random.Random(3), saved(state)
    assert good is not None
    for _ in range(300):
        data = bytearray(good)
        for _ in range(dice.randrange(1, 6)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        (tmp_path / "damaged.zip").write_bytes(
            bytes(data[: dice.randrange(len(data) + 1)]) if dice.random() < 0.3 else data
        )
        target = tmp_path / "target"
        try:
            written = restored(target, tmp_path / "damaged.zip")
        except BadFile:
            continue
        assert all(path.is_relative_to(target) for path in written)
