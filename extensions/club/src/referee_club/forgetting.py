"""Forgets people and old matches in a club's archive and its write log."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from device.clock import WallTime, wall_time
from referee_club.archive import Archive
from referee_club.tournaments import Tournaments
from referee_record.public_frames import Glance

DAY_S = 86_400.0


class Forgotten(msgspec.Struct, frozen=True):
    """Numbers of matches and tournaments with a deleted name. wiped: False if the host must overwrite it later."""

    matches: int
    tournaments: int
    wiped: bool


def forget(archive: Archive, name: str) -> Forgotten:
    """Delete a player's name; idempotent. Raises NoArchive."""
    tournaments = Tournaments(archive)
    with archive.transaction():
        found = archive.forget_player(name), tournaments.forget_player(name)
    return Forgotten(*found, archive.wipe())


def drop_old(archive: Archive, now: Callable[[], WallTime] = wall_time) -> dict[str, Glance] | None:
    """Delete old matches and tournaments; return changed states by table, or None if all are kept: by the club's
    wish, or while nobody has set the clock. Raises NoArchive."""
    wall = now()
    if not archive.keep_days or not wall.set:
        return None
    tournaments, until = Tournaments(archive), wall.at - archive.keep_days * DAY_S
    with archive.transaction():
        found = archive.drop_before(until)
        tournaments.drop_before(until)
    archive.wipe()
    return found
