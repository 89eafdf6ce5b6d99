"""Locks: requirements with the hashes of their files, as `make lock` writes them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pin:
    """One line of a lock: a distribution, its version, and the SHA-256 of each file of that version."""

    name: str
    version: str
    hashes: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((f"{self.name}=={self.version}", *(f"--hash=sha256:{each}" for each in self.hashes)))


def read(lock: Path) -> list[Pin]:
    """The pins of a lock without markers (that of a release). ValueError names the line that is none."""
    found = []
    for line in lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        requirement, *hashes = line.split("--hash=sha256:")
        name, equal, version = requirement.strip().partition("==")
        if not (equal and version and hashes) or ";" in version:
            raise ValueError(f"{lock}: {line[:60]!r} is no version with hashes")
        found.append(Pin(name, version, tuple(each.strip() for each in hashes)))
    return found


def write(pins: list[Pin], path: Path) -> Path:
    path.write_text("".join(f"{pin}\n" for pin in pins), encoding="utf-8")
    return path
