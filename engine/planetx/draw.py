"""A game from a code: board, topics, conference facts, starting facts; the same everywhere, for ever (X12, X83)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import msgspec
import numpy as np

from engine.draws import Stream
from engine.planetx.boards import Boards, legal_boards
from engine.planetx.codes import checked
from engine.planetx.facts import Fact, holds, truth
from engine.planetx.names import TOPICS
from engine.planetx.seasons import SeasonFacts, draw_seasons
from engine.planetx.sky import Mode
from engine.planetx.topics import conference_facts, open_sectors, research_facts, says_something, title_kinds, titles


class Drawn(msgspec.Struct, frozen=True):
    """All that a code decides. Hidden, but for the code and the topics' titles.

    starting: twelve facts a season, the first so many for a level (X13).
    """

    mode: str
    code: str
    board: str
    topics: tuple[Fact, ...]
    conferences: tuple[Fact, ...]
    starting: tuple[SeasonFacts, ...]


def draw_game(mode: Mode, code: str) -> Drawn:
    """The game of a code. Raises Invalid if the code is none."""
    code = checked(code)
    boards = legal_boards(mode)
    stream = Stream(f"planetx/{code}/{mode.name}")
    board, topics, conferences = _board_and_facts(boards, stream)
    return Drawn(mode.name, code, board, topics, conferences, draw_seasons(boards, board, stream))


def left_by(facts: Iterable[Fact], boards: Boards) -> int:
    """How many boards satisfy all the facts."""
    keep = np.ones(len(boards), np.bool_)
    for fact in facts:
        keep &= truth(fact, boards)
    return int(np.count_nonzero(keep))


def _board_and_facts(boards: Boards, stream: Stream) -> tuple[str, tuple[Fact, ...], tuple[Fact, ...]]:
    """A board with topics and conference facts that pass X46 and X47, drawn anew until they do."""
    while True:
        board = boards.letters(stream.below(len(boards)))
        conferences = _draw_conferences(boards.mode, board, stream)
        topics = _draw_topics(boards.mode, board, stream)
        if conferences and len(topics) == len(TOPICS) and left_by((*topics, *conferences), boards) >= 2:
            return board, topics, conferences


def _draw_topics(mode: Mode, board: str, stream: Stream) -> tuple[Fact, ...]:
    """True facts with distinct titles (X40): a form is drawn first, so that ranges do not crowd out the rest."""
    true = [fact for fact in research_facts(mode) if holds(fact, mode, board)]
    topics: list[Fact] = []
    for kinds in stream.shuffled(titles(mode)):
        fact = _draw_fact([fact for fact in true if title_kinds(fact) == kinds], mode, stream)
        if fact is not None and len(topics) < len(TOPICS):
            topics.append(msgspec.structs.replace(fact, id=[*TOPICS][len(topics)]))
    return tuple(topics)


def _draw_fact(facts: list[Fact], mode: Mode, stream: Stream) -> Fact | None:
    """One of the facts that says something (X45), or None if none does."""
    for form in stream.shuffled(sorted({fact.form for fact in facts})):
        for fact in stream.shuffled([fact for fact in facts if fact.form == form]):
            if says_something(fact, mode):
                return fact
    return None


def _draw_conferences(mode: Mode, board: str, stream: Stream) -> tuple[Fact, ...]:
    """As many facts about Planet X as there are conferences (X44), that settle a surveyed sky (X46); () if none do."""
    number = 1 if mode.dwarf_band is None else 2
    true = [fact for fact in conference_facts() if holds(fact, mode, board) and says_something(fact, mode)]
    for facts in stream.shuffled(tuple(combinations(true, number))):
        if len({fact.p for fact in facts}) == number and len(open_sectors(facts, mode, board)) == 1:
            return tuple(msgspec.structs.replace(fact, id=f"X{k}") for k, fact in enumerate(facts, 1))
    return ()
