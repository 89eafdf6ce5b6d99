"""Defines the helper's verbs and answers; imports only the standard library.

A request is a verb on a line; answers are JSON lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, get_args

SOCKET = Path("/run/referee-steward.sock")
"""Socket of referee-steward.socket, for the daemon's user."""

LONGEST = 16
"""Bytes of a request."""

Verb: TypeAlias = Literal["look", "update", "update-unsigned", "back", "restart", "reset"]
"""look: report. update: from card or apt. update-unsigned: also without a signature. back: previous version. reset:
delete everything."""

VERBS: tuple[Verb, ...] = get_args(Verb)

State: TypeAlias = Literal["waiting", "running", "done", "failed", "refused"]
"""waiting: no reply yet. refused: not begun."""

OVER: frozenset[State] = frozenset({"done", "failed", "refused"})


@dataclass(frozen=True)
class VerbResult:
    """A job's state since start-up. stage, why: see `Answer`."""

    state: State
    stage: str = ""
    why: str = ""


@dataclass(frozen=True)
class Answer:
    """One reply.

    stage: "looking", "fetching", "installing", "stopping", "forgetting" or "starting".
    why: "nothing-newer", "unsigned", "bad-signature", "went-back" (the new version didn't start), "nothing-before",
        "broken-off", "failed", "stranger", "unknown-verb", "busy", "nobody-there".
    runs, before, newer, signature, ended: of look only: versions, "signed", "unsigned" or "bad" for the newer one, and
        each verb's result.
    """

    verb: str
    state: State
    stage: str = ""
    why: str = ""
    runs: str = ""
    before: str = ""
    newer: str = ""
    signature: str = ""
    ended: Mapping[str, VerbResult] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """True if it is final."""
        return self.state in OVER

    def line(self) -> bytes:
        """Return the answer as a line."""
        told = {name: value for name, value in asdict(self).items() if value or name == "verb"}
        return json.dumps(told).encode() + b"\n"


def decode_answer(line: bytes) -> Answer:
    """Read a line. Raises ValueError."""
    try:
        told = json.loads(line)
        ended = {verb: VerbResult(**each) for verb, each in told.pop("ended", {}).items()}
        return Answer(**told, ended=ended)
    except (TypeError, AttributeError) as error:
        raise ValueError(f"no answer: {line[:80]!r}") from error
