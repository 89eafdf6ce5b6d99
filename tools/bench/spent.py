"""What the benches of vision share: processor time of one call, and how their figures are printed."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable


def processor_seconds(work: Callable[[], object]) -> float:
    """Seconds of this process's processor time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def tell(description: str | None, measure: Callable[[], dict[str, float]]) -> int:
    """The figures of a bench, as JSON with --json; the exit code."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result = measure()
    if given.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:>14} {value:8.2f}")
    return 0
