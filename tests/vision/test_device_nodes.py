"""A node that a control group forbids is told from one that is not there, or that its mode forbids."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from engine.table import Health
from tests.vision.test_worker import SETUP, Daemon
from vision.cameras import CameraSpec
from vision.device_nodes import LATE, camera_nodes, forbidden_node, open_errno
from vision.messages import Report

DEVICES = Path("/sys/fs/cgroup/devices")
"""Where the first version of control groups keeps those that forbid devices."""


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group that forbids /dev/zero, as systemd's does with a class that it did not know."""
    made = DEVICES / f"referee-test-{os.getpid()}"
    try:
        made.mkdir()
        (made / "devices.deny").write_text("c 1:5 rwm")
    except OSError:
        with suppress(OSError):
            made.rmdir()
        pytest.skip("needs root and control groups of the first version")
    yield made
    made.rmdir()


def test_a_control_group_answers_as_is_expected_here(group: Path) -> None:
    code = (
        f"from pathlib import Path; Path({str(group / 'cgroup.procs')!r}).write_text('0')\n"
        "from vision.device_nodes import forbidden_node, open_errno\n"
        "print(open_errno(Path('/dev/zero')), forbidden_node([Path('/dev/null'), Path('/dev/zero')]))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [str(errno.EPERM), "/dev/zero"]


@pytest.mark.thorough
def test_the_worker_tells_what_keeps_its_camera_shut(group: Path, tmp_path: Path) -> None:
    """/dev/zero stands for a camera: what refuses it is the same."""
    camera = CameraSpec("opencv", "/dev/zero")
    daemon = Daemon(tmp_path, camera=camera, parent=0)
    try:
        (group / "cgroup.procs").write_text(str(daemon.child.pid))
        daemon.tell(SETUP)
        heard = daemon.hear()
        assert isinstance(heard, Report)
        assert heard.health is Health.FORBIDDEN
    finally:
        log = daemon.close()
    assert f"/dev/zero may not be used: {LATE}" in log


def test_what_is_not_there_or_can_be_opened_is_not_refused(tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    assert open_errno(tmp_path / "gone") == open_errno(tmp_path / "there") == 0
    assert forbidden_node([tmp_path / "gone", tmp_path / "there"]) is None


def test_the_nodes_of_a_camera(tmp_path: Path) -> None:
    for name in ("media0", "media1", "video0", "video14", "null"):
        (tmp_path / name).touch()
    (tmp_path / "dma_heap").mkdir()
    (tmp_path / "dma_heap" / "linux,cma").touch()
    names = [path.name for path in camera_nodes("picamera2", "0", tmp_path)]
    assert names == ["linux,cma", "media0", "media1", "video0", "video14"]
    assert camera_nodes("opencv", "14", tmp_path) == [tmp_path / "video14"]
    assert camera_nodes("opencv", "3", tmp_path) == []
    assert camera_nodes("opencv", str(tmp_path / "film.mp4"), tmp_path) == []
    assert camera_nodes("opencv", "/dev/null", tmp_path) == [Path("/dev/null")]
