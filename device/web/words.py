"""Defines the pages' words by their HTML and JavaScript keys; JavaScript fills their fields."""

from __future__ import annotations

from engine.text import Text, in_context, say

INSTEAD = say(
    "This page has not started. It needs JavaScript and a browser from 2021 or later (Chrome 85, Firefox 79, Safari "
    "14). Load it again, or use another device."
)
"""Shown until the page's program starts."""

SHARED: dict[str, Text] = {
    "instead": INSTEAD,
    "language": say("Language"),
    "connecting": in_context("the page and the simulation", "connecting"),
    "live": in_context("the page and the simulation", "connected"),
    "lost": say("connection lost, trying again"),
}

CAMERA: dict[str, Text] = {
    "camera": say("Camera"),
    "rate": say("Frames per second: {rate}", rate="{rate}"),
    "title-camera": say("Table referee: camera"),
    "camera-view": say("What the camera sees"),
    "camera-found": say("Camera view with detected pieces"),
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

NO_PAGE = say("No such page: open one of the addresses shown in the terminal.")
"""Shown for unknown addresses."""
