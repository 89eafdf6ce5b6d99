"""Temporary folders: what a killed process left behind goes when the next begins; what is in use stays."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from device.temporary_folders import PREFIX, hold, scratch

USER = """
import sys
sys.path.insert(0, sys.argv[1])
from device.temporary_folders import scratch
with scratch() as folder:
    (folder / "kept").write_text("x")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_uses_is_not(place: Path) -> None:
    command = (sys.executable, "-c", USER, str(Path(__file__).parents[2]))
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(place)}
    ) as process:
        assert process.stdout is not None
        used = Path(process.stdout.readline().strip())
        with scratch() as mine:
            assert mine.parent == used.parent == place
            assert (used / "kept").exists()
        process.kill()
        process.wait()
    assert (used / "kept").exists()
    with scratch():
        assert not used.exists()
    assert list(place.iterdir()) == []


def test_a_folder_that_a_child_still_uses_stays(place: Path) -> None:
    left = place / f"{PREFIX}left"
    left.mkdir()
    lock = hold(left)
    assert lock is not None
    with scratch():
        assert left.is_dir()
    os.close(lock)
    with scratch():
        assert not left.exists()
    assert hold(left) is None


def test_nothing_else_is_touched(place: Path) -> None:
    (place / "mine").mkdir()
    (place / f"{PREFIX}link").symlink_to(place / "mine")
    (place / f"{PREFIX}file").touch()
    with scratch():
        pass
    assert {path.name for path in place.iterdir()} == {"mine", f"{PREFIX}link", f"{PREFIX}file"}
