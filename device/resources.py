"""Locates the data of config/: beside the packages in a checkout, inside `device` in a wheel."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from engine.errors import RefereeError
from vision.files import read_toml

T = TypeVar("T")
AGAIN = "install table-referee again"


class ResourceMissing(RefereeError, FileNotFoundError):
    """A data file that the program came with is not there."""


def root() -> Path:
    """The folder that holds the shipped data."""
    packages = Path(__file__).resolve().parent
    for candidate in (packages / "_config", packages.parent / "config"):
        if candidate.is_dir():
            return candidate
    raise ResourceMissing(f"no config folder beside {packages}: {AGAIN}")


def resource(*parts: str) -> Path:
    """The path of one shipped file or folder, such as resource("mats", "tellstones.toml")."""
    path = root().joinpath(*parts)
    if not path.exists():
        raise ResourceMissing(f"{path} is missing: {AGAIN}")
    return path


def shipped(kind: type[T], *parts: str) -> T:
    """A shipped TOML file as `kind`. Raises ResourceMissing, or BadFile, which tells every fault."""
    return read_toml(resource(*parts), kind, remedy=AGAIN)
