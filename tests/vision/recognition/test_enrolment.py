"""The enrolled set on disk: what is written is read back, faults name their file, a power cut loses nothing."""

from __future__ import annotations

from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from tests.vision.faces import tile
from vision.files import BadFile
from vision.recognition.enrolment import (
    UNKNOWN,
    EnrolledSet,
    EnrolmentError,
    load,
    make_writable,
    pictures_in,
    read_folder,
    retake,
    save,
)
from vision.recognition.index import INDEX, MOST, Index, read_index

REFERS = b'{"name": "x", "symmetry": "any", "references": [{"kind": "A", "file": "FILE"}]}'


def letters(text: str) -> EnrolledSet:
    return EnrolledSet("letters", 4, {letter: (tile(letter), tile(letter, "red")) for letter in text})


def same(one: EnrolledSet, other: EnrolledSet) -> bool:
    pairs = zip(one.pictures.items(), other.pictures.items(), strict=True)
    return all(
        kind == name and all(map(np.array_equal, images, others)) and len(images) == len(others)
        for (kind, images), (name, others) in pairs
    )


def written(folder: Path, kinds: str, shots: int = 2) -> Path:
    for kind in kinds:
        (folder / kind).mkdir(parents=True)
        for shot in range(shots):
            cv2.imwrite(str(folder / kind / f"{shot}.png"), tile(kind, side=60 + 10 * shot))
    return folder


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    before = letters("ABC")
    save(before, tmp_path / "set")
    after = load(tmp_path / "set")
    assert (after.name, after.symmetry, list(after.pictures)) == ("letters", 4, ["A", "B", "C"])
    for kind, images in before.pictures.items():
        assert all(np.array_equal(one, other) for one, other in zip(images, after.pictures[kind], strict=True))


def test_saving_again_leaves_only_the_new_set(tmp_path: Path) -> None:
    save(letters("ABCDEF"), tmp_path)
    save(letters("XY"), tmp_path)
    assert list(load(tmp_path).pictures) == ["X", "Y"]
    assert len(list(tmp_path.glob("*.png"))) == 4


def test_more_pictures_than_a_set_may_have_leave_the_old_set(tmp_path: Path) -> None:
    save(letters("ABC"), tmp_path)
    with pytest.raises(EnrolmentError, match="1001 pictures are too many"):
        save(EnrolledSet("letters", 4, {"X": (tile("X"),) * (MOST + 1)}), tmp_path)
    assert same(load(tmp_path), letters("ABC"))


def test_a_power_cut_before_the_last_step_leaves_the_old_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(letters("ABC"), tmp_path)

    def cut(self: Path, target: Path) -> Path:
        raise OSError("power cut")

    monkeypatch.setattr(Path, "replace", cut)
    with pytest.raises(EnrolmentError, match="power cut"):
        save(letters("XY"), tmp_path)
    with pytest.raises(EnrolmentError, match="power cut"):
        retake(tmp_path, read_index(tmp_path), {"B": [tile("B", "blue")]})
    assert same(load(tmp_path), letters("ABC"))


def test_an_old_picture_that_cannot_be_removed_does_not_undo_the_new_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(letters("ABC"), tmp_path)
    remove = Path.unlink

    def refuse(self: Path, missing_ok: bool = False) -> None:
        if self.suffix == ".png":
            raise OSError("busy")
        remove(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    save(letters("XY"), tmp_path)
    assert same(load(tmp_path), letters("XY"))


def test_an_empty_set_is_not_written_over_a_good_one(tmp_path: Path) -> None:
    save(letters("A"), tmp_path)
    with pytest.raises(EnrolmentError, match="at least one picture"):
        save(EnrolledSet("letters", "any", {}), tmp_path)
    assert list(load(tmp_path).pictures) == ["A"]


def test_a_missing_set_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"enrolled\.json: is not there.*referee enrol"):
        load(tmp_path)


@pytest.mark.parametrize("damage", [b"", b"\x89PNG\r\n", b"not a picture"])
def test_a_broken_picture_is_named(tmp_path: Path, damage: bytes) -> None:
    save(letters("AB"), tmp_path)
    victim = sorted(tmp_path.glob("*.png"))[1]
    victim.write_bytes(damage)
    with pytest.raises(EnrolmentError, match=victim.name):
        load(tmp_path)


def test_a_missing_picture_is_named(tmp_path: Path) -> None:
    save(letters("AB"), tmp_path)
    victim = min(tmp_path.glob("*.png"))
    victim.unlink()
    with pytest.raises(EnrolmentError, match=victim.name):
        load(tmp_path)


@pytest.mark.parametrize(
    ("index", "why"),
    [
        (b"{", "enrolled.json"),
        (b'{"name": "x", "symmetry": 3, "references": []}', "symmetry"),
        (b'{"name": "x", "symmetry": "any", "references": [], "colour": 1}', "colour"),
        (b'{"name": "x", "symmetry": "any", "references": [], "version": 99}', "version: is 99"),
        (b'{"name": "x", "symmetry": "any", "references": []}', "names no picture"),
        (b'{"name": "M\xfcller", "symmetry": "any", "references": []}', "enrolled.json"),
        (b'{"name": ' + b"[" * 100_000, "enrolled.json"),
        (REFERS.replace(b"FILE", b"../../secret.png"), r"references\[0\]: '../../secret.png' is no name of a file"),
        (REFERS.replace(b"FILE", b".."), r"references\[0\]: '..' is no name"),
        (
            b'{"name": "x", "symmetry": "any", "references": ['
            + b'{"kind": "a", "file": "b"},' * 2000
            + b'{"kind": "a", "file": "b"}]}',
            "<= 1000",
        ),
    ],
)
def test_a_broken_index_says_what_is_wrong(tmp_path: Path, index: bytes, why: str) -> None:
    (tmp_path / INDEX).write_bytes(index)
    with pytest.raises(BadFile, match=why):
        load(tmp_path)


def test_the_index_is_readable_by_a_person(tmp_path: Path) -> None:
    save(letters("A"), tmp_path)
    raw = msgspec.json.decode((tmp_path / INDEX).read_bytes())
    assert raw["version"] == 1
    assert [reference["kind"] for reference in raw["references"]] == ["A", "A"]


def test_enrols_from_a_folder_of_pictures(tmp_path: Path) -> None:
    source = written(tmp_path / "photos", "ABC")
    (source / UNKNOWN).mkdir()
    cv2.imwrite(str(source / UNKNOWN / "coaster.png"), tile("Z"))
    (source / "A" / "notes.txt").write_text("taken on Sunday")
    (source / "__MACOSX").mkdir()
    enrolled = read_folder(source, "letters", 2)
    save(enrolled, tmp_path / "set")
    assert {kind: len(images) for kind, images in enrolled.pictures.items()} == {"A": 2, "B": 2, "C": 2}
    assert load(tmp_path / "set").symmetry == 2


def test_all_broken_pictures_of_a_folder_are_named_at_once(tmp_path: Path) -> None:
    source = written(tmp_path, "ABC")
    for name in ("A/1.png", "C/0.png"):
        (source / name).write_bytes(b"\x89PNG\r\n")
    with pytest.raises(EnrolmentError, match=r"cannot be read: A/1\.png, C/0\.png \(broken\)\. Put good pictures"):
        read_folder(source, "letters")


def test_a_kind_without_a_picture_is_named(tmp_path: Path) -> None:
    source = written(tmp_path, "A")
    (source / "B").mkdir()
    (source / "B" / "1.heic").write_bytes(b"\0\0\0\x18ftypheic")
    (source / "C").mkdir()
    with pytest.raises(EnrolmentError, match=f"{source / 'B'}, {source / 'C'}: no picture"):
        read_folder(source, "letters")


def test_a_folder_of_nothing_but_strangers_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "A")
    (tmp_path / "A").rename(tmp_path / UNKNOWN)
    with pytest.raises(EnrolmentError, match="nothing but _unknown"):
        read_folder(tmp_path, "letters")


def test_all_that_is_broken_in_a_set_is_named_with_the_remedy(tmp_path: Path) -> None:
    save(letters("ABC"), tmp_path)
    files = [each.file for each in read_index(tmp_path).references if each.kind != "B"]
    (tmp_path / files[0]).write_bytes(b"")
    (tmp_path / files[2]).unlink()
    with pytest.raises(EnrolmentError, match="referee enrol letters A C") as caught:
        load(tmp_path)
    assert all(file in str(caught.value) for file in (files[0], files[2]))


def test_takes_the_first_shots_by_name(tmp_path: Path) -> None:
    written(tmp_path, "AB", shots=3)
    assert [path.name for path in pictures_in(tmp_path, 2)["A"]] == ["0.png", "1.png"]
    assert read_folder(tmp_path, "letters", "any", 1).pictures["A"][0].shape == (60, 60, 3)


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnrolmentError, match="no such folder"):
        pictures_in(tmp_path / "nowhere")
    with pytest.raises(EnrolmentError, match="no pictures"):
        pictures_in(tmp_path)


def test_one_kind_is_taken_anew_in_its_place_and_all_others_stay(tmp_path: Path) -> None:
    save(letters("ABC"), tmp_path)
    index = retake(tmp_path, read_index(tmp_path), {"B": [tile("B", "blue")]})
    wanted = EnrolledSet("letters", 4, {**letters("ABC").pictures, "B": (tile("B", "blue"),)})
    assert same(load(tmp_path), wanted)
    assert read_index(tmp_path) == index
    assert len(list(tmp_path.glob("*.png"))) == 5, "the old pictures of B are gone"


def test_a_set_grows_kind_by_kind(tmp_path: Path) -> None:
    index = Index("letters", 4, ())
    for letter in "ABC":
        index = retake(tmp_path, index, letters(letter).pictures)
    assert same(load(tmp_path), letters("ABC"))


def test_two_kinds_that_look_the_same_keep_a_picture_each(tmp_path: Path) -> None:
    save(EnrolledSet("letters", 4, {"A": (tile("A"),), "B": (tile("A"),)}), tmp_path)
    retake(tmp_path, read_index(tmp_path), {"A": [tile("X")]})
    assert same(load(tmp_path), EnrolledSet("letters", 4, {"A": (tile("X"),), "B": (tile("A"),)}))


def test_where_nothing_can_be_written_is_told_before_anything_is_taken(tmp_path: Path) -> None:
    make_writable(tmp_path / "enrolled" / "letters")
    assert list((tmp_path / "enrolled" / "letters").iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(EnrolmentError, match=r"file/letters: cannot be written \(Not a directory\)"):
        make_writable(tmp_path / "file" / "letters")
