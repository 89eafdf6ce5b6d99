"""Opens the journal at power-on, salvaging a damaged one's intact records and keeping its files."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path

import msgspec

from device.journal import formats
from device.journal.errors import JournalDamaged, JournalError, JournalNewer, translated_errors
from device.journal.formats import CURRENT, Row, encode_about, log_of, name_of
from device.journal.match_info import About, Loss
from device.journal.raw_pages import Found, content, records
from device.journal.writing import Journal, set_aside, take_place
from engine.text import Text, say
from vision.files import sync


class Gathered(msgspec.Struct, frozen=True):
    """A journal's intact part. lost: counts of newly lost entries by match. certain: confirmed by a witness."""

    rows: dict[int, tuple[Row, ...]]
    settings: dict[str, str]
    lost: dict[int, int]
    certain: bool

    @property
    def entries(self) -> int:
        return sum(map(len, self.rows.values()))

    @property
    def current(self) -> int | None:
        return formats.number_of(self.settings.get(CURRENT, ""))

    def about(self, match: int) -> About:
        return formats.decode_about(self.settings.get(name_of(match), "{}"))

    def saved_count(self, match: int) -> int:
        return len(self.rows.get(match, ()))


class Salvage(msgspec.Struct, frozen=True):
    """The result, and where the damaged files are."""

    found: Gathered
    kept_as: Path


def gather(path: Path) -> Gathered:
    """Collect everything intact, without writing. Raises JournalError if a file can't be opened."""
    with translated_errors(path):
        found = Found(records(content(path), content(log_of(path))))
    said = formats.read_witness(path)
    rows = {match: found.rows(match) for match in found.matches}
    abouts = _abouts(found)
    rows = {match: each for match, each in rows.items() if each and not abouts.get(match, About()).dropped}
    heads = {} if said is None else said.heads
    should = {match: max(found.reach(match), heads[match].count if match in heads else 0) for match in {*rows, *heads}}
    missing = {match: count - len(rows.get(match, ())) for match, count in should.items()}
    lost = {
        match: count
        for match, count in sorted(missing.items())
        if count > 0 and not abouts.get(match, About()).accounts_for(should[match] - count, should[match])
    }
    settings = {name: each.value for name, each in found.settings.items()} | found.old_settings
    settings |= {
        name_of(match): encode_about(_with_loss(abouts.get(match), should[match], lost[match])) for match in lost
    }
    settings[CURRENT] = _current(found, said, rows)
    return Gathered(rows, settings, lost, said is not None)


def there(path: Path) -> None:
    """Raise JournalError if the path is a record, or nothing of a journal exists; OSError if unreadable."""
    if log_of(path).is_file() or formats.witness_of(path).is_file():
        return
    if not path.is_file():
        raise JournalError(f"{path} does not exist: name the journal to salvage")
    if content(path).startswith((b"[", b"{")):
        raise JournalError(f"{path} is a record, not a journal: `referee journal import` or `referee replay` reads it")


def salvage(path: Path) -> Salvage:
    """Replace a damaged journal by its intact part, keeping the old files. Raises JournalError."""
    with translated_errors(path):
        there(path)
        found = gather(path)
    with translated_errors(path), tempfile.TemporaryDirectory(dir=path.parent) as folder:
        with Journal(Path(folder) / "mended") as mended:
            mended.restore((row for rows in found.rows.values() for row in rows), found.settings)
        kept = set_aside(path)
        sync(path.parent)
        take_place(path, mended.path)
        sync(path.parent)
    return Salvage(found, kept)


def _abouts(found: Found) -> dict[int, About]:
    named = {formats.match_of(name): each.value for name, each in found.settings.items()}
    return {match: formats.decode_about(value) for match, value in named.items() if match is not None}


def _with_loss(about: About | None, should: int, lost: int) -> About:
    known = about or About()
    return msgspec.structs.replace(known, losses=(*known.losses, Loss(should - lost, lost)))


def _current(found: Found, said: formats.Witness | None, rows: dict[int, tuple[Row, ...]]) -> str:
    """Return the current match's number, by default the last; "" if none or its entries are lost."""
    kept, last = found.settings.get(CURRENT), max(rows, default=0)
    if said is not None and (kept is None or kept.stamp <= said.stamp):
        current = last if last > max(said.heads, default=0) else said.current
    elif kept is not None:
        current = formats.number_of(kept.value)
    else:
        current = formats.number_of(found.old_settings.get(CURRENT, "" if found.old_settings else str(last)))
    return str(current) if current in rows else ""


_log = logging.getLogger(__name__)


class Opened(msgspec.Struct, frozen=True):
    """The opened journal. mended: message of a repair. unsaved: message why nothing is stored."""

    journal: Journal
    mended: Text | None = None
    unsaved: Text | None = None


def open_at_power_on(path: Path) -> Opened:
    """Open the journal, repairing damage; if unusable, return one in memory with the current match as far as
    readable. Faults are logged."""
    try:
        return Opened(_proven(path))
    except JournalDamaged as error:
        return _repair(path, error)
    except JournalError as error:
        return _open_unsaved(path, error)


def _proven(path: Path) -> Journal:
    journal = Journal(path)
    try:
        journal.prove()
        journal.rest()
    except JournalError:
        journal.close()
        raise
    return journal


def _repair(path: Path, error: JournalDamaged) -> Opened:
    _log.error("%s", error)
    try:
        mended = salvage(path)
        journal = _proven(path)
    except JournalError as worse:
        return _open_unsaved(path, worse)
    found = mended.found
    _log.warning(
        "mended: %d entries of %d matches saved; the damaged file is kept as %s",
        found.entries,
        len(found.rows),
        mended.kept_as,
    )
    for match, count in found.lost.items():
        _log.error("%d entries of match %d are lost, after the first %d", count, match, found.saved_count(match))
    return Opened(journal, mended=_loss_text(found))


def _loss_text(found: Gathered) -> Text:
    if not found.lost:
        if found.certain:
            return say("The journal was damaged and repaired. Check the last move and the disk.")
        return say("The journal was damaged. The intact part is saved; check the disk.")
    (match, count), *others = found.lost.items()
    if not others and found.saved_count(match):
        return say(
            "Journal damaged. Match {match}, entries lost: {count}. The match continues after entry {kept}. "
            "Check the disk.",
            match=match,
            count=count,
            kept=found.saved_count(match),
        )
    return say(
        "Journal damaged. Matches {matches}, entries lost: {count}. Check the disk.",
        matches=", ".join(map(str, found.lost)),
        count=sum(found.lost.values()),
    )


def _open_unsaved(path: Path, error: JournalError) -> Opened:
    _log.error("%s; until power-off nothing is saved", error)
    journal = Journal()
    try:
        found = gather(path) if not isinstance(error, JournalNewer) else None
        if found is not None and found.current is not None:
            journal.restore(found.rows[found.current], found.settings)
    except JournalError as worse:
        _log.error("what was recorded cannot be read either: %s", worse)
    return Opened(journal, unsaved=error.unsaved)
