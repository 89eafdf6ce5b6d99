"""What is released for pip: the same bytes wherever it is built, and one command installs it from an index."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
import venv
from pathlib import Path

import pytest

from tests.package.environment import ROOT, copied, run_elsewhere
from tools.package.deb import epoch
from tools.package.release import version_of
from tools.release.__main__ import distributions, index

pytestmark = pytest.mark.package
LIBRARIES = ROOT / "var" / "package" / "run"
"""What requirements/run.txt names, kept for the next time."""
PAGE_S = 60.0
"""Longest wait in seconds for the first page; it comes in some."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return distributions(tmp_path_factory.mktemp("release"), epoch())


def test_wheels_and_sources_are_the_same_bytes_elsewhere(built: list[Path], tmp_path: Path) -> None:
    """In another folder, at another time, in another locale, and with another umask."""
    build = "import sys; from pathlib import Path; from tools.release.__main__ import distributions as d; d({})"
    out = tmp_path / "out"
    out.mkdir()
    run_elsewhere(copied(tmp_path / "another place"), "-c", build.format(f"Path({str(out)!r}), {epoch()}"))
    assert {path.name: path.read_bytes() for path in out.iterdir()} == {path.name: path.read_bytes() for path in built}
    assert len(built) == 2 * (1 + len(list(ROOT.glob("extensions/*/pyproject.toml"))))


@pytest.mark.timeout(600)
def test_one_command_installs_it_from_an_index_into_an_empty_environment(built: list[Path], tmp_path: Path) -> None:
    """The index is all that pip may ask. Then a page opens at which a match is played."""
    locked = ("--require-hashes", "--no-deps", "--requirement", str(ROOT / "requirements" / "run.txt"))
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(LIBRARIES), "--only-binary", ":all:"]
    subprocess.run([*pip, *locked], check=True, timeout=300)
    here = built[0].parent
    for path in LIBRARIES.iterdir():
        (here / path.name).symlink_to(path)
    index([*here.glob("*.whl"), *here.glob("*.tar.gz")], here / "simple")
    clean = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    venv.create(tmp_path / "venv", with_pip=True)
    begun = time.monotonic()
    wanted = "table-referee[simulator,phones,record,club]"
    words = ["install", "--quiet", "--no-cache-dir", "--index-url", (here / "simple").as_uri(), wanted]
    subprocess.run([str(tmp_path / "venv" / "bin" / "pip"), *words], env=clean, cwd=tmp_path, check=True, timeout=300)
    installed = time.monotonic()
    command = [str(tmp_path / "venv" / "bin" / "referee")]
    told = subprocess.run([*command, "--version"], env=clean, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert version_of() in told.stdout
    running = subprocess.Popen(
        [*command, "simulate", "--port", "0"], env=clean, cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    try:
        assert running.stdout is not None
        address = next(line.split()[-1] for line in running.stdout if line.strip().startswith("the table"))
        with urllib.request.urlopen(address, timeout=PAGE_S) as page:
            assert b"<script" in page.read()
        opened = time.monotonic()
    finally:
        running.terminate()
        running.wait(30)
    print(json.dumps({"install_s": round(installed - begun, 1), "page_s": round(opened - installed, 1)}))
