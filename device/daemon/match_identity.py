"""Seeds of matches, and what a match is known by beside its entries: its identity, date, table, and at last its end.

All of it is handed in: a real table has secrets and a clock, a simulated one has a seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from uuid import UUID

import msgspec

from device.journal import About, Ending
from device.journal.match_info import Secret
from device.session.names import players_of_match as seated_of
from device.session.state import People, Person, Play
from device.walltime import WallTime
from engine.match import Match


class Identity:
    """Gives matches their identities.

    fresh: 128 random bits, for each match anew. wall: the time of day; None: there is none, as in a simulation.
    table: the table's name. secret: makes what a match is committed to with, for each anew; None: nothing is.
    """

    def __init__(
        self,
        fresh: Callable[[], int],
        wall: Callable[[], WallTime] | None = None,
        table: str = "",
        secret: Callable[[], Secret] | None = None,
    ) -> None:
        self._fresh, self._wall, self._table, self._secret = fresh, wall, table, secret

    def begin(self) -> About:
        """Return the identity of a match that begins now, whoever plays it."""
        now = self._now()
        identity = UUID(int=self._fresh(), version=4).hex
        secret = None if self._secret is None else self._secret()
        return About(identity, now.at if now else None, now.set if now else False, self._table, secret=secret)

    def with_end(self, about: About, match: Match) -> About:
        """The same with its end, if it has come to one now."""
        return with_end(about, match, self._now)

    def _now(self) -> WallTime | None:
        return None if self._wall is None else self._wall()


class Chance(msgspec.Struct, frozen=True):
    """The seeds and identities of matches. A real table wants secret ones: whoever has seen one match laid out could
    work out the next.

    seed: of the first match that is begun. fresh_seed, fresh_lots: of each after it, and for the lots of its evening.
    identity: of each match.
    """

    seed: int
    fresh_seed: Callable[[], int]
    fresh_lots: Callable[[], int]
    identity: Identity


def with_people(about: About, play: Play) -> About:
    """The same with the names of those who play."""
    seated = {**play.people, **seated_of(play)}
    agreed = tuple(sorted(key for key, person in seated.items() if person.leaves))
    return msgspec.structs.replace(about, names={key: person.name for key, person in seated.items()}, agreed=agreed)


def people(about: About | None) -> People:
    """Return the players of a match by what is known of it: in an evening by number alone, as players change seats."""
    if about is None:
        return {}
    numbers = tuple(key for key in about.names if key.isdecimal())
    return {key: Person(about.names[key], key in about.agreed) for key in numbers or about.names}


def simulated_chance(seed: int, identity: Identity | None = None) -> Chance:
    """Derive the chance of a whole evening from its first seed; its identities, too, unless they are given."""
    named = identity or Identity(partial(random.Random(f"identity {seed}").getrandbits, 128))
    lots = random.Random(f"lots {seed}")
    return Chance(seed, partial(random.Random(seed).getrandbits, 62), partial(lots.getrandbits, 62), named)


def with_end(about: About, match: Match, wall: Callable[[], WallTime | None] | None) -> About:
    """Add the end of a match, if it has come to one; an end that was undone is none. wall: the time of day, if the
    match has just been played."""
    if match.result is None:
        return msgspec.structs.replace(about, ended=None)
    result, winners = str(match.result.text), tuple(sorted(match.result.winners))
    if about.ended is not None and (about.ended.result, about.ended.winners) == (result, winners):
        return about
    now, seconds = wall() if wall is not None else None, match.at - match.start.at
    ending = Ending(now.at if now else None, now.set if now else False, result, winners, seconds)
    return msgspec.structs.replace(about, ended=ending)
