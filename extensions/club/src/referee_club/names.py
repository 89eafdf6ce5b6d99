"""The names of players: who has one, and how it is taken out of what a club keeps.

No signed record holds a name: its entries call players by their seats. Names are in what tables show at a glance, which
is unsigned, and in the lists of tournaments. So whoever is forgotten is called by the seat there, as if they had never
let their name leave the table, and every record verifies as before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import msgspec

from device.evidence.public_frames import Glance, Scores, Seated
from device.redaction import replace_names, same_name

replace = msgspec.structs.replace

_NUMBERED = re.compile(r"Player \d+")


def own_name(seated: Seated) -> str:
    """Return what somebody is called who agreed that the name leaves the table; "" for whoever did not."""
    by_seat = seated.name in (seated.seat.upper(), seated.side) or _NUMBERED.fullmatch(seated.name)
    return "" if by_seat else seated.name


def seats_of(seats: Collection[Seated], name: str) -> set[str]:
    """Return the seats at which somebody of that name plays."""
    return {each.seat for each in seats if own_name(each) and same_name(each.name, name)}


def in_place(seated: Seated) -> str:
    """Return what somebody without a name is called: their side in the game, else their seat's letter."""
    return seated.side or seated.seat.upper()


def without_names(seats: Collection[Seated], forgotten: Collection[str]) -> dict[str, str]:
    """Return what each player who has a name is called from now on. forgotten: seats."""
    named = [each for each in seats if own_name(each)]
    return {each.name: in_place(each) if each.seat in forgotten else each.name for each in named}


def anonymous(seats: Collection[Seated], forgotten: Collection[str]) -> tuple[Seated, ...]:
    """Return who plays, without the names at some seats."""
    return tuple(replace(each, name=in_place(each)) if each.seat in forgotten else each for each in seats)


def nameless(glance: Glance, forgotten: Collection[str]) -> Glance:
    """Return how a table looks, without the names at some seats."""
    names = without_names(glance.seats, forgotten)
    return replace(
        glance,
        game=replace_names(glance.game, names),
        seats=anonymous(glance.seats, forgotten),
        status=replace_names(glance.status, names),
        scores=tuple(_scores(each, names) for each in glance.scores),
        result=replace_names(glance.result, names),
        needs=replace_names(glance.needs, names),
    )


def _scores(scores: Scores, names: Mapping[str, str]) -> Scores:
    return replace(scores, entries=tuple((names.get(of, of), count) for of, count in scores.entries))
