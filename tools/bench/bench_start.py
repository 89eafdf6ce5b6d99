"""What the vision worker's start costs, in millions of instructions: `python -m tools.bench.bench_start [--json]`.

Its imports; and on top of them, for PICTURES enrolled ones of stones and of cards, loading them the first time, when
all is worked out, and any later time, when it was kept. Counted by valgrind, three minutes; aim: 600 for a later time.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.vision.faces import disc, lit, tile, turned
from tools.bench.instructions import count, print_figures
from vision.camera import Image
from vision.recognition.enrolment import EnrolledSet, save

KINDS = "ABCDEFGHJKLMRSTW"
PICTURES = 2 * len(KINDS)

START = "import vision.worker"
LIBRARIES = "import numpy, cv2, zmq, msgspec, logging"
LOAD = """
import sys, cv2
from pathlib import Path
from importlib import import_module
cv2.setNumThreads(1)
import_module(sys.argv[1]).load(Path(sys.argv[2]))
"""
READERS = {"stones": "vision.recognition.recogniser", "cards": "vision.recognition.prints.printed"}


def measure() -> dict[str, int]:
    """Millions of instructions. libraries: of `start`, what others' packages take."""
    start = count(START, imports=START)
    told = {"start": start, "libraries": count(LIBRARIES)}
    with tempfile.TemporaryDirectory() as folder:
        for name, pictures in (("stones", _stones), ("cards", _cards)):
            path = Path(folder) / name
            save(EnrolledSet(name, "any" if name == "stones" else 2, {kind: pictures(kind) for kind in KINDS}), path)
            told[f"{name}_first"] = count(START + LOAD, (READERS[name], str(path))) - start
            told[f"{name}_later"] = count(START + LOAD, (READERS[name], str(path))) - start
    return {name: round(each / 1e6) for name, each in told.items()}


def _stones(kind: str) -> tuple[Image, ...]:
    return disc(kind), turned(disc(kind), 9.0)


def _cards(kind: str) -> tuple[Image, ...]:
    card = tile(kind)[:, 8:-8]
    return card, lit(card, (0.8, 0.9, 1.0))


if __name__ == "__main__":
    print_figures(__doc__, measure)
