"""No file is opened but by `vision.files`, and nothing decodes one past it: what is not listed here is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

OPENERS = frozenset(
    {"open", "os.open", "io.open", "cv2.imread", "cv2.imdecode", "cv2.VideoCapture", "Image.open", "PIL.Image.open"}
    | {"ImageFont.truetype", "np.load", "np.fromfile", "np.loadtxt", "np.memmap", "sqlite3.connect", "json.load"}
    | {"tomllib.load", "tomllib.loads", "msgspec.toml.decode", "json.loads"}
    | {"gettext.translation", "gettext.find", "gettext.GNUTranslations"}
)
"""Calls that open or decode a file, as they are written."""

LAST = frozenset(name.rpartition(".")[2] for name in OPENERS) | {"read_text", "read_bytes"}

METHODS = frozenset({"open", "read_text", "read_bytes"})
"""Those of a path; `open` without arguments is also what cameras have."""

HOMES = {
    "vision/files/reading.py": {"os.open", "tomllib.loads"},
    "vision/files/lines.py": {"tomllib.loads"},
    "vision/files/writing.py": {"os.open"},
    "vision/pictures.py": {"cv2.imdecode", "PIL.Image.open"},
    "vision/recognition/cache.py": {"np.load"},
    "device/locale.py": {"gettext.GNUTranslations"},
    "device/screens/fonts.py": {"ImageFont.truetype"},
    # Devices, and recordings too long to be read at once.
    "vision/device_nodes.py": {"os.open"},
    "device/cli/common.py": {"os.open"},
    "device/cli/start.py": {"os.open"},
    "device/displays/switch_off.py": {"open", "os.open"},
    "vision/cameras/opencv.py": {"cv2.VideoCapture", "os.open"},
    "vision/cameras/stream.py": {"cv2.VideoCapture"},
    # What this start itself wrote, or made to hold a lock.
    "vision/cameras/shared.py": {".open"},
    "vision/cameras/phone.py": {".open"},
    "vision/cameras/ring.py": {"os.open"},
    "device/bus/endpoints.py": {"os.open"},
    "extensions/club/src/referee_club/club.py": {"os.open"},
    "device/temporary_folders.py": {"os.open"},
    "extensions/simulator/src/referee_simulator/live/headless_table.py": {"os.open"},
    # A picture that the simulated camera compressed itself.
    "extensions/simulator/src/referee_simulator/render/effects.py": {"cv2.imdecode"},
    # A member of an archive that came in whole and within its limits; and an archive that it writes for its user alone.
    "device/owner/backup.py": {".open", "os.open"},
    # The club's own archive, which judges for itself what it finds there; and a session of a broker, which is no file.
    "extensions/club/src/referee_club/archive.py": {"sqlite3.connect"},
    "extensions/club/src/referee_club/ingest.py": {".open"},
    # The steward imports nothing of the program: a word that root's own errands wrote, and a line of its socket.
    "device/privileged_helper/serving.py": {".read_text"},
    "device/privileged_helper/verbs.py": {"json.loads"},
}
"""Who may call what."""

SIMULATOR = "extensions/simulator/src/referee_simulator"
OF_THEIR_OWN = (
    "device/journal/",
    *(f"{SIMULATOR}/{each}" for each in ("disk/", "fault_runs/", "harness/stored_results.py")),
)
"""The journal has its own ways to judge and save what is damaged; the others are tools for tests of it."""


def calls(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """What opens or decodes a file, and its line."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or _last(node.func) not in LAST:
            continue
        name = ast.unparse(node.func)
        if name in OPENERS:
            yield name, node.lineno
        elif isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            owner = ast.unparse(node.func.value)
            if owner != "webbrowser" and not (owner.endswith("camera") and not node.args):
                yield f".{node.func.attr}", node.lineno


def _last(call: ast.expr) -> str:
    """The name that is called, without its owner."""
    return call.attr if isinstance(call, ast.Attribute) else call.id if isinstance(call, ast.Name) else ""


def strays(path: str, text: str) -> list[str]:
    if path.startswith(OF_THEIR_OWN):
        return []
    return [f"{path}:{line}: {name}" for name, line in calls(ast.parse(text)) if name not in HOMES.get(path, ())]


@pytest.mark.thorough
def test_every_file_comes_in_by_one_way() -> None:
    sources = {
        str(path.relative_to(ROOT)): path.read_text("utf-8")
        for package in ("engine", "vision", "device", "extensions/*/src")
        for path in sorted(ROOT.glob(f"{package}/**/*.py"))
    }
    assert len(sources) > 300
    assert [stray for path, text in sources.items() for stray in strays(path, text)] == []
    used = {path: {name for name, _ in calls(ast.parse(sources[path]))} for path in HOMES}
    assert used == HOMES, "what nobody calls any more needs no permission"


@pytest.mark.parametrize(
    "line",
    [
        "open('a')",
        "path.open()",
        "path.read_bytes()",
        "(folder / 'a').read_text('utf-8')",
        "tomllib.loads(text)",
        "cv2.imread('a')",
        "sqlite3.connect(path)",
        "with Image.open(path) as image: pass",
    ],
)
def test_a_stray_is_found(line: str) -> None:
    assert len(strays("device/again.py", line)) == 1
    assert strays("device/again.py", "camera.open()\nself._camera.open()\nwebbrowser.open(address)") == []
