"""Creates matches' seeds and identities from injected randomness and time."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from uuid import UUID

import msgspec

from device.clock import WallTime
from device.journal import About, Ending
from device.journal.match_info import Secret
from device.session.names import players_of_match as seated_of
from device.session.state import People, Person, Play
from engine.match import Match


class Identity:
    """Creates identities of matches.

    fresh: returns 128 random bits.
    wall: time of day, or None.
    table: its name.
    secret: for the commitment, or None.
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
        """Return the description, with a new identity, of a match that begins now."""
        now = self._now()
        identity = UUID(int=self._fresh(), version=4).hex
        secret = None if self._secret is None else self._secret()
        return About(identity, now.at if now else None, now.set if now else False, self._table, secret=secret)

    def with_end(self, about: About, match: Match) -> About:
        """Return the description with the match's end, if any."""
        return with_end(about, match, self._now)

    def _now(self) -> WallTime | None:
        return None if self._wall is None else self._wall()


class Chance(msgspec.Struct, frozen=True):
    """Random values for matches, secret at a real table.

    fresh_seed, fresh_lots: for later matches and evenings.
    """

    seed: int
    fresh_seed: Callable[[], int]
    fresh_lots: Callable[[], int]
    identity: Identity


def with_people(about: About, play: Play) -> About:
    """Return the description with the players' names."""
    seated = {**play.people, **seated_of(play)}
    agreed = tuple(sorted(key for key, person in seated.items() if person.leaves))
    return msgspec.structs.replace(about, names={key: person.name for key, person in seated.items()}, agreed=agreed)


def people(about: About | None) -> People:
    """Return a match's players; in an evening by number only, as seats change."""
    if about is None:
        return {}
    numbers = tuple(key for key in about.names if key.isdecimal())
    return {key: Person(about.names[key], key in about.agreed) for key in numbers or about.names}


def simulated_chance(seed: int, identity: Identity | None = None) -> Chance:
    """Derive an evening's random values from one seed."""
    named = identity or Identity(partial(random.Random(f"identity {seed}").getrandbits, 128))
    lots = random.Random(f"lots {seed}")
    return Chance(seed, partial(random.Random(seed).getrandbits, 62), partial(lots.getrandbits, 62), named)


def with_end(about: About, match: Match, wall: Callable[[], WallTime | None] | None) -> About:
    """Return the description with the match's end, or without; one noted with this result stays. wall: time of day,
    just after it."""
    if match.result is None:
        return msgspec.structs.replace(about, ended=None)
    result, winners = str(match.result.text), tuple(sorted(match.result.winners))
    if about.ended is not None and (about.ended.result, about.ended.winners) == (result, winners):
        return about
    now, seconds = wall() if wall is not None else None, match.at - match.start.at
    ending = Ending(now.at if now else None, now.set if now else False, result, winners, seconds)
    return msgspec.structs.replace(about, ended=ending)
