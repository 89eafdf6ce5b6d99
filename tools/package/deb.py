"""The Debian archive: the environment, units, user, device rules, documents and maintainer scripts in one file.

The same checkout gives the same bytes: all times are SOURCE_DATE_EPOCH, all files root's, all modes set here.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import shutil
import stat
import subprocess
from email.utils import formatdate
from pathlib import Path

from tools.package.environment import HOME, BuildError
from tools.package.release import EXTENSIONS, ROOT, Machine, Release

PACKAGE = "table-referee"
MAINTAINER = "Authors of the table referee <maintainers@table-referee.example>"
PARTS = Path(__file__).parent
SCRIPTS = ("preinst", "postinst", "prerm", "postrm")


def epoch() -> int:
    """The time that all files carry: SOURCE_DATE_EPOCH, else that of the last commit, else that of pyproject.toml."""
    if told := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(told)
    words = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    with contextlib.suppress(OSError, subprocess.CalledProcessError):  # no git, or sources without their history
        return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return int((ROOT / "pyproject.toml").stat().st_mtime)


def lay_out(root: Path, documents: dict[str, bytes], manual: dict[int, bytes], signers: str) -> None:
    """Puts everything but the environment, which lies there already, into the package's tree.
    documents: what goes to usr/share/doc, by name. manual: the pages of `referee` (1) and `referee-version` (8).
    signers: the keys whose packages the table installs without asking, or "".
    """
    for name in ("referee-version", "referee-errand"):
        _put(PARTS / name, root / HOME.relative_to("/") / name, 0o755)
    if signers:
        (root / HOME.relative_to("/") / "allowed_signers").write_text(signers, encoding="utf-8")
    _link(root / "usr/bin/referee", HOME / "current/bin/referee")
    _link(root / "usr/sbin/referee-version", HOME / "referee-version")
    for unit in units():
        _put(unit, root / "usr/lib/systemd/system" / unit.name)
    _put(PARTS / "debian/sysusers.conf", root / f"usr/lib/sysusers.d/{PACKAGE}.conf")
    _put(PARTS / "debian/udev.rules", root / f"usr/lib/udev/rules.d/60-{PACKAGE}.rules")
    folder = root / f"usr/share/doc/{PACKAGE}"
    _put(PARTS / "debian/copyright", folder / "copyright")
    _put(ROOT / "NOTICE", folder / "NOTICE")
    for name, content in documents.items():
        (folder / name).write_bytes(content)
    for section, name in ((1, "referee"), (8, "referee-version")):
        page = root / f"usr/share/man/man{section}/{name}.{section}.gz"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_bytes(manual[section])


def units() -> list[Path]:
    """The units that the package installs, by name."""
    folders = (ROOT / "systemd", *(extension / "systemd" for extension in EXTENSIONS), PARTS / "debian")
    found = (path for folder in folders for path in folder.iterdir())
    return sorted((path for path in found if path.suffix in {".service", ".socket", ".target"}), key=lambda at: at.name)


def changelog(version: str, release: Release, at: int) -> bytes:
    """Debian's changelog, gzipped: which build this is. What changed for owners is told by CHANGELOG.md."""
    text = f"""{PACKAGE} ({version}) {release.name}; urgency=medium

  * What changed is told by CHANGELOG.md.gz beside this file.

 -- {MAINTAINER}  {formatdate(at)}
"""
    return gzip_text(text)


def manual_of_versions() -> str:
    return (PARTS / "debian/referee-version.8").read_text(encoding="utf-8")


def gzip_text(text: str) -> bytes:
    """Text gzipped as Debian wants it: best, and without name and time."""
    return gzip.compress(text.encode(), 9, mtime=0)


def archive(root: Path, release: Release, machine: Machine, version: str, at: int, folder: Path) -> Path:
    """Makes the package of a tree, in `folder`; returns its path. at: seconds since 1970, the time of all files."""
    control = root / "DEBIAN"
    control.mkdir()
    (control / "md5sums").write_text(_sums(root), encoding="utf-8")
    (control / "control").write_text(_control(root, release, machine, version), encoding="utf-8")
    installed = " ".join(unit.name for unit in units())
    for name in SCRIPTS:
        text = (PARTS / "debian" / name).read_text(encoding="utf-8").replace("@UNITS@", installed)
        (control / name).write_text(text, encoding="utf-8")
        (control / name).chmod(0o755)
    _modes(root)
    _times(root, at)
    made = folder / f"{PACKAGE}_{version}_{machine.name}.deb"
    # zstd: a Zero 2 W unpacks it in a tenth of the time of xz.
    words = ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z9", "--build", str(root), str(made)]
    result = subprocess.run(
        words, env={**os.environ, "SOURCE_DATE_EPOCH": str(at)}, capture_output=True, text=True, check=False
    )
    if result.returncode:
        raise BuildError(f"dpkg-deb failed:\n{result.stderr}")
    made.chmod(0o644)  # apt reads it as a user of its own
    return made


def installed_kib(root: Path) -> int:
    """As dpkg-gencontrol counts it: files in whole KiB, everything else one each.

    How large a folder itself is, the builder's file system chooses, and not the same twice.
    """
    found = (path for path in root.rglob("*") if "DEBIAN" not in path.relative_to(root).parts)
    return sum(-(-path.stat().st_size // 1024) if path.is_file() and not path.is_symlink() else 1 for path in found)


def _control(root: Path, release: Release, machine: Machine, version: str) -> str:
    return f"""Package: {PACKAGE}
Version: {version}
Architecture: {machine.name}
Maintainer: {MAINTAINER}
Installed-Size: {installed_kib(root)}
Depends: {", ".join(release.depends)}
Recommends: {", ".join(release.recommends)}
Section: games
Priority: optional
Description: referee for physical games on a Raspberry Pi
 A small computer at a real game table. It watches the board through a camera,
 listens to a few buttons at each seat, knows the rules, and speaks through
 small OLED displays. It says whose turn it is, sees what was done, refuses an
 illegal move and says how to put it right, keeps the score and the clocks,
 and loses nothing when the power fails. It needs no network.
 .
 Games: Tellstones, The Search for Planet X, Ready... Fence!, Dueling Runes.
"""


def _sums(root: Path) -> str:
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    lines = []
    for path in files:
        if "DEBIAN" not in path.relative_to(root).parts:
            sum_ = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
            lines.append(f"{sum_}  {path.relative_to(root)}\n")
    return "".join(lines)


def _modes(root: Path) -> None:
    """Folders 755 and files 644, or 755 if they are programs: whatever the builder's umask was."""
    root.chmod(0o755)
    for path in root.rglob("*"):
        if not path.is_symlink():
            runs = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if runs and ".so" not in path.suffixes else 0o644)


def _times(root: Path, at: int) -> None:
    for path in [root, *root.rglob("*")]:
        os.utime(path, (at, at), follow_symlinks=False)


def _put(source: Path, target: Path, mode: int = 0o644) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def _link(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
