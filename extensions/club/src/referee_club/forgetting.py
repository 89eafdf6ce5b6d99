"""Forgets people and old matches at a club: first in the archive, in one transaction, then in its log of writes."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from device.evidence.public_frames import Glance
from referee_club.archive import Archive
from referee_club.tournaments import Tournaments

DAY_S = 86_400.0


class Forgotten(msgspec.Struct, frozen=True):
    """Places where a name was. wiped: what was deleted is nowhere in the club's files any more; else a process that
    reads them hinders that, and the club's host does it later."""

    matches: int
    tournaments: int
    wiped: bool


def forget(archive: Archive, name: str) -> Forgotten:
    """Take a player's name out of an archive. To do so once more changes nothing. Raises NoArchive."""
    tournaments = Tournaments(archive)
    with archive.transaction():
        found = archive.forget_player(name), tournaments.forget_player(name)
    return Forgotten(*found, archive.wipe())


def drop_old(archive: Archive, now: Callable[[], float] = time.time) -> dict[str, Glance] | None:
    """Delete what was kept for as long as the archive keeps matches; return the tables that look different for it, or
    None if all is kept for ever. Raises NoArchive."""
    if not archive.keep_days:
        return None
    tournaments, until = Tournaments(archive), now() - archive.keep_days * DAY_S
    with archive.transaction():
        found = archive.drop_before(until)
        tournaments.drop_before(until)
    archive.wipe()
    return found
