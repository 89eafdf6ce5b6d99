"""Lists a journal's matches, also of a damaged one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from device.journal import About, Archive, JournalDamaged
from device.journal.formats import Row
from device.journal.match_info import Loss
from device.journal.opening import Gathered, gather
from device.journal.raw_pages import prove
from engine.entry import Start, decode


class Listed(msgspec.Struct, frozen=True):
    """One match.

    begun: ISO 8601 (UTC), or a day.
    about: `begun` is derived from the end.
    going_on: can be resumed.
    newly: number of entries just found lost.
    newer: by a later version.
    public: only its public record is known.
    """

    match: int
    id: str
    game: str
    seats: tuple[str, ...]
    names: dict[str, str]
    agreed: tuple[str, ...]
    table: str
    begun: str | None
    about: bool
    clock_set: bool
    entries: int
    seconds: float | None
    result: str | None
    winners: tuple[str, ...] | None
    going_on: bool
    losses: tuple[Loss, ...]
    newly: int
    newer: bool
    public: bool

    @property
    def over(self) -> bool:
        """True if it has ended or was left."""
        return not self.going_on or self.result is not None


class Catalogue(msgspec.Struct, frozen=True):
    """A journal's matches. fault: damage, or ""."""

    journal: str
    fault: str
    matches: tuple[Listed, ...]


def catalogue(path: Path) -> Catalogue:
    """Return a journal's matches, or those that can be saved of a damaged one, without writing. Raises JournalError."""
    try:
        prove(path)
        with Archive(path) as archive:
            numbers = [each for each in sorted(archive.stock.matches) if not archive.about(each).dropped]
            rows = {match: archive.rows(match) for match in numbers}
            found = tuple(_list_entry(m, rows[m], archive.about(m), archive.current == m, 0) for m in numbers)
    except JournalDamaged as error:
        return Catalogue(str(path), str(error), _gather(gather(path)))
    return Catalogue(str(path), "", found)


def line(each: Listed) -> str:
    if each.newer:
        told = ["recorded by a newer referee"]
    else:
        much = "public record" if each.public else f"{each.entries} entries"
        told = [each.game or "?", *_who(each), _when(each), much]
        if each.seconds is not None:
            told.append(f"{round(each.seconds / 60)} min")
        told.append(each.result or "")
    if each.going_on and each.result is None:
        told.append("(not finished)")
    return f"{each.match:5}  " + "  ".join(part for part in (*told, *_lost_texts(each)) if part)


def _who(each: Listed) -> list[str]:
    seats = " ".join(
        f"{seat.upper()} {each.names[seat]}" if seat in each.names else seat.upper() for seat in each.seats
    )
    return [each.table, seats]


def _when(each: Listed) -> str:
    if each.begun is None:
        return "undated"
    if "T" not in each.begun:
        return each.begun
    local = datetime.fromisoformat(each.begun).astimezone().strftime("%Y-%m-%d %H:%M")
    if each.about:
        return f"about {local}"
    return local if each.clock_set else f"{local} by a clock that nobody had set"


def _lost_texts(each: Listed) -> list[str]:
    old = each.losses[:-1] if each.newly else each.losses
    told = [f"{loss.entries} entries after the first {loss.after} were lost" for loss in old]
    if each.newly:
        told.append(f"damaged: {each.newly} entries are lost")
    return told


def _gather(found: Gathered) -> tuple[Listed, ...]:
    return tuple(
        _list_entry(
            match, found.rows.get(match, ()), found.about(match), found.current == match, found.lost.get(match, 0)
        )
        for match in sorted({*found.rows, *found.lost})
    )


def _list_entry(match: int, rows: Sequence[Row], about: About, current: bool, newly: int) -> Listed:
    start, last, newer = _ends(rows)
    begun, worked_out = _started_at(about)
    ended = about.ended
    return Listed(
        match,
        about.id,
        start.game if start else "",
        start.seats if start else (),
        about.names,
        about.agreed,
        about.table,
        about.dated or None if begun is None else datetime.fromtimestamp(begun, UTC).isoformat(timespec="seconds"),
        worked_out,
        about.clock_set or worked_out,
        len(rows),
        round(ended.seconds if ended else last, 3) if start else None,
        ended.result if ended else None,
        ended.winners if ended else None,
        current,
        about.losses,
        newly,
        newer,
        bool(about.public),
    )


def _ends(rows: Sequence[Row]) -> tuple[Start | None, float, bool]:
    if not rows:
        return None, 0.0, False
    try:
        start, last = decode(rows[0].data), decode(rows[-1].data)
    except ValueError:
        return None, 0.0, True
    return (start, last.at - start.at, False) if isinstance(start, Start) else (None, 0.0, False)


def _started_at(about: About) -> tuple[float | None, bool]:
    ended = about.ended
    if not about.clock_set and ended is not None and ended.clock_set and ended.at is not None:
        return ended.at - ended.seconds, True
    return about.begun, False
