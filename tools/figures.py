"""Holds the figures of simulated matches against what is promised: `python tools/figures.py FILE [--floor]`.

The file is what `referee simulate --headless --json` prints. Exits 1, and says which, if a promise is not kept. With
--floor every broken promise is said as well, but only what must never happen again fails: a wrong verdict, or a run
that proves nothing. docs/simulator.md tells which promises are not kept yet.
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


def fallen(figures: dict[str, Any]) -> list[str]:
    """What is below the floor that the program has reached."""
    wrong, honest = figures["verdicts"]["wrong"], figures["actions"]
    return [
        fault
        for found, fault in [
            (honest == 0, "no honest action was judged"),
            (wrong, f"{wrong} wrong verdicts: none is allowed"),
            (figures["details"]["stuck"] > figures["matches"] / 5, "more than a fifth of the matches stuck"),
        ]
        if found
    ]


def broken(figures: dict[str, Any], caught: float = CAUGHT) -> list[str]:
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
    parser.add_argument("--floor", action="store_true", help="fail only below what was reached once")
    given = parser.parse_args()
    figures = json.loads(given.file.read_text(encoding="utf-8"))
    print(json.dumps(figures, indent=2))
    faults = broken(figures, given.caught)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if (fallen(figures) if given.floor else faults) else 0


if __name__ == "__main__":
    sys.exit(main())
