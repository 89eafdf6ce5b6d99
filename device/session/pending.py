"""Pending matters: what players read, or are asked, that is neither an entry nor seen in the camera's next picture.

They are kept as a setting of the journal, so that a restart leaves them open. A setting that belongs to an earlier
moment of the match, or that cannot be read, opens nothing.
"""

from __future__ import annotations

import msgspec

from device.session.state import Play, Proposal
from engine.arbiter import Question
from engine.game import Words
from engine.text import Text

replace = msgspec.structs.replace

SETTING = "pending"
"""The journal's setting that keeps them."""


class Pending(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is open after the entry at `at` seconds of the match with this seed.

    alert: until it is put right or dismissed; an alert that goes by itself is left out. unseen: as `Case.refused` says.
    The other fields are as in `Play` and `Case`.
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
    """Return what is open, as the journal keeps it; "" for nothing."""
    found = _of(play)
    return "" if found == Pending(found.seed, found.at) else _encode(found).decode()


def recall(play: Play, setting: str | None) -> Play:
    """Return a match that goes on after a restart, with what was open in it."""
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
