"""One arbiter for all games: observations against traces (law 3).

A `Watch` gathers evidence since the table last agreed (`agreed`, `gather`); `judge` gives the verdict.
"""

from engine.arbiter.judge import judge
from engine.arbiter.repair import repairs
from engine.arbiter.verdict import Accept, Agree, Ask, Differs, Lost, Refuse, Step, Verdict, Wait
from engine.arbiter.watch import Watch, agreed, gather

__all__ = [
    "Accept",
    "Agree",
    "Ask",
    "Differs",
    "Lost",
    "Refuse",
    "Step",
    "Verdict",
    "Wait",
    "Watch",
    "agreed",
    "gather",
    "judge",
    "repairs",
]
