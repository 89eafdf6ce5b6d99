"""Whole matches, with all that is told and shown after each line, as text that a person can read and compare.

`python -m tests.engine.tellstones.test_golden` writes the files again; read the difference before committing it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from device.games import specs
from engine import match as matches
from engine import notation
from engine.errors import Refusal
from engine.match import Match
from tests.engine.tellstones.tables import GAME

FOLDER = Path(__file__).parent / "golden"
NAMES = ("duel", "teams", "two-lines")


def playthrough(record: str) -> str:
    """A record with what follows from each of its lines."""
    parsed = notation.parse(record, specs())
    head = [line for line in record.splitlines() if line.startswith("[")]
    match = matches.begin(GAME, parsed.start)
    told = [*head, "", *_shown(match)]
    for line in parsed.lines:
        told += ["", line.text]
        try:
            entry = notation.read_line(line.text, match.at, match.start.seats)
            match, events = matches.advance(GAME, match, entry)
        except Refusal as refusal:
            told.append(f"  {refusal.kind} {' '.join(refusal.clauses)}: {refusal}")
            continue
        told += [f"  {event.text}" for event in events]
        told += _shown(match)
    return "\n".join(told) + "\n"


def _shown(match: Match) -> Iterator[str]:
    for zone in GAME.layout(match.state).zones:
        pieces = [piece.kind or "·" for piece in zone.pieces if piece is not None]
        yield f"    {zone.zone:8}{' '.join(pieces)}"
    view = GAME.view(match.state, None)
    yield f"    score   {view.facts['score']}"
    for seat in match.start.seats:
        yield f"    {seat}       {GAME.view(match.state, seat).prompt}"


@pytest.mark.parametrize("name", NAMES)
def test_playthroughs_are_as_they_were(name: str) -> None:
    record, golden = (FOLDER / f"{name}.txt").read_text("utf-8"), (FOLDER / f"{name}.golden").read_text("utf-8")
    assert playthrough(record) == golden


def write() -> None:
    """Writes the playthroughs of all records."""
    for name in NAMES:
        (FOLDER / f"{name}.golden").write_text(playthrough((FOLDER / f"{name}.txt").read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    write()
