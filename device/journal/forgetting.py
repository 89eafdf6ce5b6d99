"""Deletes a name from match descriptions and settings; entries contain only seats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from device.journal.formats import decode_about, encode_about, match_of
from device.journal.match_info import About
from device.personal_names import replace_names, same_name

replace = msgspec.structs.replace
_PLAYERS, _END = '[Players "', '"]'


def without(settings: Mapping[str, str], name: str) -> dict[str, str]:
    """Return the changed settings of every match with that player."""
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
