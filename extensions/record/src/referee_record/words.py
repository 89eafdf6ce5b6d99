"""Words of the page of `referee verify --page`, by key in HTML and JavaScript."""

from __future__ import annotations

from engine.text import Text, say

VERIFY: dict[str, Text] = {
    "title-verify": say("Table referee: was it played by the rules?"),
    "was-it-played": say("Was it played by the rules?"),
    "how-to-verify": say(
        "Choose the file of a match that the table signed. It is checked on this computer, entry by entry, against the "
        "rules and the table's signatures. You don't have to trust the table's owner."
    ),
    "the-file": say("The match's file"),
    "the-notes": say("What you noted during the match, one per line: the number, and the digits after it"),
    "why-notes": say(
        "Note “Head 0” before the first move, and the last head at the end. Without notes, the owner "
        "could have signed another match later."
    ),
    "check": say("Check it"),
    "checking": say("It is being checked …"),
    "too-long": say("This file is too large for the page: check it in a terminal."),
    "not-checked": say("Not checked: choose a file first."),
    "not-sent": say("Not checked: the checking program is not running. Start it and try again."),
    "unreadable": say("Not checked: the browser can no longer read this file. Choose it again."),
    "not-known": say("What could not be checked"),
    "differs": say("Differences from a standard match"),
    "known-by": say("Compare these with the table"),
    "game-version": say("{game}, played with version {program}"),
    "key-is": say("The table's key: {key}"),
    "head-is": say("Last head: {n} {hash}"),
    "entries-right": say("Correct entries: {count}"),
}
