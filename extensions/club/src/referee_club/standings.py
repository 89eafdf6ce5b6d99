"""Computes the league from finished matches, by agreed names."""

from __future__ import annotations

import time
from collections.abc import Iterable
from weakref import WeakKeyDictionary

import msgspec

from referee_club.archive import Archive, Played
from referee_club.names import own_name

LEAGUE = 100_000
"""Most matches counted."""

LEAGUE_S = 10.0
"""Seconds between recalculations."""


class Record(msgspec.Struct, frozen=True):
    """A player's finished matches. lasted: total seconds."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    lasted: float = 0.0

    @property
    def matches(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def points(self) -> float:
        """One per win, half per draw."""
        return self.won + self.drawn / 2

    @property
    def rate(self) -> float:
        """Share of wins; 0.0 without matches."""
        return self.won / self.matches if self.matches else 0.0

    @property
    def mean_s(self) -> float:
        """Mean length in seconds."""
        return self.lasted / self.matches if self.matches else 0.0


class Standing(msgspec.Struct, frozen=True):
    """A player's line in a league."""

    name: str
    whole: Record
    by_game: dict[str, Record]


def league(played: Iterable[Played], game: str = "") -> tuple[Standing, ...]:
    """Return the league by points, fewest losses, name. game: "" for all."""
    found: dict[str, dict[str, Record]] = {}
    for match in played:
        if not match.result or (game and match.game != game):
            continue
        for seated in match.seats:
            if name := own_name(seated):
                games = found.setdefault(name, {})
                games[match.game] = _with(games.get(match.game, Record()), match, seated.seat)
    lines = (Standing(name, _sum(games.values()), games) for name, games in found.items())
    return tuple(sorted(lines, key=lambda each: (-each.whole.points, each.whole.lost, each.name)))


class Known:
    """A snapshot of finished matches."""

    def __init__(self, played: list[Played]) -> None:
        self.games = frozenset(match.game for match in played if match.game)
        self._played, self._leagues = played, dict[str, tuple[Standing, ...]]()

    def league(self, game: str = "") -> tuple[Standing, ...]:
        """Return the league, cached. game: "" for all."""
        if game not in self._leagues:
            self._leagues[game] = league(self._played, game)
        return self._leagues[game]

    def player(self, name: str) -> Standing | None:
        return next((each for each in self.league() if each.name == name), None)


_KNOWN: WeakKeyDictionary[Archive, tuple[int, float, Known]] = WeakKeyDictionary()


def snapshot(archive: Archive, every_s: float = LEAGUE_S) -> Known:
    """Return an archive's snapshot, at most `every_s` seconds old unless unchanged."""
    version, at, found = _KNOWN.get(archive, (-1, 0.0, None))
    if found is None or (version != archive.version and time.monotonic() - at >= every_s):
        found = Known(archive.list_matches(over=True, limit=LEAGUE))
        _KNOWN[archive] = archive.version, time.monotonic(), found
    return found


def forget(archive: Archive) -> None:
    """Drop the cached snapshot."""
    _KNOWN.pop(archive, None)


def _with(record: Record, match: Played, seat: str) -> Record:
    won, alone = seat in match.winners, len(match.seats) == 1
    drawn = not match.winners and not alone
    return Record(
        record.won + won, record.drawn + drawn, record.lost + (not won and not drawn), record.lasted + match.lasted
    )


def _sum(records: Iterable[Record]) -> Record:
    whole = Record()
    for each in records:
        whole = Record(
            whole.won + each.won, whole.drawn + each.drawn, whole.lost + each.lost, whole.lasted + each.lasted
        )
    return whole
