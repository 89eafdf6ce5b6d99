"""Puts a verdict into words for `referee verify --json` and pages."""

from __future__ import annotations

from typing import Any

import msgspec

from device.locale import translate
from engine.text import Text, say
from referee_record.verification import NAMED, SAID, Verdict

FAULTS = {
    "match": say("This is not a match signed by a table, or it is incomplete:"),
    "notes": say("The notes cannot be read:"),
}
"""What a file without a finding is, by the name that its fault begins with."""

NOT_HERE = say("This match cannot be checked here:")


def report(found: Verdict, title: str, language: str) -> dict[str, Any]:
    """Return the verdict in a language. title: the game's."""
    wrong = None
    if found.wrong is not None:
        wrong = {**msgspec.structs.asdict(found.wrong), "why": translate(found.wrong.why, language)}
    return {
        **msgspec.structs.asdict(found),
        "code": found.code,
        "title": translate(Text(title), language),
        "said": translate(SAID[found.result], language),
        "entries": [
            {**msgspec.structs.asdict(each), "named": translate(NAMED[each.what], language)} for each in found.entries
        ],
        "unchecked": [translate(sentence, language) for sentence in found.unchecked],
        "noteworthy": [translate(sentence, language) for sentence in found.noteworthy],
        "wrong": wrong,
        "place": None if found.place is None else translate(found.place, language),
    }


def fault(why: str, language: str) -> dict[str, Any]:
    """Return a page's message about a file that cannot be checked. why: begins with the name of the file at fault, if
    it is one's."""
    said = next((text for name, text in FAULTS.items() if why.startswith(name)), NOT_HERE)
    return {"is": "fault", "said": translate(said, language), "why": why}
