"""Holds the figures of simulated matches against what is promised: `python tools/figures.py FILE`.

The file is what `referee simulate --headless --json` prints. Exits 1, and says which, if a promise is not kept.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

CAUGHT = 0.98
ASKED = 0.03


def broken(figures: dict[str, Any]) -> list[str]:
    """What is not as promised: no wrong verdict, no false accusation, visible cheats caught, few questions."""
    verdicts, cheats = figures["verdicts"], figures["cheats"]
    honest = sum(verdicts.values())
    found = []
    if honest == 0:
        found.append("no honest action was judged")
    if verdicts["wrong"]:
        found.append(f"{verdicts['wrong']} wrong verdicts: none is allowed")
    if figures["false_accusations"]:
        found.append(f"{figures['false_accusations']} false accusations: none is allowed")
    if cheats["caught"] < CAUGHT * cheats["visible"]:
        found.append(f"{cheats['caught']} of {cheats['visible']} visible cheats caught: at least {CAUGHT:.0%} must be")
    if verdicts["asked"] > ASKED * honest:
        found.append(f"{verdicts['asked']} of {honest} honest actions needed a question: at most {ASKED:.0%} may")
    return found


def main() -> int:
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    figures = json.loads(text)
    print(json.dumps(figures, indent=2))
    faults = broken(figures)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
