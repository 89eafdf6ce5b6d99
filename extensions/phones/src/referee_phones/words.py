"""The app's own words, by the keys in its JavaScript. All else that a page shows comes with its sheet, as sentences.

A field is a field again in what a page gets: its JavaScript puts the value in.
"""

from __future__ import annotations

from engine.text import Text, in_context, say

WORDS: dict[str, Text] = {
    "title": say("Table referee"),
    "language": say("Language"),
    # The link.
    "connecting": say("Connecting to the table …"),
    "live": say("Connected to the table."),
    "lost": say("No connection to the table. It comes back by itself."),
    "no-socket": say(
        "The table answers, but this page cannot keep a connection. A proxy between them must pass on WebSockets."
    ),
    "superseded": say("This seat was opened on another page. Only one of them can play."),
    "play-here": say("Play here"),
    # Joining.
    "no-seat": say("This phone has no seat yet"),
    "how-to-join": say("Scan the seat's code at the table with this phone's camera."),
    "joining": say("Taking the seat …"),
    "lost-phone": say("Did you lose the phone that had this seat?"),
    "its-number": say("Enter the number from its menu"),
    "come-back": in_context("a button: a seat is taken back with another phone", "Take the seat"),
    "spare": say(
        "If this phone is lost: open {address} on another one and enter {number} there.",
        address="{address}",
        number="{number}",
    ),
    "in-clear": say("This page is not encrypted: anyone on this network can read what it shows."),
    "try-again": say("Try again"),
    "seat": say("Seat {seat}", seat="{seat}"),
    "your-name": say("Your name"),
    "name-hint": say("Leave it empty to be shown by your letter or colour."),
    "keep": in_context("a button: a name is kept", "Save"),
    "take-a-seat": say("Take a seat with your phone"),
    "play": say("Play in this browser"),
    "play-hint": say("Each seat has its own page. Open every seat to play all sides yourself."),
    "play-as": say("Play as {seat}", seat="{seat}"),
    "start-at-a-seat": say("Tap Start on a seat's page."),
    "scan": say("Scan a code with the phone's camera. It is good for one phone."),
    "code-of": say("Code for {seat}: {address}", seat="{seat}", address="{address}"),
    # The owner's page.
    "owners-page": say("The owner's page"),
    "elsewhere": say("The owner's page is now open elsewhere."),
    "open-here": say("Open it here"),
    "opening": say("Opening the owner's page …"),
    "claim-code": say("Code of the table"),
    "claim": in_context("a button: the table becomes one's own", "Claim"),
    "claim-hint": say("It was set when the card was made. The table's own display shows it, too: Table settings."),
    "step-of": say("{done} of {of}", done="{done}", of="{of}"),
    "camera-picture": say("What the camera sees"),
    "scan-page": say("Code for {address}", address="{address}"),
    "fetching": say("{name} is being fetched …", name="{name}"),
    "keep-file": say("Save {name}", name="{name}"),
    # What to do.
    "all-moves": say("All moves"),
    "to-do": say("What to do"),
    "nothing-to-do": say("Nothing to choose now."),
    "back": say("Back"),
    "early": say("The list changed. Please choose again."),
    "chosen": say("Chosen so far"),
    "lacks": say("Still to be done"),
    "not-so": in_context("a heading over a refusal", "Not like that"),
    # What is known.
    "you-know": say("Your view"),
    "all-know": say("On the table"),
    "players": say("Players"),
    "on-turn": in_context("beside a player", "to play"),
    "by-phone": in_context("beside a player", "by phone"),
    "clocks": in_context("a heading", "Clocks"),
    "clock-of": say("Clock of {name}: {time}", name="{name}", time="{time}"),
    "happened": say("Moves"),
    "show-all": say("Show everything"),
    "show-less": say("Show less"),
    "undo-here": say("Undo to here"),
    "rules": say("Rules in short"),
    # The table and the panels, for eyes and for screen readers.
    "table-above": say("The table from above"),
    "empty": say("not marked"),
    "marked": in_context("a piece or a place", "touched last"),
    "asked-about": in_context("a piece or a place", "asked about"),
    "place": say("{place}: {what}", place="{place}", what="{what}"),
    "of-maximum": say("{value} of {maximum}", value="{value}", maximum="{maximum}"),
    "first-to": say("First to {points}", points="{points}"),
    "sector": say("Sector {sector}", sector="{sector}"),
    "in-sight": in_context("a sector of the sky", "in sight"),
    # The page itself.
    "menu": in_context("a button", "Menu"),
    "close": in_context("a button", "Close"),
    "this-page": say("This page"),
    "read-aloud": say("Read moves aloud"),
    "sounds": in_context("a switch", "Sounds"),
    "look": in_context("a page's colours", "Colours"),
    "look-auto": in_context("a page's colours", "same as this phone"),
    "look-light": in_context("a page's colours", "light"),
    "look-dark": in_context("a page's colours", "dark"),
    "leave": say("Leave this seat"),
    "leave-sure": say("Leave this seat? This phone then needs a new code."),
    "yes": say("Yes"),
    "no": say("No"),
}
