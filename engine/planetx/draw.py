"""Draws a game from a code (X12), the same everywhere for ever: board, topics, conference facts, starting facts.

Facts are redrawn until informative; `broken_clauses` checks finished games."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache, reduce
from hashlib import sha256
from itertools import combinations
from operator import and_

import msgspec

from engine.draws import Stream
from engine.errors import Invalid
from engine.planetx.boards import legal_boards
from engine.planetx.facts import TOPICS, Fact, conference_facts, holds, kinds_of, research_facts, truth
from engine.planetx.sky import MODES, SkyMode, faults
from engine.text import say

# --- codes

VERSION = "A"
"""First letter of codes; a change of drawing needs another."""
LETTERS = "ACEFHJKLMNPRTWXY"
LENGTH = 4
CODES = len(LETTERS) ** LENGTH


def code_of(number: int) -> str:
    letters = [LETTERS[number // len(LETTERS) ** k % len(LETTERS)] for k in reversed(range(LENGTH))]
    return VERSION + "".join(letters)


def code_from_seed(seed: int) -> str:
    return code_of(int.from_bytes(sha256(f"planetx/seed/{seed}".encode()).digest()[:8], "big") % CODES)


def check_code(code: str) -> str:
    """Normalize a code. Raises Invalid if it is none."""
    code = code.strip().upper()
    if len(code) != LENGTH + 1 or code[0] != VERSION or not set(code[1:]) <= set(LETTERS):
        raise Invalid(
            say(
                "{code} is not a game code: write {version}, then {length} of the letters {letters}.",
                code=code,
                version=VERSION,
                length=LENGTH,
                letters=LETTERS,
            ),
            ("X12",),
        )
    return code


# --- starting facts

SEASONS = ("spring", "summer", "autumn", "winter")
FACTOR = 1.25
"""Largest ratio between the numbers of boards that the seasons' facts leave (X48)."""
TIER = 4
_POOL = 16


class SeasonFacts(msgspec.Struct, frozen=True):
    """A season's starting facts, tier by tier (X14)."""

    season: str
    facts: tuple[Fact, ...]


# --- games


class Drawn(msgspec.Struct, frozen=True):
    """All that a code determines (X12), hidden except code and titles. starting: twelve facts per season; levels take
    the first ones."""

    mode: str
    code: str
    board: str
    topics: tuple[Fact, ...]
    conferences: tuple[Fact, ...]
    starting: tuple[SeasonFacts, ...]


@lru_cache(4)
def draw_game(mode: SkyMode, code: str) -> Drawn:
    """Draw the game of a code. Raises Invalid for a bad code."""
    code = check_code(code)
    stream = Stream(f"planetx/{code}/{mode.name}")
    board, topics, conferences = _board_and_facts(mode, stream)
    return Drawn(mode.name, code, board, topics, conferences, _draw_seasons(mode, board, stream))


def boards_left(facts: Iterable[Fact], mode: SkyMode) -> int:
    """Count the legal boards on which all facts are true."""
    return reduce(and_, (truth(fact, mode) for fact in facts), legal_boards(mode).members).bit_count()


def _board_and_facts(mode: SkyMode, stream: Stream) -> tuple[str, tuple[Fact, ...], tuple[Fact, ...]]:
    boards = legal_boards(mode)
    while True:
        board = boards.letters(stream.below(len(boards)))
        conferences = _draw_conferences(mode, board, stream)
        topics = _draw_topics(mode, board, stream)
        if conferences and len(topics) == len(TOPICS) and boards_left((*topics, *conferences), mode) >= 2:
            return board, topics, conferences


def _draw_topics(mode: SkyMode, board: str, stream: Stream) -> tuple[Fact, ...]:
    """Draw true facts with distinct titles (X40), first the form, so that all forms are as likely."""
    true = [fact for fact in research_facts(mode) if holds(fact, mode, board)]
    topics: list[Fact] = []
    for kinds in stream.shuffle(titles(mode)):
        fact = _draw_fact([fact for fact in true if title_kinds(fact) == kinds], mode, stream)
        if fact is not None and len(topics) < len(TOPICS):
            topics.append(msgspec.structs.replace(fact, id=[*TOPICS][len(topics)]))
    return tuple(topics)


def _draw_fact(facts: list[Fact], mode: SkyMode, stream: Stream) -> Fact | None:
    for form in stream.shuffle(sorted({fact.form for fact in facts})):
        for fact in stream.shuffle([fact for fact in facts if fact.form == form]):
            if says_something(fact, mode):
                return fact
    return None


def _draw_conferences(mode: SkyMode, board: str, stream: Stream) -> tuple[Fact, ...]:
    """Draw facts that locate Planet X in an otherwise known sky (X46); () if impossible."""
    number = 1 if mode.dwarf_band is None else 2
    true = [fact for fact in conference_facts() if holds(fact, mode, board) and says_something(fact, mode)]
    for facts in stream.shuffle(tuple(combinations(true, number))):
        if len({fact.p for fact in facts}) == number and len(open_sectors(facts, mode, board)) == 1:
            return tuple(msgspec.structs.replace(fact, id=f"X{k}") for k, fact in enumerate(facts, 1))
    return ()


def titles(mode: SkyMode) -> tuple[tuple[str, ...], ...]:
    """Return the kinds or pairs that topics may be about (X40)."""
    return tuple(sorted({title_kinds(fact) for fact in research_facts(mode)}))


def title_kinds(fact: Fact) -> tuple[str, ...]:
    """Return the kinds in a fact's title, sorted (X40)."""
    return tuple(sorted(set(kinds_of(fact))))


@cache
def says_something(fact: Fact, mode: SkyMode) -> bool:
    """Return True if the fact is false on some legal board (X45)."""
    return truth(fact, mode) != legal_boards(mode).members


def open_sectors(conferences: tuple[Fact, ...], mode: SkyMode, board: str) -> tuple[int, ...]:
    """Return Planet X's possible sectors once all other objects are known (X46)."""
    empty = [s for s, letter in enumerate(board, 1) if letter in "EX"]
    bare = board.replace("X", "E")
    return tuple(s for s in empty if all(holds(f, mode, bare[: s - 1] + "X" + bare[s:]) for f in conferences))


def _draw_seasons(mode: SkyMode, board: str, stream: Stream) -> tuple[SeasonFacts, ...]:
    while True:
        lists = _draw_lists(mode, board, stream)
        if max(imbalance(mode, lists)) <= FACTOR:
            drawn = stream.shuffle(lists)
            return tuple(SeasonFacts(season, facts) for season, facts in zip(SEASONS, drawn, strict=True))


def imbalance(mode: SkyMode, lists: tuple[tuple[Fact, ...], ...]) -> tuple[float, ...]:
    """Return the ratio of most to fewest boards that seasons leave, at 4, 8 and 12 facts (X48)."""
    ratios = []
    for level in (TIER, 2 * TIER, 3 * TIER):
        left = [boards_left(facts[:level], mode) for facts in lists]
        ratios.append(max(left) / min(left))
    return tuple(ratios)


def _draw_lists(mode: SkyMode, board: str, stream: Stream) -> tuple[tuple[Fact, ...], ...]:
    lists: list[tuple[Fact, ...]] = [()] * len(SEASONS)
    for tier in range(3):
        pools = [[facts + _draw_tier(mode, board, facts, tier, stream) for _ in range(_POOL)] for facts in lists]
        left = [[boards_left(facts, mode) for facts in pool] for pool in pools]
        aim = sorted(number for numbers in left for number in numbers)[len(SEASONS) * _POOL // 2]
        lists = [
            min(zip(numbers, pool, strict=True), key=lambda pair: abs(pair[0] - aim))[1]
            for numbers, pool in zip(left, pools, strict=True)
        ]
    return tuple(lists)


def _draw_tier(mode: SkyMode, board: str, before: tuple[Fact, ...], tier: int, stream: Stream) -> tuple[Fact, ...]:
    """Draw four facts on new sectors (X14): comet sectors, others, or mixed, by tier."""
    used = {fact.sector for fact in before}
    free = stream.shuffle([s for s in range(1, mode.sectors + 1) if s not in used])
    on_comets = [s for s in free if s in mode.comet_sectors]
    others = [s for s in free if s not in mode.comet_sectors]
    if tier == 0:  # one sector without a comet is for the third tier's comet fact
        kept = next(s for s in on_comets if board[s - 1] != "C")
        chosen = [s for s in on_comets if s != kept][:TIER]
    elif tier == 1:
        chosen = others[:TIER]
    else:
        comet = next(s for s in on_comets if board[s - 1] != "C")
        rest = others[:1] + [s for s in free if s != comet and s not in others[:1]]
        return stream.shuffle((_not("C", comet), *(_not_here(board, s, stream) for s in rest[: TIER - 1])))
    return tuple(_not_here(board, sector, stream) for sector in chosen)


def _not_here(board: str, sector: int, stream: Stream) -> Fact:
    return _not(stream.pick([kind for kind in "ADG" if board[sector - 1] != kind]), sector)


def _not(kind: str, sector: int) -> Fact:
    return Fact("not_in_sector", kind, sector=sector)


# --- checks


class DrawReport(msgspec.Struct, frozen=True):
    """Violations by clause over `games` codes of a mode.

    fewest: fewest boards left by topics and conferences
    imbalance: worst at 4, 8 and 12 facts"""

    mode: str
    games: int
    broken: dict[str, int]
    fewest: int
    imbalance: tuple[float, ...]


def broken_clauses(game: Drawn) -> tuple[str, ...]:
    mode = MODES[game.mode]
    given = (*game.topics, *game.conferences, *(fact for season in game.starting for fact in season.facts))
    checks = {
        "X7": not faults(mode, game.board),
        "X14": all(_tiers(game, mode, number) for number in range(len(game.starting))),
        "X40": len({title_kinds(fact) for fact in game.topics}) == len(game.topics) == 6,
        "X45": all(holds(fact, mode, game.board) and says_something(fact, mode) for fact in given),
        "X46": len(open_sectors(game.conferences, mode, game.board)) == 1,
        "X47": boards_left((*game.topics, *game.conferences), mode) >= 2,
        "X48": max(imbalance(mode, tuple(season.facts for season in game.starting))) <= FACTOR,
    }
    return tuple(clause for clause, kept in checks.items() if not kept)


def report(mode: SkyMode, games: int) -> DrawReport:
    broken: dict[str, int] = {}
    fewest, worst = len(legal_boards(mode)), (1.0, 1.0, 1.0)
    for seed in range(games):
        game = draw_game(mode, code_from_seed(seed))
        for clause in broken_clauses(game):
            broken[clause] = broken.get(clause, 0) + 1
        fewest = min(fewest, boards_left((*game.topics, *game.conferences), mode))
        ratios = imbalance(mode, tuple(season.facts for season in game.starting))
        worst = (max(worst[0], ratios[0]), max(worst[1], ratios[1]), max(worst[2], ratios[2]))
    return DrawReport(mode.name, games, broken, fewest, worst)


def _tiers(game: Drawn, mode: SkyMode, number: int) -> bool:
    facts = game.starting[number].facts
    on_comets = [fact.sector in mode.comet_sectors for fact in facts]
    comet = [fact.p == "C" for fact in facts]
    return all(on_comets[:4]) and not any(on_comets[4:8]) and not any(comet[:8]) and any(comet[8:])
