"""What a power cut leaves: everything that was synced, and of the rest no more than a disk may keep."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from referee_simulator.disk.medium import Call, Loss, Medium, Names, calls, contents, lay

OLD, NEW = b"old" * 400, b"new" * 400
DICE = random.Random(5)


def medium(*told: tuple[object, ...]) -> Medium:
    """A folder with one old file, after some calls: what, handle, place, path, data."""
    made = Medium({"kept/file": OLD})
    for what, handle, at, path, data in told:
        made.take(Call(str(what), handle, at, str(path), data, 0))  # type: ignore[arg-type]
    return made


WRITTEN = (("O", 3, 1, "kept/draft", b""), ("W", 3, 0, "", NEW))
SYNCED = (*WRITTEN, ("S", 3, 0, "", b""), ("C", 3, 0, "", b""))
RENAMED = (("R", 0, 0, "kept/draft", b"kept/file"),)
FOLDER = (("O", 4, 0, "kept", b""), ("S", 4, 0, "", b""), ("C", 4, 0, "", b""))


def files(left: Names) -> dict[str, bytes]:
    return {path: file.synced for path, file in left.items() if file is not None}


@pytest.mark.parametrize("loss", list(Loss))
def test_what_was_synced_is_there_however_the_rest_is_lost(loss: Loss) -> None:
    for _ in range(20):
        assert files(medium(*SYNCED, *RENAMED, *FOLDER).contents_left(loss, DICE)) == {"kept/file": NEW}


@pytest.mark.parametrize("loss", list(Loss))
def test_a_synced_file_that_is_renamed_is_old_or_new(loss: Loss) -> None:
    found = {files(medium(*SYNCED, *RENAMED).contents_left(loss, DICE))["kept/file"] for _ in range(40)}
    assert found == {Loss.ALL: {OLD}, Loss.NAMES: {NEW}}.get(loss, {OLD, NEW})


def test_a_file_renamed_before_it_is_synced_is_empty() -> None:
    assert files(medium(*WRITTEN, *RENAMED).contents_left(Loss.NAMES, DICE)) == {"kept/file": b""}
    assert files(medium(*WRITTEN, *RENAMED).contents_left(Loss.ALL, DICE)) == {"kept/file": OLD}


def test_a_later_name_is_never_there_without_an_earlier_one() -> None:
    made = (("M", 0, 0, "a", b""), ("M", 0, 0, "b", b""), ("U", 0, 0, "kept/file", b""))
    found = {frozenset(medium(*made).contents_left(Loss.SUBSET, DICE)) for _ in range(60)}
    assert found == {
        frozenset({"kept", "kept/file"}),
        frozenset({"kept", "kept/file", "a"}),
        frozenset({"kept", "kept/file", "a", "b"}),
        frozenset({"kept", "a", "b"}),
    }


def test_writes_get_lost_reordered_torn_or_leave_only_their_size() -> None:
    writes = [("O", 3, 0, "kept/file", b""), *(("W", 3, 512 * n, "", bytes([n + 1]) * 1024) for n in range(3))]
    left = {loss: {files(medium(*writes).contents_left(loss, DICE))["kept/file"] for _ in range(200)} for loss in Loss}
    assert left[Loss.ALL] == left[Loss.NAMES] == {OLD}
    assert len(left[Loss.SUBSET]) == 8
    assert b"\x01" * 1024 + b"\x03" * 1024 in {data[:2048] for data in left[Loss.SUBSET]}
    assert left[Loss.REORDERED] - left[Loss.SUBSET], "a later write lies under an earlier one"
    assert any(data[:1024] == OLD[:512] + b"\x01" * 512 for data in left[Loss.TORN])
    assert left[Loss.SIZE] == {OLD + bytes(2048 - len(OLD))}


def test_a_file_that_was_emptied_may_still_be_full() -> None:
    emptied = (("O", 3, 2, "kept/file", b""),)
    assert {files(medium(*emptied).contents_left(Loss.SUBSET, DICE))["kept/file"] for _ in range(20)} == {OLD, b""}


def test_a_folder_takes_its_files_along() -> None:
    moved = (("R", 0, 0, "kept", b"gone"), ("O", 4, 0, "", b""), ("S", 4, 0, "", b""))
    found = medium(*moved).contents_left(Loss.ALL, DICE)
    assert files(found) == {"gone/file": OLD}


def test_a_record_that_breaks_off_ends_with_its_last_whole_call() -> None:
    head = struct.Struct("<IiqII")
    record = head.pack(ord("O"), 3, 1, 4, 0) + b"kept" + head.pack(ord("W"), 3, 7, 3, 0) + b"new"
    assert [(c.what, c.at, c.path, c.data) for c in calls(record)] == [("O", 1, "kept", b""), ("W", 7, "", b"new")]
    assert [call.what for call in calls(record[:-1])] == ["O"]


def test_what_is_left_is_laid_out_as_files(tmp_path: Path) -> None:
    lay(medium(("M", 0, 0, "empty", b"")).contents_left(Loss.NAMES, DICE), tmp_path)
    assert contents(tmp_path) == {"kept/file": OLD}
    assert (tmp_path / "empty").is_dir()
