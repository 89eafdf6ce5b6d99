"""The wording of all pages that `device.web` serves, and of the camera's page, by the keys in HTML and JavaScript.

A field is a field again in what a page gets: its JavaScript puts the value in.
"""

from __future__ import annotations

from engine.text import Text, meant, say

INSTEAD = say(
    "This page has not started. It needs JavaScript and a browser from 2021 or later (Chrome 85, Firefox 79, Safari "
    "14). Load it again, or use another device."
)
"""What stands in a page until its program has started: in a browser that cannot read the program, for ever."""

SHARED: dict[str, Text] = {
    "instead": INSTEAD,
    "language": say("Language"),
    "connecting": meant("the page and the simulation", "connecting"),
    "live": meant("the page and the simulation", "connected"),
    "lost": say("connection lost, trying again"),
    "camera": say("Camera"),
    "rate": say("Frames a second: {rate}", rate="{rate}"),
}

CAMERA: dict[str, Text] = {
    "title-camera": say("Table referee: camera"),
    "camera-view": say("What the camera sees"),
    "camera-found": say("What the camera sees, with what was found"),
    "no-markers": say("A mat without markers"),
    "corners-by-mouse": say(
        "Click the mat's corners in the picture: top left, top right, bottom right, bottom left, as seat A sees it."
    ),
    "corners-by-touch": say(
        "Tap the mat's corners in the picture: top left, top right, bottom right, bottom left, as seat A sees it."
    ),
    "corners-line": say(
        "Then put these lines into the table file, under [camera]. The camera must not move afterwards."
    ),
    "start-again": say("Start again"),
}

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

NO_PAGE = say("No such page: open one of the addresses that were printed.")
"""Instead of a page."""
