"""Files that are replaced whole or not at all, one or many."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from vision.files import rewrite, write_all


def test_many_files_are_all_kept_before_the_first_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the disk is waited for about once: what is kept of one file includes what was written before it."""
    steps, opened = list[str](), dict[int, str]()
    real_open, real_sync, real_replace = os.open, os.fsync, Path.replace

    def opening(path: Path, *more: int) -> int:
        handle = real_open(path, *more)
        opened[handle] = path.name
        return handle

    def syncing(handle: int) -> None:
        steps.append(f"sync {opened[handle]}")
        real_sync(handle)

    def replacing(path: Path, to: Path) -> Path:
        steps.append(f"replace {to.name}")
        return real_replace(path, to)

    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(Path, "replace", replacing)
    names = [f"{folder}/{number}" for folder in "ab" for number in range(20)]
    write_all((tmp_path / name, name.encode()) for name in names)
    kept = [step.split()[0] for step in steps]
    assert kept == ["sync"] * 40 + ["replace"] * 40 + ["sync"] * 2
    assert steps[-2:] == ["sync a", "sync b"]
    assert all((tmp_path / name).read_bytes() == name.encode() for name in names)


def test_where_one_cannot_be_made_none_is_replaced_and_no_draft_stays(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def files() -> Iterator[tuple[Path, bytes]]:
        yield tmp_path / "a", b"new"
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - whatever the files raise
        write_all(files())
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_file_that_is_rewritten_keeps_its_mode_and_a_new_one_is_as_told(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    rewrite(path, b"1", 0o644)
    assert path.stat().st_mode & 0o777 == 0o644
    path.chmod(0o640)
    rewrite(path, b"2", 0o644)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"2", 0o640)
