"""The package leaves out what the program never reads of its libraries, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tools.package.environment import BuildError, leave_out
from tools.package.release import LEFT_OUT, RELEASES, ROOT

ALL = """
import importlib, io, pkgutil, sys
for top in ("engine", "vision", "device"):
    for module in pkgutil.walk_packages(importlib.import_module(top).__path__, top + "."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ImportError as error:
                print(module.name, error, file=sys.stderr)
from typer.testing import CliRunner
from tests.commands import app
assert CliRunner().invoke(app, ["print", "--help"]).exit_code == 0
assert CliRunner().invoke(app, ["key", "--nonsense"]).exit_code == 2
from device.printing import formats
from reportlab.pdfgen.canvas import Canvas
page = Canvas(io.BytesIO())
page.drawString(1, 1, "text")
page.save()
for module in list(sys.modules.values()):
    print(getattr(module, "__file__", None) or "")
"""


@pytest.mark.thorough
def test_no_module_that_the_program_imports_is_left_out() -> None:
    done = subprocess.run([sys.executable, "-c", ALL], cwd=ROOT, capture_output=True, text=True, check=True)
    packages = Path(sysconfig.get_path("purelib"))
    patterns = {*LEFT_OUT, *(pattern for release in RELEASES.values() for pattern in release.left_out)}
    left = {path for pattern in patterns for path in packages.glob(pattern)}
    read = {Path(line) for line in done.stdout.splitlines() if line.startswith(str(packages))}
    assert len(read) > 500
    assert sorted(path for path in read if left & {path, *path.parents}) == []


def test_licences_and_metadata_stay(tmp_path: Path) -> None:
    gone = [
        pattern.replace("**", "lib").replace("[!_m]*", "lua.py").replace("[!_]*", "c.py").replace("*", "x")
        for pattern in (*LEFT_OUT, *RELEASES["bookworm"].left_out)
    ]
    stays = (
        "x.dist-info/METADATA",
        "x.dist-info/WHEEL",
        "x.dist-info/licenses/LICENSE",
        "pygments/lexers/__init__.py",
        "pygments/lexers/_mapping.py",
        "pygments/styles/__init__.py",
        "cv2/data/__init__.py",
        "lib/x.py",
    )
    for name in (*gone, *stays):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    leave_out(tmp_path, RELEASES["bookworm"])
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(stays)
    with pytest.raises(BuildError, match="no library for bookworm has it any more"):
        leave_out(tmp_path, RELEASES["bookworm"])
