"""The recipe of the SD-card image: pi-gen finds what it looks for, and Raspberry Pi Imager what it asks for."""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tools.image.manifest import manifest
from tools.package.release import RELEASES, ROOT

IMAGE = ROOT / "tools" / "image"
STAGE = IMAGE / "stage-referee"
PARTS = re.compile(r"\d\d-(debconf|packages|packages-nr|patches|run\.sh|run-chroot\.sh)")
"""What build.sh of pi-gen looks for in the folders of a stage; it skips any other name without a word."""
SCRIPTS = [IMAGE / "build.sh", *STAGE.rglob("*.sh")]


def test_pi_gen_overlooks_nothing_of_the_stage() -> None:
    inside = [
        path for folder in STAGE.iterdir() if folder.is_dir() for path in folder.iterdir() if path.name != "files"
    ]
    assert inside
    assert [path.name for path in inside if not PARTS.fullmatch(path.name)] == []
    assert {path.name for path in STAGE.iterdir() if path.is_file()} == {"prerun.sh", "EXPORT_IMAGE"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_run_and_stop_at_the_first_error(script: Path) -> None:
    assert os.access(script, os.X_OK), "pi-gen skips what is not executable"
    text = script.read_text(encoding="utf-8")
    assert text.startswith("#!/bin/bash -e\n") or "\nset -euo pipefail\n" in text
    subprocess.run(["bash", "-n", str(script)], check=True)


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_all_shell_of_the_repository_passes_shellcheck() -> None:
    listed = subprocess.run(["git", "ls-files", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / line.split("\t")[1] for line in listed.splitlines() if not line.startswith("120000")]
    shell = [
        path
        for path in files
        if path.exists() and path.open("rb").readline().startswith((b"#!/bin/sh", b"#!/bin/bash"))
    ]
    assert len(shell) > 10
    result = subprocess.run(["shellcheck", *map(str, shell)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_the_image_has_what_the_package_recommends() -> None:
    listed = set((STAGE / "00-referee" / "00-packages-nr").read_text(encoding="utf-8").split())
    for release in RELEASES.values():
        assert set(release.recommends) <= listed


def test_the_settings_are_those_of_pi_gen() -> None:
    known = {"IMG_NAME", "TARGET_HOSTNAME", "DEPLOY_COMPRESSION", "COMPRESSION_LEVEL", "PI_GEN_RELEASE"}
    known |= {"RELEASE", "STAGE_LIST", "DEPLOY_DIR"}
    told = (IMAGE / "config").read_text(encoding="utf-8") + (IMAGE / "build.sh").read_text(encoding="utf-8")
    assert set(re.findall(r'^([A-Z_]+)="', told, re.MULTILINE)) == known
    assert subprocess.run(["bash", "-n", str(IMAGE / "config")], check=True).returncode == 0


def test_every_release_has_its_branch_and_commit() -> None:
    text = (IMAGE / "build.sh").read_text(encoding="utf-8")
    assert set(re.findall(r"\[(\w+)\]=[0-9a-f]{40}$", text, re.MULTILINE)) == set(RELEASES)


def test_building_needs_a_release_and_says_so() -> None:
    for words in ([], ["buster"]):
        result = subprocess.run([str(IMAGE / "build.sh"), *words], capture_output=True, text=True, check=False)
        assert result.returncode == 1
        assert "usage: tools/image/build.sh bookworm|trixie" in result.stderr


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "table-referee.img.xz"
    path.write_bytes(lzma.compress(b"card" * 700_000))
    return path


def test_imager_is_told_size_and_hash_of_the_card(image: Path) -> None:
    listed: Any = manifest(image, "trixie", "https://example.org/i.img.xz")["os_list"]
    (entry,) = listed
    assert entry["extract_size"] == 2_800_000
    assert entry["extract_sha256"] == hashlib.sha256(b"card" * 700_000).hexdigest()
    assert entry["image_download_size"] == image.stat().st_size
    assert entry["init_format"] == "cloudinit-rpi"


def test_the_entry_has_all_that_imagers_schema_asks_for(image: Path) -> None:
    words = ["-m", "tools.image.manifest", str(image), "--release", "bookworm", "--url", "https://example.org/i.img.xz"]
    told = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    whole = json.loads(told)
    assert set(whole) == {"os_list"}
    (entry,) = whole["os_list"]
    text = {"name", "description", "icon", "url", "extract_sha256", "release_date", "init_format"}
    assert {key for key, value in entry.items() if isinstance(value, str)} >= text
    assert isinstance(entry["extract_size"], int)
    assert isinstance(entry["image_download_size"], int)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry["release_date"])
    assert entry["devices"]
    assert entry["architecture"] in {"armel", "armhf", "armv8"}
    assert entry["init_format"] in {"systemd", "cloudinit", "cloudinit-rpi", "rpi-preseed", "none"}, "or it is left out"
    assert set(entry["capabilities"]) <= {"i2c", "spi", "onewire", "serial", "usb_otg", "rpi_connect", "secure_boot"}
    kind, _, icon = entry["icon"].partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert ElementTree.fromstring(base64.b64decode(icon)).tag.endswith("svg")


def test_what_is_no_image_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "i.img.xz").write_bytes(b"no xz")
    words = [
        "-m",
        "tools.image.manifest",
        str(tmp_path / "i.img.xz"),
        "--release",
        "trixie",
        "--url",
        "https://example.org",
    ]
    result = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "i.img.xz" in result.stderr


def test_the_card_has_its_buses_on_and_i2c_as_fast_as_the_displays_allow(tmp_path: Path) -> None:
    """The script's own lines, on what Raspberry Pi OS ships."""
    config = tmp_path / "boot" / "firmware" / "config.txt"
    config.parent.mkdir(parents=True)
    config.write_text("# comment\n#dtparam=i2c_arm=on\n#dtparam=i2s=on\n#dtparam=spi=on\n\n[all]\n", encoding="utf-8")
    script = (STAGE / "00-referee" / "01-run.sh").read_text(encoding="utf-8")
    lines = [line for line in script.splitlines() if line.endswith('/boot/firmware/config.txt"')]
    assert len(lines) == 5
    subprocess.run(["bash", "-ec", "\n".join(lines)], env={**os.environ, "ROOTFS_DIR": str(tmp_path)}, check=True)
    on = "# comment\ndtparam=i2c_arm=on\ndtparam=i2c_arm_baudrate=400000\n#dtparam=i2s=on\ndtparam=spi=on\n\n[all]\n"
    assert config.read_text(encoding="utf-8") == on
