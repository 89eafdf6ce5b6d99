"""The locks: every version stands with hashes, all agree, and none needs what a machine cannot have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
RELEASES = {"bookworm", "trixie"}
BROWSERS = {"tab-browser", "tab-npm"}
"""For the Python of browsers, whose wheels are others."""

OF_THE_RELEASE = {"numpy", "opencv-python-headless", "lgpio"}
"""What differs between releases: numpy is the system's, OpenCV is one that fits it, and lgpio has wheels up to 3.12."""


def pins(lock: Path) -> dict[str, tuple[str, int]]:
    """The version and the number of hashes of each requirement of a lock."""
    found = {}
    for stanza in re.sub(r"^#.*\n", "", lock.read_text(encoding="utf-8")).replace("\\\n", " ").splitlines():
        requirement, *hashes = stanza.split("--hash=sha256:")
        name, _, version = requirement.strip().partition("==")
        found[name] = (
            version.partition(" ;")[0],
            len([each for each in hashes if re.fullmatch(r"[0-9a-f]{64}\s*", each)]),
        )
    return found


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_each_version_is_pinned_with_its_hashes(lock: Path) -> None:
    found = pins(lock)
    assert found
    assert {name for name, (version, hashes) in found.items() if not version or not hashes} == set()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_no_lock_names_an_index(lock: Path) -> None:
    options = re.findall(r"^(?:-|.*://).*$", lock.read_text(encoding="utf-8"), re.MULTILINE)
    assert options == []


@pytest.mark.parametrize(
    "lock", [each for each in LOCKS if each.stem not in {"develop", "picamera2", *BROWSERS}], ids=lambda path: path.stem
)
def test_what_is_shipped_is_what_is_tested(lock: Path) -> None:
    tested = pins(ROOT / "requirements" / "develop.txt")
    other = {name: pin for name, (pin, _) in pins(lock).items() if pin != tested.get(name, ("", 0))[0]}
    assert set(other) <= (OF_THE_RELEASE if lock.stem in RELEASES else set())


def test_only_bookworm_takes_lgpio_from_a_wheel() -> None:
    assert [lock.stem for lock in LOCKS if "lgpio" in pins(lock)] == ["bookworm"]
