"""Whole matches, with all that is told to whom and shown after each line, as text that a person can read and compare.

`python -m tests.engine.planetx.test_golden` writes the files again; read the difference before committing it.
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
from engine.planetx.facts import Fact, answer_text, sentence, title
from engine.planetx.sky import KINDS
from engine.view import Event, Line, Ring, Score
from tests.engine.planetx.tables import GAME

FOLDER = Path(__file__).parent / "golden"
NAMES = ("duel", "expert-solo", "app-only")


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
        told += [f"  {_audience(event)}: {event.text}" for event in events]
        told += _shown(match)
    return "\n".join(told) + "\n"


def _audience(event: Event) -> str:
    return "all" if event.audience is None else " ".join(sorted(event.audience))


def _shown(match: Match) -> Iterator[str]:
    view = GAME.view(match.state, None)
    for panel in view.panels:
        if isinstance(panel, Ring):
            yield f"    sky     {' '.join(cell or '·' for cell in panel.cells)}"
            yield f"    lit     {' '.join(map(str, sorted(panel.lit)))}"
            yield f"    pawns   {' '.join(f'{seat}{sector}' for sector, seat in panel.marks)}"
        if isinstance(panel, Score):
            yield f"    score   {' '.join(f'{seat} {points}' for seat, points in panel.entries)}"
    for seat in match.start.seats:
        own = GAME.view(match.state, seat)
        answer = next((str(panel.text) for panel in own.panels if isinstance(panel, Line) and panel.strong), "")
        yield f"    {seat}       {own.prompt} {answer}".rstrip()
    if match.result is not None:
        yield f"    result  {match.result.text}"


@pytest.mark.parametrize("name", NAMES)
def test_playthroughs_are_as_they_were(name: str) -> None:
    record, golden = (FOLDER / f"{name}.txt").read_text("utf-8"), (FOLDER / f"{name}.golden").read_text("utf-8")
    assert playthrough(record) == golden
    assert "result" in golden


PAIRS = [f"{quantity}_{relation}" for quantity in ("some", "every", "none") for relation in ("adjacent", "opposite")]
OF_TWO = [*PAIRS, "some_within", "every_within", "none_within"]
OF_ONE = ["band", "consecutive", "none_within_self", "some_opposite_self"]
OF_X = ["x_within", "x_not_within", "x_not_adjacent", "x_not_opposite"]


def sentences() -> str:
    """Every form of a fact, and of an answer, of every kind."""
    facts = [Fact(form, p, q, n=3) for form in OF_TWO for p, q in zip(KINDS, KINDS[1:] + KINDS[:1], strict=True)]
    facts += [Fact(form, p, n=4) for form in (*OF_ONE, *OF_X) for p in KINDS]
    facts += [Fact("consecutive", p) for p in KINDS]
    facts += [Fact(form, p, sector=7) for form in ("not_in_sector", "in_sector") for p in KINDS]
    answers = [Fact("survey", p, n=2, sector=11, last=3) for p in KINDS] + [Fact("target", p, sector=5) for p in KINDS]
    answers += [Fact(form, "C", p, sector=9) for form in ("located", "not_located") for p in KINDS]
    answers += [Fact("some_adjacent", "A", "G", id="B"), Fact("x_within", "C", n=2, id="X1")]
    said = [f"{title(fact)}: {sentence(fact)}" for fact in facts]
    return "\n".join([*said, *(str(answer_text(fact)) for fact in answers)]) + "\n"


def test_facts_and_answers_read_as_they_did() -> None:
    assert sentences() == (FOLDER / "facts.golden").read_text("utf-8")


def write() -> None:
    """Writes the playthroughs of all records, and the sentences."""
    (FOLDER / "facts.golden").write_text(sentences(), "utf-8")
    for name in NAMES:
        record = (FOLDER / f"{name}.txt").read_text("utf-8")
        (FOLDER / f"{name}.golden").write_text(playthrough(record), "utf-8")


if __name__ == "__main__":
    write()
