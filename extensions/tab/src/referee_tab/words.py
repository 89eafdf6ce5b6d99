"""The site's own words by JavaScript key; the pages' come with referee_phones."""

from __future__ import annotations

from engine.text import Text, say

WORDS: dict[str, Text] = {
    "site-about": say(
        "Board games with a referee that knows the rules. Play here, on this device; nothing is sent anywhere."
    ),
    "site-all-here": say("Everything you need is on the page."),
    "site-cards": say("With your own cards; the page keeps score."),
    "site-players-1": say("Play alone"),
    "site-players": say("{count} players", count="{count}"),
    "site-against": say("Play against the computer"),
    "site-go-on": say("Continue {game}", game="{game}"),
    "site-loading": say("The table is being set up … {percent} %", percent="{percent}"),
    "site-failed": say("The table could not be set up. Connect to a network and reload the page."),
    "site-elsewhere": say("A match is open in another tab. Close that tab, then reload this page."),
    "site-unkept": say("This browser keeps nothing: the match ends when the page is closed."),
    "site-pass": say("Hand the device to {name}.", name="{name}"),
    "site-show": say("I am {name}", name="{name}"),
    "site-private": say("What {name} sees is for {name} alone.", name="{name}"),
    "site-leave": say("Games"),
    "site-honest": say("On one device, look away when it isn't your turn. A real table keeps secrets for you."),
    "site-verify": say("Check a match: was it played by the rules?"),
}

VERIFY: dict[str, Text] = {
    "verify-failed": say("It could not be checked. Reload the page and try again."),
}
"""Words of the page for a match's file, beside those of referee_record."""
