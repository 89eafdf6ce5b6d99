"""What the package is built for: releases of Debian (and of Raspberry Pi OS, which is made of them) and machines."""

from __future__ import annotations

import platform
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""


@dataclass(frozen=True)
class Release:
    """name: Debian's. suffix: marks the versions of packages for it. python: what its python3 is.
    glibc: the minor number of its C library. recommends: packages that it is better with, where they can be had.
    left_out: what is left out of its libraries beside `LEFT_OUT`.
    """

    name: str
    suffix: str
    python: tuple[int, int]
    glibc: int
    recommends: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def lock(self) -> Path:
        """The versions, with hashes, of all that the environment holds."""
        return ROOT / "requirements" / f"{self.name}.txt"

    @property
    def interpreter(self) -> str:
        """Its Python's name, such as python3.11."""
        major, minor = self.python
        return f"python{major}.{minor}"

    @property
    def depends(self) -> tuple[str, ...]:
        major, minor = self.python
        return (
            f"libc6 (>= 2.{self.glibc})",
            "libgcc-s1",
            "libseccomp2",
            "libstdc++6",
            "init-system-helpers (>= 1.52)",
            f"python3 (>= {major}.{minor}~)",
            f"python3 (<< {major}.{minor + 1}~)",
            "python3-numpy",
            "python3-spidev",
            "systemd",
        )


@dataclass(frozen=True)
class Machine:
    """name: Debian's. wheels: how the tags of wheels call it."""

    name: str
    wheels: str

    def tags(self, release: Release) -> list[str]:
        """Tags of wheels that run there, the best first (PEP 600)."""
        newest = [f"manylinux_2_{minor}_{self.wheels}" for minor in range(release.glibc, 16, -1)]
        return [*newest, f"manylinux2014_{self.wheels}"]


RELEASES = {
    each.name: each
    for each in (
        # picamera2 and python3-lgpio are packages of Raspberry Pi OS, unknown to Debian: nothing may depend on them.
        # OpenCV 4 has models there that find faces; 5, as on Trixie, has none.
        Release("bookworm", "+deb12", (3, 11), 36, ("i2c-tools", "python3-picamera2"), ("cv2/data/*.xml",)),
        Release("trixie", "+deb13", (3, 13), 41, ("i2c-tools", "python3-lgpio", "python3-picamera2")),
    )
}
MACHINES = {each.name: each for each in (Machine("amd64", "x86_64"), Machine("arm64", "aarch64"))}

EXTENSIONS = tuple(ROOT / "extensions" / name for name in ("phones", "record"))
"""The extensions that a table gets with the package."""

FROM_APT = frozenset({"numpy"})
"""Distributions of the lock that the package leaves to Depends: picamera2 is built on the system's numpy."""

UNUSED = frozenset({"setuptools", "pycparser"})
"""Those that it leaves out, as nothing imports them once all is installed: colorzero asks for setuptools, which is a
seventh of all files, and each start of Python would run its hook; cffi asks for pycparser, to build modules.
"""

BUILDERS = ("cffi",)
"""Packages that only build modules: of cffi, cryptography needs the compiled `_cffi_backend` alone."""


LEFT_OUT = (
    "**/*.pyi", "**/py.typed", "**/*.pxd", "**/*.pyx", "**/*.h",
    "*.dist-info/RECORD", "*.dist-info/INSTALLER", "*.dist-info/REQUESTED", "*.dist-info/top_level.txt",
    "pygments/formatters",
    "pygments/lexers/[!_]*", "pygments/lexers/_[!_m]*", "pygments/styles/[!_]*",
    "reportlab/fonts", "reportlab/graphics", "reportlab/platypus",
)  # fmt: skip
"""What the program never reads of the libraries that it has: each file is unpacked, linked and checked on the target.
Types are for checkers and headers for compilers; pip's notes are for pip, and what is installed is apt's; pygments
knows all languages, and rich, which has it, is given none; reportlab's canvas needs neither diagrams nor page layout.
Licences and metadata stay.
"""


def project_of(folder: Path) -> dict[str, Any]:
    """Return what the pyproject.toml of a folder says of its project."""
    with (folder / "pyproject.toml").open("rb") as file:
        project: dict[str, Any] = tomllib.load(file)["project"]
    return project


def version_of(root: Path = ROOT) -> str:
    """Return the version of a checkout."""
    return str(project_of(root)["version"])


def here() -> tuple[Release, Machine] | None:
    """The release and machine that this computer is, or None if it is none of them."""
    codename = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    machine = next((each for each in MACHINES.values() if each.wheels == platform.machine()), None)
    release = RELEASES.get(codename)
    return (release, machine) if release and machine else None
