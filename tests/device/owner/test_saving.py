"""What an owner made is saved and put back whole, or not at all; and nothing else gets in that way."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest

from device.owner import saving
from device.owner.saving import LONGEST, restored, saved
from vision.files import BadFile

INDEX = b'{"name": "stones", "symmetry": 1, "references": [{"kind": "sword", "file": "0123.png"}]}'
FILES = {
    "enrolled/stones/enrolled.json": INDEX,
    "enrolled/stones/0123.png": b"picture",
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
        ("decks/fence.toml", b"[cards"), ("decks/fence.toml", b"\xff"), ("decks/fence.toml", b"x = inf"),
    ],
)  # fmt: skip
def test_an_index_or_a_deck_that_nobody_can_read_takes_the_place_of_no_good_one(
    state: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    path = archive(tmp_path, {"enrolled/stones/9999.png": b"picture", **FILES, name: content})
    with pytest.raises(BadFile, match=r"saved\.zip: (enrolled|decks)/"):
        restored(state, path)
    assert {each: (state / each).read_bytes() for each in FILES} == FILES
    assert not (state / "enrolled" / "stones" / "9999.png").exists()


def test_a_file_that_swells_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, {"decks/fence.toml": bytes(LONGEST + 1)})
    with pytest.raises(BadFile):
        restored(tmp_path / "state", path)


@pytest.mark.parametrize(("limit", "most"), [("MOST_FILES", 2), ("MOST_BYTES", sum(map(len, FILES.values())))])
def test_what_could_not_be_put_back_is_not_saved(
    state: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    """More files than are taken back, or an archive that is too long itself where what it holds is not."""
    monkeypatch.setattr(saving, limit, most)
    with pytest.raises(BadFile, match="holds more than"):
        saved(state)


def test_an_index_is_put_back_after_the_pictures_that_it_names(tmp_path: Path) -> None:
    path = archive(tmp_path, {"enrolled/stones/enrolled.json": INDEX, "enrolled/stones/sword.png": b"picture"})
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
