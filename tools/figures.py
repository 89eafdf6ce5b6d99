"""Holds the figures of simulated matches against what is promised: `python tools/figures.py FILE [CAUGHT]`.

The file is what `referee simulate --headless --json` prints. CAUGHT: the share of the visible
cheats that must be caught (0.98). Exits 1, and says which, if a promise is not kept.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

CAUGHT = 0.98
ASKED = 0.03
LONG_RUN = 40
"""Matches from which a run must have met many kinds of cheat."""

KINDS = 10


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
        *_cheating(figures, caught),
    ]
    return [fault for found, fault in faults if found]


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
    figures = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(json.dumps(figures, indent=2))
    faults = broken(figures, float(sys.argv[2]) if len(sys.argv) > 2 else CAUGHT)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
