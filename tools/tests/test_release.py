"""A release: one version everywhere, a bill of all that is in it, and signatures that hold."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path

import pytest

from device.version import KNOWN
from tools.package.release import ROOT, version_of
from tools.package.sbom import VENDORED
from tools.release.__main__ import archive, check_publishable
from tools.release.cut import CutError, changes_of, cut, projects
from tools.release.signing import NAMESPACE, SigningError, allowed_signers, sign


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


REAL, UNREAL = "Authors <authors@referee.invalid>", "Authors <authors@table-referee.example>"


@pytest.mark.parametrize(
    ("unreleased", "maintainer", "why"),
    [("### Added\n- A bell.\n\n", REAL, "under Unreleased"), ("", UNREAL, "MAINTAINER"), ("", REAL, "")],
)
def test_only_a_finished_version_is_released(unreleased: str, maintainer: str, why: str) -> None:
    changelog = f"# Changelog\n\n## Unreleased\n\n{unreleased}## 1.0.0 - 2031-02-03\n\n### Added\n- A horn.\n"
    with pytest.raises(CutError, match=why) if why else nullcontext():
        check_publishable(changelog, maintainer)


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


def test_the_bill_names_every_script_of_others_as_the_notice_does() -> None:
    assert {path.name for path in ROOT.glob("extensions/*/src/*/static/vendor/*.js")} == set(VENDORED)
    notice = " ".join((ROOT / "NOTICE").read_text("utf-8").split())
    for file, (name, version, _) in VENDORED.items():
        assert re.search(rf"{file} is \S+ of {name} {re.escape(version)}", notice), file


def test_an_archive_has_neither_the_builder_nor_the_moment(tmp_path: Path) -> None:
    contents = {"b/run.sh": b"#!/bin/sh\n", "a": b"1"}
    packed = archive(contents, "top", 1_700_000_000)
    assert packed == archive(dict(reversed(contents.items())), "top", 1_700_000_000)
    with tarfile.open(fileobj=BytesIO(packed)) as made:
        told = [(each.name, each.mode, each.mtime, each.uid, each.uname) for each in made]
    assert told == [("top/a", 0o644, 1_700_000_000, 0, ""), ("top/b/run.sh", 0o755, 1_700_000_000, 0, "")]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return made_key(tmp_path / "owner")


def made_key(path: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


def holds(file: Path, signers: str) -> bool:
    known = file.with_name("known")
    known.write_text(signers, "utf-8")
    words = ["ssh-keygen", "-Y", "verify", "-f", str(known), "-I", NAMESPACE, "-n", NAMESPACE, "-s", f"{file}.sig"]
    with file.open("rb") as content:
        return subprocess.run(words, stdin=content, capture_output=True, check=False).returncode == 0


def test_a_signature_holds_for_its_file_and_key_alone(key: Path, tmp_path: Path) -> None:
    file = tmp_path / "SHA256SUMS"
    file.write_bytes(b"sums")
    sign(key, file)
    assert holds(file, allowed_signers(key))
    assert not holds(file, allowed_signers(made_key(tmp_path / "other")))
    file.write_bytes(b"sum")
    assert not holds(file, allowed_signers(key))


def test_a_key_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SigningError, match="there is no public key"):
        allowed_signers(tmp_path / "nowhere")


def test_without_a_key_nothing_is_built(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tools.release", "--out", str(tmp_path / "out")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "name the key that signs: make release KEY=" in done.stderr
    assert not (tmp_path / "out").exists()
