"""Deletes names and old matches from a table's journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from device.clock import WallTime
from device.journal import About, Archive, Journal
from device.journal.formats import decode_about, encode_about, match_of
from device.personal_names import replace_names, same_name
from device.session import last_time, names
from device.session.last_time import LastMatch

DAY_S = 86_400.0


def forget(journal: Journal, name: str) -> int:
    """Delete a name; return how many matches had it. Idempotent. Raises JournalError."""
    settings = journal.settings()
    matches = without(settings, name)
    journal.erase({**matches, **_offered_names(settings, name)})
    return len(matches)


def known_names(journal: Archive) -> tuple[str, ...]:
    """Return all names in a journal, sorted."""
    offered = {each.name for each in names.decode(journal.setting(names.SETTING))}
    played = {name for match in journal.stock.matches for name in journal.about(match).names.values()}
    return tuple(sorted(offered | played, key=str.casefold))


def _offered_names(settings: Mapping[str, str], name: str) -> dict[str, str]:
    people, last = f"set.{names.SETTING}", f"set.{last_time.SETTING}"
    found = {
        people: names.encode(names.others(names.decode(settings.get(people)), name)),
        last: _last(settings.get(last, ""), name),
    }
    return {kept: value for kept, value in found.items() if kept in settings and settings[kept] != value}


def _last(kept: str, name: str) -> str:
    try:
        last = msgspec.json.decode(kept, type=LastMatch)
    except ValueError:  # nobody can offer it
        return ""
    left = {key: each for key, each in last.names.items() if not same_name(each, name)}
    return kept if left == last.names else last_time.encode(msgspec.structs.replace(last, names=left))


class Retention:
    """Drops old matches. keep_days: 0 for ever. wall: time of day."""

    def __init__(self, journal: Journal, keep_days: int, wall: Callable[[], WallTime]) -> None:
        self._journal, self._keep_days, self._wall = journal, keep_days, wall

    def drop_old(self) -> None:
        """Drop old matches, if the clock is set. Raises JournalError."""
        now = self._wall()
        if not (self._keep_days and now.set):
            return
        if old := tuple(_older(self._journal, now.at - self._keep_days * DAY_S)):
            self._journal.erase({}, old)


def _older(journal: Archive, until: float) -> Iterator[int]:
    """Yield finished matches older than `until` (s since 1970), except one that the table still shows. An undated one
    counts as played before the next dated one."""
    latest = float("inf")
    for match in sorted(journal.stock.matches, reverse=True):
        about = journal.about(match)
        latest = _played_at(about) or latest
        if latest < until and match != journal.current and journal.over(match) and not about.dropped:
            yield match


def _played_at(about: About) -> float | None:
    if about.ended is not None and about.ended.clock_set:
        return about.ended.at
    return about.begun if about.clock_set else None


replace = msgspec.structs.replace
_PLAYERS, _END = '[Players "', '"]'


def without(settings: Mapping[str, str], name: str) -> dict[str, str]:
    """Return the descriptions with this name, by their keys in the settings, the name removed."""
    found: dict[str, str] = {}
    for kept, value in settings.items():
        if match_of(kept) is None:
            continue
        about = decode_about(value)
        if (other := _nameless(about, name)) != about:
            found[kept] = encode_about(other)
    return found


def _nameless(about: About, name: str) -> About:
    if not (gone := sorted(key for key, each in about.names.items() if same_name(each, name))):
        return about
    words = {about.names[key]: key.upper() if key.isalpha() else f"Player {key}" for key in gone}
    stays = {each: each for key, each in about.names.items() if key not in gone}
    quoted = {_as_written(each): word for each, word in words.items()}
    all_words = {**quoted, **words, **stays}
    ended = about.ended
    return replace(
        about,
        names={key: each for key, each in about.names.items() if key not in gone},
        forgotten=tuple(sorted({*about.forgotten, *gone})),
        ended=None if ended is None else replace(ended, result=replace_names(ended.result, all_words)),
        public="\n".join(_lines(about.public, name, all_words)),
    )


def _lines(record: str, name: str, words: Mapping[str, str]) -> Iterator[str]:
    for line in record.split("\n"):
        if not line.startswith(_PLAYERS):
            yield replace_names(line, words)
            continue
        players = line.removeprefix(_PLAYERS).removesuffix(_END).split(", ")
        left = [each for each in players if not same_name(each.partition("=")[2], _as_written(name))]
        if left:
            yield f"{_PLAYERS}{', '.join(left)}{_END}"


def _as_written(name: str) -> str:
    return name.replace("\\", "").replace('"', '\\"').replace(";", ",").replace(",", "")
