"""The arbiter of all games (law 3). A `Case` keeps evidence and makes rulings; `agreement` and `gather` collect it,
`judge` gives verdicts."""

from engine.arbiter.case import AWAY, Case, CaseResult, Waiting, hides
from engine.arbiter.evidence import Evidence, agreement, doubt, gather, with_covered, wrong_spots
from engine.arbiter.judge import judge
from engine.arbiter.repair import repairs, repairs_from_scratch, way_back
from engine.arbiter.verdict import (
    Accept,
    ActionStep,
    Agree,
    Ask,
    Confirm,
    Differs,
    Disorder,
    Lost,
    PutBack,
    Question,
    Refuse,
    Ruling,
    Verdict,
    Wait,
)

__all__ = [
    "AWAY",
    "Accept",
    "ActionStep",
    "Agree",
    "Ask",
    "Case",
    "CaseResult",
    "Confirm",
    "Differs",
    "Disorder",
    "Evidence",
    "Lost",
    "PutBack",
    "Question",
    "Refuse",
    "Ruling",
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
    "wrong_spots",
]
