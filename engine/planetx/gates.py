"""What every drawn game must satisfy, checked on the finished game; a report over many codes (X40, X45-X48)."""

from __future__ import annotations

import msgspec

from engine.planetx.boards import legal_boards
from engine.planetx.codes import code_from_seed
from engine.planetx.draw import Drawn, draw_game, left_by
from engine.planetx.facts import holds
from engine.planetx.legality import faults
from engine.planetx.seasons import FACTOR, imbalance
from engine.planetx.sky import MODES, Mode
from engine.planetx.topics import open_sectors, says_something, title_kinds


class Report(msgspec.Struct, frozen=True):
    """Over `games` codes of one mode: how often each clause is broken, and how close the games come to the limits.

    fewest: the fewest boards that topics and conferences leave together (X47).
    imbalance: the worst factor between seasons at 4, 8 and 12 facts (X48).
    """

    mode: str
    games: int
    broken: dict[str, int]
    fewest: int
    imbalance: tuple[float, ...]


def broken_gates(game: Drawn) -> tuple[str, ...]:
    """The clauses that a drawn game breaks; () for every game that `draw_game` makes."""
    mode = MODES[game.mode]
    given = (*game.topics, *game.conferences, *(fact for season in game.starting for fact in season.facts))
    checks = {
        "X7": not faults(mode, game.board),
        "X14": all(_tiers(game, mode, number) for number in range(len(game.starting))),
        "X40": len({title_kinds(fact) for fact in game.topics}) == len(game.topics) == 6,
        "X45": all(holds(fact, mode, game.board) and says_something(fact, mode) for fact in given),
        "X46": len(open_sectors(game.conferences, mode, game.board)) == 1,
        "X47": left_by((*game.topics, *game.conferences), legal_boards(mode)) >= 2,
        "X48": max(imbalance(mode, tuple(season.facts for season in game.starting))) <= FACTOR,
    }
    return tuple(clause for clause, kept in checks.items() if not kept)


def report(mode: Mode, games: int) -> Report:
    """The gates of the first `games` codes that seeds draw."""
    broken: dict[str, int] = {}
    fewest, worst = len(legal_boards(mode)), (1.0, 1.0, 1.0)
    for seed in range(games):
        game = draw_game(mode, code_from_seed(seed))
        for clause in broken_gates(game):
            broken[clause] = broken.get(clause, 0) + 1
        fewest = min(fewest, left_by((*game.topics, *game.conferences), legal_boards(mode)))
        ratios = imbalance(mode, tuple(season.facts for season in game.starting))
        worst = (max(worst[0], ratios[0]), max(worst[1], ratios[1]), max(worst[2], ratios[2]))
    return Report(mode.name, games, broken, fewest, worst)


def _tiers(game: Drawn, mode: Mode, number: int) -> bool:
    """X14: the first four over comet sectors, the next four over others, a comet fact only among the last four."""
    facts = game.starting[number].facts
    on_comets = [fact.sector in mode.comet_sectors for fact in facts]
    comet = [fact.p == "C" for fact in facts]
    return all(on_comets[:4]) and not any(on_comets[4:8]) and not any(comet[:8]) and any(comet[8:])
