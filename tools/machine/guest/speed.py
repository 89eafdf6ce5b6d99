"""What parts of the program cost, in millions of instructions: `speed.py vision|loading` prints a line of JSON.

Meant for a machine whose instructions take a nanosecond each (QEMU's -icount shift=0): processor time counts them.
The benches and their scenes lie in the shared folder, as tools/bench and tests/vision. Runs with the referee's own
environment.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

START = "import vision.worker, cv2, numpy"
LOAD = f"""{START}
import sys
from pathlib import Path
cv2.setNumThreads(1)
from vision.recognition import recogniser
recogniser.load(Path(sys.argv[1]))
"""
SHARED = "/run/machine/share/benches"


def millions(code: str, *arguments: str) -> float:
    """Of a Python that runs some code. Raises subprocess.CalledProcessError."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000, 1)


def vision() -> dict[str, float]:
    """Pictures, by the benches: the pass of ArUco, and what a look costs."""
    from tools.bench import bench_vision

    bench_vision.ROUNDS = 3
    seen = bench_vision.figures()
    return {name: seen[f"{name}_ms"] for name in ("aruco", "idle", "update", "reach")}


def loading() -> dict[str, float]:
    """The worker's start, and loading 32 pictures on top of it."""
    from tools.bench import bench_start
    from vision.recognition.enrolment import EnrolledSet, save

    told = {"worker_start": millions(START)}
    with tempfile.TemporaryDirectory() as folder:
        pictures = {kind: bench_start._stones(kind) for kind in bench_start.KINDS}
        save(EnrolledSet("stones", "any", pictures), Path(folder))
        for name in ("load_first", "load_later"):
            told[name] = round(millions(LOAD, folder) - told["worker_start"], 1)
    return told


PARTS = {"vision": vision, "loading": loading}

if __name__ == "__main__":
    sys.path.insert(0, SHARED)
    print(json.dumps(PARTS[sys.argv[1]]()))
