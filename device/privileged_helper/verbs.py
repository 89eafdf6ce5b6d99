"""What the steward can be asked for, and what it answers: the terms of both sides. It imports nothing but the language.

One verb as a line goes in; lines of JSON come out, each an `Answer`, the last of which is over. Versions and reasons
are codes, never sentences: whoever shows them has the words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, get_args

SOCKET = Path("/run/referee-steward.sock")
"""Made by referee-steward.socket, for the daemon's user alone."""

LONGEST = 16
"""Bytes of a line that is read: no verb is longer."""

Verb: TypeAlias = Literal["look", "update", "back", "restart", "reset"]
"""look: how it stands; changes nothing. update: the newest version that is on the card, else in the archives that apt
knows. back: the version before. restart: the referee starts anew. reset: this table forgets all that it was told."""

VERBS: tuple[Verb, ...] = get_args(Verb)

State: TypeAlias = Literal["waiting", "running", "done", "failed", "refused"]
"""waiting: nothing was heard yet. refused: nothing was begun."""

OVER: frozenset[State] = frozenset({"done", "failed", "refused"})


@dataclass(frozen=True)
class VerbResult:
    """How an errand of a verb stands or ended since the machine was started. stage, why: as in `Answer`."""

    state: State
    stage: str = ""
    why: str = ""


@dataclass(frozen=True)
class Answer:
    """One line of what the steward says.

    stage of what runs: "looking", "fetching", "installing", "stopping", "forgetting" or "starting". why it failed or
    was refused: "nothing-newer", "went-back" (the new version did not get ready), "nothing-before", "broken-off",
    "failed"; "stranger" (another user asks), "unknown-verb", "busy"; and where nobody answers "nobody-there".
    Only of look: the versions that run and ran before, the newer one that lies on the card ("" where there is none),
    and what became of each verb.
    """

    verb: str
    state: State
    stage: str = ""
    why: str = ""
    runs: str = ""
    before: str = ""
    newer: str = ""
    ended: Mapping[str, VerbResult] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Return True if nothing more follows."""
        return self.state in OVER

    def line(self) -> bytes:
        """Return the answer as it goes over the socket."""
        told = {name: value for name, value in asdict(self).items() if value or name == "verb"}
        return json.dumps(told).encode() + b"\n"


def decode_answer(line: bytes) -> Answer:
    """An answer as it came over the socket. Raises ValueError."""
    try:
        told = json.loads(line)
        ended = {verb: VerbResult(**each) for verb, each in told.pop("ended", {}).items()}
        return Answer(**told, ended=ended)
    except (TypeError, AttributeError) as error:
        raise ValueError(f"no answer: {line[:80]!r}") from error
