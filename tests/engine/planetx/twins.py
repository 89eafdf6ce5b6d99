"""States that differ only in what somebody must not know: another board that fits all that they were told."""

from __future__ import annotations

from functools import cache, lru_cache
from random import Random

from msgspec.structs import replace

from engine.planetx.boards import Boards
from engine.planetx.draw import Drawn, SeasonFacts, code_from_seed, title_kinds
from engine.planetx.ending import Over
from engine.planetx.facts import Fact, conference_facts, holds, research_facts, survey_count, target_kind
from engine.planetx.knowledge import fitting, knowledge
from engine.planetx.match import FactAnswer, PlayerState, State, Theory
from engine.planetx.opening import Typing, starting_facts
from engine.planetx.sky import SkyMode, run, wrap
from engine.planetx.track import conference
from engine.table import Seat


def twin(rng: Random, state: State, seat: Seat | None) -> State:
    """Another board, with all that follows from it for others: answers, facts not yet given, face-down tokens."""
    if isinstance(state.phase, Over | Typing):
        return state
    known = _public(state) if seat is None else knowledge(state, seat)
    boards = fitting(state.rules.mode, known)
    board = _board(rng, state, seat, boards)
    if board is None:
        return state
    game = _game(rng, state, seat, board)
    other = replace(state, game=game, theories=_theories(rng, state, seat))
    players = tuple(p if p.seat == seat else _player(state, game, p) for p in state.players)
    return replace(other, players=players)


def _board(rng: Random, state: State, seat: Seat | None, boards: Boards) -> str | None:
    """A board that has some true fact to every title of the game."""
    for _ in range(40):
        board = boards.letters(rng.randrange(len(boards)))
        if all(_candidates(state.mode, fact, board) for fact in state.game.topics):
            return board
    return None


def _public(state: State) -> tuple[Fact, ...]:
    return (*(conference(state, name) for name in state.conferences), *state.reviews)


def _game(rng: Random, state: State, seat: Seat | None, board: str) -> Drawn:
    """The same titles, with other facts where nobody in `seat` was given them; another code, unless it was typed."""
    mode = state.mode
    given = {answer.fact.id for p in state.players if p.seat == seat for answer in p.answers}
    topics = tuple(f if f.id in given else _topic(rng, mode, f, board) for f in state.game.topics)
    held = state.conferences
    talks = tuple(
        f if f.id in held else _true(rng, mode, conference_facts(), board, f.id) for f in state.game.conferences
    )
    starting = tuple(_season(rng, state, season, seat, board) for season in state.game.starting)
    code = state.game.code if state.rules.typed else code_from_seed(rng.randrange(2**32))
    return replace(state.game, code=code, board=board, topics=topics, conferences=talks, starting=starting)


def _topic(rng: Random, mode: SkyMode, fact: Fact, board: str) -> Fact:
    return replace(rng.choice(_candidates(mode, fact, board)), id=fact.id)


def _candidates(mode: SkyMode, fact: Fact, board: str) -> tuple[Fact, ...]:
    """Facts of the same title that are true on the board."""
    return _true_of_title(mode, title_kinds(fact), board)


@lru_cache(maxsize=4096)
def _true_of_title(mode: SkyMode, kinds: tuple[str, ...], board: str) -> tuple[Fact, ...]:
    return tuple(fact for fact in _of_title(mode, kinds) if holds(fact, mode, board))


@cache
def _of_title(mode: SkyMode, kinds: tuple[str, ...]) -> tuple[Fact, ...]:
    return tuple(fact for fact in research_facts(mode) if title_kinds(fact) == kinds)


def _true(rng: Random, mode: SkyMode, facts: tuple[Fact, ...], board: str, name: str) -> Fact:
    return replace(rng.choice([fact for fact in facts if holds(fact, mode, board)]), id=name)


def _season(rng: Random, state: State, season: SeasonFacts, seat: Seat | None, board: str) -> SeasonFacts:
    """Starting facts that are true on the other board; those that `seat` was given stay as they are."""
    owner = next((p for p in state.players if p.season == season.season and p.seat == seat), None)
    kept = 0 if owner is None else len(starting_facts(state, owner))
    facts = [
        replace(fact, p=rng.choice([kind for kind in "ADG" if board[(fact.sector or 0) - 1] != kind]))
        for fact in season.facts[kept:]
    ]
    return replace(season, facts=(*season.facts[:kept], *facts))


def _player(state: State, game: Drawn, player: PlayerState) -> PlayerState:
    """The same questions, with the answers that the other board gives."""
    answers = tuple(FactAnswer(a.time, _answer(state, game, a.fact)) for a in player.answers)
    return replace(player, answers=answers)


def _answer(state: State, game: Drawn, fact: Fact) -> Fact:
    n = state.mode.sectors
    if fact.form == "survey":
        sectors = run(fact.sector or 0, fact.last or 0, n)
        return replace(fact, n=survey_count(game.board, fact.p or "", sectors))
    if fact.form == "target":
        return replace(fact, p=target_kind(game.board, fact.sector or 0))
    planet = game.board.index("X") + 1
    before, after = game.board[wrap(planet - 1, n) - 1], game.board[wrap(planet + 1, n) - 1]
    if fact.form == "located":
        return Fact("located", before, after, sector=planet)
    if fact.form == "not_located":
        return fact if holds(fact, state.mode, game.board) else replace(fact, sector=wrap(planet + 1, n))
    return next(topic for topic in game.topics if topic.id == fact.id)


def _theories(rng: Random, state: State, seat: Seat | None) -> tuple[Theory, ...]:
    """Face-down tokens of the others, shuffled among those of one owner."""
    theories = list(state.theories)
    for player in state.players:
        places = [k for k, t in enumerate(theories) if t.owner == player.seat != seat and not t.shown]
        kinds = [theories[k].kind for k in places]
        rng.shuffle(kinds)
        for k, kind in zip(places, kinds, strict=True):
            theories[k] = replace(theories[k], kind=kind)
    return tuple(theories)
