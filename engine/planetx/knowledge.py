"""What a player may know of the hidden board, and the boards that fit it."""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np

from engine.planetx.boards import Boards, legal_boards
from engine.planetx.facts import Fact, truth
from engine.planetx.names import FACTS_AT
from engine.planetx.sky import MODES
from engine.planetx.state import Note, Player, State, player_of
from engine.planetx.track import conference
from engine.table import Seat


def starting_facts(state: State, player: Player) -> tuple[Fact, ...]:
    """A player's own starting facts (X13)."""
    listed = next(season.facts for season in state.game.starting if season.season == player.season)
    return listed[: FACTS_AT.get(player.level or "genius", 0)]


def knowledge(state: State, seat: Seat) -> tuple[Fact, ...]:
    """All facts that a seat was told: its own, and the public ones."""
    player = player_of(state, seat)
    told = tuple(answer.fact for answer in player.answers)
    held = tuple(conference(state, name) for name in state.conferences)
    facts = (*starting_facts(state, player), *held, *state.reviews, *told)
    return tuple(dict.fromkeys(msgspec.structs.replace(fact, id="") for fact in facts))


@lru_cache(maxsize=16)
def fitting(mode: str, facts: tuple[Fact, ...]) -> Boards:
    """The legal boards on which all facts are true. Few are kept: with few facts they are megabytes."""
    boards = legal_boards(MODES[mode])
    if not facts:
        return boards
    keep = np.logical_and.reduce([truth(fact, boards) for fact in facts[:4]])
    boards = boards.where(keep)
    for fact in facts[4:]:
        boards = boards.where(truth(fact, boards))
    return boards


def noted(note: Note) -> Fact:
    """A player's mark as a fact."""
    return Fact("in_sector" if note.holds else "not_in_sector", note.kind, sector=note.sector)
