"""The wording of the page of `referee verify --page`, by the keys in its HTML and JavaScript."""

from __future__ import annotations

from engine.text import Text, say

VERIFY: dict[str, Text] = {
    "title-verify": say("Table referee: was it played by the rules?"),
    "was-it-played": say("Was it played by the rules?"),
    "how-to-verify": say(
        "Choose the file of a match that the table signed. It is checked on this computer, entry by entry, against the "
        "rules and the table's signatures. You need not trust whoever owns the table."
    ),
    "the-file": say("The match's file"),
    "the-notes": say("What you noted during the match, a line each: the number, and the digits after it"),
    "why-notes": say(
        "The first note is told before the first move, as “Head 0”, the last at the end. Without notes the table's "
        "owner could have signed another match afterwards."
    ),
    "check": say("Check it"),
    "checking": say("It is being checked …"),
    "too-long": say("This file is too large for the page: check it in a terminal."),
    "not-checked": say("Not checked: choose a file first."),
    "not-sent": say("Not checked: the program that checks is not there. Start it again, and check once more."),
    "unreadable": say("Not checked: the browser cannot read this file any more. Choose it again."),
    "not-known": say("What could not be checked"),
    "differs": say("What differed from a plain match"),
    "known-by": say("Compare these with what the table says"),
    "game-version": say("{game}, played with version {program}"),
    "key-is": say("The table's key: {key}"),
    "head-is": say("Last note: {n} {hash}"),
    "entries-right": say("Entries that are right: {count}"),
}
