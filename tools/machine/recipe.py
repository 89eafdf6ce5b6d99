"""What goes into the disk of a test machine, and the boards that it can pass for.

A recipe is data. Its hash names the folder that the finished disk is kept in, so a changed recipe makes a new disk.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
KEPT = Path("var/machine")
"""Where finished disks lie, below the repository."""

MIRROR = os.environ.get("MACHINE_MIRROR", "http://deb.debian.org")

BASE = (
    "systemd-sysv", "dbus", "udev", "kmod", "busybox-static", "procps", "e2fsprogs", "sqlite3", "i2c-tools", "strace",
    "adduser", "python3", "python3-numpy", "python3-pil", "python3-spidev",
)  # fmt: skip
"""What Raspberry Pi OS holds of what the referee's package and the tests need, as far as Debian has it."""


KERNELS = {"bookworm": "6.1", "trixie": "6.12"}
"""Releases, and the version that their kernel's source is called by."""


@dataclass(frozen=True)
class Processor:
    """What Debian, QEMU and GNU call a kind of processor."""

    debian: str
    qemu: str
    gnu: str
    kernel: str
    console: str


PROCESSORS = {
    "amd64": Processor("amd64", "qemu-system-x86_64", "x86_64-linux-gnu", "x86", "ttyS0"),
    "arm64": Processor("arm64", "qemu-system-aarch64", "aarch64-linux-gnu", "arm64", "ttyAMA0"),
}


@dataclass(frozen=True)
class Board:
    """A Raspberry Pi as its device tree names it. memory_mb: what it leaves to Linux. cpu: QEMU's name on arm64."""

    model: str
    revision: int
    cpu: str
    memory_mb: int


BOARDS = {
    "zero2w": Board("Raspberry Pi Zero 2 W Rev 1.0", 0x902120, "cortex-a53", 448),
    "pi4": Board("Raspberry Pi 4 Model B Rev 1.5", 0xB03115, "cortex-a72", 1024),
    "pi5": Board("Raspberry Pi 5 Model B Rev 1.0", 0xC04170, "cortex-a76", 1024),
}


@dataclass(frozen=True)
class Recipe:
    """A disk: of which release, for which processor, with which packages."""

    release: str = "bookworm"
    machine: str = "amd64"

    @property
    def kernel(self) -> str:
        return KERNELS[self.release]

    @property
    def lgpio(self) -> bool:
        """Whether pins need Raspberry Pi OS's own package: there is no wheel for Trixie's Python."""
        return self.release == "trixie"

    @property
    def processor(self) -> Processor:
        return PROCESSORS[self.machine]

    @property
    def digest(self) -> str:
        """Of everything that the disk is made from."""
        told = hashlib.sha256(repr((self, self.kernel, self.processor, BASE, MIRROR)).encode())
        for path in (HERE / "disk.py", *sorted((HERE / "modules").iterdir())):
            told.update(path.read_bytes())
        return told.hexdigest()[:12]

    @property
    def folder(self) -> Path:
        return KEPT / f"{self.release}-{self.machine}-{self.digest}"

    def sources(self) -> tuple[str, ...]:
        """The lines of sources.list."""
        return (
            f"deb {MIRROR}/debian {self.release} main",
            f"deb {MIRROR}/debian {self.release}-updates main",
            f"deb {MIRROR}/debian-security {self.release}-security main",
        )
