"""From scores to the probability that a name is right."""

from __future__ import annotations

import math

SCORE = 14.0
GAP = 18.0
OFFSET = -12.5


def confidence(score: float, rival: float) -> float:
    """score: of the best kind; rival: of the second best, or 0 without one. Both are cosines."""
    return 1.0 / (1.0 + math.exp(-(SCORE * score + GAP * (score - rival) + OFFSET)))
