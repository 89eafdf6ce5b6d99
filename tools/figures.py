"""Checks the figures of simulated matches against what is promised: `python tools/figures.py FILE`.

The file is what `referee simulate --headless --json` prints. Exits 1, and says which, if one is not kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

CAUGHT = 0.98
ASKED = 0.03
LONG_RUN = 40
"""Matches from which a run must have met many kinds of cheat."""

KINDS = 10


def broken_promises(figures: dict[str, Any], caught: float = CAUGHT) -> list[str]:
    """What is not as promised: no wrong verdict, no false accusation, visible cheats caught, few questions."""
    verdicts, honest = figures["verdicts"], figures["actions"]
    stuck = figures["details"]["stuck"]
    faults = [
        (honest == 0, "no honest action was judged"),
        (stuck, f"{stuck} matches could not be played to their end: none may stick"),
        (verdicts["wrong"], f"{verdicts['wrong']} wrong verdicts: none is allowed"),
        (figures["false_accusations"], f"{figures['false_accusations']} false accusations: none is allowed"),
        (
            verdicts["asked"] > ASKED * honest,
            f"{verdicts['asked']} of {honest} honest actions needed a question: at most {ASKED:.0%} may",
        ),
        *((count, f"{name} was not the truth {count} times") for name, count in _mismatches(figures).items()),
        *_cheating(figures, caught),
    ]
    return [fault for found, fault in faults if found]


def _mismatches(figures: dict[str, Any]) -> dict[str, int]:
    """Numbers that the referee keeps and that were not the simulator's truth after some action."""
    found: dict[str, int] = figures.get("counts", {}).get("mismatches", {})
    return found


def _cheating(figures: dict[str, Any], caught: float) -> list[tuple[bool, str]]:
    """Nothing is proved by a run without cheats, unless none was asked for."""
    cheats, kinds = figures["cheats"], len(figures["cheats"]["by_kind"])
    wanted = figures["details"]["cheat_rate"] > 0
    return [
        (wanted and cheats["injected"] == 0, "nobody cheated: the run proves nothing"),
        (
            cheats["caught"] < caught * cheats["visible"],
            f"{cheats['caught']} of {cheats['visible']} visible cheats caught: at least {caught:.0%} must be",
        ),
        (
            wanted and figures["matches"] >= LONG_RUN and kinds < KINDS,
            f"{kinds} kinds of cheat in {figures['matches']} matches: at least {KINDS} must be met",
        ),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Hold simulated matches against what is promised of them.")
    parser.add_argument("file", type=Path, help="what referee simulate --headless --json printed")
    parser.add_argument("--caught", type=float, default=CAUGHT, help=f"visible cheats that must be caught ({CAUGHT})")
    given = parser.parse_args()
    figures = json.loads(given.file.read_text(encoding="utf-8"))
    print(json.dumps(figures, indent=2))
    faults = broken_promises(figures, given.caught)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
