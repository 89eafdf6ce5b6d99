"""Finds players' names and removes them.

Names are only in unsigned states and tournaments; signed records use seats, so they stay valid.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import msgspec

from device.personal_names import replace_names, same_name
from referee_record.public_frames import Glance, Scores, Seated

replace = msgspec.structs.replace

_NUMBERED = re.compile(r"Player \d+")


def own_name(seated: Seated) -> str:
    """Return an agreed name, else ""."""
    by_seat = seated.name in (seated.seat.upper(), seated.side) or _NUMBERED.fullmatch(seated.name)
    return "" if by_seat else seated.name


def seats_of(seats: Collection[Seated], name: str) -> set[str]:
    """Return the seats of this name."""
    return {each.seat for each in seats if own_name(each) and same_name(each.name, name)}


def in_place(seated: Seated) -> str:
    """Return a nameless player's side or seat."""
    return seated.side or seated.seat.upper()


def without_names(seats: Collection[Seated], forgotten: Collection[str]) -> dict[str, str]:
    """Return new names by old one. forgotten: seats."""
    named = [each for each in seats if own_name(each)]
    return {each.name: in_place(each) if each.seat in forgotten else each.name for each in named}


def anonymous(seats: Collection[Seated], forgotten: Collection[str]) -> tuple[Seated, ...]:
    """Return players without the forgotten seats' names."""
    return tuple(replace(each, name=in_place(each)) if each.seat in forgotten else each for each in seats)


def nameless(glance: Glance, forgotten: Collection[str]) -> Glance:
    """Return a state without the forgotten seats' names."""
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
