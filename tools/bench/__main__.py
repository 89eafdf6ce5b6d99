"""Every figure that is promised, in one run: `python -m tools.bench [--json] [--only NAME]...` (`make bench`).

Each figure stands beside its peer of the same run, such as OpenCV, python-chess or CP-SAT; see the modules for what is
measured and the aims.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

import cv2
import msgspec

from extensions.club.tests.bench import bench_archive, bench_club
from tools.bench import (
    bench_calls,
    bench_cards,
    bench_daemon,
    bench_displays,
    bench_engine,
    bench_gateway,
    bench_journal,
    bench_pages,
    bench_planetx,
    bench_recogniser,
    bench_sim,
    bench_timing,
    bench_traced,
    bench_verdict,
    bench_verify,
    bench_vision,
)

FIGURES: Mapping[str, Callable[[], Any]] = {
    "engine": bench_engine.measure,
    "calls": bench_calls.measure,
    "displays": lambda: bench_displays.bench()["display_bytes"],
    "vision": bench_vision.figures,
    "traced": bench_traced.figures,
    "cards": bench_cards.measure,
    "recogniser": lambda: bench_recogniser.figures(None),
    "planetx": bench_planetx.measure,
    "simulator": lambda: msgspec.to_builtins(bench_sim.measure()),
    "verdict": bench_verdict.measure,
    "daemon": bench_daemon.measure,
    "pages": bench_pages.measure,
    "gateway": bench_gateway.measure,
    "timing": bench_timing.measure,
    "journal": bench_journal.measure,
    "verify": bench_verify.measure,
    "archive": bench_archive.measure,
    "club": bench_club.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object, by name")
    parser.add_argument("--only", action="append", choices=FIGURES, help="this one alone; may be repeated")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    figures = {}
    for name in given.only or FIGURES:
        figures[name] = FIGURES[name]()
        if not given.json:
            _print(name, figures[name])
    if given.json:
        print(json.dumps(figures, indent=2))
    return 0


def _print(name: str, value: Any, depth: int = 0) -> None:
    """A name and a number a line; lists of rows as they are."""
    if isinstance(value, Mapping):
        print(f"{'  ' * depth}{name}")
        for key, each in value.items():
            _print(str(key), each, depth + 1)
    elif isinstance(value, list):
        print(f"{'  ' * depth}{name}")
        for row in value:
            print(f"{'  ' * (depth + 1)}{json.dumps(row)}")
    else:
        print(f"{'  ' * depth}{name:{40 - 2 * depth}} {value}")


if __name__ == "__main__":
    sys.exit(main())
