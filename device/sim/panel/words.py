"""All that the pages say of themselves, by the keys under which their HTML and JavaScript ask for it.

A field is a field again in what a page gets: its JavaScript puts the value in.
"""

from __future__ import annotations

from device.locale import translate
from engine.text import Text, meant, say

WORDS: dict[str, Text] = {
    # The heads of the pages.
    "title-table": say("Table referee: the virtual table"),
    "title-seat": say("Table referee: your seat"),
    "title-camera": say("Table referee: camera"),
    "virtual-table": say("Virtual table"),
    "language": say("Language"),
    "connecting": meant("the page and the simulation", "connecting"),
    "live": meant("the page and the simulation", "connected"),
    "lost": say("connection lost, trying again"),
    "who-plays": say("Who plays"),
    "plays-you": meant("who plays", "you"),
    "plays-itself": meant("who plays", "by itself"),
    "plays-cheating": meant("who plays", "with cheating"),
    # The table, and what hands do on it.
    "table": meant("a heading", "Table"),
    "table-above": say("The table from above"),
    "whose-hand": say("Whose hand"),
    "set-out": say("Set out anew"),
    "handle-by-mouse": say("Drag a piece to move it. Hold it to peek. Double-click to turn it over."),
    "handle-by-touch": say("Drag a piece to move it. Hold it to peek. Tap it twice to turn it over."),
    "handle-cards": say("Cards are dragged from the hand and back; a pile by its number."),
    "face-down": meant("how a piece lies", "face down"),
    "pile": say("Cards: {count}. Drag the number to move them all.", count="{count}"),
    # A hand of cards.
    "hand-of": say("Hand of {seat}", seat="{seat}"),
    "cards": say("Cards: {count}", count="{count}"),
    "holds": say("{seat} holds {count}", seat="{seat}", count="{count}"),
    "lay-face-down": say("lay face down"),
    "show": meant("the cards of a hand", "Show"),
    "hide": meant("the cards of a hand", "Hide"),
    "a-card": say("a card"),
    # Displays and buttons.
    "seat": say("Seat {seat}", seat="{seat}"),
    "everybody": meant("whose display it is", "Everybody"),
    "shared": meant("whose display it is", "Shared"),
    "display": say("Display: {name}", name="{name}"),
    "displays": say("Displays and buttons"),
    "own-display": say("Your display and buttons"),
    "back": meant("a button", "back"),
    "next": meant("a button", "next"),
    "choose": meant("a button", "choose"),
    # The camera and the scene.
    "scene-and-faults": say("Scene and faults"),
    "scene": meant("light and lens", "Scene"),
    "faults": meant("what can break", "Faults"),
    "camera": say("Camera"),
    "camera-sees": say("The table as the camera sees it"),
    "rate": say("Frames a second: {rate}", rate="{rate}"),
    # The page of `referee calibrate`.
    "camera-view": say("What the camera sees"),
    "camera-found": say("What the camera sees, with what was found"),
    "no-markers": say("A mat without markers"),
    "corners-by-mouse": say(
        "Click the mat's corners in the picture: top left, top right, bottom right, bottom left, as seat A sees it."
    ),
    "corners-by-touch": say(
        "Tap the mat's corners in the picture: top left, top right, bottom right, bottom left, as seat A sees it."
    ),
    "corners-line": say("Then put this line into the table file, under [camera]. The camera must not move afterwards."),
    "start-again": say("Start again"),
    # Instead of a page.
    "no-page": say("No such page: open one of the addresses that were printed."),
}


def words(language: str) -> dict[str, str]:
    """Every word of the pages in a language."""
    return {key: translate(text, language) for key, text in WORDS.items()}
