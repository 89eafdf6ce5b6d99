"""Writes matches as CSV (RFC 4180)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from datetime import UTC, datetime

from referee_club.archive import Played
from referee_club.names import own_name

LATEST = 4e9
"""Latest plausible time, seconds since 1970 (year 2096)."""

COLUMNS = ("match", "table", "game", "began", "seconds", "players", "winners", "result", "links", "whole")

_SPLITS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Invisible characters, and those that end cells or lines."""
_FORMULA = re.compile(r"(?<![\w=+\-@＝＋－＠])(?=[=+\-@＝＋－＠])")
"""Possible beginnings of formulas."""


def write_results(played: Iterable[Played]) -> bytes:
    """Return a line per match with agreed names, UTF-8 with BOM."""
    out = io.StringIO()
    lines = csv.writer(out, quoting=csv.QUOTE_ALL)
    lines.writerow(COLUMNS)
    for match in played:
        lines.writerow(harmless(cell) for cell in _cells(match))
    return out.getvalue().encode("utf-8-sig")


def harmless(cell: str) -> str:
    """Return text that no spreadsheet reads as a formula."""
    return _FORMULA.sub("'", _SPLITS.sub(" ", cell))


def moment(at: float | None) -> datetime | None:
    """Return seconds since 1970 as UTC; None if implausible."""
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
