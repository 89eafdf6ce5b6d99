"""An evening of several matches: seating, winners, ranking and the next match.

A series ends when a player has won enough matches. In a fencing pool everybody meets everybody, then comes a direct
elimination. Both are folds over the ended matches, which each match's first entry carries. Players count from 0."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from engine.draws import draw
from engine.table import Seat
from engine.view import Outcome

replace = msgspec.structs.replace

_ORDERS: dict[int, tuple[tuple[int, int], ...]] = {
    4: ((1, 4), (2, 3), (1, 3), (2, 4), (3, 4), (1, 2)),
    5: ((1, 2), (3, 4), (5, 1), (2, 3), (5, 4), (1, 3), (2, 5), (4, 1), (3, 5), (4, 2)),
    6: (
        *((1, 2), (4, 5), (2, 3), (5, 6), (3, 1), (6, 4), (2, 5), (1, 4)),
        *((5, 3), (1, 6), (4, 2), (3, 6), (5, 1), (3, 4), (6, 2)),
    ),
}
"""Order of bouts in pools of 4, 5 and 6, from the score sheets of fencing federations (docs/developers/sources.md);
fewer players use the first."""

MOST = max(_ORDERS)


class EveningKind(StrEnum):
    SERIES = "series"
    POOL = "pool"


class EndedMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A match that has ended.

    seated: players in seat order
    winners: players in ascending order; () is a draw
    points: by seat; () if the game counts none"""

    seated: tuple[int, ...]
    winners: tuple[int, ...]
    points: tuple[int, ...] = ()


class Evening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An evening when one of its matches begins. Raises ValueError for impossible values.

    seated: this match's players, in seat order
    to: wins that a series needs; 0 for a pool
    lots: number from which lots among equal players are drawn
    homes: seat that each player of a pool keeps; () if none
    played: ended matches, oldest first"""

    kind: EveningKind
    players: int
    seated: tuple[int, ...]
    to: int = 0
    lots: int = 0
    homes: tuple[Seat, ...] = ()
    played: tuple[EndedMatch, ...] = ()

    def __post_init__(self) -> None:
        for seated in (self.seated, *(match.seated for match in self.played)):
            if len(set(seated)) != len(self.seated) or not all(0 <= player < self.players for player in seated):
                raise ValueError(f"{seated} cannot be seated among {self.players} players")
        for match in self.played:
            if not set(match.winners) <= set(match.seated) or len(match.points) not in (0, len(match.seated)):
                raise ValueError(f"{match} cannot be how a match ended")
        if self.kind is EveningKind.SERIES and not (self.to >= 1 and self.players == len(self.seated) >= 1):
            raise ValueError("in a series everybody plays every match, and it is won by one at least")
        if self.homes and (self.kind is EveningKind.SERIES or len(set(self.homes)) != self.players):
            raise ValueError("in a pool each player may keep a seat, and no two the same")
        if self.kind is EveningKind.POOL and not (2 <= self.players <= MOST and len(self.seated) == 2):
            raise ValueError(f"a pool has 2 to {MOST} players, and two of them meet")


class PoolStanding(msgspec.Struct, frozen=True):
    """A player's line in a pool's table. scored, received: hits."""

    player: int
    bouts: int
    victories: int
    scored: int
    received: int

    @property
    def index(self) -> int:
        """Hits scored less hits received (HS-HR)."""
        return self.scored - self.received


class Meeting(msgspec.Struct, frozen=True):
    """A pairing in the tableau. A player is None while unknown or absent; the winner is None until decided."""

    players: tuple[int | None, int | None]
    winner: int | None = None


def series(seats: int, to: int) -> Evening:
    return Evening(EveningKind.SERIES, seats, tuple(range(seats)), to)


def pool(players: int, homes: tuple[Seat, ...] = ()) -> Evening:
    """Start a pool. homes: see `Evening`. Raises ValueError unless 2 to `MOST` players meet, or for wrong homes."""
    return Evening(EveningKind.POOL, players, bouts(players)[0], homes=homes)


def bouts(players: int) -> tuple[tuple[int, int], ...]:
    """Return the pool's bouts in order, each with the player at the first seat first. Raises as `pool`."""
    if not 2 <= players <= MOST:
        raise ValueError(f"a pool has 2 to {MOST} players, not {players}")
    order = _ORDERS[max(players, min(_ORDERS))]
    return tuple((one - 1, other - 1) for one, other in order if max(one, other) <= players)


def with_result(evening: Evening, seats: tuple[Seat, ...], outcome: Outcome) -> Evening:
    sat = zip(seats, evening.seated, strict=True)
    winners = tuple(sorted(player for seat, player in sat if seat in outcome.winners))
    match = EndedMatch(evening.seated, winners, outcome.points)
    return replace(evening, played=(*evening.played, match))


def wins(evening: Evening) -> tuple[int, ...]:
    return tuple(sum(player in match.winners for match in evening.played) for player in range(evening.players))


def eliminating(evening: Evening) -> bool:
    return evening.kind is EveningKind.POOL and len(evening.played) >= len(bouts(evening.players))


def champions(evening: Evening) -> tuple[int, ...]:
    """Return the evening's winners, several if they won together; () while it goes on."""
    if evening.kind is EveningKind.SERIES:
        return tuple(player for player, won in enumerate(wins(evening)) if won >= evening.to)
    if not eliminating(evening):
        return ()
    (final,) = tableau(evening)[-1]
    return () if final.winner is None else (final.winner,)


def next_match(evening: Evening, *, moved: bool = False) -> Evening:
    """Seat the next match's players. moved: all move one seat on (series only). Raises ValueError if the evening is
    over."""
    if champions(evening):
        raise ValueError("the evening is over")
    if evening.kind is EveningKind.SERIES:
        seated = (evening.seated[-1], *evening.seated[:-1]) if moved else evening.seated
        return replace(evening, seated=seated)
    if not eliminating(evening):
        return replace(evening, seated=bouts(evening.players)[len(evening.played)])
    return replace(evening, seated=_due(evening))


def goes_on(before: Evening, after: Evening) -> bool:
    """Return True if `after` may be the same evening one match later."""
    played = after.played[: len(before.played)]
    one_later = played == before.played and len(after.played) == len(played) + 1
    return (
        one_later
        and after.played[-1].seated == before.seated
        and replace(after, seated=before.seated, played=()) == replace(before, played=())
    )


def with_plain_lots(evening: Evening) -> Evening:
    """Replace the lots by the smallest number with the same rankings, so that they reveal no seed."""
    if evening.kind is EveningKind.SERIES:
        return replace(evening, lots=0)
    moments = [replace(evening, played=evening.played[:count]) for count in range(len(evening.played) + 1)]
    ranked = [_ranking(moment) for moment in moments]
    return next(
        replace(evening, lots=lots)
        for lots in range(_LOTS)
        if all(_ranking(replace(each, lots=lots)) == found for each, found in zip(moments, ranked, strict=True))
    )


_LOTS = 20_000


def _ranking(evening: Evening) -> tuple[int, ...]:
    return tuple(each.player for each in standings(evening))


def standings(evening: Evening) -> tuple[PoolStanding, ...]:
    """Return the pool's table without elimination bouts, best first: victories per bout (V/M), HS-HR, HS, lots
    (docs/developers/sources.md)."""
    fenced = evening.played[: len(bouts(evening.players))]
    found = [standing(player, fenced) for player in range(evening.players)]
    return tuple(sorted(found, key=lambda each: (*merit(each), _lot(evening, each.player)), reverse=True))


def tableau(evening: Evening) -> tuple[tuple[Meeting, ...], ...]:
    fought = evening.played[len(bouts(evening.players)) :]
    return bracket([each.player for each in standings(evening)], fought)


def bracket(ranked: Sequence[int], fought: tuple[EndedMatch, ...]) -> tuple[tuple[Meeting, ...], ...]:
    """Return the elimination rounds, final last, each from top to bottom. ranked: players, best first; the best get
    byes. fought: its ended bouts."""
    size = 2
    while size < len(ranked):
        size *= 2
    line: tuple[int | None, ...] = tuple(ranked[place] if place < len(ranked) else None for place in _seeding(size))
    rounds = [tuple(_first(pair, fought) for pair in _pairs(line))]
    while len(rounds[-1]) > 1:
        line = tuple(meeting.winner for meeting in rounds[-1])
        rounds.append(tuple(Meeting(pair, _victor(pair, fought)) for pair in _pairs(line)))
    return tuple(rounds)


def merit(standing: PoolStanding) -> tuple[float, int, int]:
    return (standing.victories / max(1, standing.bouts), standing.index, standing.scored)


def _lot(evening: Evening, player: int) -> tuple[int, int]:
    return (draw(f"evening/{evening.lots}/{player}", 1 << 32), player)


def standing(player: int, fenced: tuple[EndedMatch, ...]) -> PoolStanding:
    mine = [match for match in fenced if player in match.seated]
    scored = received = 0
    for match in mine:
        for who, points in zip(match.seated, match.points, strict=False):
            scored, received = (scored + points, received) if who == player else (scored, received + points)
    return PoolStanding(player, len(mine), sum(player in match.winners for match in mine), scored, received)


def _seeding(size: int) -> tuple[int, ...]:
    line: tuple[int, ...] = (0,)
    while len(line) < size:
        line = tuple(place for best in line for place in (best, 2 * len(line) - 1 - best))
    return line


def _pairs(line: tuple[int | None, ...]) -> tuple[tuple[int | None, int | None], ...]:
    return tuple(zip(line[::2], line[1::2], strict=True))


def _first(pair: tuple[int | None, int | None], fought: tuple[EndedMatch, ...]) -> Meeting:
    one, other = pair
    return Meeting(pair, one if other is None else _victor(pair, fought))


def _victor(pair: tuple[int | None, int | None], fought: tuple[EndedMatch, ...]) -> int | None:
    for match in fought:
        if set(match.seated) == set(pair) and len(match.winners) == 1:
            return match.winners[0]
    return None


def _due(evening: Evening) -> tuple[int, int]:
    for meetings in tableau(evening):
        for meeting in meetings:
            one, other = meeting.players
            if one is not None and other is not None and meeting.winner is None:
                return one, other
    raise AssertionError("a tableau without a winner has a bout to be fenced")
