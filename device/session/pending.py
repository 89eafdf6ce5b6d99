"""Stores open alerts, questions and proposals across a restart, as a setting of the journal."""

from __future__ import annotations

import msgspec

from device.session.state import Play, Proposal
from engine.arbiter import Question
from engine.game import Words
from engine.text import Text

replace = msgspec.structs.replace

SETTING = "pending"
"""The journal's setting for open matters."""


class Pending(msgspec.Struct, frozen=True, omit_defaults=True):
    """The open matters after the entry at `at` (s) of the match with this seed.

    alert: without alerts that expire.
    unseen: see `Case.refused`.
    """

    seed: int
    at: float
    alert: tuple[Text, ...] = ()
    disorder: bool = False
    unseen: bool = False
    question: Question | None = None
    proposal: Proposal | None = None
    declined: Words = ()


def encode(play: Play) -> str:
    """Return the open matters for the journal; "" if there are none."""
    found = _of(play)
    return "" if found == Pending(found.seed, found.at) else _encode(found).decode()


def recall(play: Play, setting: str | None) -> Play:
    """Return the resumed match with its open matters."""
    try:
        found = msgspec.json.decode(setting or "", type=Pending)
    except msgspec.DecodeError:
        return play
    if (found.seed, found.at) != (play.match.start.seed, play.match.at):
        return play
    case = play.case.resume(found.question, disorder=found.disorder, unseen=found.unseen)
    return replace(play, case=case, alert=found.alert, proposal=found.proposal, declined=found.declined)


def _of(play: Play) -> Pending:
    alert = play.alert if play.expires is None else ()
    start, case = play.match.start, play.case
    return Pending(
        start.seed, play.match.at, alert, case.disorder, case.refused, case.question, play.proposal, play.declined
    )


_encode = msgspec.json.Encoder(order="deterministic").encode
