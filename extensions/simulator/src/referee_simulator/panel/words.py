"""Wording of the simulator's drawer and seats' cards. Fields stay fields, filled by JavaScript."""

from __future__ import annotations

from engine.text import Text, in_context, say

LABEL = in_context("a drawer with the pieces, lamps and faults of a virtual table", "Simulator")

WORDS: dict[str, Text] = {
    "bench-hint": say("Everything simulated: the table, the camera, displays, buttons and faults."),
    "close": in_context("a button", "Close"),
    "lost": say("connection lost, trying again"),
    "who-plays": say("Who plays"),
    "plays-you": in_context("who plays", "you"),
    "plays-itself": in_context("who plays", "the demo"),
    "plays-cheating": in_context("who plays", "the demo, cheating"),
    "table": in_context("a heading", "Table"),
    "table-above": say("The table from above"),
    "whose-hand": say("Move pieces as"),
    "set-out": say("Reset table"),
    "handle-by-mouse": say("Drag a piece to move it. Hold it to peek. Double-click to turn it over."),
    "handle-by-touch": say("Drag a piece to move it. Hold it to peek. Tap it twice to turn it over."),
    "handle-by-keys": say(
        "By keyboard: arrows choose a piece, Enter lifts it and lays it down, Space peeks, F turns it over."
    ),
    "handle-cards": say("Drag cards to and from your hand; drag a pile by its number."),
    "face-down": in_context("how a piece lies", "face down"),
    "pile": say("Cards: {count}. Drag the number to move them all.", count="{count}"),
    "hand-of": say("{seat}'s hand", seat="{seat}"),
    "cards": say("Cards: {count}", count="{count}"),
    "lay-face-down": say("lay face down"),
    "show": in_context("the cards of a hand", "Show"),
    "hide": in_context("the cards of a hand", "Hide"),
    "a-card": say("a card"),
    "seat": say("Seat {seat}", seat="{seat}"),
    "everybody": in_context("whose display it is", "Everybody"),
    "shared": in_context("whose display it is", "Shared"),
    "display": say("Display: {name}", name="{name}"),
    "displays": say("Displays and buttons"),
    "back": in_context("a button", "back"),
    "next": in_context("a button", "next"),
    "choose": in_context("a button", "choose"),
    "buzzer": say("Buzzer"),
    "camera": say("Camera"),
    "camera-sees": say("The table as the camera sees it"),
    "rate": say("Frames per second: {rate}", rate="{rate}"),
    "scene": in_context("light and lens", "Scene"),
    "faults": in_context("what can break", "Faults"),
}
"""Wording of the drawer."""

HAND: dict[str, Text] = {
    "your-cards": say("Your cards"),
    "your-cards-hint": say("Only you see your cards. Choose a move, and a simulated hand makes it."),
    "yours-alone": say("Only you see this"),
    "hold-to-look": say("Hold to look"),
    "pick-hint": say("To choose the card to lay face down, tap it here first."),
}
"""Wording of a seat's page."""
