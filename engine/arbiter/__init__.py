"""One arbiter for all games: observations against traces (law 3).

A `Case` owns the evidence of the running question and comes to rulings. Beneath it `agreement` and `gather` collect the
evidence since the table last agreed, and `judge` gives the verdict on it.
"""

from engine.arbiter.case import AWAY, Case, Finding, Waiting, hides
from engine.arbiter.evidence import Evidence, agreement, doubt, gather, with_covered
from engine.arbiter.judge import judge
from engine.arbiter.question import Question
from engine.arbiter.repair import repairs, repairs_from_scratch, way_back
from engine.arbiter.verdict import (
    Accept,
    Agree,
    Ask,
    Confirm,
    Differs,
    Disorder,
    Lost,
    PutBack,
    Refuse,
    Ruling,
    Step,
    Verdict,
    Wait,
)

__all__ = [
    "AWAY",
    "Accept",
    "Agree",
    "Ask",
    "Case",
    "Confirm",
    "Differs",
    "Disorder",
    "Evidence",
    "Finding",
    "Lost",
    "PutBack",
    "Question",
    "Refuse",
    "Ruling",
    "Step",
    "Verdict",
    "Wait",
    "Waiting",
    "agreement",
    "doubt",
    "gather",
    "hides",
    "judge",
    "repairs",
    "repairs_from_scratch",
    "way_back",
    "with_covered",
]
