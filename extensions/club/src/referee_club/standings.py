"""The league: how the players of a club stand by the matches that it has, and what else people ask about them.

Players are known by the names that they let leave the table, so that two of one name are one here, and whoever gives no
name is not counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from weakref import WeakKeyDictionary

import msgspec

from referee_club.archive import Archive, Played
from referee_club.names import own_name

LEAGUE = 100_000
"""So many matches count for the league."""

LEAGUE_S = 10.0
"""So seldom all matches are gone through."""


class Record(msgspec.Struct, frozen=True):
    """Matches of somebody that are over. lasted: seconds of all together."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    lasted: float = 0.0

    @property
    def matches(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def points(self) -> float:
        """One for a match that was won, half of one for a draw."""
        return self.won + self.drawn / 2

    @property
    def rate(self) -> float:
        """Matches won of all; 0.0 without any."""
        return self.won / self.matches if self.matches else 0.0

    @property
    def mean_s(self) -> float:
        """Return the mean length of a match, in seconds."""
        return self.lasted / self.matches if self.matches else 0.0


class Standing(msgspec.Struct, frozen=True):
    """A player's line. by_game: the same of each game, by its name."""

    name: str
    whole: Record
    by_game: dict[str, Record]


def league(played: Iterable[Played], game: str = "") -> tuple[Standing, ...]:
    """The best first: by points, then by fewer matches lost, then by name. game: of it alone; "": of all."""
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
    """All matches of an archive that are over, as they were at a moment, and who and what is known by them."""

    def __init__(self, played: list[Played]) -> None:
        self.games = frozenset(match.game for match in played if match.game)
        self._played, self._leagues = played, dict[str, tuple[Standing, ...]]()

    def league(self, game: str = "") -> tuple[Standing, ...]:
        """`league`, once of each game that was played."""
        if game not in self._leagues:
            self._leagues[game] = league(self._played, game)
        return self._leagues[game]

    def player(self, name: str) -> Standing | None:
        return next((each for each in self.league() if each.name == name), None)


_KNOWN: WeakKeyDictionary[Archive, tuple[int, float, Known]] = WeakKeyDictionary()


def known(archive: Archive, every_s: float = LEAGUE_S) -> Known:
    """Return the standings of an archive. every_s: a result no older than this many seconds may be reused."""
    version, at, found = _KNOWN.get(archive, (-1, 0.0, None))
    if found is None or (version != archive.version and time.monotonic() - at >= every_s):
        found = Known(archive.played(over=True, limit=LEAGUE))
        _KNOWN[archive] = archive.version, time.monotonic(), found
    return found


def forget(archive: Archive) -> None:
    """Nothing counts as now."""
    _KNOWN.pop(archive, None)


def _with(record: Record, match: Played, seat: str) -> Record:
    """One match more. Without a winner it is a draw; who plays alone wins or loses."""
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
