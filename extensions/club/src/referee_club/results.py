"""The matches of a club as CSV (RFC 4180), for a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from datetime import UTC, datetime

from referee_club.archive import Played
from referee_club.names import own_name

LATEST = 4e9
"""Seconds since 1970, in the year 2096: a clock that says more than that, or less than 0, says nothing."""

COLUMNS = ("match", "table", "game", "began", "seconds", "players", "winners", "result", "links", "whole")

_SPLITS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Characters that end a cell or a line, or that nobody sees."""
_FORMULA = re.compile(r"(?<![\w=+\-@＝＋－＠])(?=[=+\-@＝＋－＠])")
"""Places at which a formula may begin, in any locale: also a semicolon, a quote or a blank may end the cell before."""


def written(played: Iterable[Played]) -> bytes:
    """One line a match, with the names that left the table; UTF-8 with its mark, by which spreadsheets know it."""
    out = io.StringIO()
    lines = csv.writer(out, quoting=csv.QUOTE_ALL)
    lines.writerow(COLUMNS)
    for match in played:
        lines.writerow(harmless(cell) for cell in _cells(match))
    return out.getvalue().encode("utf-8-sig")


def harmless(cell: str) -> str:
    """Return the text of a cell such that no part of it is a formula, wherever a spreadsheet splits it."""
    return _FORMULA.sub("'", _SPLITS.sub(" ", cell))


def moment(at: float | None) -> datetime | None:
    """A time in seconds since 1970, in UTC; None for none, and for what no clock can mean."""
    return datetime.fromtimestamp(at, UTC) if at is not None and 0 <= at <= LATEST else None


def _cells(match: Played) -> tuple[str, ...]:
    names = {seated.seat: own_name(seated) or seated.seat.upper() for seated in match.seats}
    at = moment(match.began)
    began = "" if at is None else at.isoformat(timespec="seconds")
    return (
        match.match,
        match.table,
        match.game,
        began,
        str(round(match.lasted)),
        "; ".join(names.values()),
        "; ".join(names[seat] for seat in match.winners if seat in names),
        match.result,
        str(match.links),
        "yes" if match.whole else "no",
    )
