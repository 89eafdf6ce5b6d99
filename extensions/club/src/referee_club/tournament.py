"""Defines a tournament as a fold over its steps.

Entrants are numbered from 0 by initial ranking. A result can be taken back until the next draw, and a draw until its
first result.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

import msgspec

from device.personal_names import fold_case
from engine.evening import EndedMatch, Meeting, PoolStanding, bracket, merit, standing
from engine.text import Text, say
from referee_club import pairing
from referee_club.pairing import Line, Pair

replace = msgspec.structs.replace

MOST = 64
"""Most entrants."""


class Kind(StrEnum):
    ROUND_ROBIN = "round robin"
    SWISS = "swiss"
    ELIMINATION = "elimination"
    POOLS = "pools"


NAMES: dict[Kind, Text] = {
    Kind.ROUND_ROBIN: say("Round robin"),
    Kind.SWISS: say("Swiss system"),
    Kind.ELIMINATION: say("Direct elimination"),
    Kind.POOLS: say("Pools, then direct elimination"),
}


class Refused(ValueError):
    """An order is impossible; `text` says why."""

    def __init__(self, text: Text) -> None:
        super().__init__(str(text))
        self.text = text


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A plan. game: "" for any. entrants: strongest first. rounds: Swiss only."""

    name: str
    kind: Kind
    entrants: tuple[str, ...]
    game: str = ""
    rounds: int = 0


class Drawn(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="drawn"):
    """Drawn rounds. at: seconds since 1970; 0 from older versions, which noted a row number instead."""

    rounds: tuple[tuple[Pair, ...], ...]
    noted: int = 0
    at: float = 0.0


class Ended(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="ended"):
    """A result. round, board: from 0. winner: 0 or 1 of the pair, None for a draw. points: of both. match: identity,
    if played at a club table."""

    round: int
    board: int
    winner: int | None
    points: tuple[int, int] | None = None
    match: str = ""


class Cleared(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="cleared"):
    """A result taken back."""

    round: int
    board: int


class Withdrawn(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="withdrawn"):
    """The last draw withdrawn."""


Step: TypeAlias = Drawn | Ended | Cleared | Withdrawn


class Game(msgspec.Struct, frozen=True):
    """A pairing and its result; None for a bye."""

    pair: Pair
    ended: Ended | None = None

    @property
    def over(self) -> bool:
        return self.pair[1] is None or self.ended is not None


class Score(msgspec.Struct, frozen=True):
    """An entrant's scores. points: with byes. buchholz: opponents' points (Swiss tie-break). berger: Sonneborn-Berger
    (round robin tie-break)."""

    entrant: int
    points: float = 0.0
    played: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    buchholz: float = 0.0
    berger: float = 0.0


class Tournament(msgspec.Struct, frozen=True):
    """A tournament's state. draws: rounds before each draw. drawn: when, see `Drawn`."""

    plan: Plan
    rounds: tuple[tuple[Game, ...], ...] = ()
    draws: tuple[int, ...] = ()
    drawn: tuple[float, ...] = ()

    @property
    def open(self) -> tuple[tuple[int, int], ...]:
        """Round and board of open games."""
        return tuple(
            (number, board)
            for number, games in enumerate(self.rounds)
            for board, game in enumerate(games)
            if not game.over
        )

    @property
    def since(self) -> int:
        """First round of the last draw, still changeable."""
        return self.draws[-1] if self.draws else 0

    @property
    def finished(self) -> bool:
        if not self.rounds or self.open:
            return False
        match self.plan.kind:
            case Kind.ROUND_ROBIN:
                return True
            case Kind.SWISS:
                return len(self.rounds) >= self.plan.rounds
            case _:
                (final,) = tableau(self)[-1]
                return final.winner is not None


def make_tournament(plan: Plan) -> Tournament:
    """Return an undrawn tournament. Raises Refused for a bad plan."""
    count = len(plan.entrants)
    if not plan.name.strip():
        raise Refused(say("A tournament needs a name."))
    if count < 2 or count > MOST:
        raise Refused(say("A tournament has 2 to {most} players.", most=MOST))
    if len({fold_case(each) for each in plan.entrants}) < count or not all(each.strip() for each in plan.entrants):
        raise Refused(say("Each player needs a different name."))
    if plan.kind is Kind.SWISS and not 1 <= plan.rounds <= pairing.longest_swiss(count):
        raise Refused(
            say(
                "With this many players, choose 1 to {most} Swiss rounds, or a round robin.",
                most=pairing.longest_swiss(count),
            )
        )
    return Tournament(plan)


def after(tournament: Tournament, step: Step) -> Tournament:
    """Return the tournament after a step. Raises Refused."""
    match step:
        case Drawn(rounds=rounds, at=at):
            games = tuple(tuple(Game(pair) for pair in pairs) for pairs in rounds)
            return replace(
                tournament,
                rounds=(*tournament.rounds, *games),
                draws=(*tournament.draws, len(tournament.rounds)),
                drawn=(*tournament.drawn, at),
            )
        case Ended(round=number, board=board):
            game = _changeable(tournament, number, board)
            if step.winner is None and decides(tournament, number):
                raise Refused(say("This match needs a winner, who goes on to the next round."))
            return _with(tournament, number, board, Game(game.pair, step))
        case Cleared(round=number, board=board):
            game = _changeable(tournament, number, board)
            return _with(tournament, number, board, Game(game.pair))
        case Withdrawn():
            if not tournament.draws:
                raise Refused(say("No round has been drawn yet."))
            since = tournament.since
            if any(game.ended for games in tournament.rounds[since:] for game in games):
                raise Refused(say("Undo the results of this draw's matches first."))
            return replace(
                tournament,
                rounds=tournament.rounds[:since],
                draws=tournament.draws[:-1],
                drawn=tournament.drawn[:-1],
            )


def take_step(tournament: Tournament, step: Step) -> Tournament:
    """Return `after`, also refusing to replace a result. Raises Refused."""
    found = after(tournament, step)
    if isinstance(step, Ended) and tournament.rounds[step.round][step.board].ended is not None:
        raise Refused(say("There is already a result. Undo it first."))
    return found


def _changeable(tournament: Tournament, number: int, board: int) -> Game:
    known = 0 <= number < len(tournament.rounds) and 0 <= board < len(tournament.rounds[number])
    if not known or tournament.rounds[number][board].pair[1] is None:
        raise Refused(say("There is no such match."))
    if number < tournament.since:
        raise Refused(say("The next round is already drawn. Undo that first."))
    return tournament.rounds[number][board]


def decides(tournament: Tournament, number: int) -> bool:
    """Return True if losers of this round (from 0) are eliminated."""
    return tournament.plan.kind is Kind.ELIMINATION or (tournament.plan.kind is Kind.POOLS and number > 0)


def _with(tournament: Tournament, number: int, board: int, game: Game) -> Tournament:
    games = tournament.rounds[number]
    changed = (*games[:board], game, *games[board + 1 :])
    return replace(tournament, rounds=(*tournament.rounds[:number], changed, *tournament.rounds[number + 1 :]))


def pair_of(pair: Pair) -> str:
    """Return a pair's key."""
    return "-".join(str(each) for each in pair if each is not None)


def draw(tournament: Tournament) -> Drawn:
    """Return the next draw, without taking it; a large Swiss round takes over a second. Raises Refused, or
    ModuleNotFoundError for Swiss without networkx."""
    if tournament.open:
        raise Refused(say("Some results are missing: enter them first."))
    if tournament.finished:
        raise Refused(say("The tournament is finished."))
    return Drawn(_next(tournament))


def _next(tournament: Tournament) -> tuple[tuple[Pair, ...], ...]:
    plan = tournament.plan
    match plan.kind:
        case Kind.ROUND_ROBIN:
            return pairing.round_robin(len(plan.entrants))
        case Kind.SWISS:
            return (pairing.swiss(_lines(tournament)),)
        case Kind.POOLS if not tournament.rounds:
            bouts = (pairing.pool_bouts(pool) for pool in pools(plan))
            return (tuple(bout for pool in bouts for bout in pool),)
        case _:
            return (_following(tableau(tournament)),)


def _following(rounds: Sequence[Sequence[Meeting]]) -> tuple[Pair, ...]:
    due = ([meeting.players for meeting in meetings if meeting.winner is None] for meetings in rounds)
    return tuple((one, other) for one, other in next(filter(None, due)) if one is not None)


def pools(plan: Plan) -> tuple[tuple[int, ...], ...]:
    """Return each pool's members."""
    return pairing.pools(len(plan.entrants))


def tableau(tournament: Tournament) -> tuple[tuple[Meeting, ...], ...]:
    """Return elimination rounds; () for round robin, Swiss, or until all pool bouts are over."""
    plan = tournament.plan
    if plan.kind is Kind.ELIMINATION:
        return bracket(range(len(plan.entrants)), _fought(tournament.rounds))
    if plan.kind is not Kind.POOLS or not tournament.rounds or not all(game.over for game in tournament.rounds[0]):
        return ()
    return bracket([each.player for each in pool_standings(tournament)], _fought(tournament.rounds[1:]))


def pool_standings(tournament: Tournament) -> tuple[PoolStanding, ...]:
    """Return the ranking after pools: V/M, HS-HR, HS, then initial rank."""
    fenced = _fought(tournament.rounds[:1])
    found = [standing(player, fenced) for player in range(len(tournament.plan.entrants))]
    return tuple(sorted(found, key=lambda each: (*(-part for part in merit(each)), each.player)))


def _fought(rounds: Sequence[Sequence[Game]]) -> tuple[EndedMatch, ...]:
    return tuple(
        EndedMatch(
            (one, other),
            () if game.ended.winner is None else (game.pair[game.ended.winner] or 0,),
            game.ended.points or (),
        )
        for games in rounds
        for game in games
        if game.ended is not None
        for one, other in (game.pair,)
        if other is not None
    )


def scores(tournament: Tournament) -> tuple[Score, ...]:
    """Return a round robin's or Swiss table, best first, else (). A draw gives half a point, a Swiss bye one."""
    if tournament.plan.kind not in (Kind.ROUND_ROBIN, Kind.SWISS):
        return ()
    count = len(tournament.plan.entrants)
    taken: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    byes = [0] * count
    for game in (game for games in tournament.rounds for game in games):
        one, other = game.pair
        if other is None:
            byes[one] += tournament.plan.kind is Kind.SWISS
        elif game.ended is not None:
            won = 0.5 if game.ended.winner is None else 1.0 - game.ended.winner
            taken[one].append((other, won))
            taken[other].append((one, 1.0 - won))
    points = [byes[each] + sum(won for _, won in taken[each]) for each in range(count)]
    found = [_score(each, taken[each], points) for each in range(count)]
    swiss = tournament.plan.kind is Kind.SWISS
    return tuple(
        sorted(
            found, key=lambda each: (-each.points, -(each.buchholz if swiss else each.berger), -each.won, each.entrant)
        )
    )


def _score(entrant: int, taken: Sequence[tuple[int, float]], points: Sequence[float]) -> Score:
    won = sum(point == 1.0 for _, point in taken)
    drawn = sum(point == 0.5 for _, point in taken)
    buchholz = sum(points[other] for other, _ in taken)
    berger = sum(points[other] * point for other, point in taken)
    played = len(taken)
    return Score(entrant, points[entrant], played, won, drawn, played - won - drawn, buchholz, berger)


def _lines(tournament: Tournament) -> tuple[Line, ...]:
    points = {each.entrant: each.points for each in scores(tournament)}
    found = [Line(points[each]) for each in range(len(tournament.plan.entrants))]
    for game in (game for games in tournament.rounds for game in games):
        one, other = game.pair
        if other is None:
            found[one] = replace(found[one], byes=found[one].byes + 1)
            continue
        for player, against, turn in ((one, other, 1), (other, one, -1)):
            line = found[player]
            found[player] = replace(line, met=line.met | {against}, firsts=line.firsts + turn)
    return tuple(found)


def ranking(tournament: Tournament) -> tuple[int, ...]:
    """Return entrants, best first; in elimination by round reached, then earlier rank."""
    rounds = tableau(tournament)
    if not rounds:
        if tournament.plan.kind is Kind.POOLS and tournament.rounds:
            return tuple(each.player for each in pool_standings(tournament))
        return tuple(each.entrant for each in scores(tournament)) or tuple(range(len(tournament.plan.entrants)))
    before = _seed_order(tournament)
    reached = {
        player: number for number, meetings in enumerate(rounds) for meeting in meetings for player in meeting.players
    }
    (final,) = rounds[-1]
    if final.winner is not None:
        reached[final.winner] = len(rounds)
    return tuple(sorted(before, key=lambda each: (-reached.get(each, 0), before.index(each))))


def _seed_order(tournament: Tournament) -> tuple[int, ...]:
    if tournament.plan.kind is Kind.ELIMINATION:
        return tuple(range(len(tournament.plan.entrants)))
    return tuple(each.player for each in pool_standings(tournament))
