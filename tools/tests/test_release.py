"""A release: one version everywhere."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from device.version import KNOWN
from tools.package.release import ROOT, version_of
from tools.release.cut import CutError, changes_of, cut, projects


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files of this checkout that name a version, with a change that was not released."""
    for path in (*projects(ROOT), ROOT / "CHANGELOG.md", ROOT / "device" / "version.py"):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text("# Changelog\n\n## Unreleased\n\n### Added\n- A bell.\n\n## 0.1.0\n\nThe first.\n", "utf-8")
    return tmp_path


def test_this_version_has_its_changes_and_its_records_are_known() -> None:
    assert changes_of(version_of(), (ROOT / "CHANGELOG.md").read_text("utf-8")).strip()
    assert version_of() == KNOWN[-1]


def test_a_cut_writes_the_version_everywhere(checkout: Path) -> None:
    old = version_of(checkout)
    cut("77.0.1", "2031-02-03", checkout)
    for path in projects(checkout):
        assert version_of(path.parent) == "77.0.1"
        assert old not in path.read_text("utf-8").replace(f">={old}", "")
    known = "from version import KNOWN; print(*KNOWN)"
    words = ["python3", "-c", known]
    done = subprocess.run(words, cwd=checkout / "device", check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout.split() == [*KNOWN, "77.0.1"]
    changelog = (checkout / "CHANGELOG.md").read_text("utf-8")
    assert "## Unreleased\n\n## 77.0.1 - 2031-02-03\n\n### Added\n- A bell.\n\n## 0.1.0\n" in changelog
    assert changes_of("77.0.1", changelog) == "### Added\n- A bell.\n\n"


@pytest.mark.parametrize("version", ["1", "0.0.9", "0.1.0", "77.0.1rc1"])
def test_what_is_no_later_version_is_refused_and_changes_nothing(checkout: Path, version: str) -> None:
    before = {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()}
    with pytest.raises(CutError):
        cut(version, "2031-02-03", checkout)
    assert before == {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()}


def test_a_version_without_changes_is_refused(checkout: Path) -> None:
    cut("77.0.1", "2031-02-03", checkout)
    with pytest.raises(CutError, match="nothing unreleased"):
        cut("77.0.2", "2031-02-04", checkout)
