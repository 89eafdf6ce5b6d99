"""`referee journal past`: matches that are over as the owner's page shows them, as JSON for the daemon.

A process of its own reads the journal for it: to tell a match of hundreds of actions takes time and memory that the
daemon keeps for the one under way. What is not over is left out here, where the journal is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from device import games
from device.cli import records
from device.cli.matches import Listed, catalogue
from device.journal import About, Archive, JournalError
from device.owner.past import Past, Private, Telling
from engine.entry import Entry
from engine.table import Seat
from engine.text import Text, in_row, say, verbatim


def past(path: Path) -> tuple[Past, ...]:
    """The matches of a journal that are over, the newest first. Raises JournalError."""
    if not path.exists():
        return ()
    found = (each for each in reversed(catalogue(path).matches) if each.over and each.game)
    return tuple(Past(each.match, _title(each)) for each in found)


def telling(path: Path, number: int) -> Telling:
    """Return what everybody could know of a match. Raises JournalError if it is not over, or not there, and RecordError
    if it does not fit the installed game."""
    entries, about = _over(path, number)
    return Telling(records.sentences(entries, about), records.public(entries, about), not about.public)


def private(path: Path, number: int) -> Private:
    """All that is kept of a match. Raises JournalError if it is not over, or not there, and RecordError if only its
    public record is known."""
    entries, about = _over(path, number)
    if about.public:
        raise records.RecordError(f"only the public record of match {number} is known")
    return Private(records.private(entries, about, secrets=True))


def _over(path: Path, number: int) -> tuple[tuple[Entry, ...], About]:
    """A match that nobody goes on with: of one under way not even its owner may see what is hidden."""
    with Archive(path) as archive:
        if number not in archive.matches() or not archive.over(number):
            raise JournalError(f"{path} has no match {number} that is over")
        entries, about, _ = records.kept(archive, number)
    return entries, about


def _title(each: Listed) -> Text:
    return say(
        "{n}. {day}, {game}: {players}. {result}",
        n=each.match,
        day=_day(each),
        game=_game(each.game),
        players=in_row([_called(each, seat) for seat in each.seats], ", "),
        result=_result(each),
    )


def _day(each: Listed) -> Text:
    if each.begun is None or not (each.clock_set or "T" not in each.begun):
        return say("undated")
    local = datetime.fromisoformat(each.begun)
    return verbatim((local.astimezone() if local.tzinfo else local).date().isoformat())


def _game(name: str) -> Text:
    try:
        return Text(games.spec(name).title)
    except games.UnknownGame:  # it is installed here no more
        return verbatim(name)


def _called(each: Listed, seat: Seat) -> Text:
    """A name, if its owner agreed that it leaves the table; else the seat's letter."""
    return verbatim(each.names[seat] if seat in each.names and seat in each.agreed else seat.upper())


def _result(each: Listed) -> Text:
    if each.result is None:
        return say("It was not finished.")
    won: Sequence[Seat] = each.winners or ()
    if not won:
        return say("None of the players won.")  # a draw, or the automatic opponent won: it is no seat
    return say("Won by {who}.", who=in_row([_called(each, seat) for seat in won], ", "))
