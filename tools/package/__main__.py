"""Builds the package: python -m tools.package --release bookworm --arch arm64 --out dist

    python -m tools.package                      # for this machine
    python -m tools.package --local dev1 --json  # a version of its own, 1.0.0+deb12+dev1, and figures

It needs pip, dpkg-deb, an interpreter of the release's version, and requirements/package.txt; a network only for files
that it has not fetched before. Everything that ends up in the package has its hash in requirements/RELEASE.txt, or is
part of this checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.package import deb, environment, sbom
from tools.package.release import MACHINES, RELEASES, ROOT, Machine, Release, here, version_of

WHEELS = ROOT / "var" / "package" / "wheels"
"""What was fetched, kept for the next build."""


def main() -> int:
    options = _options()
    started = time.monotonic()
    try:
        release, machine = _target(options)
        signers = options.signers.read_text(encoding="utf-8") if options.signers else ""
        made = package(release, machine, options.local, options.out, quiet=options.json, signers=signers)
    except environment.BuildError as error:
        print(f"tools.package: {error}", file=sys.stderr)
        return 1
    figures = {
        "package": str(made),
        "release": release.name,
        "arch": machine.name,
        "bytes": made.stat().st_size,
        "seconds": round(time.monotonic() - started, 1),
    }
    print(json.dumps(figures) if options.json else f"{made}: {figures['bytes']:,} bytes, {figures['seconds']} s")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.package", description="Build the Debian package.")
    parser.add_argument("--release", choices=RELEASES, help="what it is for; without it, what runs here")
    parser.add_argument("--arch", choices=MACHINES, help="the machine that it is for; without it, this one")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder that the package is put in")
    parser.add_argument("--local", default="", metavar="MARK", help="a mark of this build, for the end of its version")
    parser.add_argument("--signers", type=Path, help="whose packages a table installs without asking (ssh-keygen(1))")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    return parser.parse_args()


def _target(options: argparse.Namespace) -> tuple[Release, Machine]:
    own = here()
    if own is None and not (options.release and options.arch):
        raise environment.BuildError(
            f"this is none of {', '.join(RELEASES)} on {', '.join(MACHINES)}: name a target by --release and --arch"
        )
    release = RELEASES[options.release] if options.release else own[0] if own else None
    machine = MACHINES[options.arch] if options.arch else own[1] if own else None
    assert release is not None
    assert machine is not None
    return release, machine


def package(
    release: Release, machine: Machine, mark: str, folder: Path, quiet: bool = False, signers: str = ""
) -> Path:
    """Builds the package for a release and a machine in `folder`; returns its path. signers: for `deb.lay_out`."""

    def say(text: str) -> None:
        if not quiet:
            print(text, flush=True)

    folder.mkdir(parents=True, exist_ok=True)
    version = version_of() + release.suffix + (f"+{mark}" if mark else "")
    at = deb.epoch()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "root"
        unpacked = root / environment.HOME.relative_to("/") / "unpacked"
        unpacked.mkdir(parents=True)
        say(f"Environment of {version} for {machine.name}: fetching, checking, unpacking, compiling")
        made = environment.build(release, machine, version, unpacked, WHEELS)
        deb.lay_out(
            root,
            documents={
                "changelog.gz": deb.changelog(version, release, at),
                "CHANGELOG.md.gz": deb.gzip_text((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")),
                "sbom.cdx.json": sbom.bill(made, release, version, WHEELS, at),
            },
            manual={1: deb.gzip_text(_manual(made, at)), 8: deb.gzip_text(deb.manual_of_versions())},
            signers=signers,
        )
        say("Packing")
        return deb.archive(root, release, machine, version, at, folder.resolve())


def _manual(made: environment.Environment, at: int) -> str:
    """The manual page of `referee`, by what has all that the program needs: this interpreter, or what was built."""
    date = time.strftime("%Y-%m-%d", time.gmtime(at))
    words = ["-m", "tools.package.manual", date]
    built = {**os.environ, "PYTHONPATH": str(made.packages), "PYTHONDONTWRITEBYTECODE": "1"}
    for environ in (None, built):
        result = subprocess.run(
            [sys.executable, *words], cwd=ROOT, env=environ, capture_output=True, text=True, check=False
        )
        if result.returncode == 0:
            return result.stdout
    raise environment.BuildError(f"the manual page cannot be written:\n{result.stderr}")


if __name__ == "__main__":
    sys.exit(main())
