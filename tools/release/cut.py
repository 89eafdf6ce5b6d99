"""Cuts a version: python -m tools.release.cut 1.0.1

The version is that of pyproject.toml. This writes it there and wherever it is repeated: in what each extension is and
asks for, in the versions whose records are known, and as a heading of CHANGELOG.md over all that was unreleased.
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from tools.package.release import ROOT, version_of

UNRELEASED = "## Unreleased\n"


class CutError(Exception):
    """The version cannot be cut; the message says why."""


def cut(version: str, date: str, root: Path = ROOT) -> None:
    """Write a version everywhere. date: of its release, as 2026-11-29. Raises CutError; nothing is changed then."""
    old = version_of(root)
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise CutError(f"{version} is no version of three numbers, such as {old}")
    if _numbers(version) <= _numbers(old):
        raise CutError(f"{version} does not come after {old}")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not has_unreleased(changes):
        raise CutError("CHANGELOG.md has nothing unreleased: write first what changed")
    texts = {path: _project(path.read_text("utf-8"), old, version) for path in projects(root)}
    texts[root / "CHANGELOG.md"] = changes.replace(UNRELEASED, f"{UNRELEASED}\n## {version} - {date}\n", 1)
    known = root / "device" / "version.py"
    texts[known] = re.sub(r"(?m)^KNOWN = \((.*?),?\)$", rf'KNOWN = (\1, "{version}")', known.read_text("utf-8"))
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


def projects(root: Path) -> list[Path]:
    """Return the pyproject.toml of the core and of each extension."""
    return [root / "pyproject.toml", *sorted(root.glob("extensions/*/pyproject.toml"))]


def has_unreleased(changelog: str) -> bool:
    """Return True if CHANGELOG.md has changes that no version has."""
    return re.search(rf"^{UNRELEASED}\n+(?!## )\S", changelog, re.MULTILINE) is not None


def changes_of(version: str, changelog: str) -> str:
    """Return what a version's section of CHANGELOG.md says. Raises CutError where there is none."""
    found = re.search(rf"^## {re.escape(version)}\b[^\n]*\n+(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if found is None:
        raise CutError(f"CHANGELOG.md has no section {version}: python -m tools.release.cut {version}")
    return found[1]


def _numbers(version: str) -> list[int]:
    return [int(each) for each in version.split(".")]


def _project(text: str, old: str, new: str) -> str:
    """Replace the version, and those of the project's own distributions: they are released together."""
    text = re.sub(rf'^version = "{re.escape(old)}"$', f'version = "{new}"', text, flags=re.MULTILINE)
    return re.sub(rf"(\"table-referee(?:-\w+)?)=={re.escape(old)}\"", rf'\1=={new}"', text)


def main() -> int:
    """Cut the given version."""
    parser = argparse.ArgumentParser("tools.release.cut", description=__doc__.partition("\n")[0])
    parser.add_argument("version", help="such as 1.0.1")
    given = parser.parse_args()
    try:
        cut(given.version, datetime.now(UTC).strftime("%Y-%m-%d"))
    except CutError as error:
        parser.exit(1, f"{error}\n")
    print(f"Version {given.version}. Read CHANGELOG.md once more, and commit.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
