"""Makes a release: make release KEY=~/.ssh/table-referee

    python -m tools.release --key KEY   # signs with that key, which is made by ssh-keygen
    python -m tools.release --unsigned  # to try it out: no table installs its packages without asking

Into var/release come: wheels and sources, with an index for pip; Debian packages for both releases and machines; the
site; the recipe of the SD card's image; what changed; bills of materials; the sums of all that; and signatures. The
same checkout and key give the same bytes (docs/developers/release.md).
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from packaging.utils import parse_sdist_filename, parse_wheel_filename

from tools import browser_python, tab
from tools.package import sbom
from tools.package.__main__ import package
from tools.package.deb import MAINTAINER, epoch
from tools.package.environment import BuildError
from tools.package.release import MACHINES, RELEASES, ROOT, version_of
from tools.release.cut import CutError, changes_of, has_unreleased
from tools.release.signing import SigningError, allowed_signers, sign

SIGNERS = "allowed_signers"
SUMS = "SHA256SUMS"
BILL = "./usr/share/doc/table-referee/sbom.cdx.json"
IMAGE = ROOT / "tools" / "image"


def main() -> int:
    """Make the release that the arguments ask for."""
    given = _options()
    try:
        if not given.unsigned:
            check_publishable((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), MAINTAINER)
        signers = given.signers.read_text(encoding="utf-8") if given.signers else ""
        release(given.out.resolve(), given.key, signers)
    except (BuildError, CutError, SigningError, browser_python.Unfetched) as error:
        print(f"tools.release: {error}", file=sys.stderr)
        return 1
    signed = f"signed by {given.key}" if given.key else "not signed: no table installs it without asking"
    print(f"{given.out}: version {version_of()}, {signed}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("tools.release", description=__doc__.partition("\n")[0])
    keys = parser.add_mutually_exclusive_group()
    keys.add_argument("--key", type=Path, help="private key, or the public one of a key that an agent holds")
    keys.add_argument("--signers", type=Path, help="sign nothing: to compare with a release that has these signers")
    keys.add_argument("--unsigned", action="store_true", help="sign nothing")
    parser.add_argument("--out", type=Path, default=ROOT / "var" / "release", help="folder; is emptied first")
    given = parser.parse_args()
    if not (given.key or given.signers or given.unsigned):
        parser.error(
            "name the key that signs: make release KEY=~/.ssh/table-referee. "
            "To try it out without one: make release ARGS=--unsigned"
        )
    return given


def check_publishable(changelog: str, maintainer: str) -> None:
    """Raise CutError if changes have no version yet, or nobody reads the maintainer's mail."""
    if has_unreleased(changelog):
        raise CutError(
            "CHANGELOG.md has changes under Unreleased: give them a version with python -m tools.release.cut"
        )
    if maintainer.endswith(".example>"):
        raise CutError("MAINTAINER in tools/package/deb.py has an address that nobody reads: put a real one there")


def release(out: Path, key: Path | None, signers: str = "") -> None:
    """Write all files of the release. Raises BuildError, CutError, SigningError, Unfetched.

    signers: whose packages tables install without asking, where no key is given.
    """
    version, at = version_of(), epoch()
    changes = changes_of(version, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    signers = allowed_signers(key) if key else signers
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    _say("Wheels and sources")
    built = distributions(out, at)
    index(built, out / "simple")
    _say("The site, and the recipe of the SD card's image")
    site = out / f"table-referee-site-{version}.tar.gz"
    site.write_bytes(archive(tab.site(), site.name.removesuffix(".tar.gz"), at))
    recipe = out / f"table-referee-image-{version}.tar.gz"
    recipe.write_bytes(archive(dict(_recipe()), recipe.name.removesuffix(".tar.gz"), at))
    bill = sbom.bill_of_sources([*built, site, recipe], browser_python.fetched_parts(), version, at)
    (out / f"table-referee-{version}.cdx.json").write_bytes(bill)
    (out / "CHANGES.md").write_text(changes, encoding="utf-8")
    packages = [
        package(each, machine, "", out, signers=signers) for each in RELEASES.values() for machine in MACHINES.values()
    ]
    for made in packages:
        made.with_suffix(".cdx.json").write_bytes(_bill_of(made))
    if signers:
        (out / SIGNERS).write_text(signers, encoding="utf-8")
    (out / SUMS).write_text("".join(_sums(out)), encoding="utf-8")
    for each in (*packages, out / SUMS) if key else ():
        assert key is not None
        sign(key, each)


def distributions(out: Path, at: int) -> list[Path]:
    """Build the wheel and the sources of the core and of each extension. Raises BuildError."""
    for source in (ROOT, *sorted(path.parent for path in ROOT.glob("extensions/*/pyproject.toml"))):
        words = [sys.executable, "-m", "hatchling", "build", "--directory", str(out)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(at)}
        done = subprocess.run(words, cwd=source, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BuildError(f"hatchling failed in {source}:\n{done.stderr}")
    found = sorted([*out.glob("*.whl"), *out.glob("table_referee*.tar.gz")])
    words = [sys.executable, "-m", "twine", "check", "--strict", *map(str, found)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"twine refuses it:\n{done.stdout}{done.stderr}")
    return found


def index(built: list[Path], folder: Path) -> None:
    """Write an index of these files, as any server of files can serve it (PEP 503): pip --extra-index-url FOLDER."""
    pages: dict[str, str] = {}
    for path in built:
        name: str = (parse_wheel_filename if path.suffix == ".whl" else parse_sdist_filename)(path.name)[0]
        sum_ = hashlib.sha256(path.read_bytes()).hexdigest()
        link = f'<a href="../../{path.name}#sha256={sum_}" data-requires-python="&gt;=3.11">{path.name}</a><br />\n'
        pages[name] = pages.get(name, "") + link
    pages[""] = "".join(f'<a href="{each}/">{each}</a><br />\n' for each in sorted(pages))
    for each, links in pages.items():
        (folder / each).mkdir(parents=True, exist_ok=True)
        (folder / each / "index.html").write_text(f"<!DOCTYPE html>\n{links}", encoding="utf-8")


def archive(contents: Mapping[str, bytes], root: str, at: int) -> bytes:
    """Return a .tar.gz of files below a folder, each with that time. Shell scripts can be run."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0, filename="") as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as made,
    ):
        for name, body in sorted(contents.items()):
            member = tarfile.TarInfo(f"{root}/{name}")
            member.size, member.mtime, member.mode = len(body), at, 0o755 if name.endswith(".sh") else 0o644
            made.addfile(member, io.BytesIO(body))
    return packed.getvalue()


def _recipe() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the recipe, where build.sh looks for them."""
    for path in sorted(IMAGE.rglob("*")):
        if path.is_file() and path.suffix not in {".py", ".pyc"} and "files" not in path.parts:
            yield str(path.relative_to(ROOT)), path.read_bytes()


def _bill_of(made: Path) -> bytes:
    """Return the bill that a Debian package carries."""
    listed = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(made)], check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(listed)) as tree:
        bill = tree.extractfile(BILL)
        assert bill is not None
        return bill.read()


def _sums(out: Path) -> Iterator[str]:
    """Yield the lines that `sha256sum --check` reads."""
    for path in sorted(out.rglob("*")):
        if path.is_file():
            yield f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(out)}\n"


def _say(what: str) -> None:
    print(what, flush=True)


if __name__ == "__main__":
    sys.exit(main())
