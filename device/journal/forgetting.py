"""Takes a person's name out of a journal: out of what is known of each match beside its entries, and what is offered.

No entry holds a name, and no signed record: they call players by their seats. So nothing that is chained changes, and
whoever is forgotten is called by the seat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from device.journal.formats import decoded, encoded, match_of
from device.journal.match_info import About
from device.redaction import replace_names, same_name

replace = msgspec.structs.replace
_PLAYERS, _END = '[Players "', '"]'


def without(settings: Mapping[str, str], name: str) -> dict[str, str]:
    """Return the settings of a journal that are about matches in which somebody of that name played, without it."""
    found: dict[str, str] = {}
    for kept, value in settings.items():
        if match_of(kept) is None:
            continue
        about = decoded(value)
        if (other := _nameless(about, name)) != about:
            found[kept] = encoded(other)
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
    """Yield the lines of a public record; whoever has no name is not among its players."""
    for line in record.split("\n"):
        if not line.startswith(_PLAYERS):
            yield replace_names(line, words)
            continue
        players = line.removeprefix(_PLAYERS).removesuffix(_END).split(", ")
        left = [each for each in players if not same_name(each.partition("=")[2], _as_written(name))]
        if left:
            yield f"{_PLAYERS}{', '.join(left)}{_END}"


def _as_written(name: str) -> str:
    """Return a name as a header of a record has it (`device.cli.public`)."""
    return name.replace("\\", "").replace('"', '\\"').replace(";", ",").replace(",", "")
